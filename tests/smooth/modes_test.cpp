#include "tamis/model/description.hpp"
#include "tamis/smooth/modes.hpp"

#include "error_of.hpp"
#include "tamis/model/rigid_body.hpp"
#include "tamis/smooth/smooth_model.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace modes_test {

using namespace tamis;

TEST(Modes, OfTwoMassesInAChainAreThoseOfTheClosedForm)
{
    // m x1'' = -2k x1 + k x2, m x2'' = k x1 - k x2: omega^2 = (3 -+ sqrt 5) / 2 k / m, x2 / x1 = (1 +- sqrt
    // 5) / 2.
    const double k = 300, m = 1.7;
    ModelDescription model("chain");
    const Body one = model.add({.name = "one", .joint = slide_x(), .mass = m, .inertia = {1, 1, 1}});
    const Body two = model.add(
        {.name = "two", .parent = one, .joint = slide_x(), .at = {1, 0, 0}, .mass = m, .inertia = {1, 1, 1}});
    model.spring(model.coordinate(one), {k, 0, 0});
    model.spring(model.coordinate(two), {k, 0, 0});
    SmoothModel smooth(model.finish());
    const Modes found = modes(smooth.system());
    ASSERT_EQ(found.omega.size(), 2);
    const double root = std::sqrt(5.0);
    for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(found.omega[i], std::sqrt((3 + (i ? root : -root)) / 2 * k / m), 1e-10);
        EXPECT_NEAR(found.shapes(6, i) / found.shapes(0, i), (1 + (i ? -root : root)) / 2, 1e-10);
        EXPECT_NEAR(m * (found.shapes(0, i) * found.shapes(0, i) + found.shapes(6, i) * found.shapes(6, i)),
                    1, 1e-12);
    }
}

TEST(Modes, OfAPendulumComeFromTheForceInItsHinge)
{
    // Hanging or upright, with the node at the ball on which it swings, at the centre of mass, or beyond.
    const double L = 0.4, m = 2, J = 0.05, g = 9.81;
    for (const double offset : {0.0, L, 3.0})
        for (const double sign : {1.0, -1.0}) {
            SmoothSystem system;
            NodeMotion at;
            at.x = {0, -offset, 0};
            system.add_node("arm", at);
            system.add<RigidBody>(RigidBodySpec{
                "arm", 0, m, {0, offset - L, 0}, J * Eigen::Matrix3d::Identity(), {0, -g * sign, 0}});
            std::vector<JointRow> ball(3, {JointRow::point, 0, 0, {0, 0, 0}, {0, offset, 0}});
            for (int k = 0; k < 3; ++k) ball[k].n[k] = 1;
            system.add<Constraint>("ball", ground_node, 0, ball);
            const Modes found = modes(system);
            ASSERT_EQ(found.omega.size(), 3); // one spins about the vertical
            const double swing = sign * std::sqrt(m * g * L / (J + m * L * L));
            EXPECT_NEAR(found.omega[sign > 0 ? 0 : 2], 0, 1e-6);
            EXPECT_NEAR(found.omega[sign > 0 ? 2 : 0], swing, 1e-10);
            EXPECT_NEAR(found.omega[1], swing, 1e-10);
        }
}

TEST(Modes, AreRefusedOutOfEquilibrium)
{
    ModelDescription model("pendulum");
    model.gravity({0, -9.81, 0});
    const Body arm =
        model.add({.name = "arm", .joint = hinge_z(), .mass = 1, .com = {0, -1, 0}, .inertia = {1, 1, 1}});
    model.start(arm, 0.1, 0);
    SmoothModel smooth(model.finish());
    const std::string error = error_of([&] { modes(smooth.system()); });
    EXPECT_TRUE(contains(error, "Node 'arm' accelerates")) << error;
}

TEST(Modes, OfABeamWithAMassAtItsEndAreTimoshenkos)
{
    // Zhang et al. (2020), Table 3, in the plane of bending; the frequencies in Hz are roots of the
    // transcendental equation in beam_test.cpp. Bending across, twist and stretch lie between them.
    ModelDescription model("cantilever");
    const Body tip = model.add({.name = "container",
                                .joint = free_joint(),
                                .mass = 55.5e-3,
                                .inertia = {2.66e-6, 4.85e-6, 2.66e-6}});
    model.start(tip, 0.25, 0, 0);
    model.beam({.name = "beam",
                .a = model.frame("clamp", ground),
                .b = model.frame("end", tip),
                .section = beam_section(RectangularSection{
                    .E = 210e9, .nu = 0.33, .rho = 7845, .width = 0.03, .height = 0.002})});
    SmoothModel smooth(model.finish());
    const Modes found = modes(smooth.system());
    for (const double exact : {15.63081, 127.94173, 384.35604}) {
        double nearest = 1e9;
        int mode = -1;
        for (int i = 0; i < found.omega.size(); ++i)
            if (const double f = found.omega[i] / (2 * std::acos(-1.0));
                std::abs(f - exact) < std::abs(nearest - exact))
                nearest = f, mode = i;
        EXPECT_NEAR(nearest / exact, 1, 1e-3);
        const Eigen::VectorXd shape = found.shapes.col(mode);
        double along = 0, all = 0; // y, and all translations
        for (int node = 0; node < shape.size() / 6; ++node) {
            along += shape[6 * node + 1] * shape[6 * node + 1];
            all += shape.segment<3>(6 * node).squaredNorm();
        }
        EXPECT_GT(along, 0.999 * all);
    }
}

} // namespace modes_test
