// The stepper against closed forms: smooth motion, forces, drives, impacts and friction.
//
// On a linear oscillator the scheme is a composition of shears: for every theta its frequency obeys
// sin(omega_h h / 2) = omega h / 2 and nothing is dissipated; theta > 1/2 costs accuracy, not energy.
#include "tamis/nscd/moreau_jean.hpp"

#include "allocations.hpp"
#include "error_of.hpp"
#include "tamis/base/error.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double g = 9.81;
constexpr auto as_published = ForceEvaluation::explicit_;

void advance(MoreauJean& stepper, long steps)
{
    for (long k = 0; k < steps; ++k) stepper.step();
}

// |error| for h and for h / 2 differ by 2^order.
double order(double coarse, double fine)
{
    return std::log2(std::abs(coarse / fine));
}

// Point mass on a hinge, hanging down at zero.
Body pendulum(Model& model, double length, double start)
{
    model.gravity({0, -g, 0});
    const Body bob = model.add({.name = "bob", .joint = hinge_z(), .mass = 1, .com = {0, -length, 0}});
    model.start(bob, start, 0);
    model.finish();
    return bob;
}

Body cart(Model& model, const std::string& name, double mass)
{
    return model.add({.name = name, .joint = slide_x(), .mass = mass});
}

// A solid sphere.
Body ball(Model& model, double mass, double radius, const Vector3d& at)
{
    const double I = 0.4 * mass * radius * radius;
    const Body body = model.add({.name = "ball", .joint = free_joint(), .mass = mass, .inertia = {I, I, I}});
    for (int k = 0; k < 3; ++k) model.start(body, at[k], 0, k);
    return body;
}

} // namespace

// Smooth motion.

TEST(MoreauJean, PeriodOfALargePendulumIsTheEllipticIntegralToSecondOrder)
{
    const double length = 0.7, start = 2.5;
    const double period = 4 * std::sqrt(length / g) * std::comp_ellint_1(std::sin(start / 2));
    std::array<double, 2> late; // angle a quarter period after five turns, where it should vanish
    for (int k : {0, 1}) {
        Model model("pendulum");
        const Body bob = pendulum(model, length, start);
        const long steps = 400 << k; // in a quarter period
        MoreauJean stepper(model, {.h = period / (4 * steps)});
        advance(stepper, 21 * steps);
        late[k] = stepper.view().q(model.coordinate(bob));
    }
    EXPECT_LT(std::abs(late[1]), 1e-3);
    EXPECT_NEAR(order(late[0], late[1]), 2, 0.02);
}

TEST(MoreauJean, EnergyErrorOfALongPendulumRunIsOfSecondOrderAndDoesNotGrow)
{
    auto worst = [](double h, double theta, long steps) {
        Model model("pendulum");
        pendulum(model, 0.7, 2.5);
        MoreauJean stepper(model, {.h = h, .theta = theta});
        const double start = stepper.view().energy();
        double error = 0;
        for (long k = 0; k < steps; ++k) {
            stepper.step();
            error = std::max(error, std::abs(stepper.view().energy() - start));
        }
        return error / g;
    };
    const double coarse = worst(2e-3, 0.5, 10000);
    EXPECT_LT(coarse, 1e-4);
    EXPECT_NEAR(worst(2e-3, 0.5, 40000) / coarse, 1, 1e-2);
    EXPECT_NEAR(order(coarse, worst(1e-3, 0.5, 20000)), 2, 0.01);
    EXPECT_NEAR(order(worst(2e-3, 1, 10000), worst(1e-3, 1, 20000)), 1, 0.01);
    EXPECT_NEAR(worst(2e-3, 1, 40000) / worst(2e-3, 1, 10000), 1, 1e-2);
}

TEST(MoreauJean, DoublePendulumFollowsTheReferenceWithOrderTwoAtMidpointAndOneAsPublished)
{
    // Bars of 0.4 m, 1 kg, 1 kg m2, centre of mass at mid-length, absolute angles from the hanging position
    // both pi/2, rates 0.5 rad/s. Reference: adaptive 8th-order integration; t, theta1, theta2, omega1,
    // omega2.
    const double reference[][5] = {{0.498, 1.22540218979, 1.6310216643, -1.87113661436, -0.267558162849},
                                   {0.998, -0.12884756339, 1.24569947759, -3.09298271982, -1.35763064551},
                                   {1.998, -1.33263019621, -0.810844696164, 1.24939950601, -2.09637030796},
                                   {4.998, -1.48173199052, 0.545068992178, -0.140736360644, 2.18320557755}};
    auto error = [&](ForceEvaluation force, long per_millisecond) {
        Model model("double pendulum");
        model.gravity({0, -g, 0});
        const double L = 0.4;
        const Body first = model.add(
            {.name = "first", .joint = hinge_z(), .mass = 1, .com = {0, -L / 2, 0}, .inertia = {1, 1, 1}});
        const Body second = model.add({.name = "second",
                                       .parent = first,
                                       .joint = hinge_z(),
                                       .at = {0, -L, 0},
                                       .mass = 1,
                                       .com = {0, -L / 2, 0},
                                       .inertia = {1, 1, 1}});
        model.start(first, pi / 2, 0.5);
        model.start(second, 0, 0);
        model.finish();
        MoreauJean stepper(model, {.h = 1e-3 / static_cast<double>(per_millisecond), .force = force});
        const View& view = stepper.view();
        const Coordinate a = model.coordinate(first), b = model.coordinate(second);
        double worst = 0;
        for (const auto& r : reference) {
            advance(stepper, std::lround(r[0] * 1e3) * per_millisecond - stepper.state().step);
            for (double e : {view.q(a) - r[1], view.q(a) + view.q(b) - r[2], view.v(a) - r[3],
                             view.v(a) + view.v(b) - r[4]})
                worst = std::max(worst, std::abs(e));
        }
        return worst;
    };
    const double fine = error(ForceEvaluation::midpoint, 2);
    EXPECT_LT(fine, 5e-7);
    EXPECT_NEAR(order(error(ForceEvaluation::midpoint, 1), fine), 2, 0.05);
    EXPECT_NEAR(order(error(as_published, 1), error(as_published, 2)), 1, 0.05);
}

