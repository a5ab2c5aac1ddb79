// Wedges: found where impulses grow without end, and nowhere else.
#include "contact/solvable.hpp"
#include "tamis/contact/auto_solver.hpp"

#include <gtest/gtest.h>

namespace tamis::wedge_test {
namespace {

using Eigen::Vector3d;

// A free body between two plates through the y-axis that enclose the angle `opening`; one of them moves towards the
// other at `speed`, the other stands still. The body is a wedge itself, or a ball with the contacts where it would be
// flat.
ContactProblem between_plates(double opening, double friction, double speed)
{
    ContactProblem problem;
    problem.rigid.resize(2);
    problem.rigid[0].inverse_mass = 2;
    problem.rigid[0].inverse_inertia = 5 * Eigen::Matrix3d::Identity();
    const double half = opening / 2;
    for (const double side : {1.0, -1.0}) {
        Contact contact;
        const Vector3d n(std::sin(half), 0, -side * std::cos(half)); // from the plate to the body
        contact.frame.col(0) = n;
        contact.frame.col(1) = Vector3d::UnitY();
        contact.frame.col(2) = n.cross(Vector3d::UnitY());
        contact.friction = friction;
        contact.side[1].block = 0;
        contact.arm[1] = -0.1 * n;
        if (side > 0) {
            contact.side[0].block = 1;
            contact.arm[0] = Vector3d::Zero();
        }
        problem.contacts.push_back(contact);
    }
    problem.v_free = Eigen::VectorXd::Zero(12);
    problem.v_free[8] = -speed; // the upper plate, down
    problem.v = problem.v_free;
    return problem;
}

SolverReport solve(ContactProblem& problem, const char* name)
{
    const std::unique_ptr<ContactSolver> solver = make_solver(name, 1);
    solver->stop.max_sweeps = 20000;
    SolverReport report = solver->solve(problem);
    report.growth = nullptr;
    return report;
}

// Plates that close squeeze the body out if their angle is more than twice that of friction, and else not.
TEST(Wedge, IsFoundInsideTheFrictionAngleOnly)
{
    for (const char* solver : {"nlgs", "coloured", "coloured-float"})
        for (const double mu : {0.0, 0.2, 0.7})
            for (const double angle : {0.0, 0.2, 0.35, 0.5, 1.0, 1.15, 1.3, 2.0}) {
                const double limit = 2 * std::atan(mu);
                if (std::abs(angle - limit) < 0.05 && angle > 0) continue;
                const bool wedged = angle <= limit;
                ContactProblem closing = between_plates(angle, mu, 0.1),
                               opening = between_plates(angle, mu, -0.1);
                const SolverReport report = solve(closing, solver);
                EXPECT_EQ(report.status, wedged ? SolverStatus::no_solution : SolverStatus::converged)
                    << solver << " mu " << mu << " angle " << angle << " sweeps " << report.sweeps;
                if (wedged) {
                    EXPECT_LE(report.sweeps, 2000);
                }
                EXPECT_EQ(solve(opening, solver).status, SolverStatus::converged);
            }
}

TEST(Wedge, IsNotFoundInSolvableProblems)
{
    int converged = 0;
    for (unsigned seed = 0; seed < 10000; ++seed) {
        ContactProblem problem = beds::solvable(seed);
        AutoSolver solver(1);
        solver.stop.max_sweeps = 2000;
        const SolverReport report = solver.solve(problem);
        EXPECT_NE(report.status, SolverStatus::no_solution) << seed << " sweeps " << report.sweeps;
        converged += report.status == SolverStatus::converged;
    }
    EXPECT_GT(converged, 9900);
}

// Contacts that yield have a solution.
TEST(Wedge, IsNotFoundWhereContactsYield)
{
    ContactProblem problem = between_plates(0.2, 0.7, 0.1);
    for (Contact& contact : problem.contacts) contact.compliance = {1e-2, 1e-2};
    EXPECT_EQ(solve(problem, "nlgs").status, SolverStatus::converged);
    EXPECT_GT(problem.contacts[0].r[0], 1);
}

} // namespace
} // namespace tamis::wedge_test
