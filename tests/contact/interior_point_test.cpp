// The interior-point solver against closed forms on which sweeps creep, and against sweeps where they do not.
#include "tamis/contact/interior_point.hpp"

#include "contact/beds.hpp"
#include "tamis/contact/nlgs.hpp"

#include <gtest/gtest.h>

namespace interior_point_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

SolverReport solve(ContactProblem& problem, double tolerance, int max_sweeps = 10000)
{
    InteriorPoint solver;
    solver.stop = {.natural_max = tolerance, .max_sweeps = max_sweeps};
    return solver.solve(problem);
}

// Balls of diameter d and mass m in a row along x, at rest.
ContactProblem row_of_balls(int n, double m, double d)
{
    ContactProblem problem;
    for (int k = 0; k < n; ++k)
        beds::add_grain(problem, {d * k, 0, 0}, m, m * d * d / 10 * Matrix3d::Identity(), {0, 0, 0},
                        {0, 0, 0});
    for (int k = 1; k < n; ++k)
        beds::add_manifold(problem, k - 1, k, {d * (k - 0.5), 0, 0}, {1, 0, 0}, 1, 0, 0.5, 0, 0);
    return problem;
}

} // namespace

// Someone pushes the first of a row of balls: all move alike, and each passes on what those before it need.
TEST(InteriorPoint, PushesALongRow)
{
    for (const double size : {1e-3, 1.0, 1e3}) {
        const int n = 200;
        const double m = size * size * size, push = 0.1 * m;
        ContactProblem problem = row_of_balls(n, m, size);
        problem.v_free[0] = push / m;
        const SolverReport report = solve(problem, 1e-10);
        EXPECT_EQ(report.status, SolverStatus::converged) << report.residual.natural_max;
        EXPECT_STREQ(report.solver, "interior");
        EXPECT_LT(report.sweeps, 100);
        for (int k = 0; k < n; ++k) EXPECT_NEAR(problem.v[6 * k], push / (n * m), 1e-9 * push / m);
        for (int k = 1; k < n; ++k)
            EXPECT_NEAR(problem.contacts[k - 1].r[0], push * (n - k) / n, 1e-8 * push);
    }
}

// The same row behind a mechanism with one velocity, its mass known by Y alone, and two that it cannot move.
TEST(InteriorPoint, MechanismPushesARow)
{
    const int n = 50;
    const double m = 0.2, mass = 3, speed = 0.4;
    ContactProblem row = row_of_balls(n, m, 0.05), problem = row;
    problem.general_offset = {0, 3};
    for (Contact& contact : problem.contacts)
        for (Contact::Side& side : contact.side) ++side.block;
    problem.v_free.resize(3 + row.v_free.size());
    problem.v_free << speed, 7, 8, row.v_free;
    Contact contact;
    contact.frame = beds::frame_of({1, 0, 0});
    contact.friction = 0.3;
    contact.side[0] = {0, problem.reserve_map(0)};
    contact.side[1].block = 1;
    contact.arm[1] = {-0.025, 0, 0};
    for (int r = 0; r < 3; ++r) {
        problem.H[contact.side[0].map + 3 * r] = -contact.frame(0, r);
        problem.Y[contact.side[0].map + 3 * r] = -contact.frame(0, r) / mass;
    }
    problem.contacts.push_back(contact);
    const SolverReport report = solve(problem, 1e-10);
    EXPECT_EQ(report.status, SolverStatus::converged) << report.residual.natural_max;
    const double v = mass * speed / (mass + n * m);
    EXPECT_NEAR(problem.v[0], v, 1e-9); // errors of the residual add up along the row
    EXPECT_EQ(problem.v[1], 7);
    EXPECT_EQ(problem.v[2], 8);
    EXPECT_NEAR(problem.v[3 + 6 * (n - 1)], v, 5e-9);
    EXPECT_NEAR(problem.contacts.back().r[0], n * m * v, 5e-9);
}

// Sweeps lose a digit for every factor of ten between the masses.
TEST(InteriorPoint, HeavyOnLightComesToRest)
{
    ContactProblem problem;
    double weight = 0;
    for (int k = 0; k < 6; ++k) {
        const double m = k < 5 ? 1 : 1e4;
        weight += m * 0.01;
        beds::add_grain(problem, {0, 0, k + 0.5}, m, m / 6 * Matrix3d::Identity(), {0, 0, -0.01}, {0, 0, 0});
        beds::add_manifold(problem, k - 1, k, {0, 0, 1.0 * k}, {0, 0, 1}, 4, 0.6, 0.5, 0, 0);
    }
    const SolverReport report = solve(problem, 1e-9, 200);
    EXPECT_EQ(report.status, SolverStatus::converged) << report.residual.natural_max;
    double floor = 0;
    for (int c = 0; c < 4; ++c) floor += problem.contacts[c].r[0];
    EXPECT_NEAR(floor, weight, 1e-8 * weight);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(problem.v[6 * k + 2], 0, 1e-6);
}

