// Nonlinear Gauss-Seidel (33), serial, double: the plain reference that judges all other solvers.
#pragma once

#include "tamis/contact/contact_solver.hpp"
#include "tamis/contact/wedge.hpp"

namespace tamis {

struct NlgsOptions {
    double tolerance = 1e-10; // on natural_max
    int max_sweeps = 10000;
    int direct = 8; // up to this many contacts (at most 8), if frictionless, are solved directly; 0: none
};

// Keeps its work memory from step to step: solve() allocates only when a problem is larger than all before.
class Nlgs : public ContactSolver {
  public:
    explicit Nlgs(NlgsOptions chosen = {}) : direct(chosen.direct)
    {
        stop.natural_max = chosen.tolerance;
        stop.max_sweeps = chosen.max_sweeps;
    }
    SolverReport solve(ContactProblem& problem) override;
    int direct;

  private:
    void prepare(const ContactProblem& problem);
    double sweep(ContactProblem& problem) const;

    std::vector<Eigen::Matrix3d> local; // W_aa + R of a contact, its inverse of a bilateral one
    ContactWrenches wrenches_;
    Wedge wedge_;
};

} // namespace tamis
