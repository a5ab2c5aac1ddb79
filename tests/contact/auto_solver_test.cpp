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

// Cubes of 1 kg on four points each, the topmost of 100 kg.
ContactProblem tower(int cubes)
{
    using Eigen::Vector3d;
    ContactProblem problem;
    beds::Random random(1);
    for (int i = 0; i < cubes; ++i) {
        const double mass = i == cubes - 1 ? 100 : 1;
        beds::add_grain(problem, Vector3d(0, 0, i + 0.5) + random.vector(0.05), mass,
                        mass / 6 * Eigen::Matrix3d::Identity(), {0, 0, -9.81e-3}, {0, 0, 0});
    }
    for (int i = 0; i < cubes; ++i)
        beds::add_manifold(problem, i - 1, i, Vector3d(0, 0, i) + random.vector(0.05),
                           Vector3d(0, 0, 1) + random.vector(0.02), 4, 0.45, 0.7, 0, 0);
    return problem;
}

} // namespace

// Sweeps pass a load on by one cube; here no few bodies hold the residual either.
TEST(AutoSolver, SolvesDirectlyWhereSweepsStagnateOnHundredsOfContacts)
{
    const ContactProblem given = tower(40);
    ASSERT_EQ(given.contacts.size(), 160u);
    const auto solved_by = [&](const char* name) {
        ContactProblem problem = given;
        const auto solver = make_solver(name, 1);
        solver->stop.max_sweeps = 5000;
        return solve(*solver, problem, 1e-6);
    };
    EXPECT_EQ(solved_by("coloured").status, SolverStatus::iteration_limit);
    const SolverReport report = solved_by("auto");
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_STREQ(report.solver, "robust");
}

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
