// Beams inside the theta-scheme: against the smooth method, closed forms, and in contact.
#include "allocations.hpp"
#include "error_of.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/smooth/smooth.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::test::beams_test {

namespace {

constexpr double length = 0.25, width = 0.03, height = 0.002, E = 210e9, rho = 7845;
constexpr double I = width * height * height * height / 12;

BeamSection section()
{
    return beam_section(RectangularSection{.E = E, .nu = 0.33, .rho = rho, .width = width, .height = height});
}

// A cantilever along x that carries a body at its tip.
struct Cantilever {
    ModelDescription model{"cantilever"};
    Body tip;

    explicit Cantilever(double tip_mass = 0.05, int elements = 4, double damping = 0)
    {
        tip = model.add(
            {.name = "tip", .joint = free_joint(), .mass = tip_mass, .inertia = Inertia(2e-6, 2e-6, 2e-6)});
        model.start(tip, length, 0, 0);
        model.beam({.name = "beam",
                    .a = model.frame("clamp", ground),
                    .b = model.frame("end", tip),
                    .section = section(),
                    .elements = elements,
                    .damping = damping});
    }
};

template <class S>
double tip_at(S& stepper, Body tip, double h, double end)
{
    const int steps = static_cast<int>(std::lround(end / h));
    for (int n = 0; n < steps; ++n) stepper.step();
    return stepper.view().position(tip)[1];
}

MoreauJeanOptions options(double h, double theta = 0.5)
{
    return {.h = h, .theta = theta};
}

} // namespace

// A force on the tip near the first resonance; both methods are of order two.
TEST(Beams, ForcedTipIsThatOfTheSmoothMethodToOrderTwo)
{
    auto make = [](Cantilever& c) {
        c.model.wrench(c.model.frame("force", c.tip), [](const View& s) {
            return Wrench{
                .force = {0, 0.25 * std::pow(std::sin(2 * std::numbers::pi * 15.5 * s.time()), 3), 0}};
        });
        c.model.finish();
    };
    const double end = 0.05;
    auto nonsmooth = [&](double h) {
        Cantilever c;
        make(c);
        MoreauJean stepper(c.model.finish(), options(h));
        return tip_at(stepper, c.tip, h, end);
    };
    Cantilever c;
    make(c);
    Smooth smooth(c.model.finish(), {.h = 1.25e-5, .rho_inf = 0.9});
    const double reference = tip_at(smooth, c.tip, 1.25e-5, end);
    EXPECT_GT(std::abs(reference), 1e-4);
    const double coarse = std::abs(nonsmooth(4e-4) - reference), fine = std::abs(nonsmooth(2e-4) - reference);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
    EXPECT_LT(fine, 1e-3 * std::abs(reference));
}

// The first frequency, from crossings of zero: that of a cantilever with a mass at its end, by Rayleigh's quotient
// within half a per cent, for steps far longer than the periods of the higher modes.
TEST(Beams, FirstFrequencyIsThatOfABeamWithAMassAtItsEnd)
{
    const double m = 0.05, beam = rho * width * height * length;
    const double omega = std::sqrt(3 * E * I / (length * length * length) / (m + 33.0 / 140 * beam));
    Cantilever c(m);
    c.model.start(c.tip, 0, 0.01, 1);
    const double h = 2e-4;
    MoreauJean stepper(c.model.finish(), options(h));
    double last = 0, first_crossing = 0;
    int crossings = 0;
    double crossing = 0;
    for (int n = 0; crossings < 11; ++n) {
        ASSERT_LT(n, 100000);
        stepper.step();
        const double y = stepper.view().position(c.tip)[1];
        if (n > 0 && (y > 0) != (last > 0)) {
            crossing = (n + last / (last - y)) * h;
            if (crossings++ == 0) first_crossing = crossing;
        }
        last = y;
    }
    EXPECT_NEAR(10 * std::numbers::pi / (crossing - first_crossing), omega, 5e-3 * omega);
}

// With theta = 1 long steps damp what swings: the beam comes to rest where its weight bends it.
TEST(Beams, WeightBendsItAsInBooks)
{
    const double g = 10, m = 0.02, q = rho * width * height * g;
    Cantilever c(m, 6);
    c.model.gravity({0, -g, 0});
    MoreauJean stepper(c.model.finish(), options(2e-2, 1));
    for (int n = 0; n < 2000; ++n) stepper.step();
    const double bent = q * std::pow(length, 4) / (8 * E * I) + m * g * std::pow(length, 3) / (3 * E * I);
    EXPECT_NEAR(stepper.view().position(c.tip)[1], -bent, 5e-3 * bent);
    EXPECT_LT(stepper.view().velocity(c.tip).norm(), 1e-9);
}

