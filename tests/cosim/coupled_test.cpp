// Models cut in two against the same models as a whole.
#include "tamis/cosim/coupled.hpp"
#include "tamis/model/description.hpp"

#include "allocations.hpp"
#include "cosim/cut_scenes.hpp"
#include "error_of.hpp"
#include "support/two_masses.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace coupled_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;

namespace {

CoupledOptions by(CouplingScheme scheme, const BaumgarteWeights& weights = index_1)
{
    return {.scheme = scheme, .weights = weights, .absolute = 1e-9};
}

// Relative L1 error of x2 over [0, 0.1] s: Zhang et al. (2020), eq. 34.
double error_of_two_masses(const CoupledOptions& options)
{
    ModelDescription model("two masses");
    const TwoMassBodies b = add_two_masses(model, {.k1 = 5000, .v = 1});
    Coupled run(model.finish(), {b.second}, options);
    const double h = options.H, w = std::sqrt(2500.0);
    double error = 0, sum = 0;
    for (int n = 1; n <= std::lround(0.1 / h); ++n) {
        run.step();
        const double exact = std::sin(w * n * h) / w;
        error += std::abs(run.view().position(b.second)[0] - exact);
        sum += std::abs(exact);
    }
    return error / sum;
}

// Largest distance from the whole at t_end.
double distance(const Model& model, Body cut, CoupledOptions options, const View& whole, double t_end,
                int steps)
{
    options.H = t_end / steps;
    Coupled run(model, {cut}, options);
    for (int n = 0; n < steps; ++n) run.step();
    EXPECT_EQ(run.coupling().statistics().not_converged, 0);
    return largest_distance(run.view(), whole);
}

// Halving the step halves the error, and it is small.
void expect_first_order(const Model& model, Body cut, const CoupledOptions& options, const View& whole,
                        double t_end, int steps, double largest, const std::string& name)
{
    const double coarse = distance(model, cut, options, whole, t_end, steps),
                 fine = distance(model, cut, options, whole, t_end, 2 * steps);
    EXPECT_LT(fine, largest) << name;
    EXPECT_GT(coarse / fine, 1.7) << name << " " << coarse << " " << fine;
    EXPECT_LT(coarse / fine, 2.4) << name << " " << coarse << " " << fine;
}

} // namespace

TEST(Coupled, HasThePublishedErrorsOfTwoMasses)
{
    EXPECT_NEAR(error_of_two_masses({.H = 1e-3}), 3.23e-2, 0.005e-2); // Zhang et al. (2020), Table 1
    EXPECT_NEAR(error_of_two_masses({.H = 1e-4}), 3.29e-3, 0.005e-3);
}

// Explicit in the force, and implicit in the motion: of first order where what hangs on the cut is light.
TEST(Coupled, StaggeredStepsAreOfFirstOrder)
{
    const auto error = [](double h) {
        ModelDescription model("two masses");
        const TwoMassBodies b = add_two_masses(model, {.m2 = 0.3, .k1 = 5000, .v = 1});
        CoupledOptions options = by(CouplingScheme::staggered);
        options.H = h;
        Coupled run(model.finish(), {b.second}, options);
        const double w = std::sqrt(5000 / 1.3);
        double largest = 0;
        for (int n = 1; n <= std::lround(0.1 / h); ++n) {
            run.step();
            largest = std::max(largest, std::abs(run.view().position(b.second)[0] - std::sin(w * n * h) / w));
        }
        EXPECT_EQ(run.coupling().statistics().iterations, std::lround(0.1 / h));
        return largest * w; // of the amplitude
    };
    const double coarse = error(1e-3), fine = error(5e-4);
    EXPECT_LT(fine, 0.1);
    EXPECT_GT(coarse / fine, 1.7);
    EXPECT_LT(coarse / fine, 2.4);
}

// The error is that of the force, a step late. A motion of the marker that comes late, too, would double it.
TEST(Coupled, SubStepsOfTheSmoothSideAddNoDelay)
{
    for (const CouplingScheme scheme :
         {CouplingScheme::tight, CouplingScheme::loose, CouplingScheme::modified}) {
        CoupledOptions o = by(scheme);
        o.smooth.rho_inf = 0.45;
        const double error = error_of_two_masses(o);
        for (o.smooth_substeps = 2; o.smooth_substeps <= 4; o.smooth_substeps += 2)
            EXPECT_LT(error_of_two_masses(o), 1.1 * error) << static_cast<int>(scheme);
    }
}

