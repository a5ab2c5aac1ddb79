#include "tamis/smooth/smooth_solver.hpp"

#include "allocations.hpp"
#include "error_of.hpp"
#include "tamis/model/rigid_body.hpp"
#include "tamis/model/rotation.hpp"
#include "tamis/smooth/constraint.hpp"
#include "tamis/smooth/load.hpp"
#include "tamis/smooth/spring.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <gtest/gtest.h>

namespace smooth_solver_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// Classical Runge-Kutta, as an independent solution.
VectorXd runge_kutta(const std::function<VectorXd(const VectorXd&)>& f, VectorXd y, double end, int steps)
{
    const double h = end / steps;
    for (int k = 0; k < steps; ++k) {
        const VectorXd k1 = f(y), k2 = f(y + h / 2 * k1), k3 = f(y + h / 2 * k2), k4 = f(y + h * k3);
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return y;
}

void run(SmoothSolver& solver, long steps)
{
    for (long k = 0; k < steps; ++k) {
        solver.predict();
        solver.solve();
        solver.accept();
    }
}

std::vector<JointRow> ball(const Vector3d& on_a, const Vector3d& on_b)
{
    std::vector<JointRow> rows(3, {JointRow::point, 0, 0, on_a, on_b});
    for (int k = 0; k < 3; ++k) rows[k].n[k] = 1;
    return rows;
}

std::vector<JointRow> hinge_z_rows(const Vector3d& on_a, const Vector3d& on_b, double scale)
{
    std::vector<JointRow> rows = ball(on_a, on_b);
    for (int k = 0; k < 2; ++k) {
        rows.push_back({JointRow::axes, 0, 0, Vector3d::Unit(k), Vector3d::UnitZ()});
        rows.back().scale = scale;
    }
    return rows;
}

constexpr double g = 9.81;

// A pendulum of length L about the z axis: its frame is at the centre of mass.
struct Pendulum {
    SmoothSystem system;
    double L, inertia;

    explicit Pendulum(double length, double mass = 2, double angle = 2.5)
        : L(length), inertia(0.1 * mass * L * L)
    {
        NodeMotion m;
        m.R = Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix();
        m.x = m.R * Vector3d(0, -L, 0);
        system.add_node("bob", m);
        system.set_length(L);
        system.add<RigidBody>(
            RigidBodySpec{"bob", 0, mass, {0, 0, 0}, inertia * Matrix3d::Identity(), {0, -g, 0}});
        system.add<Constraint>("hinge", ground_node, 0, hinge_z_rows({0, 0, 0}, {0, L, 0}, L));
    }
    static double angle(const NodeMotion& m) { return std::atan2(m.R(1, 0), m.R(0, 0)); }
};

double pendulum_error(int steps)
{
    const double end = 2.0;
    Pendulum p(0.7);
    SmoothSolver solver(p.system, {.h = end / steps});
    run(solver, steps);
    const double k = 2 * g * p.L / (p.inertia + 2 * p.L * p.L);
    static const VectorXd exact = runge_kutta(
        [k](const VectorXd& y) {
            return VectorXd{{y[1], -k * std::sin(y[0])}};
        },
        VectorXd{{2.5, 0}}, end, 20000);
    EXPECT_LE(solver.constraint_error(), 1e-12);
    const double angle = std::remainder(Pendulum::angle(solver.node(0)) - exact[0], 2 * M_PI);
    return std::hypot(angle, solver.node(0).omega[2] - exact[1]);
}

const Matrix3d top_inertia = Vector3d(0.5, 1, 1.4).asDiagonal();

NodeMotion top_start()
{
    NodeMotion m;
    m.R = exp_turn({0.3, -0.4, 0.5}).toRotationMatrix();
    m.omega = m.R * Vector3d(0.1, 5, 0.2); // about the middle axis: it tumbles
    m.v = {0.3, 0.2, -0.1};
    return m;
}

// A free body that tumbles, with its frame off the centre of mass.
double top_error(int steps)
{
    const double end = 3.0;
    const Vector3d com(0.2, -0.1, 0.3);
    NodeMotion start = top_start();
    start.v -= start.omega.cross(start.R * com); // the centre of mass moves at (0.3, 0.2, -0.1)
    SmoothSystem system;
    system.add_node("top", start);
    system.add<RigidBody>(RigidBodySpec{"top", 0, 1.5, com, top_inertia});
    SmoothSolver solver(system, {.h = end / steps});
    run(solver, steps);
    // Euler's equations in body axes with a quaternion.
    auto rate = [](const VectorXd& y) {
        const Vector3d w = y.tail<3>();
        const Eigen::Quaterniond q(y[0], y[1], y[2], y[3]), half(0, w[0] / 2, w[1] / 2, w[2] / 2);
        const Eigen::Quaterniond dq = q * half;
        VectorXd out(7);
        out << dq.w(), dq.x(), dq.y(), dq.z(), -top_inertia.inverse() * w.cross(top_inertia * w);
        return out;
    };
    static const VectorXd exact = [&] {
        const Eigen::Quaterniond q(top_start().R);
        VectorXd y(7);
        y << q.w(), q.x(), q.y(), q.z(), 0.1, 5, 0.2;
        return runge_kutta(rate, y, end, 20000);
    }();
    const Matrix3d R = Eigen::Quaterniond(exact[0], exact[1], exact[2], exact[3]).toRotationMatrix();
    const NodeMotion& m = solver.node(0);
    const Vector3d centre = start.x + start.R * com + end * Vector3d(0.3, 0.2, -0.1);
    return (m.R - R).norm() + (m.omega - R * exact.tail<3>()).norm() + (m.x + m.R * com - centre).norm();
}

} // namespace

