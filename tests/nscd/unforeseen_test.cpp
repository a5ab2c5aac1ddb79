// Bodies that a contact makes faster within a step do not pass into others that they did not reach for at its start.
#include "nscd/grain_scenes.hpp"

#include <numbers>
#include <random>

namespace tamis::unforeseen_test {
namespace {

using namespace scenes;
using std::numbers::pi;

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

// Stones that lie loosely in a box, one of which is knocked away at 5 m/s among them. What yields, by no more than its
// force does.
TEST(Unforeseen, StoneKnockedAwayAmongStonesPassesIntoNone)
{
    for (const double k : {0.0, 1.7e7}) {
        ModelDescription model("stones");
        const MaterialId m = model.add(Material{.friction = 0.7, .anticipation = true, .stiffness = k});
        std::mt19937 random(11);
        std::uniform_real_distribution<double> number(-1, 1);
        const auto direction = [&] {
            return Vector3d(number(random), number(random), number(random)).normalized();
        };
        constexpr double size = 0.05, pitch = 0.0505;
        constexpr int side = 5;
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j)
                for (int l = 0; l < side; ++l) {
                    std::vector<Vector3d> corners;
                    for (int c = 0; c < 14; ++c) corners.push_back(size / 2 * direction());
                    const bool knocked = i == side / 2 && j == side / 2 && l == 0;
                    const double angle = pi * number(random);
                    model.grain({.shape = polyhedron(corners),
                                 .material = m,
                                 .density = 2700,
                                 .at = {turn(angle, direction()), pitch * Vector3d(i, j, l)},
                                 .velocity = knocked ? Vector3d(0.5, -0.3, 5) : Vector3d(0, 0, 0)});
                }
        const Vector3d middle = pitch * (side - 1) / 2 * Vector3d(1, 1, 1);
        model.attach(ground, hollow(box(0.27, 0.27, 0.27)), m, {.p = middle});
        MoreauJean run(model.finish(), with_step(step, 1e-6));
        double mean = 0, force = 0;
        for (const GrainRecord& grain : model.grains()) mean += 2 * grain.radius / (side * side * side);
        for (int n = 0; n < 200; ++n) {
            const StepReport report = run.step();
            EXPECT_TRUE(report.converged) << n;
            for (const ContactRecord& c : run.view().contacts()) force = std::max(force, c.impulse[0] / step);
            // What a contact yields is at most the largest force so far over its stiffness.
            EXPECT_LT(report.penetration, 0.005 * mean + (k > 0 ? force / k : 0.0)) << n << " " << k;
        }
        int moved = 0; // it was no shot through a gap
        for (std::size_t i = 0; i < model.grains().size(); ++i)
            moved += (run.state().grains[i].x - model.grains()[i].at.p).norm() > 1e-3;
        EXPECT_GT(moved, 10) << k;
    }
}

} // namespace
} // namespace tamis::unforeseen_test
