// Steps that change their size on the way (GuidedStepper::set_step).
#include "nscd/grain_scenes.hpp"

#include <numbers>

namespace tamis::step_change_test {

using namespace scenes;

// A ball that lies on springs goes on lying there: what its contact remembers is a force, whatever the step.
TEST(StepChange, LeavesABallAtRest)
{
    const double mass = 0.7, radius = 0.1, sag = 1e-4, k = mass * g / sag, h = 5e-4;
    for (const ContactForm form : {ContactForm::rate, ContactForm::overlap}) {
        ModelDescription model("ball");
        model.gravity({0, 0, -g});
        const MaterialId soft =
            model.add(Material{.stiffness = k, .damping = 0.3 * std::sqrt(sag / g), .form = form});
        model.grain({.shape = sphere(radius),
                     .material = soft,
                     .density = mass / (4.0 / 3 * std::numbers::pi * std::pow(radius, 3)),
                     .at = {.p = {0, 0, radius}}});
        model.attach(ground, wall({0, 0, 1}, 0), soft);
        MoreauJean run(model.finish(), with_step(h));
        advance(run, 3000);
        const double z = run.view().position(GrainId{0}).z();
        for (const double next : {h / 3, 2 * h, h / 7}) {
            run.set_step(next);
            EXPECT_NEAR(run.view().contact_energy(), mass * g * sag / 2, 1e-6 * mass * g * sag);
            for (int n = 0; n < 20; ++n) {
                run.step();
                EXPECT_NEAR(run.view().contacts()[0].impulse[0], mass * g * next, 1e-7 * mass * g * next);
                EXPECT_EQ(run.view().step_size(), next);
            }
            EXPECT_NEAR(run.view().position(GrainId{0}).z(), z, 1e-7 * sag) << next;
        }
    }
}

// A ball that falls: x_n+1 = x_n + h (v_n + v_n+1) / 2 is exact at every step of whatever size, and time is their sum.
TEST(StepChange, KeepsAFreeFallExact)
{
    ModelDescription model("ball");
    model.gravity({0, 0, -g});
    model.grain({.shape = sphere(0.1), .material = model.add(Material{}), .density = 1000, .at = {}});
    MoreauJean run(model.finish(), with_step(1e-2));
    double t = 0;
    for (const double h : {1e-2, 3e-3, 3e-3, 2e-2, 1e-4}) {
        run.set_step(h);
        for (int n = 0; n < 10; ++n) run.step();
        t += 10 * h;
        EXPECT_NEAR(run.view().time(), t, 1e-15);
        EXPECT_NEAR(run.view().position(GrainId{0}).z(), -g * t * t / 2, 1e-14);
    }
}

// One call for the step that there is changes no bit.
TEST(StepChange, ToTheSameStepChangesNothing)
{
    const auto hash = [](bool call) {
        ModelDescription model("balls");
        model.gravity({0, 0, -g});
        const MaterialId soft = model.add(Material{.friction = 0.3, .restitution = 0.5, .stiffness = 1e4});
        for (int k = 0; k < 4; ++k)
            model.grain({.shape = sphere(0.1),
                         .material = soft,
                         .density = 1000,
                         .at = {.p = {0.05 * k, 0, 0.12 + 0.21 * k}}});
        model.attach(ground, wall({0, 0, 1}, 0), soft);
        MoreauJean run(model.finish(), with_step(1e-3));
        advance(run, 300);
        if (call) run.set_step(1e-3);
        advance(run, 1);
        return run.state_hash();
    };
    EXPECT_EQ(hash(true), hash(false));
}

} // namespace tamis::step_change_test
