#include "tamis/absolute/generalized_alpha.hpp"
#include "tamis/model/description.hpp"

#include "absolute/absolute_scenes.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace generalized_alpha_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;

namespace {

constexpr double closed = 1e-10; // m, of every joint after every step

void run(Stepper& stepper, long steps)
{
    scenes::run(stepper, steps, closed);
}

// Of second order, as the relative formulation is.
double difference(const Model& model, double end, long steps)
{
    return scenes::difference<GeneralizedAlpha>(model, end, steps, closed);
}

} // namespace

TEST(GeneralizedAlpha, PendulumKeepsItsEnergyToOrderTwo)
{
    ModelDescription model("pendulum");
    model.gravity({0, -gravity, 0});
    const Body bob = add_link(model, "bob", ground, hinge_z(), {0, 0, 0});
    model.start(bob, 0.4, 3);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        GeneralizedAlpha stepper(model.finish(), {.h = 2e-3 / (k + 1)});
        const double before = stepper.view().energy();
        run(stepper, 500 * (k + 1));
        error[k] = std::abs(stepper.view().energy() - before);
    }
    EXPECT_LT(error[1], 1e-4);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3);
}

TEST(GeneralizedAlpha, DoublePendulumConvergesToTheRelativeFormulationWithOrderTwo)
{
    ModelDescription model("double pendulum");
    double_pendulum(model);
    const double coarse = difference(model.finish(), 0.5, 250), fine = difference(model.finish(), 0.5, 500);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST(GeneralizedAlpha, SpringsOnJointsOfManyKindsConvergeWithOrderTwo)
{
    ModelDescription model("springs");
    model.gravity({0, 0, -gravity});
    spring_chain(model);
    model.finish();
    const double coarse = difference(model.finish(), 0.3, 200), fine = difference(model.finish(), 0.3, 400);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST(GeneralizedAlpha, FourBarWithRedundantHingesStaysClosed)
{
    ModelDescription model("four bar");
    model.gravity({0, -gravity, 0});
    auto bar = [&](const std::string& name, Body parent, double at, double length) {
        return model.add({.name = name,
                          .parent = parent,
                          .joint = hinge_z(),
                          .at = {at, 0, 0},
                          .mass = 1,
                          .com = {length / 2, 0, 0},
                          .inertia = {1e-3, length * length / 12, length * length / 12}});
    };
    const Body crank = bar("crank", ground, 0, 0.2), coupler = bar("coupler", crank, 0.2, 0.5),
               rocker = bar("rocker", coupler, 0.5, 0.4);
    model.close({.name = "pivot",
                 .kind = LoopKind::hinge,
                 .a = rocker,
                 .point_a = {0.4, 0, 0},
                 .b = ground,
                 .point_b = {0.45, 0, 0},
                 .axis = {0, 0, 1},
                 .axis_b = {0, 0, 1}});
    model.independent({model.coordinate(crank)});
    model.start(crank, 1.0, 8);
    model.start(coupler, -0.6, 0);
    model.start(rocker, -1.5, 0);
    model.finish();
    const double coarse = difference(model.finish(), 0.5, 250),
                 fine = difference(model.finish(), 0.5, 500); // checks closure
    EXPECT_LT(fine, 2e-4);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.05);
}

TEST(GeneralizedAlpha, TorqueFreeTopKeepsItsAngularMomentum)
{
    ModelDescription model("top");
    const Body top = model.add({.name = "top", .joint = free_joint(), .mass = 1, .inertia = {1, 2, 3}});
    model.start(top, Eigen::Quaterniond::Identity(), {0.1, 3, 0.1});
    double error[2];
    for (int k = 0; k < 2; ++k) {
        GeneralizedAlpha stepper(model.finish(), {.h = 1e-2 / (k + 1)});
        run(stepper, 500 * (k + 1)); // several reversals about the middle axis
        const Vector3d omega =
            stepper.view().rotation(top).transpose() * stepper.view().angular_velocity(top);
        const Vector3d momentum = stepper.view().rotation(top) * Vector3d(1, 2, 3).cwiseProduct(omega);
        error[k] = (momentum - Vector3d(0.1, 6, 0.3)).norm();
    }
    EXPECT_LT(error[1], 1e-2);
    EXPECT_GT(std::log2(error[0] / error[1]), 1.8);
}

TEST(GeneralizedAlpha, BallBouncesToTheSquareOfItsRestitution)
{
    ModelDescription model("ball");
    model.gravity({0, -gravity, 0});
    const double r = 0.1, e = 0.8;
    const Body ball = bouncing_ball(model, r, e, 1);
    const double h = 1e-4, fall = std::sqrt(2 / gravity);
    GeneralizedAlpha stepper(model.finish(), {.h = h});
    double lowest = 1;
    for (long k = 0; k < std::lround(fall * (1 + e) / h); ++k) { // the top of the first bounce
        stepper.step();
        lowest = std::min(lowest, stepper.view().position(ball).y() - r);
    }
    EXPECT_GE(lowest, -1e-12);
    EXPECT_NEAR(stepper.view().position(ball).y() - r, e * e, 10 * h);
}

TEST(GeneralizedAlpha, BallComesToRestAfterInfinitelyManyBounces)
{
    ModelDescription model("ball");
    model.gravity({0, -gravity, 0});
    const double r = 0.1, e = 0.5;
    const Body ball = bouncing_ball(model, r, e, 0.1);
    const double h = 1e-3, rest = std::sqrt(2 * 0.1 / gravity) * (1 + e) / (1 - e);
    GeneralizedAlpha stepper(model.finish(), {.h = h});
    run(stepper, std::lround(rest / h) + 100);
    EXPECT_NEAR(stepper.view().position(ball).y(), r, 1e-12);
    EXPECT_NEAR(stepper.view().velocity(ball).y(), 0, 1e-12);
}

TEST(GeneralizedAlpha, BoxRestsOnAPlaneThatCarriesItsWeight)
{
    ModelDescription model("box");
    model.gravity({0, 0, -gravity});
    const Body block = standing_box(model, {});
    const double h = 1e-3;
    GeneralizedAlpha stepper(model.finish(), {.h = h});
    run(stepper, 1000);
    EXPECT_NEAR(normal_force(stepper, h), 3 * gravity, 1e-7);
    EXPECT_LT((stepper.view().position(block) - Vector3d(0, 0, 0.1)).norm(), 1e-10);
    EXPECT_LT((stepper.view().rotation(block) - Eigen::Matrix3d::Identity()).norm(), 1e-10);
}

TEST(GeneralizedAlpha, BlockSlidesDownARampWithCoulombFriction)
{
    const double mu = 0.3, slope = 0.5, t = 0.5, h = 1e-3;
    ModelDescription model("ramp");
    model.gravity({gravity * std::sin(slope), 0, -gravity * std::cos(slope)});
    const Body block = standing_box(model, {.friction = mu, .restitution = 0});
    GeneralizedAlpha stepper(model.finish(), {.h = h});
    run(stepper, std::lround(t / h));
    const double acceleration = gravity * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(stepper.view().velocity(block).x(), acceleration * t, 1e-8);
}

TEST(GeneralizedAlpha, SliderCrankMeetsTheConvergedImpactsAndNeverPenetrates)
{
    ModelDescription model("slider crank");
    const Body slider = slider_crank(model);
    const double h = 1e-5;
    GeneralizedAlpha stepper(model.finish(), {.h = h});
    SliderImpacts impacts(2 * h, 2e-3, 5e-2);
    while (stepper.view().time() < 0.01) {
        const StepReport report = stepper.step();
        ASSERT_TRUE(report.converged);
        ASSERT_LE(report.loop_error, 1e-10);
        for (int corner = 0; corner < 4; ++corner)
            for (int side = 1; side <= 2; ++side)
                ASSERT_GE(stepper.view().gap(ShapeId{0}, ShapeId{side}, corner), -1e-11);
        impacts.after_step(stepper.view());
    }
    EXPECT_EQ(impacts.count(), 3);
    EXPECT_NEAR(stepper.view().rotation(slider)(1, 0), 0, 1e-9); // both corners of a side hit together
}

TEST(GeneralizedAlpha, EqualRunsHaveEqualHashes)
{
    ModelDescription model("slider crank");
    slider_crank(model);
    expect_repeatable<GeneralizedAlpha>(model.finish());
}

} // namespace generalized_alpha_test