TEST(MoreauJean, FreeBodyTumblesAboutItsIntermediateAxisInTheClosedFormTime)
{
    // Euler's equations with I = (1, 2, 3) from omega = (a, 0, 1): omega = (a cn, a sn, dn)(t | k), k^2 = a^2
    // / 3.
    const double a = 1.7, K = std::comp_ellint_1(a / std::sqrt(3.0));
    std::array<double, 2> error;
    for (int k : {0, 1}) {
        Model model("body");
        const Body body = model.add({.name = "body", .joint = spherical(), .mass = 1, .inertia = {1, 2, 3}});
        model.start(body, Quaterniond(0.5, 0.1, -0.7, 0.2), {a, 0, 1});
        model.finish();
        const long steps = 500 << k; // in a quarter
        MoreauJean stepper(model, {.h = K / static_cast<double>(steps)});
        const View& view = stepper.view();
        auto momentum = [&]() -> Vector3d {
            const Matrix3d R = view.rotation(body);
            return R * Vector3d(1, 2, 3).asDiagonal() * R.transpose() * view.angular_velocity(body);
        };
        auto rate = [&]() -> Vector3d {
            return view.rotation(body).transpose() * view.angular_velocity(body);
        };
        const Vector3d L = momentum();
        const double E = view.energy();
        error[k] = 0;
        for (int turn = 0; turn < 10; ++turn) {
            advance(stepper, steps);
            error[k] = std::max(error[k], (rate() - Vector3d(0, a, std::sqrt(1 - a * a / 3))).norm());
            advance(stepper, steps);
            error[k] = std::max(error[k], (rate() - Vector3d(-a, 0, 1)).norm());
            advance(stepper, 2 * steps);
            error[k] = std::max(error[k], (rate() - Vector3d(a, 0, 1)).norm());
            EXPECT_NEAR(stepper.state().q.norm(), 1, 1e-15);
        }
        error[k] = std::max({error[k], (momentum() - L).norm(), std::abs(view.energy() - E)});
    }
    EXPECT_LT(error[1], 3e-4);
    EXPECT_NEAR(order(error[0], error[1]), 2, 0.01);
}

TEST(MoreauJean, FreeBodyKeepsMomentumAndEnergyOverManyTurns)
{
    Model model("body");
    const Body body = model.add({.name = "body", .joint = free_joint(), .mass = 2, .inertia = {1, 2, 3}});
    model.start(body, Quaterniond(1, 0, 0, 0), {3, -2, 4});
    model.start(body, 1, 5, 1);
    model.finish();
    MoreauJean stepper(model, {.h = 1e-3});
    const View& view = stepper.view();
    auto momentum = [&]() -> Vector3d {
        const Matrix3d R = view.rotation(body);
        return R * Vector3d(1, 2, 3).asDiagonal() * R.transpose() * view.angular_velocity(body);
    };
    const Vector3d L = momentum();
    const double E = view.energy();
    advance(stepper, 100000); // 85 turns
    EXPECT_LT((momentum() - L).norm() / L.norm(), 2e-6);
    EXPECT_NEAR(view.energy() / E, 1, 2e-6);
    EXPECT_NEAR(stepper.state().q.tail<4>().norm(), 1, 1e-15);
    EXPECT_NEAR((view.position(body) - Vector3d(0, 501, 0)).norm(), 0, 1e-9);
}

TEST(MoreauJean, HeavyTopPrecessesSteadilyAtTheClosedFormRate)
{
    // m g l = I3 omega3 Omega - I1 Omega^2 cos(tilt), I1 about the pivot.
    const double m = 0.5, l = 0.2, I1 = 0.03, I3 = 0.01, tilt = 0.8, precession = 3;
    const double spin = (m * g * l + I1 * precession * precession * std::cos(tilt)) / (I3 * precession);
    std::array<double, 2> error;
    for (int k : {0, 1}) {
        Model model("top");
        model.gravity({0, 0, -g});
        const Body top = model.add({.name = "top",
                                    .joint = spherical(),
                                    .mass = m,
                                    .com = {0, 0, l},
                                    .inertia = {I1 - m * l * l, I1 - m * l * l, I3}});
        const Quaterniond start(Eigen::AngleAxisd(tilt, Vector3d::UnitY()));
        // Omega e_z in body axes, with the given spin
        const Vector3d across(-precession * std::sin(tilt), 0, spin);
        model.start(top, start, across);
        model.finish();
        const double T = 2 * pi / precession; // one round
        const long steps = 2000 << k;
        MoreauJean stepper(model, {.h = T / static_cast<double>(steps)});
        error[k] = 0;
        for (int quarter = 1; quarter <= 8; ++quarter) {
            advance(stepper, steps / 4);
            const double angle = quarter * pi / 2;
            const Vector3d axis(std::sin(tilt) * std::cos(angle), std::sin(tilt) * std::sin(angle),
                                std::cos(tilt));
            error[k] = std::max(error[k], (stepper.view().rotation(top).col(2) - axis).norm());
        }
    }
    EXPECT_LT(error[1], 1e-3);
    EXPECT_NEAR(order(error[0], error[1]), 2, 0.1);
}

TEST(MoreauJean, SphericalPendulumSwingsThroughBothVerticalsLikeAHinge)
{
    const double length = 0.5, I = 0.02, speed = 12; // enough to go over the top
    const Vector3d axis = Vector3d(1, 2, 0).normalized();
    auto run = [&](const Joint& joint) {
        Model model("pendulum");
        model.gravity({0, 0, -g});
        const Body bob = model.add(
            {.name = "bob", .joint = joint, .mass = 1, .com = {0, 0, -length}, .inertia = {I, I, I}});
        if (joint.parts[0].kind == ElementaryJoint::spherical)
            model.start(bob, Quaterniond::Identity(), speed * axis);
        else
            model.start(bob, 0, speed);
        model.finish();
        MoreauJean stepper(model, {.h = 1e-3});
        std::vector<Vector3d> path;
        for (int k = 0; k < 3000; ++k) {
            stepper.step();
            path.push_back(stepper.view().position(bob, {0, 0, -length}));
        }
        return path;
    };
    const auto on_hinge = run(hinge(axis)), on_ball = run(spherical());
    double highest = -1, difference = 0;
    for (std::size_t k = 0; k < on_hinge.size(); ++k) {
        highest = std::max(highest, on_ball[k].z() / length);
        difference = std::max(difference, (on_ball[k] - on_hinge[k]).norm());
    }
    EXPECT_GT(highest, 0.9999);
    EXPECT_LT(difference, 1e-10);
}

