#include "tamis/contact/nlgs.hpp"

#include "allocations.hpp"
#include "tamis/contact/small_lcp.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace nlgs_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// Blocks of velocities with their inverse masses; contacts are added by their maps.
struct Builder {
    ContactProblem problem;
    std::vector<MatrixXd> inverse_mass;

    int block(const MatrixXd& inverse, const VectorXd& v_free)
    {
        inverse_mass.push_back(inverse);
        problem.general_offset.push_back(problem.general_offset.back() + static_cast<int>(v_free.size()));
        VectorXd all(problem.general_offset.back());
        all << problem.v_free, v_free;
        problem.v_free = all;
        return problem.blocks() - 1;
    }

    // A point mass free to move in space.
    int point(double mass, const Vector3d& v_free) { return block(Matrix3d::Identity() / mass, v_free); }

    // The maps may have fewer than three rows.
    Contact& contact(int first, const MatrixXd& H1, int second, const MatrixXd& H2)
    {
        Contact contact;
        const int blocks[2] = {first, second};
        const MatrixXd* maps[2] = {&H1, &H2};
        for (int s = 0; s < 2; ++s) {
            if (blocks[s] < 0) continue;
            const int n = problem.block_size(blocks[s]), map = problem.reserve_map(blocks[s]);
            contact.side[s] = {blocks[s], map};
            for (int i = 0; i < maps[s]->rows(); ++i) {
                const VectorXd row = maps[s]->row(i);
                Eigen::Map<VectorXd>(&problem.H[map + i * n], n) = row;
                Eigen::Map<VectorXd>(&problem.Y[map + i * n], n) = inverse_mass[blocks[s]] * row;
            }
        }
        problem.contacts.push_back(contact);
        return problem.contacts.back();
    }
    Contact& contact(int block, const MatrixXd& H) { return contact(-1, {}, block, H); }

    VectorXd velocity(int block) const
    {
        return problem.v.segment(problem.offset(block), problem.block_size(block));
    }
};

Matrix3d cross(const Vector3d& a)
{
    Matrix3d A;
    A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
    return A;
}

// Velocity of the point x of a rigid body with velocities (v, omega), in axes whose normal is z.
MatrixXd point_map(const Vector3d& x)
{
    Matrix3d frame;
    frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    MatrixXd map(3, 6);
    map << frame, -frame * cross(x);
    return map;
}

VectorXd twist(const Vector3d& v, const Vector3d& omega)
{
    VectorXd result(6);
    result << v, omega;
    return result;
}

MatrixXd rigid(double mass, const Vector3d& inertia)
{
    VectorXd diagonal(6);
    diagonal << Vector3d::Constant(1 / mass), inertia.cwiseInverse();
    return diagonal.asDiagonal();
}

// A planar box (x, y, angle) of half width a and half height b on two corners, without friction.
Builder box_on_two_corners(double mass, double a, double b, double v_y, double spin, double shift)
{
    Builder builder;
    const double inertia = mass * (a * a + b * b) / 3;
    const int box =
        builder.block(Vector3d(1 / mass, 1 / mass, 1 / inertia).asDiagonal(), Vector3d(0.3, v_y, spin));
    for (const double x : {-a, a}) builder.contact(box, Eigen::RowVector3d(0, 1, x)).bias[0] = shift;
    return builder;
}

// Random contacts among random rigid bodies; the maps are dense, so every pair of contacts on a body is
// coupled.
Builder random_problem(unsigned seed, int bodies, int contacts, double friction)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    const auto random = [&](int rows, int columns) {
        return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(generator); }));
    };
    Builder builder;
    for (int k = 0; k < bodies; ++k) {
        const MatrixXd root = random(6, 6);
        builder.block(root * root.transpose() / 6 + MatrixXd::Identity(6, 6), random(6, 1));
    }
    for (int k = 0; k < contacts; ++k) {
        const int first = k % (bodies + 1) - 1;
        builder.contact(first, random(3, 6), (first + 1) % bodies, random(3, 6)).friction = friction;
    }
    return builder;
}

} // namespace

TEST(Nlgs, WithoutContactsVelocitiesAreFree)
{
    Builder builder;
    builder.point(1, {1, 2, 3});
    const SolverReport report = Nlgs().solve(builder.problem);
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_EQ(report.sweeps, 0);
    EXPECT_EQ(builder.problem.v, builder.problem.v_free);
}

