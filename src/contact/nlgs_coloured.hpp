// Nonlinear Gauss-Seidel for many rigid bodies: manifolds in batches for SIMD lanes, regions of the bed for
// threads, or colours for a device; single or double precision in the sweeps, the residual always from
// velocities rebuilt in double. The result depends neither on the number of threads nor on the instruction
// set. That of a device is another one, as near to the solution: it sweeps in another order.
#pragma once

#include "tamis/contact/accelerated.hpp"
#include "tamis/contact/contact_solver.hpp"

#include <memory>

namespace tamis {

struct ContactKernels;
struct Device;

enum class Precision { double_, float_ };

struct NlgsColouredOptions {
    Precision precision = Precision::double_;
    int threads = 0; // 0: as many as OpenMP gives
    Acceleration acceleration = Acceleration::none;
    const Device* device = nullptr; // that sweeps instead of the SIMD lanes
};

// Keeps its work memory from step to step: solve() allocates only when a problem is larger than all before.
class NlgsColoured : public ContactSolver {
  public:
    // Fails if the environment variable TAMIS_SIMD names instructions that the machine has not.
    explicit NlgsColoured(NlgsColouredOptions chosen = {});
    ~NlgsColoured() override;
    SolverReport solve(ContactProblem& problem) override;
    NlgsColouredOptions options;

    // Of the last solve().
    struct Statistics {
        double lanes_filled = 1; // part of the points in batches that are contacts
        int batches = 0, slabs = 0, overflow = 0;
        double build_seconds = 0; // to arrange and fill the batches
        int checks = 0;           // of the residual
        int rejected = 0;         // mixtures of the acceleration that were undone
        int shuffled = 0;         // sweeps in an order of their own
    };
    const Statistics& statistics() const { return statistics_; }

  private:
    struct Work;
    template <class Sweeper, class Kernels, class Accelerator>
    void run(ContactProblem& problem, Sweeper& sweeper, const Kernels& kernels, Accelerator& accelerator,
             SolverReport& report);

    const ContactKernels* kernels_; // of this machine
    std::unique_ptr<Work> work_;
    Statistics statistics_;
};

} // namespace tamis
