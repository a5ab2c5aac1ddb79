// Solvers on the local form: plain sweeps, and a cascade of direct methods for problems on which sweeps
// stagnate (many more contacts than degrees of freedom, large mass ratios, jammed wedges).
#pragma once

#include "tamis/contact/contact_solver.hpp"
#include "tamis/contact/local_problem.hpp"

namespace tamis {

// Failure is data: r is never worse than at the start, and always finite if the problem is.
struct LocalReport {
    SolverStatus status = SolverStatus::iteration_limit;
    int sweeps = 0;             // Gauss-Seidel
    int newton_steps = 0;       // semismooth Newton, one factorisation each
    int interior_steps = 0;     // interior point, one factorisation each
    double residual_before = 0; // relative natural map of r on entry
    double residual = 0;        // and on exit
};

struct LocalNlgsOptions {
    double tolerance = 1e-8; // on the relative natural map
    int max_sweeps = 10000;
    int patience = 0; // gives up when so many sweeps have not halved the residual; 0: never
};
LocalReport solve_local_nlgs(LocalProblem& problem, const LocalNlgsOptions& options = {});

struct RobustOptions {
    double tolerance = 1e-8; // on the relative natural map
    int sweeps = 50;         // before the first factorisation
    int newton_steps = 2500; // of each late attempt, with an alpha for every contact; 0: no late attempts
};
LocalReport solve_robust(LocalProblem& problem, const RobustOptions& options = {});

} // namespace tamis