// Energy of the whole is kept over many periods of the modes that the step resolves.
TEST(Beams, EnergyStaysWithThetaOneHalf)
{
    Cantilever c;
    c.model.start(c.tip, 0, 0.05, 1);
    MoreauJean stepper(c.model.finish(), options(2e-5));
    const double start = stepper.view().energy();
    double most = 0;
    for (int n = 0; n < 5000; ++n) {
        stepper.step();
        most = std::max(most, std::abs(stepper.view().energy() - start));
    }
    EXPECT_LT(most, 2e-3 * start); // the beam's tangent is not symmetric: to the order of the mesh
}

// An end moment of 2 pi E I / L rolls the beam up to a full circle.
TEST(Beams, EndMomentRollsItUp)
{
    Cantilever c(0.01, 12, 1e-4);
    const double full = 2 * std::numbers::pi * E * I / length;
    c.model.wrench(c.model.frame("load", c.tip), [=](const View& s) {
        return Wrench{.moment = {0, 0, full * std::min(s.time() / 4, 1.0)}};
    });
    MoreauJeanOptions o = options(4e-3, 1);
    o.newton_iterations = 20;
    o.newton_tolerance = 1e-8;
    MoreauJean stepper(c.model.finish(), o);
    for (int n = 0; n < 1500; ++n) stepper.step();
    EXPECT_LT(stepper.view().position(c.tip).norm(), 1e-3 * length);
    const Eigen::Vector3d middle = stepper.view().sections(0)[12].pose.p; // half way round: a diameter above
    EXPECT_LT((middle - Eigen::Vector3d(0, length / std::numbers::pi, 0)).norm(), 2e-3 * length);
}

// The tip hits a stop in every swing: it does not pass it, and no energy comes from the impacts.
TEST(Beams, StopHoldsTheTip)
{
    for (const double h : {1e-4, 5e-5}) {
        Cantilever c;
        const MaterialId steel = c.model.add(Material{.restitution = 0.5});
        c.model.attach(c.tip, sphere(0.005), steel, {}, "tip");
        c.model.attach(ground, wall({0, -1, 0}, -0.006), steel, {}, "stop"); // y < 0.006
        c.model.start(c.tip, 0, 0.3, 1);
        MoreauJean stepper(c.model.finish(), options(h));
        const double start = stepper.view().energy();
        int hits = 0;
        double deepest = 0, most = 0;
        for (int n = 0; n < 0.1 / h; ++n) {
            const StepReport report = stepper.step();
            ASSERT_TRUE(report.converged);
            hits += report.contacts > 0;
            deepest = std::max(deepest, report.penetration);
            most = std::max(most, stepper.view().energy());
        }
        EXPECT_GT(hits, 2);
        EXPECT_LT(deepest, 0.35 * h); // no more than a step at the speed of impact
        EXPECT_LT(most, start * (1 + 5e-3));
        EXPECT_LT(stepper.view().energy(), 0.98 * start);
    }
}

namespace {

// Two free bodies joined by a beam; a ball hits the first.
struct FreeBeam {
    ModelDescription model{"free"};
    Body left, right;

    explicit FreeBeam(double restitution)
    {
        const Inertia inertia(2e-6, 2e-6, 2e-6);
        left = model.add({.name = "left", .joint = free_joint(), .mass = 0.05, .inertia = inertia});
        right = model.add({.name = "right", .joint = free_joint(), .mass = 0.03, .inertia = inertia});
        model.start(right, length, 0, 0);
        model.beam({.name = "beam",
                    .a = model.frame("a", left),
                    .b = model.frame("b", right),
                    .section = section(),
                    .elements = 4});
        const MaterialId steel = model.add(Material{.restitution = restitution});
        model.attach(left, sphere(0.01), steel, {}, "target");
        model.grain({.shape = sphere(0.01),
                     .material = steel,
                     .density = 7845,
                     .at = {.p = {0.002, 0.03, 0}},
                     .velocity = {0.1, -2, 0}});
        model.finish();
    }
    Eigen::Vector3d momentum(const View& s) const
    {
        Eigen::Vector3d p = s.momentum();
        const auto nodes = s.sections(0);
        const double element =
            rho * width * height * length / 4; // a parabola through three nodes: Simpson's rule
        for (int e = 0; e < 4; ++e)
            p += element / 6 *
                 (nodes[2 * e].velocity + 4 * nodes[2 * e + 1].velocity + nodes[2 * e + 2].velocity);
        return p;
    }
};

} // namespace

TEST(Beams, BallOnAFreeBeamKeepsMomentumToRoundOff)
{
    for (const double restitution : {0.0, 0.9}) {
        FreeBeam scene(restitution);
        MoreauJean stepper(scene.model.finish(), options(2e-5));
        const Eigen::Vector3d start = scene.momentum(stepper.view());
        const double energy = stepper.view().energy();
        bool touched = false;
        for (int n = 0; n < 1500; ++n) {
            touched = stepper.step().contacts > 0 || touched;
            ASSERT_LT((scene.momentum(stepper.view()) - start).norm(), 1e-12 * start.norm()) << n;
        }
        EXPECT_TRUE(touched);
        EXPECT_GT(stepper.view().velocity(GrainId{0})[1], -1.5);
        EXPECT_LE(stepper.view().energy(), energy * (1 + 1e-3));
    }
}

