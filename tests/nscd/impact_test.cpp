// The stepper against closed forms: impacts and friction.
#include "error_of.hpp"
#include "nscd/step_scenes.hpp"
#include "tamis/model/description.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace impact_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

TEST(MoreauJean, DrivenWallThrowsAFreeBallByOnePlusRestitution)
{
    const double V = 3, e = 0.6;
    ModelDescription model("bat");
    const MaterialId wood = model.add(Material{.restitution = e});
    const Body bat = cart(model, "bat", 5), target = ball(model, 0.1, 0.05, {0.2, 0, 0});
    model.attach(bat, box(0.1, 1, 1), wood);
    model.attach(target, sphere(0.05), wood);
    model.drive(model.coordinate(bat), motion([=](Expr t) { return V * t; }));
    for (ForceEvaluation force : {ForceEvaluation::midpoint, as_published}) {
        MoreauJean stepper(model.finish(), {.h = 1e-3, .force = force});
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
        ModelDescription model("ball");
        model.gravity({0, -g, 0});
        const MaterialId rubber = model.add(Material{.restitution = e});
        const double radius = 0.1 * scale, mass = 3;
        const Body body = ball(model, mass, radius, {0, radius + scale, 0});
        model.attach(body, sphere(radius), rubber);
        model.attach(ground, wall({0, 1, 0}, 0), rubber);
        MoreauJean stepper(model.finish(), {.h = 1e-5 * std::sqrt(scale)});
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
    ModelDescription model("ball");
    model.gravity({0, -g, 0});
    const MaterialId rubber = model.add(Material{.restitution = 1});
    const Body body = ball(model, 1, 0.1, {0, 0.6, 0});
    model.attach(body, sphere(0.1), rubber);
    model.attach(ground, wall({0, 1, 0}, 0), rubber);
    MoreauJean stepper(model.finish(), {.h = 1e-3});
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
        ModelDescription model("incline");
        model.gravity({g * std::sin(slope), -g * std::cos(slope), 0});
        const MaterialId wood = model.add(Material{.friction = mu});
        const Body block =
            model.add({.name = "block", .joint = free_joint(), .mass = 2, .inertia = {0.01, 0.02, 0.02}});
        model.attach(block, box(0.4, 0.125, 0.2), wood);
        model.attach(ground, wall({0, 1, 0}, 0), wood);
        const double height = 0.0625 - 1e-6; // overlapping, or round-off decides on contact
        model.start(block, height, 0, 1);
        MoreauJean stepper(model.finish(), {.h = h});
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
    ModelDescription model("lift");
    model.gravity({0, 0, -g});
    const MaterialId wood = model.add(Material{.friction = mu});
    const Body cart = model.add({.name = "cart", .joint = slide_x(), .mass = M});
    const Body block = model.add({.name = "block", .parent = cart, .joint = slide_z(), .mass = m});
    model.attach(block, sphere(0.1), wood);
    model.attach(ground, wall({0, 0, 1}, -0.1 + 1e-9), wood); // overlapping, or round-off decides on contact
    model.start(cart, 0, v);
    MoreauJeanOptions options{.h = h};
    options.contacts.friction = Law::associated;
    EXPECT_TRUE(contains(error_of([&] { MoreauJean(model.finish(), options); }), "the solver nlgs"));
    options.contacts.solver = "nlgs";
    MoreauJean stepper(model.finish(), options);
    EXPECT_TRUE(stepper.step().converged);
    const double r_n = (mu * v + g * h) / (1 / m + mu * mu / (M + m));
    const Vector3d u = stepper.view().velocity(block);
    EXPECT_NEAR(u.x(), v - mu * r_n / (M + m), 1e-9);
    EXPECT_NEAR(u.z(), mu * u.x(), 1e-9);
    // Coulomb's block stays on the ground.
    MoreauJean coulomb(model.finish(), {.h = h});
    coulomb.step();
    EXPECT_NEAR(coulomb.view().velocity(block).z(), 0, 1e-12);
}

TEST(MoreauJean, SlidingSphereEndsRollingAtFiveSeventhsOfItsSpeed)
{
    const double mu = 0.3, v0 = 2, radius = 0.25, h = 1e-3;
    ModelDescription model("bowling");
    model.gravity({0, -g, 0});
    const MaterialId lane = model.add(Material{.friction = mu});
    const Body body = ball(model, 5, radius, {0, radius, 0});
    model.start(body, 0, v0, 0);
    model.attach(body, sphere(radius), lane);
    model.attach(ground, wall({0, 1, 0}, 0), lane);
    MoreauJean stepper(model.finish(), {.h = h});
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
            ModelDescription model("drop");
            const MaterialId wood = model.add(Material{.friction = mu, .restitution = e});
            const Body body =
                model.add({.name = "body", .joint = free_joint(), .mass = m, .inertia = {0.01, 0.02, 0.02}});
            model.attach(body, shape, wood);
            model.attach(ground, wall({0, 1, 0}, 0), wood);
            model.start(body, 0.125 + 0.25 * h * V, -V, 1);
            MoreauJean stepper(model.finish(), {.h = h});
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
            ModelDescription model("rails");
            const MaterialId glass = model.add(Material{.restitution = e});
            const Body a = cart(model, "a", m1);
            const BodySpec other{.name = "b", .joint = slide_x(), .at = {0, 0.1, 0}, .mass = m2};
            const Body b = apart ? model.mechanism("second").add(other) : model.add(other);
            model.attach(a, sphere(0.1), glass);
            model.attach(b, sphere(0.1), glass);
            model.start(a, 0, v1);
            model.start(b, 0.5, v2);
            const double h = 1e-5;
            MoreauJean stepper(model.finish(), {.h = h, .force = force});
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
    ModelDescription empty("empty");
    empty.gravity({0, -g, 0});
    empty.attach(ground, sphere(1), empty.add(Material{}));
    MoreauJean nothing(empty.finish(), {.h = 0.25});
    advance(nothing, 4);
    EXPECT_EQ(nothing.view().time(), 1);
    EXPECT_EQ(nothing.view().energy(), 0);

    ModelDescription welded("welded");
    const Body post = welded.add({.name = "post", .joint = fixed_joint(), .at = {1, 2, 3}, .mass = 1});
    MoreauJean still(welded.finish(), {.h = 0.25});
    advance(still, 4);
    EXPECT_EQ(still.view().position(post), Vector3d(1, 2, 3));

    ModelDescription lonely("lonely");
    const Body body = ball(lonely, 1, 0.1, {0, 0, 0});
    lonely.start(body, 0, 2, 0);
    lonely.attach(body, sphere(0.1), lonely.add(Material{}));
    MoreauJean drifting(lonely.finish(), {.h = 0.25});
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
        ModelDescription model("chain");
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
        const double h = 5e-5;
        MoreauJean stepper(model.finish(), {.h = h});
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
    ModelDescription model("box");
    model.gravity({0, -g, 0});
    const MaterialId wood = model.add(Material{.friction = 0.4});
    const Body body =
        model.add({.name = "box", .joint = free_joint(), .mass = 2, .inertia = {0.01, 0.02, 0.02}});
    model.attach(body, box(0.4, 0.25, 0.2), wood);
    model.attach(ground, wall({0, 1, 0}, 0), wood);
    model.start(body, 0, 3, 0);
    model.start(body, 0.6, 0, 1);
    model.start(body, Quaterniond(1, 0.3, 0.2, -0.4), {3, 5, -7});
    MoreauJean stepper(model.finish(), {.h = h});
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

} // namespace impact_test
