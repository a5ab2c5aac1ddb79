#include "tamis/absolute/absolute.hpp"
#include "tamis/model/description.hpp"

#include "absolute/absolute_scenes.hpp"
#include "tamis/base/error.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace absolute_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;
using Eigen::VectorXd;

TEST(AbsoluteSystem, JointsOfEveryKindAreClosedWhereRelativeCoordinatesPutTheBodies)
{
    ModelDescription model("joints");
    chain_of_every_joint(model, {planar_y()});

    AbsoluteSystem system(model.finish());
    EXPECT_EQ(system.rows(), 5 + 5 + 4 + 4 + 3 + 3 + 6 + 0);
    system.constraints(system.start().q);
    EXPECT_LT(system.error(), 1e-14);
    for (const auto& group : system.groups())
        for (int i = group.first; i < group.first + group.count; ++i) {
            double rate = system.G.row(i).tail<6>().dot(system.start().v.segment<6>(6 * group.b));
            if (group.a >= 0) rate += system.G.row(i).head<6>().dot(system.start().v.segment<6>(6 * group.a));
            EXPECT_NEAR(rate, 0, 1e-13);
        }

    const AbsoluteView view(system);
    const MoreauJean relative(model.finish(), {});
    for (int j = 0; j < model.finish().mechanisms()[0].nv(); ++j) {
        const Coordinate c{0, j};
        EXPECT_NEAR(view.v(c), relative.view().v(c), 1e-13);
        if (system.joints().coordinates(0)[j].kind == JointCoordinate::spherical) continue;
        EXPECT_NEAR(view.q(c), relative.view().q(c), 1e-14);
    }
    EXPECT_NEAR(view.kinetic_energy(), relative.view().kinetic_energy(), 1e-12);
}

