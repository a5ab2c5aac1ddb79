// Implicit forces in the theta-scheme: steps far beyond the period of a stiff spring, order, energy, impacts.
#include "error_of.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tamis::test::implicit_force_test {

namespace {

constexpr double m1 = 2, m2 = 0.5, soft = 30;

// Two masses along x: the first on a soft spring, the second on the first by a stiff one. Joint coordinates are
// x1 and x2 - x1.
struct TwoMasses {
    ModelDescription model{"masses"};
    Body first, second;
    double stiff;

    TwoMasses(double stiffness, ForceTreatment treatment, ForceTreatment of_soft = ForceTreatment::explicit_)
        : stiff(stiffness)
    {
        const Inertia inertia(1, 1, 1);
        first = model.add({.name = "first", .joint = slide_x(), .mass = m1, .inertia = inertia});
        second = model.add(
            {.name = "second", .parent = first, .joint = slide_x(), .mass = m2, .inertia = inertia});
        model.spring(model.coordinate(first), {.stiffness = soft, .treatment = of_soft});
        model.spring(model.coordinate(second), {.stiffness = stiff, .treatment = treatment});
    }
    // Of the slow mode: square of its frequency, and x2 - x1 over x1.
    std::pair<double, double> slow() const
    {
        // m1 x1'' = -soft x1 + stiff r, m2 (x1 + r)'' = -stiff r
        const double a = m1 * m2, b = -(m2 * (soft + stiff) + m1 * stiff), c = soft * stiff;
        const double square = 2 * c / (-b + std::sqrt(b * b - 4 * a * c)); // the smaller root
        return {square, m2 * square / (stiff - m2 * square)};
    }
};

double slow_error(double h, double theta)
{
    const double end = 3;
    TwoMasses masses(2e9, ForceTreatment::implicit);
    const auto [square, ratio] = masses.slow();
    masses.model.start(masses.first, 0.1, 0);
    masses.model.start(masses.second, 0.1 * ratio, 0);
    MoreauJean stepper(masses.model.finish(), {.h = h, .theta = theta});
    const int steps = static_cast<int>(std::lround(end / h));
    for (int n = 0; n < steps; ++n) stepper.step();
    return std::abs(stepper.view().position(masses.first)[0] - 0.1 * std::cos(std::sqrt(square) * end));
}

} // namespace

// omega h is 50 to 800 in the stiff spring; an explicit spring is unstable beyond 2.
TEST(ImplicitForce, SlowPartIsExactToOrderTwoFarBeyondTheStiffPeriod)
{
    const double omega = std::sqrt(2e9 * (1 / m1 + 1 / m2));
    EXPECT_GT(omega * 1e-3, 50);
    const double coarse = slow_error(8e-3, 0.5), middle = slow_error(4e-3, 0.5), fine = slow_error(2e-3, 0.5);
    EXPECT_LT(coarse, 1e-4);
    EXPECT_NEAR(std::log2(coarse / middle), 2, 0.05);
    EXPECT_NEAR(std::log2(middle / fine), 2, 0.05);
    EXPECT_NEAR(std::log2(slow_error(2e-3, 1) / slow_error(1e-3, 1)), 1, 0.1); // the Euler scheme: one
}

TEST(ImplicitForce, ExplicitOneDivergesThere)
{
    TwoMasses masses(2e9, ForceTreatment::explicit_);
    masses.model.start(masses.second, 1e-6, 0);
    MoreauJean stepper(masses.model.finish(), {.h = 1e-3});
    EXPECT_TRUE(contains(error_of([&] {
                             for (int n = 0; n < 2000; ++n) stepper.step();
                         }),
                         "diverged"));
}

TEST(ImplicitForce, EnergyIsKeptWithThetaOneHalfAndFallsWithOne)
{
    for (const double theta : {0.5, 1.0}) {
        TwoMasses masses(2e9, ForceTreatment::implicit, ForceTreatment::implicit);
        masses.model.start(masses.first, 0.1, 0);
        masses.model.start(masses.second, 1e-5, 3);
        MoreauJean stepper(masses.model.finish(),
                           {.h = 1e-3, .theta = theta, .force = ForceEvaluation::explicit_});
        const double start = stepper.view().energy();
        double last = start;
        for (int n = 0; n < 1000; ++n) {
            stepper.step();
            const double now = stepper.view().energy();
            if (theta == 1) {
                ASSERT_LE(now, last * (1 + 1e-12)) << n;
            }
            last = now;
        }
        if (theta == 0.5) {
            EXPECT_NEAR(last, start, 1e-9 * start);
        } else {
            EXPECT_LT(last, 0.7 * start); // the stiff part is gone
        }
    }
}

