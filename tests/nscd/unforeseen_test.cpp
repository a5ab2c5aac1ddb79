// Bodies that a contact makes faster within a step do not pass into others that they did not reach for at its start.
#include "nscd/grain_scenes.hpp"

#include <random>

namespace tamis::unforeseen_test {
namespace {

using namespace scenes;

constexpr double step = 5e-4;

MaterialId stone(ModelDescription& model)
{
    return model.add(Material{.friction = 0.5, .anticipation = true});
}

// Largest overlap in `steps`, where detection sees it.
double deepest(MoreauJean& run, int steps)
{
    double most = 0;
    for (int n = 0; n < steps; ++n) {
        const StepReport report = run.step();
        EXPECT_TRUE(report.converged);
        most = std::max(most, report.penetration);
    }
    return most;
}

// A heavy ball at 5 m/s knocks a light one away, which lies 1 mm before the next, and so on: each is knocked against
// the next within the same step.
TEST(Unforeseen, KnockedStonesStopAtTheNext)
{
    for (const bool balls : {true, false}) {
        ModelDescription model("line");
        const MaterialId m = stone(model);
        const Shape small = balls ? sphere(0.02) : box(0.04, 0.04, 0.04);
        model.grain({.shape = sphere(0.05),
                     .material = m,
                     .density = 1e5,
                     .at = {.p = {-0.0735, 0, 0}},
                     .velocity = {5, 0, 0}});
        for (int i = 0; i < 6; ++i)
            model.grain({.shape = small, .material = m, .density = 2700, .at = {.p = {0.041 * i, 0, 0}}});
        model.attach(ground, wall({-1, 0, 0}, -0.041 * 5 - 0.03), m);
        MoreauJean run(model.finish(), with_step(step, 1e-6));
        EXPECT_LT(deepest(run, 3), 2e-6) << balls;
    }
}

// The same with a body of a mechanism in between.
TEST(Unforeseen, KnockedBodyOfAMechanismStopsAtTheWall)
{
    ModelDescription model("piston");
    const MaterialId m = stone(model);
    const Body piston = model.add({.name = "piston", .joint = slide_x(), .mass = 0.1});
    model.attach(piston, box(0.04, 0.04, 0.04), m);
    model.grain({.shape = sphere(0.05),
                 .material = m,
                 .density = 1e5,
                 .at = {.p = {-0.0735, 0, 0}},
                 .velocity = {5, 0, 0}});
    model.attach(ground, wall({-1, 0, 0}, -0.021), m);
    MoreauJeanOptions options = with_step(step, 1e-6);
    options.force = ForceEvaluation::explicit_;
    MoreauJean run(model.finish(), options);
    EXPECT_LT(deepest(run, 3), 1e-5);
}

// A ball shot into a loose box of stones.
TEST(Unforeseen, ShotIntoStonesOverlapsByLessThanHalfAPercent)
{
    ModelDescription model("shot");
    const MaterialId m = stone(model);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> angle(-1, 1);
    constexpr double size = 0.04, pitch = 0.042;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 5; ++k)
                model.grain({.shape = sphere(size / 2),
                             .material = m,
                             .density = 2700,
                             .at = {.p = pitch * Vector3d(i, j, k) +
                                         2e-4 * Vector3d(angle(random), angle(random), angle(random))}});
    model.grain({.shape = sphere(0.04),
                 .material = m,
                 .density = 2e4,
                 .at = {.p = {2 * pitch, 2 * pitch, -0.0625}},
                 .velocity = {0.2, 0.1, 5}});
    model.attach(ground, hollow(box(0.3, 0.3, 0.4)), m, {.p = {2 * pitch, 2 * pitch, 2 * pitch}});
    MoreauJean run(model.finish(), with_step(step, 1e-6));
    EXPECT_LT(deepest(run, 100), 0.005 * size);
}

} // namespace
} // namespace tamis::unforeseen_test
