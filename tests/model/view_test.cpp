// What a state shows: energies, points, frames and gaps of simple mechanisms in closed form.
#include "tamis/model/description.hpp"
#include "tamis/model/grain_summary.hpp"
#include "tamis/model/spring.hpp"
#include "tamis/model/view.hpp"

#include "tamis/base/error.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace view_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {
constexpr double angle = 0.4, rate = 3, g = 9.81;
const Vector3d along(std::cos(angle), std::sin(angle), 0), across(-std::sin(angle), std::cos(angle), 0);
} // namespace

TEST(View, EnergyOfAPendulumWithSpringsIsItsClosedForm)
{
    const double m = 2, l = 0.5, I = 0.3, k1 = 7, k2 = 11, rest1 = 0.1, rest2 = 0.2;
    ModelDescription model("test");
    model.gravity({0, -g, 0});
    const Body bar =
        model.add({.name = "bar", .joint = hinge_z(), .mass = m, .com = {l, 0, 0}, .inertia = {0, 0, I}});
    const Frame tip = model.frame("tip", bar, {2 * l, 0, 0}), post = model.frame("post", ground, {0, 3, 0});
    model.spring(model.coordinate(bar), {.stiffness = k1, .rest = rest1});
    model.spring(tip, post, {.stiffness = k2, .rest = rest2});
    model.start(bar, angle, rate);
    MoreauJean stepper(model.finish(), {});
    const View& view = stepper.view();
    EXPECT_NEAR(view.kinetic_energy(), (m * l * l + I) * rate * rate / 2, 1e-14);
    const double length = (Vector3d(0, 3, 0) - 2 * l * along).norm() - rest2;
    EXPECT_NEAR(view.potential_energy(),
                m * g * l * std::sin(angle) + k1 * std::pow(angle - rest1, 2) / 2 + k2 * length * length / 2,
                1e-13);
    EXPECT_EQ(view.energy(), view.kinetic_energy() + view.potential_energy());
}

TEST(View, PointsAndFramesOfATurningBarMoveOnCircles)
{
    ModelDescription model("test");
    const Body bar =
        model.add({.name = "bar", .joint = hinge_z(), .at = {1, 0, 0}, .mass = 1, .inertia = {1, 1, 1}});
    Matrix3d quarter; // x -> y
    quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    const Frame tip = model.frame("tip", bar, {2, 0, 0}, quarter),
                post = model.frame("post", ground, {0, 3, 0}, quarter);
    model.start(bar, angle, rate);
    MoreauJean stepper(model.finish(), {});
    const View& view = stepper.view();
    const Vector3d hinge_at(1, 0, 0), none = Vector3d::Zero();
    EXPECT_NEAR((view.position(bar, {0, 1, 5}) - (hinge_at + across + Vector3d(0, 0, 5))).norm(), 0, 1e-15);
    EXPECT_NEAR((view.velocity(bar, {0, 1, 5}) + rate * along).norm(), 0, 1e-15);
    EXPECT_NEAR((view.angular_velocity(bar) - Vector3d(0, 0, rate)).norm(), 0, 1e-15);
    EXPECT_NEAR((view.rotation(bar).col(0) - along).norm(), 0, 1e-15);
    EXPECT_NEAR((view.position(tip) - (hinge_at + 2 * along)).norm(), 0, 1e-15);
    EXPECT_NEAR((view.velocity(tip) - 2 * rate * across).norm(), 0, 1e-15);
    EXPECT_NEAR((view.rotation(tip).col(0) - across).norm(), 0, 1e-15);
    EXPECT_EQ(view.position(post), Vector3d(0, 3, 0));
    EXPECT_EQ(view.velocity(post), none);
    EXPECT_EQ(view.rotation(post), quarter);
    EXPECT_EQ(view.position(ground, {1, 2, 3}), Vector3d(1, 2, 3));
    EXPECT_EQ(view.velocity(ground, {1, 2, 3}), none);
    EXPECT_EQ(view.q(model.coordinate(bar)), angle);
    EXPECT_EQ(view.v(model.coordinate(bar)), rate);
}

