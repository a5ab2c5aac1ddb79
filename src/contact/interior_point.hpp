// A direct solver for beds on which sweeps creep: an interior-point method on the velocities of all bodies,
// then sweeps from where it ends. Some dozens of factorisations of a matrix of six rows per body: seconds for
// a thousand bodies.
#pragma once

#include "tamis/contact/contact_solver.hpp"
#include "tamis/contact/nlgs_coloured.hpp"

#include <memory>

namespace tamis {

// Starts cold, whatever the impulses of the contacts. For the law `contact` only; other problems it leaves as
// they are, not converged. A "sweep" of its report is a factorisation or a sweep.
class InteriorPoint : public ContactSolver {
  public:
    explicit InteriorPoint(int threads = 0);
    ~InteriorPoint() override;
    SolverReport solve(ContactProblem& problem) override;

  private:
    struct System;
    int approach(ContactProblem& problem); // returns the number of factorisations
    std::unique_ptr<System> system_;
    NlgsColoured sweeps_;
};

} // namespace tamis
