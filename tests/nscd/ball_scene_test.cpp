// Balls that spin, roll and bounce, and rows of balls, against closed forms.
#include "nscd/grain_scenes.hpp"

namespace tamis::ball_scene_test {
namespace {

using namespace scenes;

class Ball : public AtEveryScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Ball, scales());

GrainSpec ball_on(const Slope& slope, MaterialId material, double radius)
{
    return {
        .shape = sphere(radius), .material = material, .density = 1000, .at = {.p = radius * slope.normal()}};
}

TEST_P(Ball, SpinAboutTheVerticalNeedsNoEffort)
{
    const double R = 0.1 * s, h = 1e-3 * root;
    ModelDescription model("spin");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    GrainSpec spec = ball_on(Slope(0), m, R);
    spec.angular_velocity = {0, 0, 10 / root};
    const GrainId ball = model.grain(spec);
    model.attach(ground, wall({0, 0, 1}, 0), m);
    MoreauJean run(model.finish(), with_step(h));
    advance(run, 1000);
    EXPECT_LT((angular_velocity(run, ball) - spec.angular_velocity).norm(), 1e-10 / root);
    EXPECT_LT(run.view().velocity(ball).norm(), 1e-10 * g * h);
}

TEST_P(Ball, BackSpinBringsItBack)
{
    // m v - (2/5) m R omega is kept, and it ends rolling: v = (5 v0 - 2 R spin) / 7, after
    // 2 (v0 + R spin) / (7 mu g).
    const double R = 0.05 * s, v0 = root, spin = 4 * root / R, mu = 0.3, h = 1e-3 * root;
    ModelDescription model("back-spin");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
    GrainSpec spec = ball_on(Slope(0), m, R);
    spec.velocity = {v0, 0, 0};
    spec.angular_velocity = {0, -spin, 0};
    const GrainId ball = model.grain(spec);
    model.attach(ground, wall({0, 0, 1}, 0), m);
    MoreauJean run(model.finish(), with_step(h));
    const double caught = 2 * (v0 + R * spin) / (7 * mu * g), end = (5 * v0 - 2 * R * spin) / 7;
    while (run.state().t + h < caught) {
        run.step();
        ASSERT_NEAR(run.view().velocity(ball).x(), v0 - mu * g * run.state().t, 1e-9 * root);
    }
    advance(run, 200);
    EXPECT_LT(end, 0);
    EXPECT_NEAR(run.view().velocity(ball).x(), end, 1e-9 * root);
    EXPECT_NEAR(angular_velocity(run, ball).y() * R, end, 1e-9 * root);
}

TEST_P(Ball, RollsDownASlopeUpToSevenHalvesOfMuAndSlipsBeyond)
{
    const double R = 0.05 * s, mu = 0.2, h = 1e-3 * root;
    for (double part : {0.5, 0.999, 1.001, 1.5}) { // of tan(angle) = 7/2 mu
        const double angle = std::atan(part * 3.5 * mu);
        const Slope slope(angle);
        ModelDescription model("slope");
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
        const GrainId ball = model.grain(ball_on(slope, m, R));
        model.attach(ground, wall(slope.normal(), 0), m);
        MoreauJean run(model.finish(), with_step(h));
        advance(run, 500);
        const double t = 500 * h, rolling = 5.0 / 7 * g * std::sin(angle);
        const double a = part < 1 ? rolling : g * (std::sin(angle) - mu * std::cos(angle));
        const double alpha = part < 1 ? rolling / R : 2.5 * mu * g * std::cos(angle) / R;
        EXPECT_LT((run.view().velocity(ball) + a * t * slope.up()).norm(), 1e-9 * g * t) << part;
        EXPECT_LT((angular_velocity(run, ball) + alpha * t * slope.R.col(1)).norm(), 1e-9 * g * t / R)
            << part;
    }
}

// A ball that falls from the height `drop` on a plane.
struct Drop {
    Drop(double e, double drop, double s) : model("drop")
    {
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.restitution = e});
        ball = model.grain({.shape = sphere(radius * s),
                            .material = m,
                            .density = 1000,
                            .at = {.p = {0, 0, drop + radius * s}}});
        model.attach(ground, wall({0, 0, 1}, 0), m);
        model.finish();
    }
    double radius = 0.1;
    ModelDescription model;
    GrainId ball;
};

