// Runs that repeat, go on from a state, remember, and allocate nothing.
#include "allocations.hpp"
#include "error_of.hpp"
#include "nscd/step_scenes.hpp"
#include "tamis/model/description.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace repeated_run_test {

using namespace tamis;
using namespace tamis::scenes;

namespace {

// Docquier et al. (2020), Sect. 5: a chain of three hinges whose slider rattles between two walls.
Body rattling_slider_crank(ModelDescription& model, double friction)
{
    const double l1 = 0.153, l2 = 0.306, height = 0.05, clearance = 1e-3;
    model.gravity({0, -10, 0});
    const Body crank = model.add({.name = "crank",
                                  .joint = hinge_z(),
                                  .mass = 0.038,
                                  .com = {l1 / 2, 0, 0},
                                  .inertia = {0, 0, 7.5e-5}});
    const Body rod = model.add({.name = "rod",
                                .parent = crank,
                                .joint = hinge_z(),
                                .at = {l1, 0, 0},
                                .mass = 0.038,
                                .com = {l2 / 2, 0, 0},
                                .inertia = {0, 0, 5.9e-4}});
    const Body slider = model.add({.name = "slider",
                                   .parent = rod,
                                   .joint = hinge_z(),
                                   .at = {l2, 0, 0},
                                   .mass = 0.076,
                                   .inertia = {0, 0, 2.7e-6}});
    model.start(crank, 0, 150);
    model.start(rod, 0, -225);
    model.start(slider, 0, 75);
    const MaterialId steel = model.add(Material{.friction = friction, .restitution = 0.4});
    model.attach(slider, rectangle(0.1, height), steel);
    model.attach(ground, wall({0, -1, 0}, -height / 2 - clearance), steel);
    model.attach(ground, wall({0, 1, 0}, -height / 2 - clearance), steel);
    return crank;
}

} // namespace

TEST(MoreauJean, TwoRunsEndInTheSameState)
{
    for (double friction : {0.0, 0.1}) {
        ModelDescription model("slider-crank");
        rattling_slider_crank(model, friction);
        MoreauJean a(model.finish(), {}), b(model.finish(), {});
        advance(a, 1500);
        const std::uint64_t middle = a.state_hash();
        advance(a, 500);
        advance(b, 2000);
        EXPECT_EQ(a.state_hash(), b.state_hash());
        EXPECT_EQ(a.state().q, b.state().q);
        EXPECT_NE(a.state_hash(), middle);
    }
}

TEST(MoreauJean, RestoredStateContinuesBitForBit)
{
    for (bool driven : {false, true}) {
        ModelDescription model("slider-crank");
        const Body crank = rattling_slider_crank(model, 0.1);
        if (driven)
            model.drive(model.coordinate(crank), motion([](Expr t) { return 150 * t + 0.1 * sin(80 * t); }));
        MoreauJean original(model.finish(), {}), copy(model.finish(), {});
        advance(original, 1000);
        while (original.state().impulses.empty()) original.step();
        const State saved = original.state();
        advance(original, 500);
        copy.restore(saved);
        EXPECT_EQ(copy.view().time(), saved.t);
        advance(copy, 500);
        EXPECT_EQ(copy.state().q, original.state().q);
        EXPECT_EQ(copy.state().v, original.state().v);
        EXPECT_EQ(copy.state().t, original.state().t);
        EXPECT_EQ(copy.state_hash(), original.state_hash());
        if (!driven) continue;
        EXPECT_EQ(copy.view().drive_force(model.coordinate(crank)),
                  original.view().drive_force(model.coordinate(crank)));
    }
}

// Thrust until the sledge has gone a metre: the switch stays open when a spring brings it back.
TEST(MoreauJean, ControllersRemember)
{
    const double a = 2, h = 1e-2;
    ModelDescription model("sledge");
    const Body sledge = model.add({.name = "sledge", .joint = slide_x(), .mass = 1});
    const Coordinate x = model.coordinate(sledge);
    const Memory over =
        model.memory("over", 0, [=](const View& s, double now) { return now == 1 || s.q(x) > 1 ? 1 : 0; });
    const Memory one = model.memory("one", 1, [](const View& s, double) { return s.memory({2}); });
    const Memory two = model.memory("two", 2, [=](const View& s, double) { return s.memory(one); });
    model.force(x, [=](const View& s) { return s.memory(over) == 0 ? a : -1.0; });
    MoreauJean stepper(model.finish(), {.h = h, .force = as_published});
    EXPECT_EQ(stepper.view().memory(two), 2);
    double q = 0, v = 0;
    bool open = false;
    for (int n = 1; n <= 800; ++n) {
        stepper.step();
        const double v_next = v + h * (open ? -1 : a);
        q += h * (v + v_next) / 2;
        v = v_next;
        open = open || q > 1;
        ASSERT_NEAR(stepper.view().q(x), q, 1e-12);
        ASSERT_EQ(stepper.view().memory(over), open ? 1 : 0);
        ASSERT_EQ(stepper.view().memory(one), n % 2 == 1 ? 2 : 1); // all change at once: the two swap
        ASSERT_EQ(stepper.view().memory(two), n % 2 == 1 ? 1 : 2);
    }
    EXPECT_LT(q, 1); // it came back
    const auto nothing = [](const View&, double) { return std::nan(""); };
    ModelDescription bad("bad");
    bad.add({.name = "sledge", .joint = slide_x(), .mass = 1});
    EXPECT_EQ(error_of([&] { bad.memory("it", std::nan(""), nothing); }),
              "The memory 'it' starts with nan: give a finite number.");
    EXPECT_EQ(error_of([&] { bad.memory("it", 0, nullptr); }),
              "The memory 'it' has no law: give the function that tells its next value.");
    bad.memory("it", 0, nothing);
    MoreauJean fails(bad.finish(), {.h = h});
    EXPECT_EQ(error_of([&] { fails.step(); }), "The memory 'it' becomes nan at t = 0.01 s.");
}

TEST(MoreauJean, StepsAllocateNothingOnceWarm)
{
    for (double friction : {0.0, 0.1})
        for (bool driven : {false, true}) {
            ModelDescription model("slider-crank");
            const Body crank = rattling_slider_crank(model, friction);
            if (driven) model.drive(model.coordinate(crank), motion([](Expr t) { return 150 * t; }));
            MoreauJeanOptions options;
            options.contacts.solver = "nlgs"; // auto may call the robust solver, which allocates
            MoreauJean stepper(model.finish(), options);
            advance(stepper, 2000);
            const long before = allocations;
            int contacts = 0;
            for (int n = 0; n < 1000; ++n) contacts += stepper.step().contacts;
            EXPECT_EQ(allocations - before, 0) << friction << ' ' << driven;
            EXPECT_GT(contacts, 0);
        }
}

} // namespace repeated_run_test