// A ball falls on a body in the middle of a beam that is clamped at both ends, again and again.
TEST(Beams, BouncingBallConvergesWithTheStep)
{
    auto height_after = [](double h) {
        ModelDescription model("trampoline");
        model.gravity({0, -10, 0});
        const Body plate = model.add(
            {.name = "plate", .joint = free_joint(), .mass = 0.02, .inertia = Inertia(1e-6, 1e-6, 1e-6)});
        model.beam({.name = "left",
                    .a = model.frame("wall a", ground, {-length, 0, 0}),
                    .b = model.frame("end a", plate),
                    .section = section(),
                    .elements = 2});
        model.beam({.name = "right",
                    .a = model.frame("end b", plate),
                    .b = model.frame("wall b", ground, {length, 0, 0}),
                    .section = section(),
                    .elements = 2});
        const MaterialId steel = model.add(Material{.restitution = 0});
        model.attach(plate, box(0.04, 0.004, 0.04), steel, {}, "plate");
        model.grain({.shape = sphere(0.02), .material = steel, .density = 7845, .at = {.p = {0, 0.03, 0}}});
        MoreauJean stepper(model.finish(), options(h));
        const int steps = static_cast<int>(std::lround(0.12 / h));
        for (int n = 0; n < steps; ++n) EXPECT_TRUE(stepper.step().converged);
        return stepper.view().position(GrainId{0})[1];
    };
    const double coarse = height_after(8e-5), middle = height_after(4e-5), fine = height_after(2e-5);
    // Order one with impacts: each moves the ball by up to a step at its speed, some twenty below 0.6 m/s.
    EXPECT_LT(std::abs(middle - fine), 0.75 * std::abs(coarse - middle));
    EXPECT_LT(std::abs(middle - fine), 20 * 0.6 * 4e-5);
}

// Each step of the block of a beam, too, balances what contacts and forces give.
TEST(Beams, MomentumErrorOfAStepIsRoundOff)
{
    FreeBeam scene(0.5);
    MoreauJean stepper(scene.model.finish(), options(2e-5));
    double largest = 0;
    for (int n = 0; n < 800; ++n) {
        stepper.step();
        largest = std::max(largest, stepper.momentum_error());
    }
    EXPECT_GT(largest, 0);
    EXPECT_LT(largest, 1e-9); // the matrix of the beam is stiff
}

TEST(Beams, StepsDoNotAllocate)
{
    for (const int iterations : {1, 3}) { // also with Newton's method
        FreeBeam scene(0.5);
        MoreauJeanOptions o = options(2e-5);
        o.newton_iterations = iterations;
        o.contacts.threads = 1;
        MoreauJean stepper(scene.model.finish(), o);
        while (stepper.step().contacts == 0) ASSERT_LT(stepper.view().time(), 0.02);
        for (int n = 0; n < 5; ++n) stepper.step();
        const long before = allocations;
        for (int n = 0; n < 5; ++n) stepper.step();
        EXPECT_EQ(allocations, before) << iterations;
    }
}

TEST(Beams, StateIsSavedAndGoesOnToTheSameBits)
{
    FreeBeam scene(0.5);
    MoreauJean whole(scene.model.finish(), options(2e-5)), resumed(scene.model.finish(), options(2e-5));
    for (int n = 0; n < 300; ++n) whole.step();
    resumed.restore(whole.save());
    EXPECT_EQ(resumed.state_hash(), whole.state_hash());
    for (int n = 0; n < 500; ++n) {
        whole.step();
        resumed.step();
    }
    EXPECT_EQ(resumed.state_hash(), whole.state_hash());
}

TEST(Beams, BeamBetweenTwoMechanismsIsRefused)
{
    ModelDescription model("two");
    const Inertia inertia(1, 1, 1);
    const Body a =
        model.mechanism("a").add({.name = "left", .joint = free_joint(), .mass = 1, .inertia = inertia});
    const Body b =
        model.mechanism("b").add({.name = "right", .joint = free_joint(), .mass = 1, .inertia = inertia});
    model.start(b, 1, 0, 0);
    model.beam({.name = "bridge", .a = model.frame("a", a), .b = model.frame("b", b), .section = section()});
    const std::string error = error_of([&] { MoreauJean stepper(model.finish(), {}); });
    EXPECT_TRUE(contains(error, "'bridge' ties two mechanisms")) << error;
}

} // namespace tamis::test::beams_test