TEST_P(Ball, BouncesToTheSquareOfItsRestitutionTimeAndAgain)
{
    const double h = 1e-4 * root, speed = std::sqrt(2 * g * s);
    for (double e : {0.0, 0.3, 0.5, 0.9, 1.0}) {
        Drop scene(e, s, s);
        MoreauJean run(scene.model.finish(), with_step(h));
        auto height = [&] { return run.view().position(scene.ball).z() - scene.radius * s; };
        while (run.view().velocity(scene.ball).z() <= 0 && run.state().t < 1.1 * speed / g) run.step();
        double expected = s;
        for (int bounce = 0; bounce < 2; ++bounce) {
            double highest = -s;
            for (double v = 1; v > 0 && e > 0;) { // up, then down to the next impact
                run.step();
                highest = std::max(highest, height());
                v = run.view().velocity(scene.ball).z();
            }
            while (e > 0 && run.view().velocity(scene.ball).z() <= 0) run.step();
            if (e == 0) highest = height();
            expected *= e * e;
            // Each impact comes late by up to a step: speeds are off by g h, depths by the way in a step.
            EXPECT_NEAR(highest, expected, 2 * (bounce + 1) * h * speed) << e;
        }
        if (e == 0) {
            EXPECT_LT(std::abs(run.view().velocity(scene.ball).z()), 1e-10 * g * h);
        }
    }
}

TEST_P(Ball, HundredElasticBouncesKeepItsEnergy)
{
    Drop scene(1, 0.1 * s, s);
    MoreauJean run(scene.model.finish(), with_step(1e-3 * root));
    const double energy = run.view().energy() - scene.model.grains()[0].mass * g * scene.radius * s;
    const double start = run.view().energy();
    double before = 0;
    for (int bounces = 0; bounces < 100;) {
        run.step();
        const double v = run.view().velocity(scene.ball).z();
        bounces += before < 0 && v > 0;
        before = v;
        // A step with an elastic impact turns v round and leaves x: nothing is lost at theta = 1/2.
        ASSERT_NEAR(run.view().energy(), start, 1e-10 * energy);
    }
}

TEST_P(Ball, InfinitelyManyBouncesEndInFiniteTime)
{
    const double e = 0.5, h = 2e-5 * root, fall = std::sqrt(2 * s / g), speed = g * fall;
    Drop scene(e, s, s);
    MoreauJean run(scene.model.finish(), with_step(h));
    double rest = 0; // when it was last faster than a thousandth of its first impact: ten bounces
    while (run.state().t < 4 * fall) {
        run.step();
        if (run.view().velocity(scene.ball).norm() > 1e-3 * speed) rest = run.state().t;
    }
    EXPECT_NEAR(rest / fall, (1 + e) / (1 - e), 5e-3);
    EXPECT_LT(run.view().velocity(scene.ball).norm(), 1e-9 * speed);
    EXPECT_NEAR(run.view().position(scene.ball).z(), scene.radius * s, h * speed);
}

// Five equal balls in a row, the first one moves; their speeds when the impacts are over.
std::array<double, 5> cradle(double s, double gap, double e)
{
    const double R = 0.5 * s;
    ModelDescription model("cradle");
    const MaterialId m = model.add(Material{.restitution = e});
    for (int k = 0; k < 5; ++k)
        model.grain({.shape = sphere(R),
                     .material = m,
                     .density = 1000,
                     .at = {.p = {k * (2 * R + gap * R), 0, 0}},
                     .velocity = {k == 0 ? std::sqrt(s) : 0, 0, 0}});
    MoreauJean run(model.finish(), with_step(1e-3 * std::sqrt(s)));
    const auto before = momenta(run);
    const double energy = run.view().energy();
    advance(run, 100);
    EXPECT_LT((momenta(run) - before).norm(), 1e-12 * before.norm());
    EXPECT_LT(run.view().energy(), energy * (1 + 1e-12));
    if (e == 1) {
        EXPECT_NEAR(run.view().energy() / energy, 1, 1e-12);
    }
    std::array<double, 5> v;
    for (int k = 0; k < 5; ++k) v[k] = run.view().velocity(GrainId{k}).x() / std::sqrt(s);
    return v;
}

TEST_P(Ball, CradleWithGapsPassesTheSpeedToTheLastBall)
{
    const std::array<double, 5> v = cradle(s, 1e-6, 1);
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(v[k], k == 4 ? 1 : 0, 1e-12) << k;
}

TEST_P(Ball, TouchingCradleReversesEveryContactAtOnceAsNewtonsLawForSimultaneousImpactsSays)
{
    // u+ = -e u- at all four contacts: the others leave together with (1 + e) / 5 of the speed.
    for (double e : {0.0, 0.5, 1.0}) {
        const std::array<double, 5> v = cradle(s, -1e-9, e);
        for (int k = 0; k < 5; ++k)
            EXPECT_NEAR(v[k], k == 0 ? (1 - 4 * e) / 5 : (1 + e) / 5, 1e-12) << e << k;
    }
}

} // namespace
} // namespace tamis::ball_scene_test