TEST(Nlgs, SphereOnPlaneCarriesItsWeight)
{
    const double mass = 0.4, radius = 0.05, h = 1e-3, g = 9.81;
    const double inertia = 0.4 * mass * radius * radius;
    Builder builder;
    const int sphere =
        builder.block(rigid(mass, Vector3d::Constant(inertia)), twist({0, 0, -h * g}, Vector3d::Zero()));
    builder.contact(sphere, point_map({0, 0, -radius})).friction = 0.5;
    const SolverReport report = Nlgs().solve(builder.problem);
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_NEAR((builder.problem.contacts[0].r - Vector3d(mass * g * h, 0, 0)).norm(), 0, 1e-18);
    EXPECT_NEAR(builder.problem.v.norm(), 0, 1e-17);
}

// A sliding sphere keeps the 5/7 of its speed that rolling allows, if friction suffices.
TEST(Nlgs, SlidingSphereIsCaughtIntoRolling)
{
    const double mass = 0.4, radius = 0.05, inertia = 0.4 * mass * radius * radius;
    Builder builder;
    const int sphere =
        builder.block(rigid(mass, Vector3d::Constant(inertia)), twist({0.7, 0, -1}, Vector3d::Zero()));
    builder.contact(sphere, point_map({0, 0, -radius})).friction = 0.5;
    EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::converged);
    const VectorXd v = builder.velocity(sphere);
    EXPECT_NEAR(v[0], 0.5, 1e-15);
    EXPECT_NEAR(v[4], 0.5 / radius, 1e-14);
    // With less friction it slides on: delta v = mu |v_n|.
    builder.problem.contacts[0].friction = 0.1;
    EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::converged);
    EXPECT_NEAR(builder.velocity(sphere)[0], 0.6, 1e-15);
}

TEST(Nlgs, ShiftReturnsTheRestitutedVelocity)
{
    const double e = 0.4;
    Builder builder = box_on_two_corners(2, 0.05, 0.025, -3, 0, e * -3);
    for (const int direct : {0, 8}) {
        for (Contact& contact : builder.problem.contacts) contact.r.setZero();
        EXPECT_EQ(Nlgs({.tolerance = 1e-14, .direct = direct}).solve(builder.problem).status,
                  SolverStatus::converged);
        EXPECT_NEAR(builder.problem.v[1], e * 3, 1e-14);
        EXPECT_NEAR(builder.problem.contacts[0].r[0], 2 * 3 * (1 + e) / 2, 1e-13);
    }
}

TEST(Nlgs, EqualCornersGetEqualImpulsesToTheLastBit)
{
    for (const double a : {0.05, 0.013, 1e-3})
        for (const double v_y : {-1.0, -0.3, -1e-9}) {
            Builder builder = box_on_two_corners(0.076, a, 0.025, v_y, 0, 0.4 * v_y);
            const SolverReport report = Nlgs({.tolerance = 1e-12}).solve(builder.problem);
            EXPECT_EQ(report.status, SolverStatus::converged);
            EXPECT_EQ(report.sweeps, 0);
            const auto& contacts = builder.problem.contacts;
            EXPECT_EQ(contacts[0].r[0], contacts[1].r[0]);
            EXPECT_NEAR(contacts[0].r[0], -0.076 * 1.4 * v_y / 2, -1e-16 * v_y);
            EXPECT_EQ(builder.problem.v[2], 0);
        }
}

TEST(Nlgs, SweepsAloneKeepSymmetryToTheirTolerance)
{
    for (const double friction : {0.0, 0.3}) {
        Builder builder;
        const int box = builder.block(rigid(2, {0.01, 0.02, 0.03}), twist({0, 0, -1}, Vector3d::Zero()));
        for (const double x : {-0.1, 0.1}) builder.contact(box, point_map({x, 0, -0.05})).friction = friction;
        EXPECT_EQ(Nlgs({.tolerance = 1e-14, .direct = 0}).solve(builder.problem).status,
                  SolverStatus::converged);
        const auto& contacts = builder.problem.contacts;
        EXPECT_NEAR(contacts[0].r[0], 1, 2e-14);
        EXPECT_NEAR(contacts[1].r[0], 1, 2e-14);
        EXPECT_NEAR(contacts[0].r[1] + contacts[1].r[1], 0, 2e-14);
    }
}

