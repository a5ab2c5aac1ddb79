// Forces of prescribed motions and what joints carry, against closed forms and balances.
#include "tamis/mechanics/inverse_dynamics.hpp"

#include "error_of.hpp"
#include "mechanics/scenes.hpp"
#include "tamis/mechanics/prescribed.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tamis::mechanics_test::inverse_dynamics_test {
namespace {

// x = r cos a + l cos phi of the slider at the constant rate w, by Lagrange's equations with the moments of the bars'
// ends as the only coordinates: phi = -asin(r/l sin a).
struct ClosedForm {
    const SliderCrank& s;
    double w, gravity;

    double phi(double t) const { return -std::asin(s.r / s.l * std::sin(angle(t))); }
    double angle(double t) const { return 0.3 + w * t; }
    // Kinetic and potential energy.
    double energy(double t) const
    {
        const double a = angle(t), p = phi(t), da = w, dp = -s.r * std::cos(a) * da / (s.l * std::cos(p));
        const double vx = -s.r * std::sin(a) * da - s.l * std::sin(p) * dp;
        const double cx = -s.r * std::sin(a) * da - s.l / 2 * std::sin(p) * dp,
                     cy = s.r * std::cos(a) * da + s.l / 2 * std::cos(p) * dp;
        return s.m1 * s.r * s.r / 6 * da * da + s.m2 / 2 * (cx * cx + cy * cy) +
               s.m2 * s.l * s.l / 24 * dp * dp + s.m3 / 2 * vx * vx +
               gravity * (s.m1 * s.r / 2 * std::sin(a) + s.m2 * (s.r * std::sin(a) + s.l / 2 * std::sin(p)));
    }
    double torque(double t) const // power over w
    {
        const double d = 1e-4 / w;
        return (8 * (energy(t + d) - energy(t - d)) - (energy(t + 2 * d) - energy(t - 2 * d))) / (12 * d) / w;
    }
    // Acceleration of the slider.
    double acceleration(double t) const
    {
        const double a = angle(t), p = phi(t), dp = -s.r * std::cos(a) * w / (s.l * std::cos(p));
        const double ddp = (s.r * std::sin(a) * w * w + s.l * std::sin(p) * dp * dp) / (s.l * std::cos(p));
        return -s.r * std::cos(a) * w * w - s.l * (std::cos(p) * dp * dp + std::sin(p) * ddp);
    }
};

TEST(InverseDynamics, OfASliderCrankAtConstantSpeedIsTheClosedForm)
{
    const double w = 40;
    SliderCrank s(0.15, 0.4, 0.3, g);
    const Model& model = s.model.finish();
    const Model driven = with_drives(model, {steady_motion(model, s.model.coordinate(s.crank), w)});
    const ClosedForm exact{s, w, g};
    InverseDynamics inverse(driven, 1e-3);
    double largest = 0;
    for (int n = 0; n <= 160; ++n) { // a turn
        const double t = n * 1e-3;
        if (n > 0) inverse.go_to(t);
        ASSERT_EQ(inverse.driven().size(), 1u);
        const auto& crank = inverse.driven()[0];
        EXPECT_NEAR(crank.force, exact.torque(t), 2e-7 * s.m3 * s.r * s.r * w * w);
        EXPECT_NEAR(crank.a, 0, 1e-9);
        EXPECT_NEAR(inverse.power(), crank.force * w, 1e-12 * std::abs(crank.force * w) + 1e-12);
        largest = std::max(largest, std::abs(crank.force));
        // The pin moves the slider: the loop passes m3 a along x, from rod to slider.
        ASSERT_EQ(inverse.loops().size(), 1u);
        EXPECT_NEAR(-inverse.loops()[0].force[0], s.m3 * exact.acceleration(t), 1e-9 * s.m3 * s.r * w * w);
        // Joints: the crank's bearing carries the drive along its axis; the slide carries weight and the pin.
        EXPECT_NEAR(inverse.joints()[0].moment[2], crank.force, 1e-9 * s.m3 * s.r * s.r * w * w);
        EXPECT_NEAR(inverse.joints()[2].force[0], 0, 1e-9 * s.m3 * s.r * w * w);
        EXPECT_NEAR(inverse.joints()[2].force[1] - inverse.loops()[0].force[1], s.m3 * g,
                    1e-9 * s.m3 * s.r * w * w);
        EXPECT_NEAR(inverse.joints()[1].moment[2], 0, 1e-9 * s.m3 * s.r * s.r * w * w);
    }
    EXPECT_GT(largest, 0.1 * s.m3 * s.r * s.r * w * w);
}

// A bar in the plane swung by a formula: torque = (J + m L^2/4) a + m g L/2 sin, bearing force from the acceleration.
TEST(InverseDynamics, OfASwungBarNeedsItsInertiaAndItsWeight)
{
    const double m = 2, L = 0.6, J = 0.1;
    ModelDescription model("bar");
    model.gravity({0, -g, 0});
    const Body bar = model.add(
        {.name = "bar", .joint = hinge_z(), .mass = m, .com = {0, -L / 2, 0}, .inertia = {J, J, J}});
    model.drive(model.coordinate(bar), motion([](Expr t) { return 0.8 * sin(3 * t); }));
    InverseDynamics inverse(model.finish(), 0.01);
    for (int n = 0; n < 100; ++n) {
        const double t = 0.01 * n, x = 0.8 * std::sin(3 * t), v = 2.4 * std::cos(3 * t),
                     a = -7.2 * std::sin(3 * t);
        if (n > 0) inverse.go_to(t);
        const auto& d = inverse.driven()[0];
        EXPECT_NEAR(d.q, x, 1e-14);
        EXPECT_NEAR(d.a, a, 1e-9);
        EXPECT_NEAR(d.force, (J + m * L * L / 4) * a + m * g * L / 2 * std::sin(x), 1e-9);
        const Eigen::Vector3d along(std::sin(x), -std::cos(x), 0), across(std::cos(x), std::sin(x), 0);
        const Eigen::Vector3d force = m * (L / 2 * (a * across - v * v * along) + Eigen::Vector3d(0, g, 0));
        EXPECT_LT((inverse.joints()[0].force - force).norm(), 1e-9);
    }
}

// What drives take in a spatial chain with every kind of joint part is what the energy gains and dampers take.
TEST(InverseDynamics, DrivesGiveTheEnergyThatAChainGains)
{
    ModelDescription model("arm");
    model.gravity({0.3, -g, 1});
    Body last = ground;
    const Joint joints[] = {hinge_y(), universal({1, 0, 0}, {0, 0, 1}), cylindrical({0.6, 0, 0.8}),
                            hinge({0, 0.6, 0.8})};
    int k = 0;
    for (const Joint& joint : joints) {
        last = model.add({.name = fmt::format("body {}", k),
                          .parent = last,
                          .joint = joint,
                          .at = {0.3, 0.1, 0.05},
                          .mass = 1.0 + k,
                          .com = {0.1, -0.05, 0.02},
                          .inertia = {0.02, 0.03, 0.04, 0.001}});
        for (int j = 0; j < static_cast<int>(joint.parts.size()); ++j) {
            const double w = 1 + 0.7 * k + 0.3 * j;
            model.drive(model.coordinate(last, j), motion([w](Expr t) { return 0.5 * sin(w * t); }));
        }
        ++k;
    }
    model.spring(model.frame("tip", last, {0.2, 0, 0}), model.frame("hook", ground, {1, 1, 1}), {30, 0, 0.4});
    const Model& done = model.finish();
    const double h = 1e-3;
    InverseDynamics inverse(done, h);
    std::vector<double> energy{inverse.view().energy()}, power{inverse.power()};
    for (int n = 1; n <= 400; ++n) {
        inverse.go_to(n * h);
        energy.push_back(inverse.view().energy());
        power.push_back(inverse.power());
    }
    double work = 0, largest = 0; // Simpson's rule
    for (int n = 2; n <= 400; n += 2) {
        work += h / 3 * (power[n - 2] + 4 * power[n - 1] + power[n]);
        EXPECT_NEAR(work, energy[n] - energy[0], 1e-8 * (1 + std::abs(energy[n])));
        largest = std::max(largest, std::abs(work));
    }
    EXPECT_GT(largest, 1);
    // Along each axis the joint passes the drive's force; here of the last hinge.
    const auto& d = inverse.driven().back();
    const Eigen::Vector3d axis = inverse.view().rotation(last) * Eigen::Vector3d(0, 0.6, 0.8);
    EXPECT_NEAR(inverse.joints().back().moment.dot(axis), d.force, 1e-9);
}

// A driven arm moves a body in space by a loop of each kind; what else is free is held. Along each axis of a joint,
// what Newton's and Euler's equations say that it passes is the force of the drive there, and nothing where there is
// none.
TEST(InverseDynamics, OfLoopsOfEachKindLeavesNothingAlongFreeAxes)
{
    for (const LoopKind kind : {LoopKind::ball, LoopKind::hinge, LoopKind::rod, LoopKind::point_plane}) {
        ModelDescription model("spatial loop");
        model.gravity({0.5, -1, -g});
        const Body arm = model.add({.name = "arm",
                                    .joint = hinge_y(),
                                    .mass = 2,
                                    .com = {0.2, 0.1, 0},
                                    .inertia = {0.02, 0.03, 0.04}});
        const auto part = [](const Joint& joint, const char* suffix) {
            ElementaryJoint one = joint.parts[0];
            one.suffix = suffix;
            return one;
        };
        const Body other =
            model.add({.name = "other",
                       .joint = {{part(slide_x(), ".x"), part(slide_y(), ".y"), part(slide_z(), ".z"),
                                  part(hinge_x(), ".a"), part(hinge_y(), ".b"), part(hinge_z(), ".c")}},
                       .mass = 3,
                       .com = {0.1, 0, 0.1},
                       .inertia = {0.02, 0.03, 0.04}});
        model.start(other, kind == LoopKind::rod ? 0.7 : 0.5, 0, 0);
        LoopSpec loop{.name = "tie", .kind = kind, .a = arm, .point_a = {0.5, 0, 0}, .b = other};
        if (kind == LoopKind::hinge) loop.axis = loop.axis_b = {0, 1, 0};
        if (kind == LoopKind::rod) loop.length = 0.2;
        model.close(loop);
        const Model& whole = model.finish();
        std::vector<Drive> drives{{model.coordinate(arm), motion([](Expr t) { return 0.3 * sin(2 * t); })}};
        Multibody body(whole.mechanisms()[0], Equations::Source::tape);
        const Eigen::VectorXd q = whole.start_of(0).q;
        for (const int j : Partition(body, {}, {0}, q.data()).u)
            drives.push_back(steady_motion(whole, {0, j}, 0));
        const Model driven = with_drives(whole, drives);
        InverseDynamics inverse(driven, 1e-2);
        for (int n = 1; n < 60; ++n) inverse.go_to(1e-2 * n);
        double of_drive[7] = {0, 0, 0, 0, 0, 0, 0};
        for (const auto& d : inverse.driven()) of_drive[d.on.index] = d.force;
        const auto& joints = inverse.joints();
        EXPECT_NEAR(joints[0].moment[1], of_drive[0], 1e-9);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(joints[1].force[k], of_drive[1 + k], 1e-9) << k;
        const Eigen::Vector3d last = inverse.view().rotation(other) * Eigen::Vector3d::UnitZ();
        EXPECT_NEAR(joints[1].moment.dot(last), of_drive[6], 1e-9);
        EXPECT_GT(std::abs(of_drive[0]), 1);
        EXPECT_GT(inverse.loops()[0].force.norm(), 0.01) << static_cast<int>(kind);
    }
}

TEST(InverseDynamics, OfAMotionThatIsNotAllPrescribedIsRefusedByName)
{
    DoublePendulum p(0.3, 0.2);
    p.model.drive(p.model.coordinate(p.first), motion([](Expr t) { return sin(t); }));
    const Model& model = p.model.finish();
    const std::string error = error_of([&] { InverseDynamics(model, 1e-3); });
    EXPECT_TRUE(contains(error, "nothing moves 'second': hold it")) << error;
}

TEST(InverseDynamics, ThroughADeadPointIsRefused)
{
    SliderCrank s(0.15, 0.4, 0.3);
    const Model& model = s.model.finish();
    const Model driven = with_drives(model, {steady_motion(model, s.model.coordinate(s.slider), 0.1)});
    InverseDynamics inverse(driven, 1e-2);
    const std::string error = error_of([&] {
        for (int n = 1; n < 100; ++n) inverse.go_to(1e-2 * n);
    });
    EXPECT_TRUE(contains(error, "cannot be closed") || contains(error, "dead point")) << error;
}

} // namespace
} // namespace tamis::mechanics_test::inverse_dynamics_test
