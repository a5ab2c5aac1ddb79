// Energy that contacts take, against closed forms and the balance of energies.
#include "nscd/step_scenes.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace tamis::dissipation_test {
namespace {

using namespace scenes;
using Eigen::Vector3d;

GrainSpec ball_of(MaterialId material, double radius, const Vector3d& at, const Vector3d& velocity)
{
    return {.shape = sphere(radius),
            .material = material,
            .density = 1000,
            .at = {.p = at},
            .velocity = velocity};
}

TEST(Dissipation, BouncingBallLosesWhatItsRestitutionSays)
{
    const double e = 0.6, speed = 1.5, radius = 0.01;
    ModelDescription model("ball");
    const MaterialId rubber = model.add(Material{.restitution = e});
    model.attach(ground, wall({0, 0, 1}, 0), rubber);
    model.grain(ball_of(rubber, radius, {0, 0, 0.1}, {0, 0, -speed}));
    MoreauJean run(model.finish(), {.h = 1e-3, .force = as_published});
    const double before = run.view().energy(), mass = model.grains()[0].mass;
    for (int n = 0; n < 50; ++n) run.step();
    EXPECT_EQ(run.view().dissipated().sum(), 0);
    for (int n = 0; n < 100; ++n) run.step();
    const Dissipation lost = run.view().dissipated();
    const double expected = 0.5 * mass * (1 - e * e) * speed * speed;
    EXPECT_NEAR(lost.normal, expected, 1e-12 * expected);
    EXPECT_NEAR(before - run.view().energy(), expected, 1e-12 * expected);
    EXPECT_EQ(lost.friction, 0);
    EXPECT_EQ(lost.rolling, 0);
}

TEST(Dissipation, SlidingBlockLosesFrictionTimesItsWay)
{
    const double mu = 0.3, mass = 2;
    ModelDescription model("block");
    model.gravity({0, 0, -g});
    const MaterialId wood = model.add(Material{.friction = mu});
    const Body block = model.add({.name = "block", .joint = planar_y(), .mass = mass, .inertia = {1, 1, 1}});
    model.attach(block, box(0.2, 0.2, 0.1), wood);
    model.attach(ground, wall({0, 0, 1}, -0.05), wood);
    model.start(block, 0, 2, 0);
    MoreauJean run(model.finish(), {.h = 1e-3});
    for (int n = 0; n < 500; ++n) run.step(); // it still slides
    const double way = run.view().position(block).x(), expected = mu * mass * g * way;
    EXPECT_GT(run.view().v(model.coordinate(block)), 0.1);
    EXPECT_NEAR(run.view().dissipated().friction, expected, 1e-9 * expected);
    EXPECT_NEAR(run.view().dissipated().normal, 0, 1e-9 * expected);
    for (int n = 0; n < 500; ++n) run.step(); // at rest
    EXPECT_NEAR(run.view().dissipated().sum(), 0.5 * mass * 4, 1e-8);
    const SavedState saved = run.save();
    MoreauJean again(model.finish(), {.h = 1e-3});
    again.restore(saved);
    EXPECT_EQ(again.view().dissipated().friction, run.view().dissipated().friction);
}

// A ball that rolls on a plane, of friction enough to roll, until rolling resistance has taken all of it.
TEST(Dissipation, RollingBallLosesItsEnergyToRollingResistance)
{
    const double radius = 0.05, speed = 0.5;
    ModelDescription model("ball");
    model.gravity({0, 0, -g});
    const MaterialId clay = model.add(Material{.friction = 0.8, .rolling = 1e-3});
    model.attach(ground, wall({0, 0, 1}, 0), clay);
    GrainSpec spec = ball_of(clay, radius, {0, 0, radius}, {speed, 0, 0});
    spec.angular_velocity = {0, speed / radius, 0};
    model.grain(spec);
    MoreauJean run(model.finish(), {.h = 1e-3, .force = as_published});
    const double before = run.view().kinetic_energy();
    for (int n = 0; n < 6000; ++n) run.step();
    const Dissipation lost = run.view().dissipated();
    EXPECT_LT(run.view().kinetic_energy(), 1e-12 * before);
    EXPECT_NEAR(lost.sum(), before, 1e-6 * before);
    EXPECT_NEAR(lost.rolling, before, 0.01 * before); // the first step brings it to roll without slip
}

// Balls in a cavity that is shaken: what the drive gives is in motion, heights and springs, or was dissipated.
TEST(Dissipation, EnergyBalanceOfADrivenCavityCloses)
{
    for (const double stiffness : {0.0, 2e4}) {
        ModelDescription model("shaker");
        model.gravity({0, 0, -g});
        const MaterialId steel = model.add(Material{.friction = 0.3,
                                                    .restitution = 0.5,
                                                    .rolling = 1e-4,
                                                    .stiffness = stiffness,
                                                    .form = ContactForm::overlap});
        const Body cavity = model.add({.name = "cavity", .joint = slide_z(), .mass = 0.2});
        const Coordinate lift = model.coordinate(cavity);
        model.drive(lift, motion([](Expr t) { return 2e-3 * sin(2 * std::numbers::pi * 30 * t); }));
        model.attach(cavity, hollow(box(0.03, 0.03, 0.03)), steel);
        for (int i = 0; i < 27; ++i)
            model.grain(ball_of(steel, 3e-3,
                                8e-3 * (Vector3d(i % 3, i / 3 % 3, i / 9) - Vector3d::Constant(1)),
                                {0.1 * std::sin(i), 0.1 * std::cos(2 * i), 0.1 * std::sin(3 * i)}));
        MoreauJean run(model.finish(), {.h = stiffness > 0 ? 5e-6 : 5e-5,
                                        .force = as_published,
                                        .overlap = std::numeric_limits<double>::infinity()});
        const View& view = run.view();
        const double before = view.energy();
        double work = 0, given = 0, q = view.q(lift);
        while (view.time() < 0.1) {
            run.step();
            const double added = view.drive_force(lift) * (view.q(lift) - q);
            work += added;
            given += std::abs(added);
            q = view.q(lift);
        }
        const Dissipation lost = view.dissipated();
        EXPECT_GT(lost.normal, 0);
        EXPECT_GT(lost.friction, 0);
        EXPECT_GT(lost.rolling, 0);
        EXPECT_NEAR(view.energy() - before + lost.sum(), work, 1e-3 * given) << stiffness;
    }
}

} // namespace
} // namespace tamis::dissipation_test