TEST(Nlgs, FourCornersOfABoxCarryItsWeightThoughTheirImpulsesAreNotUnique)
{
    for (const int direct : {0, 8}) {
        Builder builder;
        const int box = builder.block(rigid(2, {0.01, 0.02, 0.03}), twist({0.1, 0, -1}, Vector3d::Zero()));
        for (const double x : {-0.1, 0.1})
            for (const double y : {-0.1, 0.1}) builder.contact(box, point_map({x, y, -0.05}));
        EXPECT_EQ(Nlgs({.tolerance = 1e-13, .direct = direct}).solve(builder.problem).status,
                  SolverStatus::converged);
        double sum = 0;
        for (const Contact& contact : builder.problem.contacts) sum += contact.r[0];
        EXPECT_NEAR(sum, 2, 1e-12);
        EXPECT_NEAR((builder.velocity(box) - twist({0.1, 0, 0}, Vector3d::Zero())).norm(), 0, 1e-12);
    }
}

TEST(Nlgs, StackCarriesTheWeightsAbove)
{
    const int n = 12;
    const double h = 1e-3, g = 9.81;
    Builder builder;
    std::vector<double> mass;
    for (int k = 0; k < n; ++k) {
        mass.push_back(1 + 0.5 * (k % 3));
        const int ball = builder.point(mass[k], {-h * g, 0, 0});
        if (k == 0)
            builder.contact(ball, Matrix3d::Identity()).friction = 0.3;
        else
            builder.contact(ball - 1, -Matrix3d::Identity(), ball, Matrix3d::Identity()).friction = 0.3;
    }
    const SolverReport report = Nlgs({.tolerance = 1e-12}).solve(builder.problem);
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_GT(report.sweeps, n);
    double above = 0;
    for (int k = n - 1; k >= 0; --k) {
        above += mass[k] * g * h;
        EXPECT_NEAR(builder.problem.contacts[k].r[0], above, 1e-9 * above);
    }
    // Started from the solution, nothing remains to be done.
    EXPECT_EQ(Nlgs({.tolerance = 1e-11}).solve(builder.problem).sweeps, 0);
}

TEST(Nlgs, LinkedMassesShareTheirMomentum)
{
    Builder builder;
    const int first = builder.point(1, {4, 0, 1}), second = builder.point(3, {0, 8, 1});
    Contact& joint = builder.contact(first, -Matrix3d::Identity(), second, Matrix3d::Identity());
    joint.law = Law::bilateral;
    const SolverReport report = Nlgs().solve(builder.problem);
    EXPECT_EQ(report.status, SolverStatus::converged);
    for (const int block : {first, second})
        EXPECT_NEAR((builder.velocity(block) - Vector3d(1, 6, 1)).norm(), 0, 4e-15);
}

// A pendulum link held at its end: what remains turns about the pivot, omega = m a v / (I + m a^2).
TEST(Nlgs, PinnedLinkTurnsAboutItsPivot)
{
    const double mass = 2, a = 0.3, inertia = 0.05, v = 1.7;
    Builder builder;
    const int link =
        builder.block(Vector3d(1 / mass, 1 / mass, 1 / inertia).asDiagonal(), Vector3d(0.5, v, 0));
    MatrixXd pivot(2, 3);
    pivot << 1, 0, 0, 0, 1, -a;
    Contact& joint = builder.contact(link, pivot);
    joint.law = Law::bilateral;
    joint.rows = 2;
    EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::converged);
    const double omega = mass * a * v / (inertia + mass * a * a);
    EXPECT_NEAR((builder.velocity(link) - Vector3d(0, a * omega, omega)).norm(), 0, 1e-14);
}

// Three rows in a plane: the third depends on the others and gets no impulse.
TEST(Nlgs, RedundantBilateralRowIsIgnored)
{
    Builder builder;
    const int body = builder.block(Eigen::Matrix2d::Identity(), Eigen::Vector2d(1, -2));
    MatrixXd map(3, 2);
    map << 1, 0, 0, 1, 1, 1;
    builder.contact(body, map).law = Law::bilateral;
    EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::converged);
    EXPECT_EQ(builder.problem.contacts[0].r, Vector3d(-1, 2, 0));
    EXPECT_EQ(builder.problem.v.norm(), 0);
}