TEST(Coupled, ChainInSpaceConvergesToTheWholeByAnyScheme)
{
    using enum CouplingScheme;
    Chain c;
    const double t_end = 0.1;
    const auto whole = whole_run(c.model.finish(), t_end, 2000);
    const auto expect = [&](const CoupledOptions& options, const std::string& name) {
        expect_first_order(c.model.finish(), c.arm, options, whole->view(), t_end, 100, 3e-3, name);
    };
    for (const CoupledOptions& options : {by(tight), by(modified)}) // a hinge passes moments on
        expect_first_order(c.model.finish(), c.tip, options, whole->view(), t_end, 100, 3e-3, "at the tip");
    expect(by(tight), "tight");
    expect(by(loose), "loose");
    expect(by(original), "original");
    expect(by(modified, index_1), "index 1");
    expect(by(modified, index_2), "index 2");
    CoupledOptions o = by(tight);
    o.repeat = Repetition::aitken;
    expect(o, "Aitken");
    o.repeat = Repetition::quasi_newton;
    expect(o, "quasi-Newton");
    o.sweep = Sweep::jacobi;
    expect(o, "Jacobi, quasi-Newton");
    o = by(modified);
    o.sweep = Sweep::jacobi;
    expect(o, "Jacobi, explicit");
    o = by(modified);
    o.nonsmooth_substeps = 3;
    expect(o, "nonsmooth sub-steps");
    for (const CouplingScheme scheme : {tight, modified}) {
        o = by(scheme);
        o.smooth_substeps = 2;
        expect(o, "smooth sub-steps");
    }
}

TEST(Coupled, LoopsOnBothSidesConvergeToTheWhole)
{
    Linkage l;
    const double t_end = 0.1;
    const auto whole = whole_run(l.model.finish(), t_end, 2000);
    expect_first_order(l.model.finish(), l.frame, by(CouplingScheme::tight), whole->view(), t_end, 100, 3e-3,
                       "tight");
    expect_first_order(l.model.finish(), l.frame, by(CouplingScheme::modified), whole->view(), t_end, 100,
                       3e-3, "index 1");
}

// The published double pendulum: at 0.198 s, theta1, theta2 and their rates by an independent integration of
// eighth order.
TEST(Coupled, DoublePendulumConvergesToTheReference)
{
    ModelDescription model("double pendulum");
    const double L = 0.4;
    model.gravity({0, -9.81, 0});
    const auto body = [&](const std::string& name, Body parent, double at) {
        return model.add({.name = name,
                          .parent = parent,
                          .joint = hinge_z(),
                          .at = {0, -at, 0},
                          .mass = 1,
                          .com = {0, -L / 2, 0},
                          .inertia = {1, 1, 1}});
    };
    const Body first = body("first", ground, 0), second = body("second", first, L);
    model.start(first, std::numbers::pi / 2, 0.5);
    model.finish();
    const Coordinate q1 = model.coordinate(first), q2 = model.coordinate(second);
    const Eigen::Vector4d reference(1.57564831615, 1.64007729219, -0.450987041571, 0.199930197018);
    const auto error = [&](const CoupledOptions& options, int steps) {
        CoupledOptions o = options;
        o.H = 0.198 / steps;
        Coupled run(model.finish(), {second}, o);
        for (int n = 0; n < steps; ++n) run.step();
        const View& s = run.view();
        return (Eigen::Vector4d(s.q(q1), s.q(q1) + s.q(q2), s.v(q1), s.v(q1) + s.v(q2)) - reference).norm();
    };
    for (const CoupledOptions& o : {by(CouplingScheme::tight), by(CouplingScheme::modified)}) {
        const double coarse = error(o, 99), fine = error(o, 198);
        EXPECT_LT(fine, 5e-3);
        EXPECT_GT(coarse / fine, 1.8) << coarse << " " << fine;
    }
}

