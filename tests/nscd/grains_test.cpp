// Grains in the step, against closed forms.
#include "tamis/model/description.hpp"
#include "tamis/nscd/grains.hpp"

#include "tamis/nscd/moreau_jean.hpp"

#include <gtest/gtest.h>

namespace tamis::grains_test {
namespace {

using Eigen::Vector3d;

constexpr double g = 9.81;

MoreauJeanOptions with_step(double h, double tolerance = 1e-12)
{
    MoreauJeanOptions options;
    options.h = h;
    options.contacts.tolerance = tolerance;
    return options;
}

Vector3d angular_momentum(const MoreauJean& run, int grain = 0)
{
    return run.state().grains[grain].L;
}

TEST(Grains, AFreeGrainFallsOnAParabola)
{
    ModelDescription model("test");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{});
    model.grain({.shape = sphere(0.1), .material = m, .density = 1000, .velocity = {1, 0, 2}});
    const double h = 1e-3;
    MoreauJean run(model.finish(), with_step(h));
    for (int k = 0; k < 500; ++k) run.step();
    const double t = 0.5;
    const Vector3d x = run.view().position(GrainId{0});
    EXPECT_NEAR(x.x(), t, 1e-12);
    EXPECT_NEAR(x.z(), 2 * t - g * t * t / 2, 1e-12); // the midpoint rule is exact for constant forces
    EXPECT_NEAR(run.view().velocity(GrainId{0}).z(), 2 - g * t, 1e-12);
}

TEST(Grains, HashIsOfPlaceTurnVelocityAndSpinInThisOrder)
{
    const GrainState grain{{1, 2, 3}, Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5), {4, 5, 6}, {7, 8, 9}};
    StateHash hash, expected;
    Grains::hash(std::vector{grain, grain}, hash);
    const double numbers[] = {1, 2, 3, -0.5, 0.5, 0.5, 0.5, 4, 5, 6, 7, 8, 9};
    for (int k = 0; k < 2; ++k) expected.add(numbers, 13);
    EXPECT_EQ(hash.value, expected.value);
}

TEST(Grains, MassAndInertiaFollowFromShapeAndDensity)
{
    ModelDescription model("test");
    const MaterialId m = model.add(Material{});
    const GrainId ball = model.grain({.shape = sphere(0.2), .material = m, .density = 3});
    Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    const GrainId dumbbell = model.grain({.parts = {{sphere(1), Pose{turn, turn * Vector3d(-2, 0, 0)}},
                                                    {sphere(1), Pose{turn, turn * Vector3d(2, 0, 0)}}},
                                          .material = m,
                                          .density = 2,
                                          .at = {.p = {10, 0, 0}}});
    model.finish();
    const double pi = M_PI, mass = 2 * 4 * pi / 3;
    const GrainRecord &b = model.grains()[ball.index], &d = model.grains()[dumbbell.index];
    EXPECT_NEAR(b.mass, 3 * 4 * pi / 3 * 0.008, 1e-14);
    EXPECT_NEAR(b.inertia[0], 0.4 * b.mass * 0.04, 1e-15);
    EXPECT_TRUE(b.isotropic);
    EXPECT_NEAR(d.mass, 2 * mass, 1e-12);
    EXPECT_NEAR(d.inertia.minCoeff(), 2 * 0.4 * mass, 1e-12);
    EXPECT_NEAR(d.inertia.maxCoeff(), 2 * (0.4 + 4) * mass, 1e-11);
    EXPECT_NEAR(d.radius, 3, 1e-12);
    MoreauJean run(model.finish(), with_step(1e-3));
    EXPECT_TRUE(run.view().pose(dumbbell).p.isApprox(Vector3d(10, 0, 0), 1e-12)); // the frame the user gave
    EXPECT_TRUE(run.view().pose(dumbbell).R.isApprox(Eigen::Matrix3d::Identity(), 1e-12));
}

TEST(Grains, AFreeTumblingBodyKeepsItsAngularMomentumAndItsEnergy)
{
    ModelDescription model("test");
    const MaterialId m = model.add(Material{});
    // About the middle axis: it flips over and over.
    model.grain({.shape = box(1, 2, 3), .material = m, .density = 1, .angular_velocity = {0.01, 3, 0.02}});
    auto drift = [&](double h) {
        MoreauJean run(model.finish(), with_step(h));
        const Vector3d L = angular_momentum(run);
        const double energy = run.view().energy();
        double worst = 0, least = 1;
        for (double t = 0; t < 20; t += h) {
            run.step();
            EXPECT_EQ((angular_momentum(run) - L).norm(), 0);
            worst = std::max(worst, std::abs(run.view().energy() / energy - 1));
            least = std::min(least, (run.view().motion(GrainId{0}).pose.R * Vector3d::UnitY()).y());
        }
        EXPECT_LT(least, -0.9); // it did flip
        return worst;
    };
    const double coarse = drift(2e-2), fine = drift(1e-2);
    EXPECT_LT(fine, 1e-3);
    EXPECT_GT(coarse / fine, 3.5); // second order
}

