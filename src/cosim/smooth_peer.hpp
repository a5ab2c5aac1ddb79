// The smooth side of a cut as a peer: it is told the wrench on its marker, and gives the marker's motion.
#pragma once

#include "tamis/cosim/interface_motion.hpp"
#include "tamis/cosim/peer.hpp"
#include "tamis/smooth/smooth_model.hpp"
#include "tamis/smooth/smooth_solver.hpp"

namespace tamis {

class SmoothPeer : public Peer {
  public:
    // A marker on a body of the model, at `offset` in its frame. options.h is set to H / substeps.
    SmoothPeer(SmoothModel& model, Body carrier, const Pose& offset, double H, int substeps,
               SmoothOptions options);

    std::string name() const override { return "smooth side"; }
    int inputs() const override { return wrench_size; }
    int outputs() const override { return InterfaceMotion::size; }
    void output(std::span<const double> u, std::span<double> y) const override;
    bool predict(double H, std::span<double> y) override;
    void advance(double H, const Signal& u) override;
    // A single step is repeated from where it is: the solver has not yet accepted it, and nothing is copied.
    void save() override;
    void restore() override;
    void accept() override; // what the solver calls its state is then the present one
    void write(SavedState& out) const override { solver_.state().write(out); }
    void read(const SavedState& in) override;
    std::uint64_t state_hash() const override { return solver_.state().hash(); }
    void report(StepReport& report) override;

    void restart(const SmoothState& state); // goes on from there
    InterfaceMotion marker() const;         // now, or at the end of the step under way
    const SmoothSolver& solver() const { return solver_; }
    SmoothSolver& solver() { return solver_; }

  private:
    int substeps_;
    double h_;
    int node_;
    Pose offset_;
    MarkerWrench& wrench_;
    SmoothSolver solver_;
    SmoothState saved_; // with sub-steps
    bool predicted_ = false, solved_ = false;
    std::array<double, wrench_size> wire_;
};

} // namespace tamis
