// Where mechanisms rest, against closed forms.
#include "tamis/mechanics/equilibrium.hpp"

#include "error_of.hpp"
#include "mechanics/scenes.hpp"
#include "tamis/mechanics/prescribed.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tamis::mechanics_test::equilibrium_test {
namespace {

double q(const Machine& machine, Coordinate c)
{
    return machine.view().q(c);
}

TEST(Equilibrium, OfADoublePendulumIsToHang)
{
    for (const auto& [first, second] : {std::pair{1.3, -2.0}, {3.0, 0.4}, {-3.1, 3.1}}) {
        DoublePendulum p(first, second);
        Machine machine(p.model.finish());
        const Equilibrium found = find_equilibrium(machine);
        EXPECT_NEAR(std::sin(q(machine, p.model.coordinate(p.first))), 0, 1e-12);
        EXPECT_NEAR(std::cos(q(machine, p.model.coordinate(p.first))), 1, 1e-12);
        EXPECT_NEAR(std::cos(q(machine, p.model.coordinate(p.second))), 1, 1e-12);
        EXPECT_EQ(found.check.stability, Stability::stable);
        EXPECT_LT(found.iterations, 40);
    }
}

TEST(Equilibrium, ThatItStartsOnIsKeptAndToldUnstable)
{
    DoublePendulum p(std::acos(-1.0), 0);
    Machine machine(p.model.finish());
    const Equilibrium found = find_equilibrium(machine);
    EXPECT_EQ(found.check.stability, Stability::unstable);
    EXPECT_EQ(found.check.negative, 2);
    EXPECT_NEAR(q(machine, p.model.coordinate(p.first)), std::acos(-1.0), 1e-9);
}

// The potential of the linkage is least there, by the crank's angle.
TEST(Equilibrium, OfAFourBarLinkageIsTheLowestPlaceOfItsCentreOfMass)
{
    FourBar f(0.3, 0.8, 0.7, 0.9, 1.1, g);
    Machine machine(f.model.finish());
    const Equilibrium found = find_equilibrium(machine);
    EXPECT_EQ(found.check.stability, Stability::stable);
    const double angle = q(machine, f.model.coordinate(f.crank));
    // The root of the slope of the potential next to it, by bisection.
    const auto slope = [&](double x) { return f.potential(x + 1e-6) - f.potential(x - 1e-6); };
    double low = angle - 0.1, high = angle + 0.1;
    ASSERT_LT(slope(low), 0);
    ASSERT_GT(slope(high), 0);
    for (int k = 0; k < 60; ++k) (slope((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
    EXPECT_NEAR(angle, low, 1e-8);
}

// Held by a spring along the slide: F_x = k (x - rest), M = F dx/dangle of the closed form.
TEST(Equilibrium, OfASliderCrankBalancesWeightAndSpring)
{
    SliderCrank s(0.15, 0.4, 0.8, g);
    const double k = 300, rest = 0.35;
    s.model.spring(s.model.coordinate(s.slider), {k, 0, rest});
    Machine machine(s.model.finish());
    const Equilibrium found = find_equilibrium(machine);
    EXPECT_EQ(found.check.stability, Stability::stable);
    const double angle = q(machine, s.model.coordinate(s.crank));
    const auto energy = [&](double a) {
        const double phi = -std::asin(s.r / s.l * std::sin(a)), x = s.r * std::cos(a) + s.l * std::cos(phi);
        return g * (s.m1 * s.r / 2 * std::sin(a) + s.m2 * (s.r * std::sin(a) + s.l / 2 * std::sin(phi))) +
               k / 2 * (x - rest) * (x - rest);
    };
    const double h = 1e-4, slope = (energy(angle + h) - energy(angle - h)) / (2 * h),
                 curvature = (energy(angle + h) - 2 * energy(angle) + energy(angle - h)) / (h * h);
    EXPECT_NEAR(slope / curvature, 0, 1e-7);
    EXPECT_NEAR(machine.view().q(s.model.coordinate(s.slider)),
                s.r * std::cos(angle) + std::sqrt(s.l * s.l - std::pow(s.r * std::sin(angle), 2)), 1e-12);
}

TEST(Equilibrium, OfAHeldCoordinateStaysWhereItStarts)
{
    DoublePendulum p(0.7, 0.2);
    const Model& whole = p.model.finish();
    const Coordinate first = coordinate_named(whole, "first");
    const Model held = with_drives(whole, {steady_motion(whole, first, 0)});
    Machine machine(held);
    find_equilibrium(machine);
    EXPECT_EQ(q(machine, first), 0.7);
    EXPECT_NEAR(q(machine, p.model.coordinate(p.second)), -0.7, 1e-12);
    EXPECT_EQ(machine.names(), std::vector<std::string>{"second"});
}

// A ball on three springs in space, one of them a law that grows with the third power.
TEST(Equilibrium, OfLawsIsWhereTheyBalance)
{
    ModelDescription model("law");
    model.gravity({0, 0, -g});
    const Body b = model.add({.name = "ball", .joint = slide_z(), .mass = 2, .inertia = {1, 1, 1}});
    const Coordinate z = model.coordinate(b);
    model.force(z, [=](const View& s) { return -1e4 * std::pow(s.q(z), 3); });
    Machine machine(model.finish());
    const Equilibrium found = find_equilibrium(machine);
    EXPECT_NEAR(q(machine, z), -std::cbrt(2 * g / 1e4), 1e-12);
    EXPECT_EQ(found.check.stability, Stability::stable);
}

TEST(Equilibrium, OfAFreeHandleIsNeutral)
{
    DoublePendulum p(1, 0);
    p.model.add({.name = "wheel", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
    Machine machine(p.model.finish());
    const Equilibrium found = find_equilibrium(machine);
    EXPECT_EQ(found.check.stability, Stability::neutral);
    EXPECT_EQ(found.check.zero, 1);
    EXPECT_EQ(machine.names()[found.check.weakest], "wheel");
    EXPECT_NEAR(q(machine, p.model.coordinate(p.first)), 0, 1e-10);
}

TEST(Equilibrium, OfABodyThatFallsIsRefusedByName)
{
    ModelDescription model("stone");
    model.gravity({0, 0, -g});
    model.add({.name = "stone", .joint = slide_z(), .mass = 2, .inertia = {1, 1, 1}});
    Machine machine(model.finish());
    const std::string error = error_of([&] { find_equilibrium(machine); });
    EXPECT_TRUE(contains(error, "No equilibrium") && contains(error, "'stone'")) << error;
}

TEST(Equilibrium, OfASpatialTopHangs)
{
    ModelDescription model("top");
    model.gravity({0, 0, -g});
    const Body b = model.add(
        {.name = "top", .joint = spherical(), .mass = 2, .com = {0.1, 0.2, 0.3}, .inertia = {0.1, 0.1, 0.1}});
    Machine machine(model.finish());
    const Equilibrium found = find_equilibrium(machine);
    EXPECT_EQ(found.check.stability, Stability::neutral); // it may turn about the vertical
    EXPECT_NEAR(machine.view().position(b, {0.1, 0.2, 0.3})[2], -std::sqrt(0.14), 1e-12);
}

// P L^2 / (E I) of a cantilever with a force across at its end: deflections by elliptic integrals, Mattiasson (1981).
TEST(Equilibrium, OfACantileverIsMattiassons)
{
    const double E = 1e6, side = 0.1, L = 10, I = side * side * side * side / 12;
    for (const auto& [load, down, shortened] : {std::tuple{1.0, 0.30172, 0.05643}, {5.0, 0.71379, 0.38763}}) {
        ModelDescription model("cantilever");
        const Body tip = model.add({.name = "tip", .joint = free_joint(), .mass = 1, .inertia = {1, 1, 1}});
        model.start(tip, L, 0, 0);
        model.beam({.name = "beam",
                    .a = model.frame("clamp", ground),
                    .b = model.frame("end", tip),
                    .section = beam_section(
                        RectangularSection{.E = E, .nu = 0.3, .rho = 1, .width = side, .height = side}),
                    .elements = 8});
        const double P = load * E * I / (L * L);
        model.wrench(model.frame("load", tip), [=](const View&) { return Wrench{.force = {0, -P, 0}}; });
        Machine machine(model.finish());
        const Equilibrium found = find_equilibrium(machine);
        // Shear and stretch change the fifth digit: (side / L)^2.
        EXPECT_NEAR(-machine.view().position(tip)[1] / L, down, 2e-4) << load;
        EXPECT_NEAR(1 - machine.view().position(tip)[0] / L, shortened, 2e-4) << load;
        EXPECT_EQ(found.check.stability, Stability::stable);
    }
}

} // namespace
} // namespace tamis::mechanics_test::equilibrium_test
