// Small motions against closed forms and against the modes of the smooth method.
#include "tamis/mechanics/vibration.hpp"

#include "error_of.hpp"
#include "mechanics/scenes.hpp"
#include "tamis/mechanics/equilibrium.hpp"
#include "tamis/smooth/modes.hpp"
#include "tamis/smooth/smooth_model.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::mechanics_test::vibration_test {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

std::vector<Mode> modes_of(Machine& machine)
{
    return vibration_modes(machine, machine.small_motions());
}

TEST(SmallMotions, OfAPendulumHaveTheFrequencyOfBooks)
{
    const double m = 2, L = 0.7, J = 0.03;
    for (const double sign : {1.0, -1.0}) { // hanging, upright
        ModelDescription model("pendulum");
        model.gravity({0, -g, 0});
        model.add(
            {.name = "bob", .joint = hinge_z(), .mass = m, .com = {0, -L * sign, 0}, .inertia = {J, J, J}});
        Machine machine(model.finish());
        const auto modes = modes_of(machine);
        ASSERT_EQ(modes.size(), 1u);
        const double w = std::sqrt(m * g * L / (J + m * L * L));
        EXPECT_NEAR(modes[0].lambda.imag(), sign > 0 ? w : 0, 1e-10 * w);
        EXPECT_NEAR(modes[0].lambda.real(), sign > 0 ? 0 : w, 1e-10 * w);
    }
}

// With absolute angles from the vertical, J' = J + m L^2/4:
//     M = [J' + m L^2, m L^2/2; m L^2/2, J'],  K = diag(3/2, 1/2) m g L
TEST(SmallMotions, OfADoublePendulumAreThoseOfTheClosedForm)
{
    DoublePendulum p;
    Eigen::Matrix2d M, K, absolute;
    const double own = p.J + p.m * p.L * p.L / 4, mL2 = p.m * p.L * p.L;
    M << own + mL2, mL2 / 2, mL2 / 2, own;
    K << 1.5 * p.m * g * p.L, 0, 0, 0.5 * p.m * g * p.L;
    absolute << 1, 0, 1, 1; // of joint angles
    Machine machine(p.model.finish());
    const Machine::SmallMotions found = machine.small_motions();
    EXPECT_LT((found.M - absolute.transpose() * M * absolute).norm(), 1e-13);
    EXPECT_LT((found.K - absolute.transpose() * K * absolute).norm(), 1e-10 * K.norm());
    EXPECT_EQ(found.C.norm(), 0);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d> eigen(K, M);
    const auto modes = modes_of(machine);
    ASSERT_EQ(modes.size(), 2u);
    for (int k = 0; k < 2; ++k) {
        EXPECT_NEAR(modes[k].frequency(), std::sqrt(eigen.eigenvalues()[k]) / two_pi, 1e-10);
        const Eigen::Vector2d shape = absolute * modes[k].shape.real();
        EXPECT_NEAR(shape[1] / shape[0], eigen.eigenvectors()(1, k) / eigen.eigenvectors()(0, k), 1e-9);
        EXPECT_EQ(modes[k].damping(), 0);
    }
}

// Three masses between walls; with dampers in proportion to the springs, each mode has zeta = beta w / 2.
TEST(SmallMotions, OfAChainWithProportionalDampersHaveTheRatiosOfTheClosedForm)
{
    const double k = 200, m = 0.8, beta = 5e-3;
    ModelDescription model("chain");
    std::vector<Frame> places{model.frame("left", ground)};
    for (int i = 0; i < 3; ++i) {
        const Body b = model.add({.name = fmt::format("mass {}", i + 1),
                                  .joint = slide_x(),
                                  .at = {i + 1.0, 0, 0},
                                  .mass = m,
                                  .inertia = {1, 1, 1}});
        places.push_back(model.frame(fmt::format("place {}", i), b));
    }
    places.push_back(model.frame("right", ground, {4, 0, 0}));
    for (int i = 0; i < 4; ++i) model.spring(places[i], places[i + 1], {k, beta * k, 0.6}); // stretched
    Machine machine(model.finish());
    const auto modes = modes_of(machine);
    ASSERT_EQ(modes.size(), 3u);
    for (int i = 0; i < 3; ++i) {
        const double w = 2 * std::sqrt(k / m) * std::sin((i + 1) * std::numbers::pi / 8);
        EXPECT_NEAR(modes[i].natural(), w / two_pi, 1e-9 * w);
        EXPECT_NEAR(modes[i].damping(), beta * w / 2, 1e-9);
        EXPECT_NEAR(modes[i].frequency(), w / two_pi * std::sqrt(1 - std::pow(beta * w / 2, 2)), 1e-9 * w);
    }
}

TEST(SmallMotions, OfAnOverdampedMassAreTwoDecays)
{
    const double k = 100, c = 50, m = 2;
    ModelDescription model("mass");
    const Body b = model.add({.name = "mass", .joint = slide_x(), .mass = m, .inertia = {1, 1, 1}});
    model.spring(model.coordinate(b), {k, c, 0});
    Machine machine(model.finish());
    const auto modes = modes_of(machine);
    ASSERT_EQ(modes.size(), 2u);
    const double root = std::sqrt(c * c - 4 * k * m);
    EXPECT_NEAR(modes[0].lambda.real(), (-c + root) / (2 * m), 1e-10);
    EXPECT_NEAR(modes[1].lambda.real(), (-c - root) / (2 * m), 1e-10);
    EXPECT_EQ(modes[0].frequency(), 0);
}

