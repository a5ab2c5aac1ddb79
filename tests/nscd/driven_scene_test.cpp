// Grains that meet bodies whose motion is prescribed.
#include "nscd/grain_scenes.hpp"

namespace tamis::driven_scene_test {
namespace {

using namespace scenes;

class Driven : public AtEveryScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Driven, scales());

TEST_P(Driven, BeltDragsABlockToItsSpeedInTheTimeThatFrictionTakes)
{
    const double mu = 0.4, speed = 2 * root, h = 1e-3 * root;
    ModelDescription model("belt");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
    const GrainId block = model.grain(
        {.shape = box(s, s, 0.2 * s), .material = m, .density = 1000, .at = {.p = {0, 0, 0.1 * s}}});
    const Body belt = model.add({.name = "belt", .joint = slide_x(), .mass = 1});
    model.attach(belt, wall({0, 0, 1}, 0), m);
    const Coordinate travel = model.coordinate(belt);
    model.drive(travel, {[=](double t) { return speed * t; }, [=](double) { return speed; }});
    MoreauJean run(model.finish(), with_step(h));
    const double caught = speed / (mu * g), force = mu * model.grains()[0].mass * g;
    while (run.state().t + h < caught) {
        ASSERT_TRUE(run.step().converged);
        ASSERT_NEAR(run.view().velocity(block).x(), mu * g * run.state().t, 1e-9 * speed);
        ASSERT_NEAR(run.view().drive_force(travel) / force, 1, 1e-8);
    }
    advance(run, 2); // the step that catches it gives what is left
    for (int k = 0; k < 200; ++k) {
        ASSERT_TRUE(run.step().converged);
        ASSERT_LT((run.view().velocity(block) - Vector3d(speed, 0, 0)).norm(), 1e-9 * speed);
        ASSERT_NEAR(run.view().drive_force(travel) / force, 0, 1e-8);
    }
    EXPECT_LT(angular_velocity(run, block).norm(), 1e-8 * speed / s);
}

TEST_P(Driven, BallTurnsWithTheWallsThatRollItBetweenThem)
{
    // A ball between two belts of speeds v1 and v2: it moves with the mean and turns by the difference.
    const double R = 0.1 * s, v1 = 0.5 * root, v2 = -0.2 * root, h = 1e-3 * root;
    ModelDescription model("two belts");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    const GrainId ball = model.grain({.shape = sphere(R),
                                      .material = m,
                                      .density = 1000,
                                      .at = {.p = {0, 0, R}},
                                      .velocity = {(v1 + v2) / 2, 0, 0},
                                      .angular_velocity = {0, (v2 - v1) / (2 * R), 0}});
    for (int k : {0, 1}) {
        const double v = k ? v2 : v1;
        const Body belt = model.add({.name = k ? "upper" : "lower", .joint = slide_x(), .mass = 1});
        model.attach(belt, wall({0, 0, k ? -1.0 : 1.0}, k ? -2 * R : 0), m);
        model.drive(model.coordinate(belt), {[=](double t) { return v * t; }, [=](double) { return v; }});
    }
    MoreauJean run(model.finish(), with_step(h));
    advance(run, 500);
    EXPECT_LT((run.view().velocity(ball) - Vector3d((v1 + v2) / 2, 0, 0)).norm(), 1e-9 * root);
    EXPECT_NEAR(angular_velocity(run, ball).y() * R, (v2 - v1) / 2, 1e-9 * root);
}

TEST_P(Driven, TurningFloorIsSeenComingFarFromItsHinge)
{
    // The floor turns up under a ball ten lengths away, by more than the ball's gap in a step.
    const double R = 0.1 * s, away = 10 * s, rate = 1 / root, h = 1e-2 * root;
    ModelDescription model("flap");
    const MaterialId m = model.add(Material{.anticipation = true});
    const GrainId ball = model.grain(
        {.shape = sphere(R), .material = m, .density = 1000, .at = {.p = {away, 0, R + 0.25 * s}}});
    const Body floor = model.add({.name = "floor", .joint = hinge_y(), .mass = 1, .inertia = {1, 1, 1}});
    model.attach(floor, wall({0, 0, 1}, 0), m);
    model.drive(model.coordinate(floor),
                {[=](double t) { return -rate * t; }, [=](double) { return -rate; }});
    MoreauJean run(model.finish(), with_step(h));
    double deepest = 0;
    for (int k = 0; k < 4; ++k) deepest = std::max(deepest, run.step().penetration);
    EXPECT_LT(deepest, std::pow(rate * h, 2) * away); // the turn in a step is of second order
    // Inelastic and without friction it keeps no speed along the floor and all of it across.
    EXPECT_NEAR(run.view().velocity(ball).norm() / (rate * away), 1, 0.01);
}

TEST_P(Driven, WallsThatCloseOnABallPushItThenReportWhatCannotBe)
{
    // Gaps of 0.1 on both sides close at unequal speeds; the walls turn back after they would have met it.
    const double R = 0.1 * s, h = 1e-3 * root, turn_back = 0.2 * root;
    ModelDescription model("vice");
    const MaterialId m = model.add(Material{.friction = 0.3, .anticipation = true});
    const GrainId ball = model.grain({.shape = sphere(R), .material = m, .density = 1000});
    for (double side : {-1.0, 1.0}) {
        const double v = side < 0 ? root : -0.2 * root;
        const Body jaw = model.add({.name = side < 0 ? "left" : "right", .joint = slide_x(), .mass = 1});
        model.attach(jaw, wall({-side, 0, 0}, -R - 0.1 * s), m);
        model.drive(model.coordinate(jaw),
                    {[=](double t) { return v * (t < turn_back ? t : 2 * turn_back - t); },
                     [=](double t) { return t < turn_back ? v : -v; }});
    }
    MoreauJean run(model.finish(), with_step(h));
    // The left one arrives after 0.1; both hold it when their gap, 0.2 - 1.2 t, has closed.
    double worst = 0;
    for (int k = 0; k < 400; ++k) {
        const StepReport report = run.step();
        const double t = run.state().t / root, v = run.view().velocity(ball).x() / root;
        ASSERT_TRUE(all_finite(run));
        if (t < 0.0985) {
            EXPECT_EQ(v, 0) << t;
        }
        if (t > 0.1015 && t < 0.165) {
            EXPECT_NEAR(v, 1, 1e-9) << t;
        }
        // Between two contradicting walls, whose impulses grow with the sweeps and cancel.
        if (t > 0.17 && t < 0.198) {
            EXPECT_FALSE(report.converged) << t;
            EXPECT_GT(report.violation, 0.1 * h * root) << t;
            EXPECT_GT(v, -0.2 - 1e-4) << t;
            EXPECT_LT(v, 1 + 1e-4) << t;
            worst = std::max(worst, report.penetration);
        }
        if (t > 0.202) {
            EXPECT_TRUE(report.converged) << t;
        }
    }
    EXPECT_LT(worst, 0.0401 * s); // the overlap 1.2 t - 0.2 of the walls, all of it on one side
    EXPECT_GT(worst, 0);
}

// Cubes whose corners are cut, so that three vertices lie close together at each, tumble in a turning drum.
// Held by the deepest vertex of a corner alone they would rock on the three and sink step by step.
TEST_P(Driven, StonesInATurningDrumDoNotSinkIntoIt)
{
    const double d = 0.06 * s;
    std::vector<Vector3d> corners;
    for (int c = 0; c < 8; ++c)
        for (int cut = 0; cut < 3; ++cut) {
            Vector3d x(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1);
            x[cut] *= 0.9;
            corners.push_back(d / 2 * x);
        }
    ModelDescription model("drum");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    const Body drum = model.add({.name = "drum", .joint = hinge_y(), .mass = 1, .inertia = {1, 1, 1}});
    const double rate = 3 / root;
    model.drive(model.coordinate(drum), {[=](double t) { return rate * t; }, [=](double) { return rate; }});
    model.attach(drum, hollow(cylinder(0.2 * s, 0.2 * s)), m, {.R = turn(M_PI / 2, Vector3d::UnitX())});
    for (int k = 0; k < 8; ++k)
        model.grain(
            {.shape = polyhedron(corners),
             .material = m,
             .density = 2500,
             .at = {turn(k, {1, 0.3 * k, 0.7}),
                    s * Vector3d(k % 2 ? 0.06 : -0.06, k / 2 % 2 ? 0.05 : -0.05, k / 4 ? 0.06 : -0.06)}});
    MoreauJean run(model.finish(), with_step(1e-3 * root, 1e-4));
    double worst = 0;
    for (int k = 0; k < 1500; ++k) worst = std::max(worst, run.step().penetration);
    EXPECT_LT(worst, 0.02 * d);
}

} // namespace
} // namespace tamis::driven_scene_test