TEST(MoreauJean, CoordinateThatMovesNoMassIsNamed)
{
    Model model("test");
    model.add({.name = "bead",
               .joint = spherical(),
               .mass = 1,
               .com = {0, 0, -1}}); // spins freely about its string
    model.finish();
    MoreauJean stepper(model, {});
    try {
        stepper.step();
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("'bead.z'"), std::string::npos) << error.what();
    }
}

// Springs, dampers, forces.

TEST(MoreauJean, JointSpringOscillatesUndampedAtTheDiscreteFrequency)
{
    const double m = 2, k = 50, rest = 0.3, h = 0.01, amplitude = 0.1;
    const double phase = 2 * std::asin(std::sqrt(k / m) * h / 2);
    Model model("oscillator");
    const Body mass = cart(model, "mass", m);
    model.spring(model.coordinate(mass), {.stiffness = k, .rest = rest});
    model.start(mass, rest + amplitude, 0);
    model.finish();
    MoreauJean half(model, {.h = h}), full(model, {.h = h, .theta = 1});
    double largest = 0;
    for (int n = 1; n <= 5000; ++n) {
        half.step();
        full.step();
        ASSERT_NEAR(half.view().q(model.coordinate(mass)), rest + amplitude * std::cos(n * phase), 1e-11);
        if (n > 4800) largest = std::max(largest, full.view().q(model.coordinate(mass)) - rest);
    }
    EXPECT_NEAR(phase / h, std::sqrt(k / m), 1e-2);
    EXPECT_NEAR(largest, amplitude, 1e-3); // theta = 1: displaced by h / 2, not dissipative
}

TEST(MoreauJean, DamperDecaysAtItsRateToTheOrderOfTheForceEvaluation)
{
    const double m = 2, c = 3, h = 0.01, z = c * h / m, v0 = 5;
    Model model("damper");
    const Body mass = cart(model, "mass", m);
    model.spring(model.coordinate(mass), {.damping = c});
    model.start(mass, 0, v0);
    model.finish();
    MoreauJean midpoint(model, {.h = h}), published(model, {.h = h, .force = as_published});
    advance(midpoint, 100);
    advance(published, 100);
    const double exact = v0 * std::exp(-c / m);
    EXPECT_NEAR(midpoint.view().v(model.coordinate(mass)), v0 * std::pow(1 - z + z * z / 2, 100), 1e-13);
    EXPECT_NEAR(published.view().v(model.coordinate(mass)), v0 * std::pow(1 - z, 100), 1e-13);
    EXPECT_NEAR(midpoint.view().v(model.coordinate(mass)), exact, 1e-4);
    EXPECT_NEAR(published.view().v(model.coordinate(mass)), exact, 2e-2);
}

TEST(MoreauJean, SpringBetweenTwoSlidesBeatsAtTheReducedMassAndKeepsTheCentreAtRest)
{
    const double m1 = 1, m2 = 3, k = 120, rest = 0.5, stretch = 0.1, h = 1e-3;
    Model model("two masses");
    const Body a = cart(model, "a", m1);
    const Body b = model.mechanism("second").add({.name = "b", .joint = slide_x(), .mass = m2});
    model.spring(model.frame("at a", a), model.frame("at b", b), {.stiffness = k, .rest = rest});
    model.start(b, rest + stretch, 0);
    model.finish();
    MoreauJean stepper(model, {.h = h});
    const double phase = 2 * std::asin(std::sqrt(k * (1 / m1 + 1 / m2)) * h / 2);
    for (int n = 1; n <= 3000; ++n) {
        stepper.step();
        const double xa = stepper.view().position(a).x(), xb = stepper.view().position(b).x();
        ASSERT_NEAR(xb - xa, rest + stretch * std::cos(n * phase), 1e-11);
        ASSERT_NEAR(m1 * xa + m2 * xb, m2 * (rest + stretch), 1e-11);
    }
}

TEST(MoreauJean, ConstantForcesOnACartAndOnAHingeGiveParabolas)
{
    const double m = 2, F = 3, I = 0.4, torque = 0.7, lever = 0.5, h = 0.01, t = 2;
    Model model("forces");
    const Body sled = cart(model, "sled", m);
    auto wheel = [&](const std::string& name) {
        return model.add({.name = name, .joint = hinge_z(), .mass = 1, .inertia = {I, I, I}});
    };
    const Body turned = wheel("turned"), pulled = wheel("pulled");
    model.force(model.coordinate(sled), [=](const View&) { return F; });
    model.wrench(model.frame("hub", turned), [=](const View&) { return Wrench{{5, 6, 7}, {1, 2, torque}}; });
    model.wrench(model.frame("rim", pulled, {lever, 0, 0}), [=](const View& s) { // tangential force
        return Wrench{s.rotation(pulled) * Vector3d(0, torque / lever, 0), {0, 0, 0}};
    });
    model.finish();
    MoreauJean stepper(model, {.h = h});
    advance(stepper, std::lround(t / h));
    const View& view = stepper.view();
    EXPECT_NEAR(view.q(model.coordinate(sled)), F / m * t * t / 2, 1e-12);
    EXPECT_NEAR(view.v(model.coordinate(sled)), F / m * t, 1e-12);
    for (Body b : {turned, pulled}) {
        EXPECT_NEAR(view.q(model.coordinate(b)), torque / I * t * t / 2, 1e-12);
        EXPECT_NEAR(view.v(model.coordinate(b)), torque / I * t, 1e-12);
    }
}