TEST(View, GapIsSeenFromAfarAndImpulsesOnlyOfTheLastStep)
{
    const double h = 1e-3, speed = 2, m = 0.5, e = 0.25;
    ModelDescription model("test");
    const MaterialId steel = model.add(Material{.restitution = e});
    const Body ball = model.add({.name = "ball", .joint = slide_y(), .mass = m});
    const ShapeId shell = model.attach(ball, sphere(0.1), steel);
    const ShapeId floor = model.attach(ground, wall({0, 1, 0}, 0), steel);
    // q_m is below the floor for the first time in the third step.
    model.start(ball, 0.1 + 2.25 * h * speed, -speed);
    MoreauJean stepper(model.finish(), {.h = h});
    const View& view = stepper.view();
    EXPECT_NEAR(view.gap(shell, floor, 0), 2.25 * h * speed, 1e-15);
    EXPECT_NEAR(view.gap(floor, shell, 0), 2.25 * h * speed, 1e-15);
    EXPECT_THROW((void)view.gap(shell, floor, 3), Error);
    stepper.step();
    stepper.step();
    EXPECT_EQ(view.normal_impulse(shell, floor, 0), 0);
    stepper.step();
    EXPECT_NEAR(view.normal_impulse(shell, floor, 0), m * (1 + e) * speed, 1e-12);
    EXPECT_EQ(view.normal_impulse(floor, shell, 0), view.normal_impulse(shell, floor, 0));
    ASSERT_EQ(view.contacts().size(), 1u);
    EXPECT_NEAR(view.contacts()[0].u_minus[0], -speed, 1e-13);
    EXPECT_NEAR(view.contacts()[0].u_plus[0], e * speed, 1e-12);
    EXPECT_NEAR(view.contacts()[0].gap, -0.25 * h * speed, 1e-15);
    for (int k = 0; k < 3; ++k) stepper.step();
    EXPECT_EQ(view.normal_impulse(shell, floor, 0), 0);
}

TEST(View, DriveForceOfACoordinateThatIsNotDrivenNamesIt)
{
    ModelDescription model("test");
    const Body cart = model.add({.name = "cart", .joint = slide_x(), .mass = 1});
    MoreauJean stepper(model.finish(), {});
    try {
        (void)stepper.view().drive_force(model.coordinate(cart));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("'cart'"), std::string::npos) << error.what();
    }
}

TEST(SpringForce, PullsWithStretchAndWithTheRateOfStretch)
{
    const SpringLaw law{.stiffness = 10, .damping = 3, .rest = 4};
    const double pull = 10 * 1 + 3 * (3 + 8) / 5.0;
    EXPECT_LT((spring_force(law, {3, 4, 0}, {1, 2, 7}) - pull * Eigen::Vector3d(0.6, 0.8, 0)).norm(), 1e-14);
    EXPECT_TRUE(spring_force(law, {0, 0, 0}, {1, 2, 7}).isZero(0)); // no direction
}

// A rod of two balls of different size that turns, beside the rule of Steiner; 0.1 mm inside each other.
TEST(View, SummaryOfTwoGrains)
{
    const double r1 = 0.01, r2 = 0.02, overlap = 1e-4, d = r1 + r2 - overlap, density = 1000;
    ModelDescription model("test");
    const MaterialId material = model.add(Material{.stiffness = 1e3});
    const auto ball = [&](double radius, const Vector3d& at, const Vector3d& v) {
        model.grain({.shape = sphere(radius),
                     .material = material,
                     .density = density,
                     .at = {.p = at},
                     .velocity = v});
        return density * 4 / 3 * std::numbers::pi * radius * radius * radius;
    };
    const double m1 = ball(r1, {1, 0, 0}, {0, 1, 0}), m2 = ball(r2, {1 + d, 0, 0}, {0, -0.5, 3});
    MoreauJean stepper(model.finish(), {.h = 1e-9});
    stepper.step();
    const GrainSummary all = grain_summary(stepper.view());
    EXPECT_NEAR(all.mass, m1 + m2, 1e-15);
    EXPECT_NEAR(all.centre_of_mass.x(), 1 + d * m2 / (m1 + m2), 1e-12);
    EXPECT_NEAR(all.velocity.y(), (m1 - 0.5 * m2) / (m1 + m2), 1e-6);
    const double own = 0.4 * (m1 * r1 * r1 + m2 * r2 * r2), reduced = m1 * m2 / (m1 + m2);
    EXPECT_NEAR(all.inertia(0, 0), own, 1e-12 * own);
    EXPECT_NEAR(all.inertia(2, 2), own + reduced * d * d, 1e-6 * own);
    EXPECT_NEAR(all.temperature, (1.5 * 1.5 + 9) / 4 / 3, 1e-6);
    EXPECT_NEAR(all.overlap, overlap, 1e-3 * overlap);
}

} // namespace view_test