// Plain repetition multiplies the error of the force by about m2 / m1 b0^2.
TEST(Coupled, HeavySecondMassTakesMoreThanPlainRepetition)
{
    ModelDescription model("two masses");
    const TwoMassBodies b = add_two_masses(model, {.m2 = 20, .k1 = 5000, .v = 0.1});
    const auto position = [&](Repetition repeat, bool strict) {
        CoupledOptions o{.repeat = repeat, .absolute = 1e-9, .must_converge = strict};
        Coupled run(model.finish(), {b.second}, o);
        for (int n = 0; n < 100; ++n) run.step();
        EXPECT_EQ(run.coupling().statistics().not_converged, 0);
        return run.view().position(b.second)[0];
    };
    const double w = std::sqrt(5000 / 21.0), exact = 0.1 * std::sin(w * 0.1) / w;
    for (const Repetition repeat : {Repetition::aitken, Repetition::quasi_newton})
        EXPECT_NEAR(position(repeat, true), exact, 0.02 * exact); // first order: h m2 k1 / (2 M^2) t
    const std::string error = error_of([&] { position(Repetition::plain, true); });
    EXPECT_TRUE(contains(error, "did not converge in 50 iterations at t = 0.001 s")) << error;
    EXPECT_TRUE(contains(error, "accelerate them (Aitken, quasi-Newton)")) << error;
}

TEST(Coupled, DivergenceIsToldByItsSchemeAndRemedy)
{
    ModelDescription model("two masses");
    const TwoMassBodies b = add_two_masses(model, {.m2 = 3, .k1 = 5000, .v = 0.1});
    Coupled run(model.finish(), {b.second}, by(CouplingScheme::original));
    const std::string error = error_of([&] {
        for (int n = 0; n < 1000; ++n) run.step();
    });
    EXPECT_TRUE(
        contains(error, "The explicit Gauss-Seidel coupling of nonsmooth side and smooth side diverges"))
        << error;
    EXPECT_TRUE(contains(error, "tight (iterated) coupling")) << error;
}

TEST(Coupled, StepsThatDoNotConvergeAreCountedAndNoted)
{
    Chain c;
    CoupledOptions o = by(CouplingScheme::tight);
    o.max_iterations = 2;
    Coupled run(c.model.finish(), {c.arm}, o);
    for (int n = 0; n < 5; ++n) run.step();
    ASSERT_EQ(run.messages().size(), 1u);
    EXPECT_TRUE(contains(run.messages()[0], "5 of 5 macro steps did not converge within 2 iterations"))
        << run.messages()[0];
}

// A drive beyond the cut moves its body, and what it takes is seen in the whole model.
TEST(Coupled, DriveBeyondTheCutActsAndIsSeen)
{
    ModelDescription model("driven");
    const Body carrier = add_link(model, "carrier", ground, hinge_z(), {0, 0, 0});
    const Body arm = add_link(model, "arm", carrier, hinge_z(), {0.3, 0, 0});
    const Body tip = add_link(model, "tip", arm, hinge_z(), {0.2, 0, 0});
    const Coordinate driven = model.coordinate(tip);
    model.drive(driven, motion([](Expr t) { return 0.3 * sin(10 * t); }));
    const auto whole = whole_run(model.finish(), 0.1, 1000);
    CoupledOptions o = by(CouplingScheme::tight);
    o.H = 1e-4;
    o.repeat = Repetition::quasi_newton;
    Coupled run(model.finish(), {arm}, o);
    for (int n = 0; n < 1000; ++n) run.step();
    EXPECT_NEAR(run.view().q(driven), 0.3 * std::sin(1), 1e-10);
    const double force = whole->view().drive_force(driven);
    EXPECT_NEAR(run.view().drive_force(driven), force, 0.01 * std::abs(force));
}

// Laws of bodies beyond the cut see the whole model by its own coordinates and frames: a spring by laws is a
// spring.
TEST(Coupled, LawsBeyondTheCutSeeTheWholeModel)
{
    const double stiffness = 30;
    const auto tip_after = [&](bool by_laws) {
        ModelDescription model("laws");
        model.gravity({0, -gravity, 0});
        const Body carrier = add_link(model, "carrier", ground, hinge_z(), {0, 0, 0});
        const Body arm = add_link(model, "arm", carrier, hinge({1, 1, 0}), {0.3, 0, 0});
        const Body tip = add_link(model, "tip", arm, hinge_z(), {0.2, 0, 0});
        const Coordinate bend = model.coordinate(tip);
        const Frame end = model.frame("end", tip, {0.2, 0, 0}),
                    anchor = model.frame("anchor", ground, {2, 0, 0});
        if (by_laws) {
            model.force(bend, [=](const View& s) { return -stiffness * s.q(bend); });
            model.wrench(end, [=](const View& s) {
                return Wrench{stiffness * (s.position(anchor) - s.position(end)), {0, 0, 0}};
            });
        } else {
            model.spring(bend, {.stiffness = stiffness});
            model.spring(end, anchor, {.stiffness = stiffness});
        }
        model.start(tip, 0.3, 1);
        CoupledOptions o = by(CouplingScheme::tight); // what hangs on the carrier is heavier than it
        o.repeat = Repetition::quasi_newton;
        o.must_converge = true;
        Coupled run(model.finish(), {arm}, o);
        for (int n = 0; n < 50; ++n) run.step();
        return run.view().position(end);
    };
    EXPECT_LT((tip_after(true) - tip_after(false)).norm(), 1e-10);
}

