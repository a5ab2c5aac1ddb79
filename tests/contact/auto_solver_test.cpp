#include "tamis/contact/auto_solver.hpp"

#include "contact/beds.hpp"

#include <gtest/gtest.h>

namespace auto_solver_test {

using namespace tamis;

namespace {

SolverReport solve(ContactSolver& solver, ContactProblem& problem, double tolerance)
{
    solver.stop.natural_max = tolerance;
    return solver.solve(problem);
}

ContactProblem small_bed()
{
    return beds::bed({.cells = {4, 3, 2}, .spheres = true});
}

} // namespace

TEST(FloatThenDouble, ReachesWhatSinglePrecisionCannot)
{
    const double tolerance = 1e-9;
    const ContactProblem bed = small_bed();
    ContactProblem alone = bed, both = bed;
    NlgsColoured in_float({.precision = Precision::float_});
    EXPECT_EQ(solve(in_float, alone, tolerance).status, SolverStatus::iteration_limit);
    const SolverReport report = solve(*make_solver("coloured-float"), both, tolerance);
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_LE(residual(both).natural_max, tolerance);
    EXPECT_TRUE(std::string(report.solver).starts_with("coloured-float, anderson")) << report.solver;
    // Single precision is given up soon.
    ContactProblem again = bed;
    const SolverReport in_double = solve(*make_solver("coloured"), again, tolerance);
    EXPECT_LE(report.sweeps, in_double.sweeps + 3 * 384);
}

TEST(FloatThenDouble, IsSinglePrecisionWhereThatSuffices)
{
    const ContactProblem bed = small_bed();
    ContactProblem alone = bed, both = bed;
    NlgsColoured in_float({.precision = Precision::float_});
    const SolverReport expected = solve(in_float, alone, 1e-3);
    const SolverReport report = solve(*make_solver("coloured-float"), both, 1e-3);
    EXPECT_EQ(expected.status, SolverStatus::converged);
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_STREQ(report.solver, "coloured-float");
    EXPECT_EQ(report.sweeps, expected.sweeps);
    for (std::size_t a = 0; a < bed.contacts.size(); ++a) ASSERT_EQ(both.contacts[a].r, alone.contacts[a].r);
}

TEST(FloatThenDouble, SweepsNoMoreThanAllowed)
{
    for (const int most : {1, 100, 384, 500}) {
        ContactProblem problem = small_bed();
        const auto solver = make_solver("coloured-float");
        solver->stop.max_sweeps = most;
        const SolverReport report = solve(*solver, problem, 1e-14);
        EXPECT_EQ(report.status, SolverStatus::iteration_limit);
        EXPECT_EQ(report.sweeps, most);
    }
}

} // namespace auto_solver_test
