// What every contact solver is asked, and what it answers. Failure is data: a solver
// never throws and never prints.
#pragma once

#include "tamis/contact/contact_problem.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace tamis {

// When a solution is good enough: all of these hold. Each is judged from velocities rebuilt in double.
struct StopTest {
    double natural_max = 1e-10; // or below round-off
    double natural_rms = std::numeric_limits<double>::infinity();
    double approach = std::numeric_limits<double>::infinity();      // m/s: a length over the step
    double wrench_change = std::numeric_limits<double>::infinity(); // on every mechanism and prescribed body,
                                                                    // since the last check
    int min_sweeps = 0; // of solvers in batches: wrenches are known to change only after some
    int max_sweeps = 10000;

    // The largest ratio of a residual to what is allowed, but for the wrenches'.
    double excess(const Residual& r) const
    {
        return std::max({r.natural_max / natural_max, r.natural_rms / natural_rms, r.approach / approach});
    }
    bool satisfied(const Residual& r) const
    {
        return (r.natural_max <= natural_max || r.natural_max <= r.round_off) &&
               (r.natural_rms <= natural_rms || r.natural_max <= r.round_off) && r.approach <= approach &&
               r.wrench_change <= wrench_change;
    }
};

enum class SolverStatus {
    converged,
    iteration_limit,
    no_solution, // no impulses keep all contacts from approaching: proved, or a Wedge was found
};
struct SolverReport {
    SolverStatus status = SolverStatus::converged;
    int sweeps = 0;
    Residual residual;
    const char* solver = "";                              // that gave the result
    const std::vector<Eigen::Vector3d>* growth = nullptr; // of a Wedge; belongs to the solver

    void no_solution(const std::vector<Eigen::Vector3d>& wedge)
    {
        status = SolverStatus::no_solution;
        growth = &wedge;
    }
    // The residual satisfies the stop test. A contact on which nothing moves has no part in that: what is
    // left of its approach is no fault of the solver.
    void satisfied() { status = residual.stuck < 0 ? SolverStatus::converged : SolverStatus::no_solution; }
};

class ContactSolver {
  public:
    virtual ~ContactSolver() = default;
    // Starts from the impulses r of the contacts; leaves r and v.
    virtual SolverReport solve(ContactProblem& problem) = 0;
    StopTest stop;
};

// Generalised contact impulses on mechanisms and impulses on prescribed bodies, and how they change.
class ContactWrenches {
  public:
    void watch(const ContactProblem& problem); // from now on
    // Largest relative change of one of them since the last call; 0 at the first one.
    double change(const ContactProblem& problem);

  private:
    void sum(const ContactProblem& problem); // now_

    std::vector<int> contacts_; // on mechanisms and prescribed bodies
    std::vector<double> before_, now_;
    bool first_ = true;
};

} // namespace tamis