TEST(Nlgs, DriftDrivesAJoint)
{
    Builder builder;
    const int body = builder.point(2, {1, 0, 0});
    Contact& joint = builder.contact(body, Matrix3d::Identity());
    joint.law = Law::bilateral;
    joint.drift = {0, 0, 0.5};
    EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::converged);
    EXPECT_EQ(builder.problem.v, VectorXd(Vector3d(0, 0, -0.5)));
}

// Five planar links hinged in a chain whose end hits a wall: all constraints active, one linear system.
TEST(Nlgs, ChainAgainstAWallEqualsTheDenseSaddlePoint)
{
    const double length = 0.4, mass = 1.5, inertia = mass * length * length / 12;
    const int links = 5;
    Builder builder;
    MatrixXd G = MatrixXd::Zero(2 * links + 1, 3 * links);
    const auto tip = [&](double angle, double reach) { // velocity of the point at `reach` along a link
        MatrixXd map(2, 3);
        map << 1, 0, -reach * std::sin(angle), 0, 1, reach * std::cos(angle);
        return map;
    };
    const auto angle = [](int k) { return -0.9 + 0.5 * k; };
    for (int k = 0; k < links; ++k) {
        builder.block(Vector3d(1 / mass, 1 / mass, 1 / inertia).asDiagonal(), Vector3d(0.1 * k, -1 - k, 0.3));
        const MatrixXd start = tip(angle(k), -length / 2);
        G.block(2 * k, 3 * k, 2, 3) = start;
        if (k > 0) G.block(2 * k, 3 * k - 3, 2, 3) = -tip(angle(k - 1), length / 2);
        Contact& joint = k == 0 ? builder.contact(0, start)
                                : builder.contact(k - 1, G.block(2 * k, 3 * k - 3, 2, 3), k, start);
        joint.law = Law::bilateral;
        joint.rows = 2;
    }
    G.block(2 * links, 3 * links - 3, 1, 3) = tip(angle(links - 1), length / 2).row(1);
    builder.contact(links - 1, G.block(2 * links, 3 * links - 3, 1, 3)).bias[0] = -0.2;

    // [M  G^T; G  0] (v, -r) = (M v_free, -shift)
    const int n = 3 * links, m = 2 * links + 1;
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    for (int k = 0; k < links; ++k)
        K.block(3 * k, 3 * k, 3, 3) = Vector3d(mass, mass, inertia).asDiagonal().toDenseMatrix();
    K.topRightCorner(n, m) = G.transpose();
    K.bottomLeftCorner(m, n) = G;
    VectorXd rhs = VectorXd::Zero(n + m);
    rhs.head(n) = K.topLeftCorner(n, n) * builder.problem.v_free;
    rhs[n + m - 1] = 0.2;
    const VectorXd exact = K.fullPivLu().solve(rhs);
    ASSERT_LT(exact[n + m - 1], 0); // the wall pushes

    const SolverReport report = Nlgs({.tolerance = 1e-13}).solve(builder.problem);
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_NEAR((builder.problem.v - exact.head(n)).norm(), 0, 1e-10);
    for (int k = 0; k < links; ++k)
        EXPECT_NEAR((builder.problem.contacts[k].r.head<2>() + exact.segment<2>(n + 2 * k)).norm(), 0, 1e-9);
    EXPECT_NEAR(builder.problem.contacts[links].r[0], -exact[n + m - 1], 1e-9);
}

TEST(Nlgs, DirectSolutionEqualsTheSweeps)
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        Builder direct = random_problem(seed, 3, 1 + static_cast<int>(seed % small_lcp_size), 0);
        Builder swept = direct;
        const SolverReport first = Nlgs({.tolerance = 1e-12}).solve(direct.problem);
        const SolverReport second = Nlgs({.tolerance = 1e-12, .direct = 0}).solve(swept.problem);
        EXPECT_EQ(first.status, SolverStatus::converged);
        EXPECT_EQ(first.sweeps, 0);
        EXPECT_EQ(second.status, SolverStatus::converged);
        EXPECT_NEAR((direct.problem.v - swept.problem.v).norm(), 0, 1e-9);
    }
}