TEST(SmoothSolver, IsOfSecondOrderForAPendulumThroughLargeAngles)
{
    const double coarse = pendulum_error(400), middle = pendulum_error(800), fine = pendulum_error(1600);
    EXPECT_LT(fine, 1e-3);
    EXPECT_NEAR(coarse / middle, 4, 0.3);
    EXPECT_NEAR(middle / fine, 4, 0.15);
}

TEST(SmoothSolver, IsOfSecondOrderForAFreeBodyThatTumbles)
{
    const double coarse = top_error(600), middle = top_error(1200), fine = top_error(2400);
    EXPECT_LT(fine, 1e-2);
    EXPECT_NEAR(coarse / middle, 4, 0.3);
    EXPECT_NEAR(middle / fine, 4, 0.15);
}

TEST(SmoothSolver, DampsALinearOscillatorAsTheRootOfTheSchemeSays)
{
    // y' = s y gives (1 - b0 s h) z^2 = (a1 + b1 s h) z + a2 + b2 s h; the energy falls by |z|^2 a step.
    for (const double rho : {1.0, 0.6, 0.0}) {
        SmoothSystem system;
        NodeMotion m;
        m.x = {0.1, 0, 0};
        system.add_node("mass", m);
        system.add<RigidBody>(RigidBodySpec{"mass", 0, 1, {0, 0, 0}, Matrix3d::Identity()});
        JointRow along{JointRow::point, 0, 0, {0, 0, 0}, {0, 0, 0}};
        along.n = {1, 0, 0};
        system.add<SlideSpring>("spring", ground_node, 0, along, SpringLaw{100, 0, 0});
        SmoothSolver solver(system, {.h = 0.02, .rho_inf = rho});
        run(solver, 500);
        const double before = solver.energy();
        run(solver, 500);
        const TwoStep s = TwoStep::with_radius(rho);
        const std::complex<double> z(0, 10 * 0.02), p = s.a1 + s.b1 * z, q = 1. - s.b0 * z;
        const std::complex<double> root = (p + std::sqrt(p * p + 4. * q * (s.a2 + s.b2 * z))) / (2. * q);
        EXPECT_NEAR(solver.energy() / before, std::pow(std::abs(root), 1000), 1e-6) << rho;
    }
}

TEST(SmoothSolver, NeitherLosesNorGainsTheEnergyOfABodyThatTumblesWithoutDamping)
{
    SmoothSystem system;
    system.add_node("top", top_start());
    system.add<RigidBody>(RigidBodySpec{"top", 0, 1.5, {0, 0, 0}, top_inertia});
    SmoothSolver solver(system, {.h = 5e-3, .rho_inf = 1});
    const double start = solver.energy();
    auto range = [&](int steps) {
        double most = 0;
        for (int k = 0; k < steps; ++k) {
            run(solver, 1);
            most = std::max(most, std::abs(solver.energy() / start - 1));
        }
        return most;
    };
    const double early = range(1000);
    EXPECT_LT(early, 1e-4); // (omega h)^2 = 6e-4, and a fraction of it
    EXPECT_LT(range(4000), 1.02 * early);
}

TEST(SmoothSolver, NeedsDampingForTheForcesInJoints)
{
    // From level at rest the hinge carries less than 3 m g.
    auto largest_force = [](double rho) {
        Pendulum p(0.5, 1, M_PI / 2);
        SmoothSolver solver(p.system, {.h = 2e-3, .rho_inf = rho});
        double most = 0;
        for (int k = 0; k < 2000; ++k) {
            run(solver, 1);
            most = std::max(most, solver.lambda().head<3>().norm());
        }
        return most / g;
    };
    EXPECT_LT(largest_force(0.98), 3);
    EXPECT_GT(largest_force(1), 6);
}

