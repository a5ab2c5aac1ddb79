#include "tamis/model/description.hpp"
#include "tamis/smooth/smooth.hpp"

#include "error_of.hpp"
#include "model/scenes.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace smooth_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;

namespace {

void run(Stepper& stepper, long steps, double most_open = 1e-10)
{
    for (long k = 0; k < steps; ++k) ASSERT_LE(stepper.step().loop_error, most_open);
}

// Error against the relative formulation at the end, for two steps of the smooth one.
void expect_second_order(const Model& model, double end, long steps, double most)
{
    MoreauJean relative(model, {.h = end / 4000});
    for (int k = 0; k < 4000; ++k) relative.step();
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const long n = steps << k;
        Smooth smooth(model, {.h = end / static_cast<double>(n)});
        run(smooth, n);
        error[k] = largest_distance(smooth.view(), relative.view());
    }
    EXPECT_LT(error[1], most);
    EXPECT_NEAR(error[0] / error[1], 4, 0.8);
}

} // namespace

TEST(Smooth, KeepsJointsOfEveryKindClosedAndMovesAsInRelativeCoordinates)
{
    ModelDescription model("joints");
    model.gravity({0, -gravity, 1});
    chain_of_every_joint(model, {planar_x(), planar_y(), planar_z()});
    expect_second_order(model.finish(), 0.2, 50, 1e-3);

    Smooth smooth(model.finish(), {.h = 1e-3});
    const MoreauJean relative(model.finish(), {.h = 1e-3});
    const Mechanism& m = model.finish().mechanisms()[0];
    for (int j = 0; j < m.nv(); ++j) {
        const Coordinate c{0, j};
        EXPECT_NEAR(smooth.view().v(c), relative.view().v(c), 1e-12) << m.coordinate_name(j);
        if (m.links().back().v <= j || contains(m.coordinate_name(j), "body 7")) continue;
        EXPECT_NEAR(smooth.view().q(c), relative.view().q(c), 1e-12) << m.coordinate_name(j);
    }
}

TEST(Smooth, FeelsTheForcesOfRelativeCoordinates)
{
    ModelDescription model("forces");
    model.gravity({0, -gravity, 0});
    const Body a = add_link(model, "a", ground, universal({1, 0, 0}, {0, 1, 0}), {0, 0, 0});
    const Body b = add_link(model, "b", a, hinge({0, 1, 1}), {0.5, 0, 0});
    const Body c = add_link(model, "c", b, slide({1, 0, 1}), {0.1, 0.3, 0});
    model.start(a, 0.3, 1, 0);
    model.start(a, -0.2, -2, 1);
    model.start(b, 6.5, 2); // beyond a turn
    model.start(c, 0.1, 0.5);
    model.spring(model.coordinate(a, 0), {8, 0.1, 0.2});
    model.spring(model.coordinate(a, 1), {5, 0.2, -0.1});
    model.spring(model.coordinate(b), {9, 0.3, 6.0});
    model.spring(model.coordinate(c), {80, 1, 0.05});
    const Frame tip = model.frame("tip", c, {0.2, 0.1, 0}), post = model.frame("post", ground, {1, 1, 0});
    model.spring(tip, post, {20, 0.5, 0.6});
    model.force(model.coordinate(b), [=](const View& s) {
        return std::sin(5 * s.time()) - 0.1 * s.v({0, 2});
    });
    model.force(model.coordinate(c), [](const View& s) { return 3 * std::cos(7 * s.time()); });
    model.wrench(tip, [=](const View& s) {
        return Wrench{-0.3 * s.velocity(tip), {0.1, 0.2 * s.time(), 0}};
    });
    model.finish();
    expect_second_order(model.finish(), 0.4, 80, 3e-4);
}