TEST(MoreauJean, ForceLawsSeeTimeAndStateOfTheMiddleOfTheStep)
{
    const double w = 3, h = 0.01;
    Model model("laws");
    const Body timed = cart(model, "timed", 1), sprung = cart(model, "sprung", 2),
               told = cart(model, "told", 2);
    const Coordinate x = model.coordinate(told);
    model.force(model.coordinate(timed), [=](const View& s) { return std::sin(w * s.time()); });
    model.spring(model.coordinate(sprung), {.stiffness = 40, .damping = 0.3, .rest = 0.1});
    model.force(x, [=](const View& s) { return -40 * (s.q(x) - 0.1) - 0.3 * s.velocity(told).x(); });
    model.start(sprung, 0.5, 1);
    model.start(told, 0.5, 1);
    model.finish();
    MoreauJean stepper(model, {.h = h});
    const int n = 200;
    advance(stepper, n);
    const View& view = stepper.view();
    // sum of h sin(w t_m) over the midpoints
    const double sum = h * std::pow(std::sin(n * w * h / 2), 2) / std::sin(w * h / 2);
    EXPECT_NEAR(view.v(model.coordinate(timed)), sum, 1e-12);
    EXPECT_NEAR(sum, (1 - std::cos(w * n * h)) / w, 1e-4);
    EXPECT_NEAR(view.q(x), view.q(model.coordinate(sprung)), 1e-13);
    EXPECT_NEAR(view.v(x), view.v(model.coordinate(sprung)), 1e-13);
}

// Driven coordinates.

TEST(MoreauJean, DriveOfAnAcceleratedSlideNeedsMassTimesMeanAcceleration)
{
    const double m = 2, A = 0.05, w = 30, h = 1e-3;
    Model model("shaker");
    model.gravity({-g, 0, 0});
    const Body table = cart(model, "table", m);
    model.drive(model.coordinate(table), motion([=](Expr t) { return A * sin(w * t); }));
    model.finish();
    MoreauJean stepper(model, {.h = h});
    const View& view = stepper.view();
    for (int n = 1; n <= 500; ++n) {
        stepper.step();
        const double t = n * h, before = t - h;
        ASSERT_NEAR(view.q(model.coordinate(table)), A * std::sin(w * t), 1e-15);
        ASSERT_NEAR(view.v(model.coordinate(table)), A * w * std::cos(w * t), 1e-14);
        ASSERT_NEAR(view.drive_force(model.coordinate(table)),
                    m * A * w * (std::cos(w * t) - std::cos(w * before)) / h + m * g, 1e-9);
    }
}