TEST(SmoothSolver, RefusesTurnsOfMoreThanHalfATurnInAStep)
{
    SmoothSystem system;
    NodeMotion m;
    m.omega = {0, 0, 100};
    system.add_node("top", m);
    system.add<RigidBody>(RigidBodySpec{"top", 0, 1, {0, 0, 0}, Matrix3d::Identity()});
    SmoothSolver solver(system, {.h = 0.04});
    const std::string error = error_of([&] { run(solver, 1); });
    EXPECT_TRUE(contains(error, "Node 'top' turns by more than half a turn in the step to t = 0.04 s"))
        << error;
}

TEST(SmoothSolver, FollowsTheSameMotionOnEveryScale)
{
    // Lengths scaled by s and times by sqrt(s): the angle is the same.
    auto angle = [](double s, double mass) {
        Pendulum p(s, mass);
        SmoothSolver solver(p.system, {.h = 0.005 * std::sqrt(s)});
        run(solver, 400);
        EXPECT_LE(solver.constraint_error(), 1e-12 * s);
        return Pendulum::angle(solver.node(0));
    };
    const double metre = angle(1, 1);
    EXPECT_NEAR(angle(1e-3, 1e-6), metre, 1e-9);
    EXPECT_NEAR(angle(1e3, 1e7), metre, 1e-9);
    EXPECT_NEAR(angle(1e3, 1e-3), metre, 1e-9);
}

TEST(SmoothSolver, RepeatsAStepBitForBitAfterRestore)
{
    for (const int links : {1, 6}) { // dense and sparse
        SmoothSystem system;
        for (int k = 0; k < links; ++k) {
            NodeMotion m;
            m.x = {0.5 * k + 0.5, 0, 0};
            const int node = system.add_node("link", m);
            Matrix3d J = Vector3d(1e-3, 2e-3, 3e-3).asDiagonal();
            system.add<RigidBody>(RigidBodySpec{"link", node, 1, {-0.2, 0.1, 0}, J, {0, -g, 1}});
            system.add<Constraint>("ball", node - 1, node, ball({0, 0, 0}, {-0.5, 0, 0}));
        }
        MarkerWrench& wrench = system.add<MarkerWrench>("pull", links - 1, Vector3d(0.1, 0, 0));
        SmoothSolver solver(system, {.h = 2e-3});
        run(solver, 50);
        const SmoothState kept = solver.state();
        solver.predict();
        wrench.set({{30, 0, 0}, {0, 1, 0}});
        solver.solve(); // to be thrown away
        solver.accept();
        wrench.set({});
        solver.restore(kept);
        run(solver, 20);
        const std::uint64_t again = solver.state().hash();
        solver.restore(kept);
        run(solver, 20);
        EXPECT_EQ(solver.state().hash(), again);
        EXPECT_NE(again, kept.hash());
    }
}

TEST(SmoothSolver, AllocatesNothingInAStep)
{
    for (const int links : {1, 8}) {
        SmoothSystem system;
        for (int k = 0; k < links; ++k) {
            NodeMotion m;
            m.x = {0, -0.5 * k - 0.5, 0};
            m.v = {0.3, 0, 0.1};
            if (k == 0) m.v.setZero();
            const int node = system.add_node("link", m);
            system.add<RigidBody>(
                RigidBodySpec{"link", node, 1, {0, 0, 0}, 1e-2 * Matrix3d::Identity(), {0, -g, 0}});
            if (k == 0)
                system.add<Constraint>("ball", node - 1, node, ball({0, 0, 0}, {0, 0.5, 0}));
            else
                system.add<PointSpringElement>("spring", node - 1, Vector3d::Zero(), node,
                                               Vector3d(0, 0.1, 0), SpringLaw{100, 1, 0.4});
        }
        SmoothSolver solver(system, {.h = 1e-3});
        run(solver, 2);
        SmoothState kept = solver.state();
        const long before = allocations;
        run(solver, 50);
        kept = solver.state();
        solver.restore(kept);
        EXPECT_EQ(allocations, before);
    }
}

