// The stepper against closed forms: smooth motion, forces and drives.
//
// On a linear oscillator the scheme is a composition of shears: for every theta its frequency obeys
// sin(omega_h h / 2) = omega h / 2 and nothing is dissipated; theta > 1/2 costs accuracy, not energy.
#include "nscd/step_scenes.hpp"
#include "tamis/base/error.hpp"
#include "tamis/model/description.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace moreau_jean_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using std::numbers::pi;

// Smooth motion.

TEST(MoreauJean, PeriodOfALargePendulumIsTheEllipticIntegralToSecondOrder)
{
    const double length = 0.7, start = 2.5;
    const double period = 4 * std::sqrt(length / g) * std::comp_ellint_1(std::sin(start / 2));
    std::array<double, 2> late; // angle a quarter period after five turns, where it should vanish
    for (int k : {0, 1}) {
        ModelDescription model("pendulum");
        const Body bob = pendulum(model, length, start);
        const long steps = 400 << k; // in a quarter period
        MoreauJean stepper(model.finish(), {.h = period / (4 * steps)});
        advance(stepper, 21 * steps);
        late[k] = stepper.view().q(model.coordinate(bob));
    }
    EXPECT_LT(std::abs(late[1]), 1e-3);
    EXPECT_NEAR(order(late[0], late[1]), 2, 0.02);
}

TEST(MoreauJean, EnergyErrorOfALongPendulumRunIsOfSecondOrderAndDoesNotGrow)
{
    auto worst = [](double h, double theta, long steps) {
        ModelDescription model("pendulum");
        pendulum(model, 0.7, 2.5);
        MoreauJean stepper(model.finish(), {.h = h, .theta = theta});
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
        ModelDescription model("double pendulum");
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
        MoreauJean stepper(model.finish(),
                           {.h = 1e-3 / static_cast<double>(per_millisecond), .force = force});
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
        ModelDescription model("body");
        const Body body = model.add({.name = "body", .joint = spherical(), .mass = 1, .inertia = {1, 2, 3}});
        model.start(body, Quaterniond(0.5, 0.1, -0.7, 0.2), {a, 0, 1});
        const long steps = 500 << k; // in a quarter
        MoreauJean stepper(model.finish(), {.h = K / static_cast<double>(steps)});
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
    ModelDescription model("body");
    const Body body = model.add({.name = "body", .joint = free_joint(), .mass = 2, .inertia = {1, 2, 3}});
    model.start(body, Quaterniond(1, 0, 0, 0), {3, -2, 4});
    model.start(body, 1, 5, 1);
    MoreauJean stepper(model.finish(), {.h = 1e-3});
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
        ModelDescription model("top");
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
        const double T = 2 * pi / precession; // one round
        const long steps = 2000 << k;
        MoreauJean stepper(model.finish(), {.h = T / static_cast<double>(steps)});
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
        ModelDescription model("pendulum");
        model.gravity({0, 0, -g});
        const Body bob = model.add(
            {.name = "bob", .joint = joint, .mass = 1, .com = {0, 0, -length}, .inertia = {I, I, I}});
        if (joint.parts[0].kind == ElementaryJoint::spherical)
            model.start(bob, Quaterniond::Identity(), speed * axis);
        else
            model.start(bob, 0, speed);
        MoreauJean stepper(model.finish(), {.h = 1e-3});
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
    ModelDescription model("test");
    model.add({.name = "bead",
               .joint = spherical(),
               .mass = 1,
               .com = {0, 0, -1}}); // spins freely about its string
    MoreauJean stepper(model.finish(), {});
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
    ModelDescription model("oscillator");
    const Body mass = cart(model, "mass", m);
    model.spring(model.coordinate(mass), {.stiffness = k, .rest = rest});
    model.start(mass, rest + amplitude, 0);
    MoreauJean half(model.finish(), {.h = h}), full(model.finish(), {.h = h, .theta = 1});
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
    ModelDescription model("damper");
    const Body mass = cart(model, "mass", m);
    model.spring(model.coordinate(mass), {.damping = c});
    model.start(mass, 0, v0);
    MoreauJean midpoint(model.finish(), {.h = h}), published(model.finish(), {.h = h, .force = as_published});
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
    ModelDescription model("two masses");
    const Body a = cart(model, "a", m1);
    const Body b = model.mechanism("second").add({.name = "b", .joint = slide_x(), .mass = m2});
    model.spring(model.frame("at a", a), model.frame("at b", b), {.stiffness = k, .rest = rest});
    model.start(b, rest + stretch, 0);
    MoreauJean stepper(model.finish(), {.h = h});
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
    ModelDescription model("forces");
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
    MoreauJean stepper(model.finish(), {.h = h});
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
    ModelDescription model("laws");
    const Body timed = cart(model, "timed", 1), sprung = cart(model, "sprung", 2),
               told = cart(model, "told", 2);
    const Coordinate x = model.coordinate(told);
    model.force(model.coordinate(timed), [=](const View& s) { return std::sin(w * s.time()); });
    model.spring(model.coordinate(sprung), {.stiffness = 40, .damping = 0.3, .rest = 0.1});
    model.force(x, [=](const View& s) { return -40 * (s.q(x) - 0.1) - 0.3 * s.velocity(told).x(); });
    model.start(sprung, 0.5, 1);
    model.start(told, 0.5, 1);
    MoreauJean stepper(model.finish(), {.h = h});
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
    ModelDescription model("shaker");
    model.gravity({-g, 0, 0});
    const Body table = cart(model, "table", m);
    model.drive(model.coordinate(table), motion([=](Expr t) { return A * sin(w * t); }));
    MoreauJean stepper(model.finish(), {.h = h});
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
        ModelDescription model("arm");
        const Body arm = model.add({.name = "arm", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
        const Body bead = model.add({.name = "bead", .parent = arm, .joint = slide_x(), .mass = m});
        model.drive(model.coordinate(arm), motion([=](Expr t) { return Omega * t; }));
        model.start(bead, r0, 0);
        const long steps = 500 << k;
        const double h = T / static_cast<double>(steps);
        MoreauJean stepper(model.finish(), {.h = h});
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
    ModelDescription model("arm");
    const Body arm = model.add({.name = "arm", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
    const Body bead = model.add({.name = "bead", .parent = arm, .joint = slide_x(), .mass = m});
    model.drive(model.coordinate(arm), motion([=](Expr t) { return Omega * t; }));
    model.spring(model.coordinate(bead), {.stiffness = k, .rest = r0});
    model.start(bead, r, 0);
    MoreauJean stepper(model.finish(), {.h = 1e-3});
    advance(stepper, 5000);
    EXPECT_NEAR(stepper.view().q(model.coordinate(bead)), r, 1e-12);
    EXPECT_NEAR(stepper.view().drive_force(model.coordinate(arm)), 0, 1e-9);
}

TEST(MoreauJean, FullyDrivenSliderCrankFollowsItsClosedFormAndItsDrivePaysTheEnergy)
{
    const double r = 0.15, l = 0.4, Omega = 20;
    std::array<double, 2> missing;
    for (int k : {0, 1}) {
        ModelDescription model("slider-crank");
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
        const long steps = 500 << k;
        const double h = 2 / Omega / static_cast<double>(steps);
        MoreauJean stepper(model.finish(), {.h = h});
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

} // namespace moreau_jean_test