// A law of which only values are known is differentiated by differences.
TEST(ImplicitForce, LawOfItsCoordinateEqualsTheSpringItDescribes)
{
    auto run = [](bool law) {
        ModelDescription model("actuator");
        const Body piston =
            model.add({.name = "piston", .joint = slide_x(), .mass = 3, .inertia = {1, 1, 1}});
        const Coordinate x = model.coordinate(piston);
        const double k = 4e7, c = 2e4;
        if (law)
            model.force(
                x, [=](const View& s) { return -k * (s.q(x) - 0.01) - c * s.v(x); },
                ForceTreatment::implicit);
        else
            model.spring(x,
                         {.stiffness = k, .damping = c, .rest = 0.01, .treatment = ForceTreatment::implicit});
        model.start(piston, 0, 1);
        MoreauJean stepper(model.finish(), {.h = 1e-2});
        for (int n = 0; n < 20; ++n) stepper.step();
        return stepper.view().q(x);
    };
    EXPECT_NEAR(run(true), run(false), 1e-8);
}

namespace {

// A double pendulum with a strong spring from its tip to the ground.
Eigen::Vector3d tip_after(double h, int newton, ForceTreatment treatment = ForceTreatment::implicit)
{
    ModelDescription model("pendulum");
    model.gravity({0, -10, 0});
    const Inertia inertia(0.02, 0.02, 0.02);
    const Body upper =
        model.add({.name = "upper", .joint = hinge_z(), .mass = 1, .com = {0.5, 0, 0}, .inertia = inertia});
    const Body lower = model.add({.name = "lower",
                                  .parent = upper,
                                  .joint = hinge_z(),
                                  .at = {1, 0, 0},
                                  .mass = 1,
                                  .com = {0.5, 0, 0},
                                  .inertia = inertia});
    const Frame tip = model.frame("tip", lower, {1, 0, 0}), post = model.frame("post", ground, {0.5, 1, 0});
    model.spring(post, tip, {.stiffness = 200, .damping = 1, .rest = 0.8, .treatment = treatment});
    model.start(upper, -0.5, 1);
    model.start(lower, 0.3, -2);
    MoreauJeanOptions options{.h = h};
    options.newton_iterations = newton;
    MoreauJean stepper(model.finish(), options);
    const int steps = static_cast<int>(std::lround(1 / h));
    for (int n = 0; n < steps; ++n) EXPECT_TRUE(stepper.step().converged);
    return stepper.view().position(lower, {1, 0, 0});
}

} // namespace

TEST(ImplicitForce, OrderIsTwoOnANonlinearMechanismLinearisedOrByNewton)
{
    const auto plain = [](double h) { return tip_after(h, 1, ForceTreatment::explicit_); };
    const Eigen::Vector3d exact = (4 * plain(1.0 / 12800) - plain(1.0 / 6400)) / 3;
    for (const int newton : {1, 30}) {
        const double coarse = (tip_after(1.0 / 1600, newton) - exact).norm(),
                     fine = (tip_after(1.0 / 3200, newton) - exact).norm();
        EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << newton;
    }
}

// The stiff pair of masses, free along x, is hit by a ball.
TEST(ImplicitForce, ImpactConservesMomentumToRoundOff)
{
    for (const double restitution : {0.0, 0.8}) {
        ModelDescription model("impact");
        const Inertia inertia(1, 1, 1);
        const Body first = model.add({.name = "first", .joint = slide_x(), .mass = m1, .inertia = inertia});
        const Body second = model.add(
            {.name = "second", .parent = first, .joint = slide_x(), .mass = m2, .inertia = inertia});
        model.spring(model.coordinate(second), {.stiffness = 2e9, .treatment = ForceTreatment::implicit});
        const MaterialId steel = model.add(Material{.restitution = restitution});
        model.attach(second, box(0.1, 0.4, 0.4), steel);
        model.grain({.shape = sphere(0.05),
                     .material = steel,
                     .density = 2000,
                     .at = {.p = {0.2, 0, 0}},
                     .velocity = {-5, 0, 0}});
        MoreauJean stepper(model.finish(), {.h = 1e-3});
        const double start = stepper.view().momentum()[0], energy = stepper.view().energy();
        bool touched = false;
        for (int n = 0; n < 100; ++n) {
            touched = stepper.step().contacts > 0 || touched;
            ASSERT_NEAR(stepper.view().momentum()[0], start, 1e-14 * std::abs(start) * (n + 1)) << n;
            ASSERT_LE(stepper.view().energy(), energy * (1 + 1e-9));
        }
        EXPECT_TRUE(touched);
        EXPECT_GT(stepper.view().velocity(GrainId{0})[0], -4.5);
    }
}

TEST(ImplicitForce, SpringBetweenTwoMechanismsIsRefused)
{
    ModelDescription model("two");
    model.mechanism("a");
    const Inertia inertia(1, 1, 1);
    const Body a =
        model.mechanism("a").add({.name = "left", .joint = slide_x(), .mass = 1, .inertia = inertia});
    const Body b =
        model.mechanism("b").add({.name = "right", .joint = slide_x(), .mass = 1, .inertia = inertia});
    model.spring(model.frame("on left", a), model.frame("on right", b, {1, 0, 0}),
                 {.stiffness = 1, .treatment = ForceTreatment::implicit});
    const std::string error = error_of([&] { MoreauJean stepper(model.finish(), {}); });
    EXPECT_TRUE(contains(error, "'left' and 'right' ties two mechanisms")) << error;
}

} // namespace tamis::test::implicit_force_test