// A container on a spring, and balls that fall into it: the container stays on the smooth side and gets what
// contacts do to it.
TEST(Coupled, ContainerOfBallsKeepsTheMomentumOfTheWhole)
{
    ModelDescription model("container");
    model.gravity({0, 0, -gravity});
    const Body container =
        model.add({.name = "container", .joint = slide_z(), .mass = 1, .inertia = {0.1, 0.1, 0.1}});
    const MaterialId steel = model.add(Material{.friction = 0.3});
    model.attach(container, hollow(box(0.5, 0.5, 0.5)), steel, {}, "inside");
    for (int k = 0; k < 5; ++k)
        model.grain({.shape = sphere(0.05),
                     .material = steel,
                     .density = 300,
                     .at = {.p = {0.03 * k - 0.06, 0.02 * (k % 2), -0.18 + 0.11 * k * 0.5}},
                     .velocity = {0.1 * (k % 3), 0, -0.5}});
    const double stiffness = 500;
    model.spring(model.coordinate(container), {.stiffness = stiffness, .damping = 5});
    const double t_end = 0.1;
    const auto height = [&](int steps) { // of the container and of its load, in a run of the whole
        MoreauJeanOptions o{.h = t_end / steps};
        o.contacts.threads = 1;
        MoreauJean whole(model.finish(), o);
        for (int n = 0; n < steps; ++n) whole.step();
        return whole.view().position(container)[2];
    };
    const auto coupled = [&](int steps) {
        CoupledOptions o = by(CouplingScheme::tight);
        o.H = t_end / steps;
        o.nonsmooth.contacts = {.tolerance = 1e-8, .threads = 1};
        Coupled run(model.finish(), {container, CutKind::contacts}, o);
        double load = 0;
        for (int n = 0; n < steps; ++n) {
            const View& s = run.view();
            double before = 0, mass = 0;
            for (std::size_t k = 0; k < s.grains().size(); ++k) {
                before += model.grains()[k].mass * s.grains()[k].v[2];
                mass += model.grains()[k].mass;
            }
            run.step();
            double after = 0;
            for (std::size_t k = 0; k < s.grains().size(); ++k)
                after += model.grains()[k].mass * s.grains()[k].v[2];
            // What the balls lose beyond gravity the container gets, step by step.
            EXPECT_NEAR(o.H * run.wrench().force[2], before - after - o.H * mass * gravity, 1e-9);
            load += o.H * std::abs(run.wrench().force[2]);
        }
        EXPECT_GT(load, 0.1);
        return run.view().position(container)[2];
    };
    const double whole = height(4000);
    EXPECT_NEAR(coupled(400), whole, 0.05 * std::abs(whole));
}

TEST(Coupled, RestartForgetsWhatWasBefore)
{
    Chain c;
    for (const int substeps : {1, 2}) {
        CoupledOptions o = by(CouplingScheme::tight);
        o.smooth_substeps = substeps;
        Coupled run(c.model.finish(), {c.arm}, o);
        const SmoothState smooth = run.smooth().solver().state();
        const State nonsmooth = run.nonsmooth().stepper().state();
        for (int n = 0; n < 5; ++n) run.step();
        const std::uint64_t hash = run.state_hash();
        run.restart(smooth, nonsmooth);
        for (int n = 0; n < 5; ++n) run.step();
        EXPECT_EQ(run.state_hash(), hash) << substeps;
    }
}

TEST(Coupled, StepsDoNotAllocate)
{
    Chain c;
    for (const CoupledOptions& o : {by(CouplingScheme::tight), by(CouplingScheme::modified)}) {
        Coupled run(c.model.finish(), {c.arm}, o);
        for (int n = 0; n < 3; ++n) run.step();
        const long before = allocations;
        for (int n = 0; n < 5; ++n) run.step();
        EXPECT_EQ(allocations, before);
    }
}

} // namespace coupled_test