TEST(SmoothSolver, ModifiedNewtonFindsTheSameMotion)
{
    Pendulum p(0.7), q(0.7);
    SmoothSolver full(p.system, {.h = 0.1}), modified(q.system, {.h = 0.1, .modified = true});
    long more = 0;
    for (int k = 0; k < 100; ++k) {
        run(full, 1);
        run(modified, 1);
        more += modified.iterations() - full.iterations();
    }
    EXPECT_GT(more, 10);
    EXPECT_NEAR(Pendulum::angle(full.node(0)), Pendulum::angle(modified.node(0)), 1e-8);
}

TEST(SmoothSolver, SolvesAgainWithOtherWrenchesWithinAStep)
{
    SmoothSystem system;
    system.add_node("mass", {});
    system.add<RigidBody>(RigidBodySpec{"mass", 0, 2, {0, 0, 0}, Matrix3d::Identity()});
    MarkerWrench& wrench = system.add<MarkerWrench>("pull", 0, Vector3d::Zero());
    wrench.set({{3, 0, 0}, {0, 0, 0}});
    SmoothSolver solver(system, {.h = 0.01});
    for (int k = 0; k < 100; ++k) {
        solver.predict();
        EXPECT_NEAR(solver.node(0).a[0], 1.5, 1e-10);
        wrench.set({{-50, 20, 0}, {0, 0, 7}});
        solver.solve();
        EXPECT_LT(solver.node(0).a[0], -1);
        wrench.set({{3, 0, 0}, {0, 0, 0}});
        solver.solve();
        solver.accept();
    }
    EXPECT_NEAR(solver.node(0).x[0], 0.75, 1e-12); // F t^2 / (2 m), exact for parabolas
    EXPECT_LT(solver.node(0).omega.norm(), 1e-12);
}

TEST(SmoothSolver, StartsWithConsistentAccelerationsAndForces)
{
    // A pendulum at rest, level: alpha = g L m / (J + m L^2), and the hinge carries the rest of the weight.
    Pendulum p(0.5, 2, M_PI / 2);
    SmoothSolver solver(p.system, {});
    const double alpha = g * p.L * 2 / (p.inertia + 2 * p.L * p.L);
    EXPECT_NEAR(solver.node(0).alpha[2], -alpha, 1e-12);
    EXPECT_NEAR(solver.node(0).a[1], -alpha * p.L, 1e-12);
    EXPECT_NEAR(solver.lambda()[1], 2 * (alpha * p.L - g), 1e-12);
}

TEST(SmoothSolver, RefusesWhatHasNoSolution)
{
    {
        Pendulum p(0.5);
        p.system.add<Constraint>("second hinge", ground_node, 0, hinge_z_rows({0, 0, 0}, {0, p.L, 0}, p.L));
        const std::string error = error_of([&] { SmoothSolver(p.system, {}); });
        EXPECT_TRUE(
            contains(error, "The second hinge is redundant: other joints imply 5 of the 10 constraints"))
            << error;
    }
    {
        Pendulum p(0.5);
        p.system.add<Constraint>("clasp", ground_node, 0, ball({0, 0.3, 0}, {0, p.L, 0}));
        const std::string error = error_of([&] { SmoothSolver(p.system, {}); });
        EXPECT_TRUE(contains(error, "The clasp is open by 0.3 m at the start")) << error;
    }
    {
        SmoothSystem system;
        NodeMotion m;
        m.v = {1, 0, 0};
        system.add_node("mass", m);
        system.add<RigidBody>(RigidBodySpec{"mass", 0, 1, {0, 0, 0}, Matrix3d::Identity()});
        system.add<Constraint>("pin", ground_node, 0, ball({0, 0, 0}, {0, 0, 0}));
        const std::string error = error_of([&] { SmoothSolver(system, {}); });
        EXPECT_TRUE(contains(error, "The pin opens at 1 m/s at the start")) << error;
    }
    {
        SmoothSystem system;
        system.add_node("heavy", {});
        system.add<RigidBody>(RigidBodySpec{"heavy", 0, 1, {0, 0, 0}, Matrix3d::Identity(), {0, 0, -g}});
        system.add_node("light", {});
        system.add<PointSpringElement>("spring", 0, Vector3d(0, 0, 1), 1, Vector3d::Zero(),
                                       SpringLaw{1, 0, 0});
        const std::string error = error_of([&] { SmoothSolver(system, {}); });
        EXPECT_TRUE(contains(error, "Node 'light' can move without inertia")) << error;
    }
    {
        Pendulum p(0.5);
        SmoothSolver solver(p.system, {.h = 0.05, .max_iterations = 1});
        const std::string error = error_of([&] { run(solver, 1); });
        EXPECT_TRUE(contains(error, "to t = 0.05 s did not converge in 1 Newton iterations")) << error;
    }
}

} // namespace smooth_solver_test