TEST(MoreauJean, MassOnADrivenArmFliesOutAndTheDriveFeelsCoriolis)
{
    // r'' = Omega^2 r: r = r0 cosh Omega t; torque 2 m Omega r r' = m Omega^2 r0^2 sinh 2 Omega t.
    const double m = 0.7, r0 = 0.1, Omega = 4, T = 0.5;
    std::array<double, 2> position, torque;
    for (int k : {0, 1}) {
        Model model("arm");
        const Body arm = model.add({.name = "arm", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
        const Body bead = model.add({.name = "bead", .parent = arm, .joint = slide_x(), .mass = m});
        model.drive(model.coordinate(arm), motion([=](Expr t) { return Omega * t; }));
        model.start(bead, r0, 0);
        model.finish();
        const long steps = 500 << k;
        const double h = T / static_cast<double>(steps);
        MoreauJean stepper(model, {.h = h});
        advance(stepper, steps);
        position[k] = stepper.view().q(model.coordinate(bead)) - r0 * std::cosh(Omega * T);
        torque[k] = stepper.view().drive_force(model.coordinate(arm)) -
                    m * Omega * Omega * r0 * r0 * std::sinh(2 * Omega * (T - h / 2));
    }
    EXPECT_LT(std::abs(position[1]), 1e-5);
    EXPECT_LT(std::abs(torque[1]), 1e-4);
    EXPECT_NEAR(order(position[0], position[1]), 2, 0.05);
    EXPECT_NEAR(order(torque[0], torque[1]), 2, 0.05);
}

TEST(MoreauJean, SpringOnADrivenArmBalancesTheCentripetalForce)
{
    const double m = 0.7, k = 100, r0 = 0.1, Omega = 5, r = k * r0 / (k - m * Omega * Omega);
    Model model("arm");
    const Body arm = model.add({.name = "arm", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
    const Body bead = model.add({.name = "bead", .parent = arm, .joint = slide_x(), .mass = m});
    model.drive(model.coordinate(arm), motion([=](Expr t) { return Omega * t; }));
    model.spring(model.coordinate(bead), {.stiffness = k, .rest = r0});
    model.start(bead, r, 0);
    model.finish();
    MoreauJean stepper(model, {.h = 1e-3});
    advance(stepper, 5000);
    EXPECT_NEAR(stepper.view().q(model.coordinate(bead)), r, 1e-12);
    EXPECT_NEAR(stepper.view().drive_force(model.coordinate(arm)), 0, 1e-9);
}

TEST(MoreauJean, FullyDrivenSliderCrankFollowsItsClosedFormAndItsDrivePaysTheEnergy)
{
    const double r = 0.15, l = 0.4, Omega = 20;
    std::array<double, 2> missing;
    for (int k : {0, 1}) {
        Model model("slider-crank");
        model.gravity({0, -g, 0});
        const Body crank = model.add(
            {.name = "crank", .joint = hinge_z(), .mass = 1, .com = {r / 2, 0, 0}, .inertia = {0, 0, 2e-3}});
        const Body rod = model.add({.name = "rod",
                                    .parent = crank,
                                    .joint = hinge_z(),
                                    .at = {r, 0, 0},
                                    .mass = 0.5,
                                    .com = {l / 2, 0, 0},
                                    .inertia = {0, 0, 7e-3}});
        const Body slider = cart(model, "slider", 2);
        model.close(
            {.name = "pin", .kind = LoopKind::point_plane, .a = rod, .point_a = {l, 0, 0}, .b = slider});
        model.start(slider, r + l, 0);
        model.drive(model.coordinate(crank), motion([=](Expr t) { return Omega * t; }));
        model.finish();
        const long steps = 500 << k;
        const double h = 2 / Omega / static_cast<double>(steps);
        MoreauJean stepper(model, {.h = h});
        EXPECT_TRUE(stepper.independent(0).empty());
        const View& view = stepper.view();
        const double start = view.energy();
        double work = 0;
        for (long n = 1; n <= steps; ++n) {
            const double loop_error = stepper.step().loop_error, angle = Omega * n * h;
            ASSERT_LT(loop_error, 1e-12);
            const double s = r * std::sin(angle), x = r * std::cos(angle) + std::sqrt(l * l - s * s);
            ASSERT_NEAR(view.q(model.coordinate(slider)), x, 1e-12);
            ASSERT_NEAR(view.v(model.coordinate(slider)), -Omega * s * x / (x - r * std::cos(angle)), 1e-11);
            work += view.drive_force(model.coordinate(crank)) * Omega * h;
        }
        missing[k] = view.energy() - start - work;
    }
    EXPECT_LT(std::abs(missing[1]), 1e-5);
    EXPECT_NEAR(order(missing[0], missing[1]), 2, 0.01);
}

TEST(MoreauJean, DrivenWallThrowsAFreeBallByOnePlusRestitution)
{
    const double V = 3, e = 0.6;
    Model model("bat");
    const MaterialId wood = model.add(Material{.restitution = e});
    const Body bat = cart(model, "bat", 5), target = ball(model, 0.1, 0.05, {0.2, 0, 0});
    model.attach(bat, box(0.1, 1, 1), wood);
    model.attach(target, sphere(0.05), wood);
    model.drive(model.coordinate(bat), motion([=](Expr t) { return V * t; }));
    model.finish();
    for (ForceEvaluation force : {ForceEvaluation::midpoint, as_published}) {
        MoreauJean stepper(model, {.h = 1e-3, .force = force});
        double impulse = 0;
        for (int n = 0; n < 100; ++n) {
            stepper.step();
            impulse += stepper.view().drive_force(model.coordinate(bat)) * 1e-3;
        }
        EXPECT_NEAR((stepper.view().velocity(target) - Vector3d((1 + e) * V, 0, 0)).norm(), 0, 1e-12);
        EXPECT_NEAR(impulse, 0.1 * (1 + e) * V, 1e-12);
    }
}

// Impacts and friction.

TEST(MoreauJean, BallBouncesToRestitutionSquaredOfItsHeightAtAnyScale)
{
    const double e = 0.8;
    std::vector<double> at_one_metre;
    for (double scale : {1.0, 1e-3, 1e3}) { // lengths scale, times by its root
        Model model("ball");
        model.gravity({0, -g, 0});
        const MaterialId rubber = model.add(Material{.restitution = e});
        const double radius = 0.1 * scale, mass = 3;
        const Body body = ball(model, mass, radius, {0, radius + scale, 0});
        model.attach(body, sphere(radius), rubber);
        model.attach(ground, wall({0, 1, 0}, 0), rubber);
        model.finish();
        MoreauJean stepper(model, {.h = 1e-5 * std::sqrt(scale)});
        std::vector<double> apex;
        double before = 0;
        while (apex.size() < 4) {
            stepper.step();
            const double v = stepper.view().velocity(body).y();
            if (before > 0 && v <= 0) apex.push_back((stepper.view().position(body).y() - radius) / scale);
            before = v;
        }
        for (int n = 0; n < 4; ++n) EXPECT_NEAR(apex[n], std::pow(e, 2 * (n + 1)), 2e-4) << scale << ' ' << n;
        if (scale == 1)
            at_one_metre = apex;
        else
            for (int n = 0; n < 4; ++n) EXPECT_NEAR(apex[n], at_one_metre[n], 1e-4) << scale << ' ' << n;
    }
}

TEST(MoreauJean, ElasticBounceKeepsEnergyToRoundOff)
{
    Model model("ball");
    model.gravity({0, -g, 0});
    const MaterialId rubber = model.add(Material{.restitution = 1});
    const Body body = ball(model, 1, 0.1, {0, 0.6, 0});
    model.attach(body, sphere(0.1), rubber);
    model.attach(ground, wall({0, 1, 0}, 0), rubber);
    model.finish();
    MoreauJean stepper(model, {.h = 1e-3});
    const double E = stepper.view().energy();
    int bounces = 0;
    for (int n = 0; n < 10000; ++n) {
        stepper.step();
        for (const ContactRecord& c : stepper.view().contacts()) bounces += c.impulse[0] > 0;
        ASSERT_NEAR(stepper.view().energy() / E, 1, 1e-11);
    }
    EXPECT_GE(bounces, 15);
}

TEST(MoreauJean, BlockSticksBelowAtanMuAndSlidesBeyond)
{
    const double mu = 0.4, h = 1e-3, t = 0.5;
    for (double slope : {0.95 * std::atan(mu), 1.2 * std::atan(mu)}) {
        Model model("incline");
        model.gravity({g * std::sin(slope), -g * std::cos(slope), 0});
        const MaterialId wood = model.add(Material{.friction = mu});
        const Body block =
            model.add({.name = "block", .joint = free_joint(), .mass = 2, .inertia = {0.01, 0.02, 0.02}});
        model.attach(block, box(0.4, 0.125, 0.2), wood);
        model.attach(ground, wall({0, 1, 0}, 0), wood);
        const double height = 0.0625 - 1e-6; // overlapping, or round-off decides on contact
        model.start(block, height, 0, 1);
        model.finish();
        MoreauJean stepper(model, {.h = h});
        advance(stepper, std::lround(t / h));
        const double slip = std::max(0.0, g * (std::sin(slope) - mu * std::cos(slope)));
        const View& view = stepper.view();
        EXPECT_NEAR((view.velocity(block) - Vector3d(slip * t, 0, 0)).norm(), 0, 1e-8) << slope;
        EXPECT_NEAR((view.position(block) - Vector3d(slip * t * t / 2, height, 0)).norm(), 0, 1e-8) << slope;
        EXPECT_NEAR(view.angular_velocity(block).norm(), 0, 1e-8) << slope;
    }
}

// A block on two slides: r_n = (mu v + g h) / (1 / m + mu^2 / (M + m)) and u_n = mu u_t, while it slides.
TEST(MoreauJean, AssociatedFrictionLiftsASlidingBlockAndOnlyNlgsHasIt)
{
    const double mu = 0.4, v = 2, M = 1, m = 3, h = 1e-3;
    Model model("lift");
    model.gravity({0, 0, -g});
    const MaterialId wood = model.add(Material{.friction = mu});
    const Body cart = model.add({.name = "cart", .joint = slide_x(), .mass = M});
    const Body block = model.add({.name = "block", .parent = cart, .joint = slide_z(), .mass = m});
    model.attach(block, sphere(0.1), wood);
    model.attach(ground, wall({0, 0, 1}, -0.1 + 1e-9), wood); // overlapping, or round-off decides on contact
    model.start(cart, 0, v);
    model.finish();
    MoreauJeanOptions options{.h = h};
    options.contacts.friction = Law::associated;
    EXPECT_TRUE(contains(error_of([&] { MoreauJean(model, options); }), "--solver nlgs"));
    options.contacts.solver = "nlgs";
    MoreauJean stepper(model, options);
    EXPECT_TRUE(stepper.step().converged);
    const double r_n = (mu * v + g * h) / (1 / m + mu * mu / (M + m));
    const Vector3d u = stepper.view().velocity(block);
    EXPECT_NEAR(u.x(), v - mu * r_n / (M + m), 1e-9);
    EXPECT_NEAR(u.z(), mu * u.x(), 1e-9);
    // Coulomb's block stays on the ground.
    MoreauJean coulomb(model, {.h = h});
    coulomb.step();
    EXPECT_NEAR(coulomb.view().velocity(block).z(), 0, 1e-12);
}

TEST(MoreauJean, SlidingSphereEndsRollingAtFiveSeventhsOfItsSpeed)
{
    const double mu = 0.3, v0 = 2, radius = 0.25, h = 1e-3;
    Model model("bowling");
    model.gravity({0, -g, 0});
    const MaterialId lane = model.add(Material{.friction = mu});
    const Body body = ball(model, 5, radius, {0, radius, 0});
    model.start(body, 0, v0, 0);
    model.attach(body, sphere(radius), lane);
    model.attach(ground, wall({0, 1, 0}, 0), lane);
    model.finish();
    MoreauJean stepper(model, {.h = h});
    const View& view = stepper.view();
    const double rolls_at = 2 * v0 / (7 * mu * g);
    advance(stepper, std::lround(0.9 * rolls_at / h));
    EXPECT_NEAR(view.velocity(body).x(), v0 - mu * g * view.time(), 1e-9);
    advance(stepper, std::lround(0.5 / h));
    EXPECT_NEAR(view.velocity(body).x(), 5 * v0 / 7, 1e-9);
    EXPECT_NEAR(view.angular_velocity(body).z(), -5 * v0 / 7 / radius, 1e-8);
}

TEST(MoreauJean, FlatDropIsStoppedByItsCornersWithoutTurning)
{
    // Two corners of a rectangle share the impulse equally. Of four corners of a box only sum and moments are
    // determined.
    const double m = 2, V = 3, e = 0.5, h = 1e-4;
    for (double mu : {0.0, 0.3})
        for (const Shape& shape : {rectangle(0.4, 0.25), box(0.4, 0.25, 0.2)}) {
            Model model("drop");
            const MaterialId wood = model.add(Material{.friction = mu, .restitution = e});
            const Body body =
                model.add({.name = "body", .joint = free_joint(), .mass = m, .inertia = {0.01, 0.02, 0.02}});
            model.attach(body, shape, wood);
            model.attach(ground, wall({0, 1, 0}, 0), wood);
            model.start(body, 0.125 + 0.25 * h * V, -V, 1);
            model.finish();
            MoreauJean stepper(model, {.h = h});
            const int corners = stepper.step().contacts;
            EXPECT_EQ(corners, std::get<Box>(shape).half.z() > 0 ? 4 : 2);
            double sum = 0;
            Vector3d moment = Vector3d::Zero();
            for (const ContactRecord& c : stepper.view().contacts()) {
                const Vector3d impulse = c.frame * c.impulse;
                if (corners == 2) {
                    EXPECT_NEAR(c.impulse[0], m * (1 + e) * V / 2, 1e-9);
                }
                sum += c.impulse[0];
                moment += (c.point - stepper.view().position(body)).cross(impulse);
            }
            EXPECT_NEAR(sum, m * (1 + e) * V, 1e-9);
            EXPECT_NEAR(moment.norm(), 0, 1e-9);
            EXPECT_NEAR((stepper.view().velocity(body) - Vector3d(0, e * V, 0)).norm(), 0, 1e-9);
            EXPECT_NEAR(stepper.view().angular_velocity(body).norm(), 0, 1e-9);
        }
}

TEST(MoreauJean, MassesOnParallelRailsCollideLikeBeadsInOneMechanismOrTwo)
{
    const double m1 = 1, m2 = 3, v1 = 4, v2 = -1, e = 0.7, centre = (m1 * v1 + m2 * v2) / (m1 + m2);
    const double after1 = centre - m2 / (m1 + m2) * e * (v1 - v2),
                 after2 = centre + m1 / (m1 + m2) * e * (v1 - v2);
    for (bool apart : {false, true})
        for (ForceEvaluation force : {as_published, ForceEvaluation::midpoint}) {
            Model model("rails");
            const MaterialId glass = model.add(Material{.restitution = e});
            const Body a = cart(model, "a", m1);
            const BodySpec other{.name = "b", .joint = slide_x(), .at = {0, 0.1, 0}, .mass = m2};
            const Body b = apart ? model.mechanism("second").add(other) : model.add(other);
            model.attach(a, sphere(0.1), glass);
            model.attach(b, sphere(0.1), glass);
            model.start(a, 0, v1);
            model.start(b, 0.5, v2);
            model.finish();
            const double h = 1e-5;
            MoreauJean stepper(model, {.h = h, .force = force});
            advance(stepper, 10000);
            // The oblique normal turns within the step: with velocities taken at its ends the ratio is exact
            // to O(h).
            const double tolerance = force == as_published ? 1e-12 : 50 * h;
            const double after_a = stepper.view().v(model.coordinate(a)),
                         after_b = stepper.view().v(model.coordinate(b));
            EXPECT_NEAR(m1 * after_a + m2 * after_b, m1 * v1 + m2 * v2, 1e-12);
            EXPECT_NEAR(after_a, after1, tolerance) << apart;
            EXPECT_NEAR(after_b, after2, tolerance) << apart;
        }
}

TEST(MoreauJean, NothingHappensInAnEmptySceneWithoutForces)
{
    Model empty("empty");
    empty.gravity({0, -g, 0});
    empty.attach(ground, sphere(1), empty.add(Material{}));
    empty.finish();
    MoreauJean nothing(empty, {.h = 0.25});
    advance(nothing, 4);
    EXPECT_EQ(nothing.view().time(), 1);
    EXPECT_EQ(nothing.view().energy(), 0);

    Model welded("welded");
    const Body post = welded.add({.name = "post", .joint = fixed_joint(), .at = {1, 2, 3}, .mass = 1});
    welded.finish();
    MoreauJean still(welded, {.h = 0.25});
    advance(still, 4);
    EXPECT_EQ(still.view().position(post), Vector3d(1, 2, 3));

    Model lonely("lonely");
    const Body body = ball(lonely, 1, 0.1, {0, 0, 0});
    lonely.start(body, 0, 2, 0);
    lonely.attach(body, sphere(0.1), lonely.add(Material{}));
    lonely.finish();
    MoreauJean drifting(lonely, {.h = 0.25});
    advance(drifting, 4);
    EXPECT_EQ(drifting.view().position(body), Vector3d(2, 0, 0));
    EXPECT_TRUE(drifting.view().contacts().empty());
}

TEST(MoreauJean, FrictionlessImpactsOfAChainNeverAddEnergy)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    int impacts = 0;
    double rise = -1e9;
    for (int trial = 0; trial < 12; ++trial) {
        const double e = trial == 0 ? 1 : trial == 1 ? 0 : unit(random);
        Model model("chain");
        const MaterialId steel = model.add(Material{.restitution = e});
        Body parent = ground;
        double length = 0;
        for (int k = 0; k < 4; ++k) {
            const double m = 0.2 + unit(random), I = 0.01 + 0.05 * unit(random),
                         next = 0.2 + 0.3 * unit(random);
            parent = model.add({.name = "link " + std::to_string(k),
                                .parent = parent,
                                .joint = hinge_z(),
                                .at = {length, 0, 0},
                                .mass = m,
                                .com = {next / 2, 0.1 * unit(random), 0},
                                .inertia = {I, I, I}});
            length = next;
            model.attach(parent, sphere(0.05), steel, {Matrix3d::Identity(), {length, 0, 0}});
            model.start(parent, 0.2 * unit(random) - 0.1, 12 * unit(random) - 6);
        }
        model.attach(ground, wall({0, 1, 0}, -0.2), steel);
        model.attach(ground, wall({0, -1, 0}, -0.2), steel);
        model.finish();
        const double h = 5e-5;
        MoreauJean stepper(model, {.h = h});
        double before = stepper.view().energy();
        for (int n = 0; n < 20000; ++n) {
            stepper.step();
            const double after = stepper.view().energy();
            double exchanged = 0;
            for (const ContactRecord& c : stepper.view().contacts()) exchanged += c.impulse[0];
            if (exchanged > 0) {
                ++impacts;
                rise = std::max(rise, after / before - 1);
            }
            before = after;
        }
    }
    EXPECT_GT(impacts, 100);
    EXPECT_LT(rise, 1e-4);
}

TEST(MoreauJean, FrictionOfATumblingBoxOnlyDissipates)
{
    const double h = 1e-4;
    Model model("box");
    model.gravity({0, -g, 0});
    const MaterialId wood = model.add(Material{.friction = 0.4});
    const Body body =
        model.add({.name = "box", .joint = free_joint(), .mass = 2, .inertia = {0.01, 0.02, 0.02}});
    model.attach(body, box(0.4, 0.25, 0.2), wood);
    model.attach(ground, wall({0, 1, 0}, 0), wood);
    model.start(body, 0, 3, 0);
    model.start(body, 0.6, 0, 1);
    model.start(body, Quaterniond(1, 0.3, 0.2, -0.4), {3, 5, -7});
    model.finish();
    MoreauJean stepper(model, {.h = h});
    const View& view = stepper.view();
    double before = view.energy();
    double worst = 0, rise = 0;
    const double start = before;
    for (int n = 0; n < 20000; ++n) {
        stepper.step();
        for (const ContactRecord& c : view.contacts()) worst = std::max(worst, c.impulse.dot(c.u_plus));
        rise = std::max(rise, view.energy() - before);
        before = view.energy();
    }
    EXPECT_LT(worst, 1e-9 * start);
    EXPECT_LT(rise, 1e-9 * start);
    EXPECT_NEAR(view.kinetic_energy(), 0, 1e-9 * start); // at rest on a face
}

// Repetition.

namespace {

// Docquier et al. (2020), Sect. 5: a chain of three hinges whose slider rattles between two walls.
Body rattling_slider_crank(Model& model, double friction)
{
    const double l1 = 0.153, l2 = 0.306, height = 0.05, clearance = 1e-3;
    model.gravity({0, -10, 0});
    const Body crank = model.add({.name = "crank",
                                  .joint = hinge_z(),
                                  .mass = 0.038,
                                  .com = {l1 / 2, 0, 0},
                                  .inertia = {0, 0, 7.5e-5}});
    const Body rod = model.add({.name = "rod",
                                .parent = crank,
                                .joint = hinge_z(),
                                .at = {l1, 0, 0},
                                .mass = 0.038,
                                .com = {l2 / 2, 0, 0},
                                .inertia = {0, 0, 5.9e-4}});
    const Body slider = model.add({.name = "slider",
                                   .parent = rod,
                                   .joint = hinge_z(),
                                   .at = {l2, 0, 0},
                                   .mass = 0.076,
                                   .inertia = {0, 0, 2.7e-6}});
    model.start(crank, 0, 150);
    model.start(rod, 0, -225);
    model.start(slider, 0, 75);
    const MaterialId steel = model.add(Material{.friction = friction, .restitution = 0.4});
    model.attach(slider, rectangle(0.1, height), steel);
    model.attach(ground, wall({0, -1, 0}, -height / 2 - clearance), steel);
    model.attach(ground, wall({0, 1, 0}, -height / 2 - clearance), steel);
    return crank;
}

} // namespace

TEST(MoreauJean, TwoRunsEndInTheSameState)
{
    for (double friction : {0.0, 0.1}) {
        Model model("slider-crank");
        rattling_slider_crank(model, friction);
        model.finish();
        MoreauJean a(model, {}), b(model, {});
        advance(a, 1500);
        const std::uint64_t middle = a.state_hash();
        advance(a, 500);
        advance(b, 2000);
        EXPECT_EQ(a.state_hash(), b.state_hash());
        EXPECT_EQ(a.state().q, b.state().q);
        EXPECT_NE(a.state_hash(), middle);
    }
}

TEST(MoreauJean, RestoredStateContinuesBitForBit)
{
    for (bool driven : {false, true}) {
        Model model("slider-crank");
        const Body crank = rattling_slider_crank(model, 0.1);
        if (driven)
            model.drive(model.coordinate(crank), motion([](Expr t) { return 150 * t + 0.1 * sin(80 * t); }));
        model.finish();
        MoreauJean original(model, {}), copy(model, {});
        advance(original, 1000);
        while (original.state().impulses.empty()) original.step();
        const State saved = original.state();
        advance(original, 500);
        copy.restore(saved);
        EXPECT_EQ(copy.view().time(), saved.t);
        advance(copy, 500);
        EXPECT_EQ(copy.state().q, original.state().q);
        EXPECT_EQ(copy.state().v, original.state().v);
        EXPECT_EQ(copy.state().t, original.state().t);
        EXPECT_EQ(copy.state_hash(), original.state_hash());
        if (!driven) continue;
        EXPECT_EQ(copy.view().drive_force(model.coordinate(crank)),
                  original.view().drive_force(model.coordinate(crank)));
    }
}

// Thrust until the sledge has gone a metre: the switch stays open when a spring brings it back.
TEST(MoreauJean, ControllersRemember)
{
    const double a = 2, h = 1e-2;
    Model model("sledge");
    const Body sledge = model.add({.name = "sledge", .joint = slide_x(), .mass = 1});
    const Coordinate x = model.coordinate(sledge);
    const Memory over =
        model.memory("over", 0, [=](const View& s, double now) { return now == 1 || s.q(x) > 1 ? 1 : 0; });
    const Memory one = model.memory("one", 1, [](const View& s, double) { return s.memory({2}); });
    const Memory two = model.memory("two", 2, [=](const View& s, double) { return s.memory(one); });
    model.force(x, [=](const View& s) { return s.memory(over) == 0 ? a : -1.0; });
    model.finish();
    MoreauJean stepper(model, {.h = h, .force = as_published});
    EXPECT_EQ(stepper.view().memory(two), 2);
    double q = 0, v = 0;
    bool open = false;
    for (int n = 1; n <= 800; ++n) {
        stepper.step();
        const double v_next = v + h * (open ? -1 : a);
        q += h * (v + v_next) / 2;
        v = v_next;
        open = open || q > 1;
        ASSERT_NEAR(stepper.view().q(x), q, 1e-12);
        ASSERT_EQ(stepper.view().memory(over), open ? 1 : 0);
        ASSERT_EQ(stepper.view().memory(one), n % 2 == 1 ? 2 : 1); // all change at once: the two swap
        ASSERT_EQ(stepper.view().memory(two), n % 2 == 1 ? 1 : 2);
    }
    EXPECT_LT(q, 1); // it came back
    const auto nothing = [](const View&, double) { return std::nan(""); };
    Model bad("bad");
    bad.add({.name = "sledge", .joint = slide_x(), .mass = 1});
    EXPECT_EQ(error_of([&] { bad.memory("it", std::nan(""), nothing); }),
              "The memory 'it' starts with nan: give a finite number.");
    EXPECT_EQ(error_of([&] { bad.memory("it", 0, nullptr); }),
              "The memory 'it' has no law: give the function that tells its next value.");
    bad.memory("it", 0, nothing);
    bad.finish();
    MoreauJean fails(bad, {.h = h});
    EXPECT_EQ(error_of([&] { fails.step(); }), "The memory 'it' becomes nan at t = 0.01 s.");
}

TEST(MoreauJean, StepsAllocateNothingOnceWarm)
{
    for (double friction : {0.0, 0.1})
        for (bool driven : {false, true}) {
            Model model("slider-crank");
            const Body crank = rattling_slider_crank(model, friction);
            if (driven) model.drive(model.coordinate(crank), motion([](Expr t) { return 150 * t; }));
            model.finish();
            MoreauJeanOptions options;
            options.contacts.solver = "nlgs"; // auto may call the robust solver, which allocates
            MoreauJean stepper(model, options);
            advance(stepper, 2000);
            const long before = allocations;
            int contacts = 0;
            for (int n = 0; n < 1000; ++n) contacts += stepper.step().contacts;
            EXPECT_EQ(allocations - before, 0) << friction << ' ' << driven;
            EXPECT_GT(contacts, 0);
        }
}