TEST(Grains, ABallBouncesToTheSquareOfRestitution)
{
    ModelDescription model("test");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.restitution = 0.7});
    model.grain({.shape = sphere(0.01), .material = m, .density = 1000, .at = {.p = {0, 0, 1.01}}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    MoreauJean run(model.finish(), with_step(1e-5));
    double height = 0;
    const double fall = std::sqrt(2 / g);
    while (run.state().t < fall * (1 + 2 * 0.7)) {
        run.step();
        if (run.state().t > fall) height = std::max(height, run.view().position(GrainId{0}).z() - 0.01);
    }
    EXPECT_NEAR(height, 0.49, 2e-4);
}

TEST(Grains, AnAnticipatingBallStopsAtContact)
{
    ModelDescription model("test");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.anticipation = true});
    model.grain({.shape = sphere(0.01), .material = m, .density = 1000, .at = {.p = {0, 0, 0.3}}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    MoreauJean run(model.finish(), with_step(1e-3));
    double lowest = 1;
    for (int k = 0; k < 1000; ++k) {
        run.step();
        lowest = std::min(lowest, run.view().position(GrainId{0}).z());
    }
    EXPECT_NEAR(run.view().position(GrainId{0}).z(), 0.01, 1e-12);
    EXPECT_GT(lowest, 0.01 - 1e-12);
    EXPECT_NEAR(run.view().velocity(GrainId{0}).norm(), 0, 1e-12);
    EXPECT_NEAR(run.view().contacts()[0].impulse[0], model.grains()[0].mass * g * 1e-3, 1e-15);
}

TEST(Grains, ASlidingBallRollsAfterTwoSeventhsOfItsSpeedIsLost)
{
    ModelDescription model("test");
    model.gravity({0, 0, -g});
    const double mu = 0.2, R = 0.05, v0 = 2;
    const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
    model.grain(
        {.shape = sphere(R), .material = m, .density = 1000, .at = {.p = {0, 0, R}}, .velocity = {v0, 0, 0}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    const double h = 1e-4;
    MoreauJean run(model.finish(), with_step(h));
    while (run.state().t < 0.2) run.step(); // still slides
    EXPECT_NEAR(run.view().velocity(GrainId{0}).x(), v0 - mu * g * run.state().t, 1e-9);
    EXPECT_NEAR(run.view().motion(GrainId{0}).angular_velocity.y(), 2.5 * mu * g * run.state().t / R, 1e-7);
    while (run.state().t < 1) run.step(); // rolls since 2 v0 / (7 mu g) = 0.29 s
    EXPECT_NEAR(run.view().velocity(GrainId{0}).x(), 5.0 / 7 * v0, 1e-9);
    EXPECT_NEAR(run.view().motion(GrainId{0}).angular_velocity.y(), 5.0 / 7 * v0 / R, 1e-7);
}

TEST(Grains, RollingResistanceStopsARollingBall)
{
    ModelDescription model("test");
    model.gravity({0, 0, -g});
    const double R = 0.05, v0 = 0.5, arm = 1e-3;
    const MaterialId m = model.add(Material{.friction = 1, .rolling = arm, .anticipation = true});
    model.grain({.shape = sphere(R),
                 .material = m,
                 .density = 1000,
                 .at = {.p = {0, 0, R}},
                 .velocity = {v0, 0, 0},
                 .angular_velocity = {0, v0 / R, 0}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    MoreauJean run(model.finish(), with_step(1e-4));
    while (run.state().t < 0.5) run.step();
    // m a = -F,  (2/5) m R^2 a / R = F R - arm m g:  a = -(5/7) arm g / R
    EXPECT_NEAR(run.view().velocity(GrainId{0}).x(), v0 - 5.0 / 7 * arm * g / R * run.state().t, 1e-6);
    while (run.state().t < 5) run.step();
    EXPECT_NEAR(run.view().velocity(GrainId{0}).norm(), 0, 1e-10);
    EXPECT_NEAR(run.view().motion(GrainId{0}).angular_velocity.norm(), 0, 1e-8);
}

TEST(Grains, MomentumPassesFromAMechanismToAGrainAndBack)
{
    ModelDescription model("test");
    const MaterialId m = model.add(Material{.friction = 0.3, .restitution = 0.5});
    const Body cart =
        model.add({.name = "cart", .joint = free_joint(), .mass = 2, .inertia = {0.1, 0.2, 0.3}});
    model.attach(cart, sphere(0.2), m);
    model.start(cart, -0.5, 1.0, 0);
    model.grain({.shape = sphere(0.1),
                 .material = m,
                 .density = 500,
                 .at = {.p = {0, 0.12, 0.05}},
                 .angular_velocity = {3, 1, 2}});
    MoreauJean run(model.finish(), with_step(1e-3));
    auto total = [&] {
        const View& s = run.view();
        Eigen::Matrix<double, 6, 1> sum;
        const Vector3d p = s.momentum();
        const BodyMotion c = s.motion(cart);
        const Eigen::Matrix3d I = Vector3d(0.1, 0.2, 0.3).asDiagonal();
        const GrainState& b = run.state().grains[0];
        const Vector3d L = 2 * c.pose.p.cross(c.velocity) +
                           c.pose.R * I * c.pose.R.transpose() * c.angular_velocity +
                           model.grains()[0].mass * b.x.cross(b.v) + b.L;
        sum << p, L;
        return sum;
    };
    const auto before = total();
    const double energy = run.view().energy();
    double moved = 0;
    for (int k = 0; k < 1000; ++k) {
        run.step();
        EXPECT_LT((total() - before).head<3>().norm(), 1e-13);
        moved = std::max(moved, run.state().grains[0].v.norm());
    }
    EXPECT_GT(moved, 0.5);
    EXPECT_LT(run.view().energy(), energy);
    EXPECT_LT((total() - before).tail<3>().norm(), 2e-3); // turning of the cart is of first order in the step
}

// About its hinge the bearing has no moment: the angular momentum of a pendulum and the bed that its ball
// ploughs through changes by the moments of gravity and of the trough alone.
TEST(Grains, PendulumAndBedExchangeAngularMomentumToRoundOff)
{
    ModelDescription model("test");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    const Vector3d hinge(0, 0, 0.37);
    const double length = 0.3, radius = 0.04, mass = 2, inertia = 0.4 * mass * radius * radius;
    const Body arm = model.add({.name = "pendulum",
                                .joint = hinge_y(),
                                .at = {hinge.x(), hinge.y(), hinge.z()},
                                .mass = mass,
                                .com = {0, 0, -length},
                                .inertia = {inertia, inertia, inertia}});
    const ShapeId ball = model.attach(arm, sphere(radius), m, {.p = {0, 0, -length}});
    model.start(arm, 0.5, -3);
    const ShapeId trough = model.attach(ground, hollow(box(0.24, 0.12, 1)), m, {.p = {0, 0, 0.5}});
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 3; ++k)
                model.grain(
                    {.shape = sphere(0.011),
                     .material = m,
                     .density = 2600,
                     .at = {.p = {0.0235 * (i - 4.5 + 0.1 * k), 0.0235 * (j - 2), 0.0115 + 0.023 * k}}});

    const double h = 5e-4;
    const Coordinate angle = model.coordinate(arm);
    MoreauJean run(model.finish(),
                   {.h = h, .force = ForceEvaluation::explicit_, .contacts = {.tolerance = 1e-4}});
    auto about_hinge = [&] {
        double L = (inertia + mass * length * length) * run.view().v(angle);
        for (std::size_t i = 0; i < model.grains().size(); ++i) {
            const GrainState& b = run.state().grains[i];
            L += (model.grains()[i].mass * (b.x - hinge).cross(b.v) + b.L).y();
        }
        return L;
    };
    double struck = 0, worst = 0;
    for (int n = 0; n < 200; ++n) {
        // Gravity acts at the configuration in the middle of the step.
        const double before = about_hinge(), middle = run.view().q(angle) + h / 2 * run.view().v(angle);
        double moment = -mass * g * length * std::sin(middle);
        for (std::size_t i = 0; i < model.grains().size(); ++i) {
            const GrainState& b = run.state().grains[i];
            moment += model.grains()[i].mass * g * (b.x + h / 2 * b.v - hinge).x();
        }
        const std::vector<GrainState> start = run.state().grains;
        run.step();
        // Where overlaps are reduced, grains move further than their velocities say, with the same
        // momentum.
        double moved = 0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            const GrainState& b = run.state().grains[i];
            const Vector3d further = b.x - (start[i].x + h / 2 * start[i].v + h / 2 * b.v);
            moved += model.grains()[i].mass * further.cross(b.v).y();
        }
        moment -= run.view().contact_force(trough, hinge).moment.y();
        struck = std::max(struck, run.view().contact_force(ball).force.norm());
        worst = std::max(worst, std::abs(about_hinge() - before - h * moment - moved));
    }
    EXPECT_GT(struck, 10 * mass * g);
    EXPECT_LT(worst, 1e-14); // of 0.54 N m s at the start
}

} // namespace
} // namespace tamis::grains_test
