// Points of a pair that take the place of others go on with their springs.
#include "nscd/grain_scenes.hpp"

#include <random>

namespace tamis::inherited_spring_test {
namespace {

using namespace scenes;

// A box slides without friction beyond the edge of another. As its front corners pass it, the edges that cross there
// carry what the corners carried: the box neither drops nor lets go, and sinks there by F/k.
TEST(InheritedSpring, CarriesABoxWhoseCornersPassAnEdge)
{
    for (const ContactForm form : {ContactForm::rate, ContactForm::overlap})
        for (const bool anticipation : {false, true}) {
            constexpr double length = 0.2, height = 0.1, speed = 0.5, mass = length * length * height * 2700,
                             k = 1e6, sag = mass * g / (4 * k), edge = 0.5, start = edge - 0.15;
            ModelDescription model("boxes");
            model.gravity({0, 0, -g});
            const MaterialId soft = model.add(
                Material{.anticipation = anticipation, .stiffness = k, .damping = 2e-3, .form = form});
            const GrainId block = model.grain({.shape = box(length, length, height),
                                               .material = soft,
                                               .density = 2700,
                                               .at = {.p = {start, 0, height / 2}},
                                               .velocity = {speed, 0, 0}});
            model.attach(ground, box(2 * edge, 2 * edge, 0.1), soft, {.p = {0, 0, -0.05}});
            MoreauJean run(model.finish(), with_step(1e-4, 1e-10));
            int crossings = 0;
            for (int n = 0; n < 1300; ++n) {
                ASSERT_TRUE(run.step().converged);
                if (n < 600) continue; // until it is at rest
                const double x = run.view().position(block).x(), beyond = x + length / 2 - edge;
                const double arm = std::min(length, length - beyond);
                double force = 0, front = 0, overlap = 0;
                for (const ContactRecord& c : run.view().contacts()) {
                    force += c.impulse[0] / run.options().h;
                    if (c.point.x() < x) continue;
                    front += c.impulse[0] / run.options().h;
                    overlap = std::max(overlap, -c.gap);
                    crossings += c.feature >= 1 << 30;
                }
                const double expected = mass * g * length / 2 / arm; // by moments about the corners behind
                EXPECT_NEAR(force, mass * g, 2e-2 * mass * g) << n << " " << static_cast<int>(form);
                EXPECT_NEAR(front, expected, 2e-2 * mass * g) << n << " " << static_cast<int>(form);
                EXPECT_NEAR(overlap, expected / 2 / k, 4e-2 * sag) << n << " " << static_cast<int>(form);
            }
            EXPECT_GT(crossings, 100);
        }
}

// Cubes that fall in a heap, whose edges and corners take turns all the time. With an inertia that is the same about
// all axes, and equal springs along and across, the scheme itself creates no energy.
TEST(InheritedSpring, CreatesNoEnergy)
{
    std::mt19937_64 random(5);
    const auto number = [&] { return 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1; };
    ModelDescription model("cubes");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.4, .stiffness = 1e5});
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int l = 0; l < 3; ++l)
                model.grain({.shape = box(0.15, 0.15, 0.15),
                             .material = m,
                             .density = 1000,
                             .at = {.p = {0.17 * i, 0.17 * j, 0.17 * l}},
                             .velocity = {number(), number(), number()},
                             .angular_velocity = {5 * number(), 5 * number(), 5 * number()}});
    model.attach(ground, hollow(box(0.6, 0.6, 0.6)), m, {.p = {0.17, 0.17, 0.17}});
    MoreauJeanOptions options = with_step(2e-4, 1e-10);
    options.contacts.max_sweeps = 100000;
    MoreauJean run(model.finish(), options);
    double energy = run.view().energy();
    const double start = energy, kinetic = run.view().kinetic_energy();
    for (int n = 0; n < 3000; ++n) {
        ASSERT_TRUE(run.step().converged) << n;
        EXPECT_LT(run.view().energy(), energy + 1e-8 * kinetic) << n;
        energy = run.view().energy();
    }
    EXPECT_LT(energy, start - 1);
}

} // namespace
} // namespace tamis::inherited_spring_test