TEST(Smooth, DrivesCoordinatesOfEveryKind)
{
    ModelDescription model("drives");
    model.gravity({0, -gravity, 0});
    const Body cart = add_link(model, "cart", ground, slide({1, 1, 0}), {0, 0, 0});
    const Body arm = add_link(model, "arm", cart, hinge({0, 1, 1}), {0.2, 0, 0});
    const Body hand = add_link(model, "hand", arm, universal({1, 0, 0}, {1, 2, 0}), {0.3, 0, 0});
    const std::vector<Coordinate> all = {model.coordinate(cart), model.coordinate(arm),
                                         model.coordinate(hand, 0), model.coordinate(hand, 1)};
    auto formula = [](int k) {
        return motion([k](Expr t) { return 0.1 * (k + 1) + (0.5 + k) * sin((3 + k) * t); });
    };
    for (int k = 0; k < 4; ++k) model.drive(all[k], formula(k));
    Smooth smooth(model.finish(), {.h = 2e-3});
    MoreauJean relative(model.finish(), {.h = 2e-4});
    for (int k = 0; k < 300; ++k) run(smooth, 1);
    for (int k = 0; k < 3000; ++k) relative.step();
    for (int k = 0; k < 4; ++k) {
        EXPECT_NEAR(smooth.view().q(all[k]), formula(k).position(0.6), 1e-10);
        EXPECT_NEAR(smooth.view().v(all[k]), formula(k).velocity(0.6), 1e-3);
    }
    EXPECT_LT(largest_distance(smooth.view(), relative.view()), 1e-9);
}

TEST(Smooth, KnowsTheForceOfADrive)
{
    // An arm that turns at a constant rate carries its weight: the torque is m g l cos(angle).
    ModelDescription model("arm");
    model.gravity({0, -gravity, 0});
    const Body arm = model.add(
        {.name = "arm", .joint = hinge_z(), .mass = 2, .com = {0.3, 0, 0}, .inertia = {0.1, 0.1, 0.1}});
    const Coordinate c = model.coordinate(arm);
    model.drive(c, motion([](Expr t) { return 5 * t; }));
    const Body lift = model.add({.name = "lift", .joint = slide_y(), .mass = 3, .inertia = {0.1, 0.1, 0.1}});
    model.drive(model.coordinate(lift), motion([](Expr t) { return 0.5 * t * t; }));
    Smooth smooth(model.finish(), {.h = 1e-3});
    for (int k = 1; k <= 2000; ++k) {
        run(smooth, 1);
        if (k % 500) continue;
        EXPECT_NEAR(smooth.view().drive_force(c), 2 * gravity * 0.3 * std::cos(5e-3 * k), 1e-4);
        EXPECT_NEAR(smooth.view().drive_force(model.coordinate(lift)), 3 * (gravity + 1), 1e-6);
    }
    EXPECT_NEAR(smooth.view().q(c), 10, 1e-10); // turns are counted
}