TEST(InteriorPoint, AgreesWithSweeps)
{
    for (const double friction : {0.0, 0.1, 0.4})
        for (const unsigned seed : {1u, 2u}) {
            ContactProblem problem = beds::bed({.cells = {4, 3, 2},
                                                .friction = friction,
                                                .spheres = true,
                                                .walls = false,
                                                .seed = seed}),
                           expected = problem;
            Nlgs reference({.tolerance = 1e-10, .direct = 0});
            EXPECT_EQ(reference.solve(expected).status, SolverStatus::converged);
            const SolverReport report = solve(problem, 1e-10);
            EXPECT_EQ(report.status, SolverStatus::converged) << report.residual.natural_max;
            EXPECT_LT((problem.v - expected.v).lpNorm<Eigen::Infinity>(),
                      1e-7 * problem.v_free.lpNorm<Eigen::Infinity>());
        }
}

TEST(InteriorPoint, PrescribedBodyMovesAsPrescribed)
{
    ContactProblem problem = row_of_balls(20, 1, 1);
    problem.rigid.push_back({Vector3d(-1, 0, 0)});
    problem.v_free.conservativeResize(problem.velocities());
    problem.v_free.tail<6>() << 0.3, 0, 0, 0, 0, 0;
    beds::add_manifold(problem, 20, 0, {-0.5, 0, 0}, {1, 0, 0}, 1, 0, 0.5, 0, 0);
    EXPECT_EQ(solve(problem, 1e-10).status, SolverStatus::converged);
    EXPECT_EQ(problem.v[6 * 20], 0.3);
    EXPECT_NEAR(problem.v[6 * 19], 0.3, 1e-8);
    EXPECT_NEAR(problem.contacts.back().r[0], 20 * 0.3, 5e-8);
}

TEST(InteriorPoint, LeavesWhatItCannotSolve)
{
    ContactProblem empty;
    EXPECT_EQ(solve(empty, 1e-10).status, SolverStatus::converged);

    ContactProblem rolling = beds::bed({.cells = {2, 2, 2}, .spheres = true, .rolling = 0.1});
    EXPECT_EQ(solve(rolling, 1e-10).status, SolverStatus::iteration_limit);
    for (const Contact& contact : rolling.contacts) EXPECT_EQ(contact.r.norm(), 0);

    ContactProblem nothing_moves = row_of_balls(2, 1, 1);
    for (RigidBlock& body : nothing_moves.rigid) body = {body.centre};
    nothing_moves.v_free[0] = 1;
    solve(nothing_moves, 1e-10);
    EXPECT_EQ(nothing_moves.contacts[0].r.norm(), 0);
}

// A ball in a wedge of two planes at the angle beta, one of which is driven into it. Where the planes open
// wider than twice the angle of friction the ball slips out. Where they do not, no impulses obey the law of
// Coulomb: the line from contact to contact lies in both cones, so that no contact can slide, and without
// sliding the ball has nowhere to go. Sweeps would add to the impulses for ever, and say so.
TEST(Jamming, WedgeWithinTheFrictionAngleHasNoSolution)
{
    const double friction = 0.7;
    for (const bool jams : {true, false}) {
        const double beta = 2 * std::atan(friction) + (jams ? -0.1 : 0.1);
        ContactProblem problem;
        beds::add_grain(problem, {0, 0, 0}, 1, 0.4 * Matrix3d::Identity(), {0, 0, 0}, {0, 0, 0});
        const Vector3d floor(0, 0, 1), roof(std::sin(beta), 0, -std::cos(beta));
        beds::add_manifold(problem, -1, 0, -floor, floor, 1, 0, friction, 0, 0);
        beds::add_manifold(problem, -1, 0, -roof, roof, 1, 0, friction, 0, 0);
        problem.contacts[1].drift = {-0.1, 0, 0}; // the roof comes nearer
        double impulse[2], approach[2];
        SolverStatus status[2];
        for (int k = 0; k < 2; ++k) {
            ContactProblem copy = problem;
            Nlgs sweeps({.direct = 0});
            sweeps.stop = {.natural_max = 0, .max_sweeps = k == 1 ? 20000 : jams ? 120 : 2000};
            const SolverReport report = sweeps.solve(copy);
            status[k] = report.status;
            approach[k] = report.residual.approach;
            impulse[k] = copy.contacts[1].r[0];
        }
        if (jams) {
            EXPECT_EQ(status[1], SolverStatus::no_solution);
            EXPECT_GT(impulse[1] / impulse[0], 2);
            EXPECT_NEAR(approach[1] / approach[0], 1, 0.05);
        } else {
            EXPECT_NE(status[1], SolverStatus::no_solution);
            EXPECT_NEAR(impulse[1] / impulse[0], 1, 1e-6);
            EXPECT_LT(approach[1], 1e-12);
        }
    }
}

} // namespace interior_point_test