// Wedged between two walls that close in on it, a body has no solution; the report says so.
TEST(Nlgs, ContradictingContactsReachTheIterationLimit)
{
    for (const int direct : {0, 8}) {
        Builder builder;
        const int body = builder.point(1, {0, 0, 0});
        for (const double side : {1.0, -1.0})
            builder.contact(body, Eigen::RowVector3d(side, 0, 0)).drift[0] = -1;
        const SolverReport report = Nlgs({.max_sweeps = 50, .direct = direct}).solve(builder.problem);
        EXPECT_EQ(report.status, SolverStatus::iteration_limit);
        EXPECT_EQ(report.sweeps, 50);
        EXPECT_GE(report.residual.approach, 1 - 1e-12);
    }
}

TEST(Nlgs, ReportedResidualIsThatOfTheRebuiltVelocities)
{
    for (unsigned seed = 0; seed < 20; ++seed) {
        Builder builder = random_problem(seed, 6, 14, 0.2);
        const SolverReport report = Nlgs({.tolerance = 1e-10}).solve(builder.problem);
        EXPECT_EQ(report.status, SolverStatus::converged);
        EXPECT_LE(report.residual.natural_max, 1e-10);
        const VectorXd v = builder.problem.v;
        builder.problem.rebuild_velocities();
        EXPECT_EQ(builder.problem.v, v);
        EXPECT_EQ(residual(builder.problem).natural_max, report.residual.natural_max);
    }
}

TEST(Nlgs, InelasticContactsNeverAddEnergy)
{
    for (unsigned seed = 0; seed < 50; ++seed) {
        Builder builder = random_problem(seed, 4, 7, 0.02 * seed);
        EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::converged);
        double before = 0, after = 0;
        for (int b = 0; b < builder.problem.blocks(); ++b) {
            const MatrixXd mass = builder.inverse_mass[b].inverse();
            const VectorXd free = builder.problem.v_free.segment(builder.problem.offset(b), 6);
            before += free.dot(mass * free) / 2;
            after += builder.velocity(b).dot(mass * builder.velocity(b)) / 2;
        }
        EXPECT_LT(after, before);
        // What is lost is the work of the impulses on the mean velocity, contact by contact.
        double work = 0;
        ContactProblem& problem = builder.problem;
        const VectorXd v = problem.v;
        problem.v = (v + problem.v_free) / 2;
        for (const Contact& contact : problem.contacts)
            work += contact.r.dot(problem.relative_velocity(contact));
        EXPECT_NEAR(after - before, work, 1e-11 * before);
    }
}

// A contact that grazes at high speed cannot be resolved beyond round-off of that speed: the solver stops
// there.
TEST(Nlgs, GrazingContactsEndAtRoundOff)
{
    for (const double friction : {0.0, 0.3}) {
        Builder builder;
        const int body = builder.point(1, {100 + 1e-13, 100, 7});
        Matrix3d map;
        map << -1, 1, 0, 1, 1, 0, 0, 0, 1;
        builder.contact(body, map).friction = friction;
        const SolverReport report = Nlgs({.tolerance = 1e-10}).solve(builder.problem);
        EXPECT_EQ(report.status, SolverStatus::converged);
        EXPECT_LE(report.sweeps, 100);
        EXPECT_LE(report.residual.approach, 1e-13);
    }
}

TEST(Nlgs, WhatIsNotANumberIsReported)
{
    Builder builder = box_on_two_corners(1, 1, 1, -1, 0, 0);
    builder.problem.v_free[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(Nlgs().solve(builder.problem).status, SolverStatus::iteration_limit);
}

TEST(Nlgs, SecondSolveAllocatesNothing)
{
    Builder large = random_problem(3, 6, 14, 0.2), small = box_on_two_corners(1, 0.1, 0.1, -1, 0.2, 0);
    Nlgs solver;
    solver.solve(large.problem);
    solver.solve(small.problem);
    for (Contact& contact : large.problem.contacts) contact.r.setZero();
    const double* v = large.problem.v.data();
    const long before = allocations;
    const int sweeps = solver.solve(large.problem).sweeps;
    solver.solve(small.problem);
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(large.problem.v.data(), v); // Eigen allocates past operator new
    EXPECT_GT(sweeps, 0);
}

} // namespace nlgs_test