TEST(Smooth, CountsTurnsAgainAfterRestore)
{
    ModelDescription model("wheel");
    const Body wheel = model.add({.name = "wheel", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
    const Coordinate c = model.coordinate(wheel);
    model.start(wheel, 20, 50); // three turns on
    model.spring(c, {10, 0, 5});
    Smooth smooth(model.finish(), {.h = 1e-2});
    const double w = std::sqrt(10.0);
    auto exact = [&](double t) { return 5 + 15 * std::cos(w * t) + 50 / w * std::sin(w * t); };
    run(smooth, 20);
    const SmoothState kept = smooth.solver().state();
    EXPECT_NEAR(smooth.view().q(c), exact(0.2), 0.02);
    run(smooth, 80);
    EXPECT_NEAR(smooth.view().q(c), exact(1), 0.1); // a turn is 6.3
    const std::uint64_t hash = smooth.state_hash();
    smooth.solver().restore(kept);
    EXPECT_NEAR(smooth.view().q(c), exact(0.2), 0.02);
    run(smooth, 80);
    EXPECT_EQ(smooth.state_hash(), hash);
}

TEST(Smooth, WarnsWhenNothingDampsTheForcesInJoints)
{
    ModelDescription model("wheel");
    model.add({.name = "wheel", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
    EXPECT_TRUE(Smooth(model.finish(), {.rho_inf = 0.98}).messages().empty());
    ASSERT_EQ(Smooth(model.finish(), {.rho_inf = 1}).messages().size(), 1u);
    EXPECT_TRUE(contains(Smooth(model.finish(), {.rho_inf = 1}).messages()[0], "rho_inf = 1"));
}

TEST(Smooth, SwingsADoublePendulumAsAnAdaptiveIntegrationOfHighOrder)
{
    // Zhang et al. (2022), Sect. 4.2: two bodies of length 0.4 m, 1 kg, 1 kg m2 about their centres.
    // Computed independently with an adaptive Runge-Kutta method of order 8; angles from the vertical.
    const double L = 0.4;
    const double reference[3][5] = {{0.498, 1.22540218979, 1.6310216643, -1.87113661436, -0.267558162849},
                                    {0.998, -0.12884756339, 1.24569947759, -3.09298271982, -1.35763064551},
                                    {1.998, -1.33263019621, -0.810844696164, 1.24939950601, -2.09637030796}};
    ModelDescription model("double pendulum");
    model.gravity({0, -9.81, 0});
    const Body one = model.add(
        {.name = "one", .joint = hinge_z(), .mass = 1, .com = {0, -L / 2, 0}, .inertia = {1, 1, 1}});
    const Body two = model.add({.name = "two",
                                .parent = one,
                                .joint = hinge_z(),
                                .at = {0, -L, 0},
                                .mass = 1,
                                .com = {0, -L / 2, 0},
                                .inertia = {1, 1, 1}});
    model.start(one, M_PI / 2, 0.5);
    model.start(two, 0, 0);
    const Coordinate a = model.coordinate(one), b = model.coordinate(two);
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        const double h = fine ? 1e-3 : 2e-3;
        Smooth smooth(model.finish(), {.h = h});
        const View& s = smooth.view();
        double& error = errors[fine] = 0;
        for (const auto& [t, theta1, theta2, omega1, omega2] : reference) {
            while (s.time() < t - h / 2) run(smooth, 1);
            ASSERT_NEAR(s.time(), t, 1e-12);
            error = std::max({error, std::abs(s.q(a) - theta1), std::abs(s.q(a) + s.q(b) - theta2),
                              std::abs(s.v(a) - omega1), std::abs(s.v(a) + s.v(b) - omega2)});
        }
    }
    EXPECT_LT(errors[1], 2e-5);
    EXPECT_NEAR(errors[0] / errors[1], 4, 0.3);
}

TEST(Smooth, ClosesTheLoopOfASliderCrank)
{
    const double r = 0.15, l = 0.4;
    ModelDescription model("slider crank");
    model.gravity({0, -gravity, 0});
    const Body crank = model.add({.name = "crank",
                                  .joint = hinge_z(),
                                  .mass = 1,
                                  .com = {r / 2, 0, 0},
                                  .inertia = {1e-3, 1e-3, 1e-3}});
    const Body rod = model.add({.name = "rod",
                                .parent = crank,
                                .joint = hinge_z(),
                                .at = {r, 0, 0},
                                .mass = 1,
                                .com = {l / 2, 0, 0},
                                .inertia = {1e-2, 1e-2, 1e-2}});
    const Body slider =
        model.add({.name = "slider", .joint = slide_x(), .mass = 2, .inertia = {1e-3, 1e-3, 1e-3}});
    model.close({.name = "pin", .kind = LoopKind::point_plane, .a = rod, .point_a = {l, 0, 0}, .b = slider});
    model.drive(model.coordinate(crank), motion([](Expr t) { return 10 * t; }));
    model.start(slider, r + l, 0);
    Smooth smooth(model.finish(), {.h = 1e-3});
    for (int k = 1; k <= 1000; ++k) {
        run(smooth, 1, 1e-12);
        const double phi = 1e-2 * k;
        ASSERT_NEAR(smooth.view().q(model.coordinate(slider)),
                    r * std::cos(phi) + std::sqrt(l * l - r * r * std::sin(phi) * std::sin(phi)), 1e-11);
    }
}

TEST(Smooth, ClosesLoopsOfEveryKind)
{
    for (const LoopKind kind : {LoopKind::point_plane, LoopKind::ball, LoopKind::hinge, LoopKind::rod}) {
        // Two arms in space that meet, or are a rod apart; enough freedom that no constraint is redundant.
        ModelDescription model("loop");
        model.gravity({0, -gravity, 3});
        const Body a = add_link(model, "a", ground, spherical(), {0, 0, 0});
        const Body b = add_link(model, "b", ground, free_joint(), {1, 0, 0});
        LoopSpec loop{
            .name = "loop", .kind = kind, .a = a, .point_a = {0.5, 0, 0}, .b = b, .point_b = {-0.5, 0, 0}};
        loop.axis = loop.axis_b = Vector3d(1, 2, 2) / 3;
        if (kind == LoopKind::rod) {
            loop.point_b = {-0.1, 0, 0};
            loop.length = 0.4;
        }
        model.close(loop);
        model.start(a, Eigen::Quaterniond::Identity(), {0, 0, 1});
        model.finish();
        expect_second_order(model.finish(), 0.3, 60, 1e-3);
    }
}

TEST(Smooth, RefusesContactsAndGrainsAndJointsThatImplyEachOther)
{
    {
        ModelDescription model("contact");
        const Body ball = add_link(model, "ball", ground, free_joint(), {0, 0, 1});
        const MaterialId steel = model.add(Material{});
        model.attach(ball, sphere(0.1), steel, {}, "ball");
        model.attach(ground, wall({0, 0, 1}, 0), steel, {}, "floor");
        const std::string error = error_of([&] { Smooth(model.finish(), {}); });
        EXPECT_TRUE(contains(error, "'ball' and 'floor' may touch")) << error;
    }
    {
        ModelDescription model("grains");
        model.grain({.shape = sphere(0.1), .material = model.add(Material{}), .density = 1000});
        const std::string error = error_of([&] { Smooth(model.finish(), {}); });
        EXPECT_TRUE(contains(error, "The smooth method has no grains")) << error;
    }
    {
        // A parallelogram of four hinges is plane by any three of them.
        ModelDescription model("parallelogram");
        const Body a = add_link(model, "a", ground, hinge_z(), {0, 0, 0});
        const Body b = add_link(model, "b", a, hinge_z(), {0, 1, 0});
        const Body c = add_link(model, "c", ground, hinge_z(), {1, 0, 0});
        model.close({.name = "corner",
                     .kind = LoopKind::ball,
                     .a = b,
                     .point_a = {1, 0, 0},
                     .b = c,
                     .point_b = {0, 1, 0}});
        const std::string error = error_of([&] { Smooth(model.finish(), {}); });
        EXPECT_TRUE(
            contains(error, "The joint 'corner' is redundant: other joints imply 1 of the 18 constraints"))
            << error;
    }
}

TEST(SmoothModel, LeavesBodiesToOthersAndTakesTheirWrench)
{
    // A pendulum on a cart: the cart alone, with the weight of what hangs on it as a wrench.
    ModelDescription model("cart"), alone("alone");
    std::vector<Body> carts;
    for (ModelDescription* m : {&model, &alone}) {
        m->gravity({0, -gravity, 0});
        carts.push_back(add_link(*m, "cart", ground, hinge({0, 1, 1}), {0, 0, 0}));
        const Frame hook = m->frame("hook", carts.back(), {0.2, 0.1, -0.3});
        if (m == &model) {
            const Body arm = add_link(*m, "arm", carts[0], hinge_z(), {0.2, 0.1, -0.3});
            add_link(*m, "hand", arm, hinge_z(), {0.2, 0, 0});
        } else {
            m->wrench(hook, [](const View&) { return Wrench{{1, -7, 2}, {0.3, 0.2, 0.1}}; });
        }
        m->finish();
    }
    SmoothModel smooth(model.finish(), {model.body("arm")});
    EXPECT_EQ(smooth.system().nodes(), 1);
    MarkerWrench& wrench = smooth.marker("hook", carts[0], {0.2, 0.1, -0.3});
    wrench.set({{1, -7, 2}, {0.3, 0.2, 0.1}});
    SmoothSolver solver(smooth.system(), {.h = 1e-3});
    Smooth whole(alone.finish(), {.h = 1e-3});
    for (int k = 0; k < 300; ++k) {
        solver.predict();
        solver.solve();
        solver.accept();
        run(whole, 1);
    }
    EXPECT_LT(
        (smooth.view().position(carts[0], {0, 0, 1}) - whole.view().position(carts[1], {0, 0, 1})).norm(),
        1e-12);
    const std::string error = error_of([&] { smooth.node(model.body("hand")); });
    EXPECT_TRUE(contains(error, "Body 'hand' is left out")) << error;
}

} // namespace smooth_test