TEST(AbsoluteSystem, GradientAndBiasAreDerivativesOfTheConstraints)
{
    ModelDescription model("constraints");
    Body parent = ground;
    for (const Joint& joint :
         {hinge({1, 2, 3}), slide({1, -1, 2}), universal({1, 0, 0}, {1, 1, 0}), planar_z(), fixed_joint()})
        parent = add_link(model, "link " + std::to_string(parent.index), parent, joint, {0.2, 0.3, 0.4});
    const Body a = add_link(model, "a", ground, free_joint(), {1, 0, 0});
    const Body b = add_link(model, "b", ground, free_joint(), {2, 0, 0});
    const Body c = add_link(model, "c", ground, free_joint(), {3, 0, 0});
    model.close({.kind = LoopKind::rod, .a = ground, .point_a = {0.5, 0, 0}, .b = a, .length = 0.5});
    model.close({.kind = LoopKind::hinge,
                 .a = a,
                 .point_a = {0.5, 0, 0},
                 .b = b,
                 .point_b = {-0.5, 0, 0},
                 .axis = {0, 1, 0},
                 .axis_b = {0, 1, 0}});
    model.close({.kind = LoopKind::point_plane, .a = b, .point_a = {1, 0.2, 0}, .b = c, .axis = {0, 1, 0}});
    model.close({.kind = LoopKind::ball, .a = c, .point_a = {1, 0, 0}, .b = ground, .point_b = {4, 0, 0}});
    AbsoluteSystem system(model.finish());
    system.constraints(system.start().q);
    EXPECT_LT(system.error(), 1e-14);

    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    VectorXd away(6 * system.bodies()), v(away);
    for (double& x : away) x = 0.5 * normal(random);
    for (double& x : v) x = normal(random);
    std::vector<CentrePose> q = system.start().q, moved = q;
    system.advance(system.start().q, away, q);

    auto rates = [&] { // G v
        VectorXd out = VectorXd::Zero(system.rows());
        for (const auto& group : system.groups())
            for (int i = group.first; i < group.first + group.count; ++i) {
                if (group.a >= 0) out[i] += system.G.row(i).head<6>().dot(v.segment<6>(6 * group.a));
                if (group.b >= 0) out[i] += system.G.row(i).tail<6>().dot(v.segment<6>(6 * group.b));
            }
        return out;
    };
    auto at = [&](double time) {
        system.advance(q, time * v, moved);
        system.constraints(moved);
        return std::pair(system.g, rates());
    };
    // Central differences of fourth order.
    const double dt = 1e-3;
    const auto [g1, r1] = at(dt);
    const auto [g2, r2] = at(-dt);
    const auto [g3, r3] = at(2 * dt);
    const auto [g4, r4] = at(-2 * dt);
    system.constraints(q);
    system.bias(q, v);
    const VectorXd g_dot = (8 * (g1 - g2) - (g3 - g4)) / (12 * dt),
                   r_dot = (8 * (r1 - r2) - (r3 - r4)) / (12 * dt);
    EXPECT_LT((rates() - g_dot).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((system.G_dot_v - r_dot).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(AbsoluteSystem, RefusalsNameTheCulprit)
{
    auto message = [](auto&& build) {
        ModelDescription model("refused");
        build(model);
        try {
            AbsoluteSystem system(model.finish());
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(message([](ModelDescription& m) {
                  const Body b = add_link(m, "wheel", ground, hinge_z(), {0, 0, 0});
                  m.drive(m.coordinate(b), {[](double t) { return t; }, [](double) { return 1.0; }});
              }).find("'wheel' is driven"),
              std::string::npos);
    EXPECT_NE(message([](ModelDescription& m) {
                  Joint joint = universal({1, 0, 0}, {0, 1, 0});
                  joint.parts.push_back(hinge_z().parts[0]);
                  add_link(m, "wrist", ground, joint, {0, 0, 0});
              }).find("'wrist'"),
              std::string::npos);
    EXPECT_NE(message([](ModelDescription& m) {
                  m.add({.name = "plate", .joint = hinge_z(), .mass = 1, .inertia = {0, 0, 1}});
              }).find("'plate' has no inertia"),
              std::string::npos);
}

TEST(Absolute, DoublePendulumApproachesTheRelativeFormulationWithOrderOne)
{
    ModelDescription model("double pendulum");
    double_pendulum(model);
    const double coarse = difference<Absolute>(model.finish(), 0.5, 2000),
                 fine = difference<Absolute>(model.finish(), 0.5, 4000);
    EXPECT_LT(fine, 2e-3);
    EXPECT_NEAR(coarse / fine, 2, 0.1);
}

TEST(Absolute, JointAndPointSpringsActAsInTheRelativeFormulation)
{
    ModelDescription model("springs");
    model.gravity({0, 0, -gravity});
    const auto [a, b, c] = spring_chain(model);
    model.force(model.coordinate(c, 2), [](const View& view) { return 0.5 * std::cos(view.time()); });
    model.wrench(model.frame("tip", b, {0.1, 0.1, 0.1}), [](const View&) {
        return Wrench{{1, -2, 3}, {0.1, 0.2, -0.3}};
    });
    model.finish();
    const double coarse = difference<Absolute>(model.finish(), 0.3, 2000),
                 fine = difference<Absolute>(model.finish(), 0.3, 4000);
    EXPECT_LT(fine, 2e-3);
    EXPECT_NEAR(coarse / fine, 2, 0.1);
}

TEST(Absolute, JointsDriftInProportionToTheStep)
{
    ModelDescription model("double pendulum");
    double_pendulum(model);
    double drift[2];
    for (int k = 0; k < 2; ++k) {
        Absolute stepper(model.finish(), {.h = 1e-4 / (k + 1)});
        for (int n = 0; n < 1000 * (k + 1); ++n) drift[k] = stepper.step().loop_error;
    }
    EXPECT_GT(drift[1], 1e-6);
    EXPECT_NEAR(drift[0] / drift[1], 2, 0.05);
}

TEST(Absolute, HingeAngleCountsFullTurns)
{
    ModelDescription model("wheel");
    const Body wheel = model.add({.name = "wheel", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 2}});
    model.start(wheel, 0, 30);
    Absolute stepper(model.finish(), {.h = 1e-2});
    run(stepper, 100);
    EXPECT_NEAR(stepper.view().q(model.coordinate(wheel)), 30, 1e-11);
    EXPECT_NEAR(stepper.view().v(model.coordinate(wheel)), 30, 1e-11);
}

TEST(Absolute, BallBouncesToTheSquareOfItsRestitution)
{
    ModelDescription model("ball");
    model.gravity({0, -gravity, 0});
    const double r = 0.1, e = 0.8;
    const Body ball = bouncing_ball(model, r, e, 1);
    const double h = 1e-5, fall = std::sqrt(2 / gravity);
    Absolute stepper(model.finish(), {.h = h});
    run(stepper, std::lround(fall * (1 + e) / h)); // the top of the first bounce
    EXPECT_NEAR(stepper.view().position(ball).y() - r, e * e, 10 * h);
    EXPECT_NEAR(stepper.view().velocity(ball).y(), 0, 20 * h);
}

TEST(Absolute, BoxRestsOnAPlaneThatCarriesItsWeight)
{
    ModelDescription model("box");
    model.gravity({0, 0, -gravity});
    const Body block = standing_box(model, {.friction = 0.5, .restitution = 0});
    const double h = 1e-3;
    Absolute stepper(model.finish(), {.h = h});
    run(stepper, 1000);
    EXPECT_NEAR(normal_force(stepper, h), 3 * gravity, 1e-7);
    // A corner whose gap rounds to above zero falls freely for one step.
    const double fall = gravity * h * h;
    EXPECT_LT((stepper.view().position(block) - Vector3d(0, 0, 0.1)).norm(), 5 * fall);
    EXPECT_LT((stepper.view().rotation(block) - Eigen::Matrix3d::Identity()).norm(), 5 * fall / 0.3);
}

TEST(Absolute, SliderCrankMeetsTheConvergedImpactsWithinAFewSteps)
{
    ModelDescription model("slider crank");
    const Body slider = slider_crank(model);
    const double h = 2e-6;
    Absolute stepper(model.finish(), {.h = h});
    SliderImpacts impacts(5 * h, 5e-4, 1e-2);
    while (stepper.view().time() < 0.008) {
        const StepReport report = stepper.step();
        ASSERT_TRUE(report.converged);
        ASSERT_LT(report.loop_error, 2e-5);
        impacts.after_step(stepper.view());
    }
    EXPECT_EQ(impacts.count(), 3);
    EXPECT_NEAR(stepper.view().rotation(slider)(1, 0), 0, 1e-6); // both corners of a side hit together
}

TEST(Absolute, EqualRunsHaveEqualHashes)
{
    ModelDescription model("slider crank");
    slider_crank(model);
    expect_repeatable<Absolute>(model.finish());
}

} // namespace absolute_test