TEST(SmallMotions, OfAFreeMassHaveNoFrequency)
{
    for (const double c : {0.0, 3.0}) {
        ModelDescription model("free");
        const Body b = model.add({.name = "mass", .joint = slide_x(), .mass = 2, .inertia = {1, 1, 1}});
        model.spring(model.coordinate(b), {0, c, 0});
        Machine machine(model.finish());
        const auto modes = modes_of(machine);
        ASSERT_EQ(modes.size(), c > 0 ? 2u : 1u);
        EXPECT_EQ(modes[0].lambda, 0.0);
        if (c == 0) continue;
        EXPECT_NEAR(modes[1].lambda.real(), -c / 2, 1e-12);
    }
}

// The stiffness of a loop out of equilibrium and about it, against differences of the force with loops closed.
TEST(SmallMotions, OfALoopHaveTheStiffnessOfTheClosedLoop)
{
    FourBar f(0.3, 0.8, 0.7, 0.9, 1.1, g);
    Machine machine(f.model.finish());
    f.model.features();
    for (int turn = 0; turn < 3; ++turn) {
        ASSERT_EQ(machine.size(), 1);
        const double K = machine.stiffness()(0, 0), h = 1e-4;
        const auto force = [&](double dx) {
            const Machine::Place here = machine.place();
            EXPECT_TRUE(machine.move(Eigen::VectorXd::Constant(1, dx)));
            const double value = machine.force()[0];
            machine.go_to(here);
            return value;
        };
        const double differences = -(force(h) - force(-h)) / (2 * h);
        EXPECT_NEAR(K, differences, 1e-6 * std::abs(K) + 1e-8);
        EXPECT_GT(std::abs(K), 0.1);
        machine.move(Eigen::VectorXd::Constant(1, 0.7));
    }
}

// K of the closed linkage from its potential by the crank's angle.
TEST(SmallMotions, OfAFourBarLinkageFollowItsPotential)
{
    FourBar f(0.3, 0.8, 0.7, 0.9, 1.1, g);
    f.model.independent({f.model.coordinate(f.crank)});
    Machine machine(f.model.finish());
    machine.take_named();
    ASSERT_EQ(machine.names()[0], "crank");
    const double h = 1e-3, here = f.potential(1.1), up = f.potential(1.1 + h), down = f.potential(1.1 - h);
    EXPECT_NEAR(machine.force()[0], -g * (up - down) / (2 * h), 1e-5);
    EXPECT_NEAR(machine.stiffness()(0, 0), g * (up - 2 * here + down) / (h * h), 1e-4);
}

TEST(SmallMotions, WithoutInertiaAreRefusedByName)
{
    ModelDescription model("massless");
    const Body arm = model.add({.name = "arm", .joint = hinge_z(), .mass = 1, .com = {1, 0, 0}});
    model.add({.name = "weightless", .parent = arm, .joint = hinge_z(), .at = {1, 0, 0}, .mass = 1});
    Machine machine(model.finish());
    const std::string error = error_of([&] { modes_of(machine); });
    EXPECT_TRUE(contains(error, "'weightless' can move without inertia")) << error;
}

struct Cantilever {
    ModelDescription model{"cantilever"};
    Body tip;
    explicit Cantilever(int elements = 10, double damping = 0)
    {
        tip = model.add({.name = "container",
                         .joint = free_joint(),
                         .mass = 55.5e-3,
                         .inertia = {2.66e-6, 4.85e-6, 2.66e-6}});
        model.start(tip, 0.25, 0, 0);
        model.beam({.name = "beam",
                    .a = model.frame("clamp", ground),
                    .b = model.frame("end", tip),
                    .section = beam_section(RectangularSection{
                        .E = 210e9, .nu = 0.33, .rho = 7845, .width = 0.03, .height = 0.002}),
                    .elements = elements,
                    .damping = damping});
    }
};

TEST(SmallMotions, OfABeamWithAMassAtItsEndAreTimoshenkosAndThoseOfTheSmoothMethod)
{
    Cantilever c;
    Machine machine(c.model.finish());
    const auto found = modes_of(machine);
    for (const double exact : {15.63081, 127.94173, 384.35604}) {
        double nearest = 0;
        for (const Mode& mode : found)
            if (std::abs(mode.frequency() - exact) < std::abs(nearest - exact)) nearest = mode.frequency();
        EXPECT_NEAR(nearest / exact, 1, 1e-3);
    }
    SmoothModel smooth(c.model.finish());
    const Modes others = modes(smooth.system());
    ASSERT_EQ(static_cast<std::size_t>(others.omega.size()), found.size());
    for (int k = 0; k < 12; ++k) EXPECT_NEAR(found[k].frequency() * two_pi / others.omega[k], 1, 1e-7) << k;
}

// Damping in proportion to the stiffness: zeta = tau w / 2 of each mode of the beam.
TEST(SmallMotions, OfADampedBeamHaveTheRatiosOfProportionalDamping)
{
    const double tau = 1e-5;
    Cantilever c(4, tau), free(4);
    Machine damped(c.model.finish()), undamped(free.model.finish());
    const auto with = modes_of(damped), without = modes_of(undamped);
    for (int k = 0; k < 5; ++k) {
        const double w = two_pi * without[k].natural();
        EXPECT_NEAR(two_pi * with[k].natural() / w, 1, 1e-6) << k;
        EXPECT_NEAR(with[k].damping() / (tau * w / 2), 1, 1e-5) << k;
    }
}

} // namespace
} // namespace tamis::mechanics_test::vibration_test
