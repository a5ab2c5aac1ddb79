// Ranges of motion and dead points of linkages, against triangles.
#include "tamis/mechanics/travel.hpp"

#include "error_of.hpp"
#include "mechanics/scenes.hpp"
#include "tamis/mechanics/prescribed.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::mechanics_test::travel_test {
namespace {

constexpr double pi = std::numbers::pi;

// Values of the swept coordinate where another one turns round.
std::vector<Turning> turnings(const Travel& travel, Coordinate of)
{
    std::vector<Turning> out;
    for (const Turning& t : travel.turnings)
        if (t.of.index == of.index) out.push_back(t);
    return out;
}

double angle_between(double opposite, double a, double b) // of a triangle
{
    return std::acos((a * a + b * b - opposite * opposite) / (2 * a * b));
}

// The crank turns; the rocker turns round where crank and coupler are in line.
TEST(Travel, OfACrankRockerIsAllTheWayRoundWithTheRockersDeadPointsInLine)
{
    FourBar f(0.3, 0.8, 0.7, 0.9, 1.1);
    const Travel travel = find_travel(f.model.finish(), f.model.coordinate(f.crank));
    EXPECT_EQ(travel.up, Travel::End::closed);
    EXPECT_NEAR(travel.most - travel.least, 2 * pi, 0.05);
    EXPECT_TRUE(turnings(travel, f.model.coordinate(f.crank)).empty());
    EXPECT_TRUE(travel.branches.empty());
    const auto found = turnings(travel, f.model.coordinate(f.rocker));
    ASSERT_EQ(found.size(), 2u);
    for (const Turning& t : found) {
        // In the triangle of rocker, base, and crank with coupler: their sum or their difference.
        const double reach = t.least ? f.a + f.b : f.b - f.a;
        EXPECT_NEAR(t.value, pi - angle_between(reach, f.c, f.d), 1e-12);
        const double towards_pin = angle_between(f.c, reach, f.d), crank = towards_pin + (t.least ? 0 : pi);
        EXPECT_NEAR(std::remainder(t.swept - crank, 2 * pi), 0, 1e-7);
    }
}

// Driven by its rocker, the same linkage has its ends there, and the curve goes on to the other branch and back.
TEST(Travel, OfItsRockerEndsAtThoseDeadPoints)
{
    FourBar f(0.3, 0.8, 0.7, 0.9, 1.1);
    const Travel travel = find_travel(f.model.finish(), f.model.coordinate(f.rocker));
    EXPECT_EQ(travel.up, Travel::End::closed);
    EXPECT_NEAR(travel.least, pi - angle_between(f.a + f.b, f.c, f.d), 1e-12);
    EXPECT_NEAR(travel.most, pi - angle_between(f.b - f.a, f.c, f.d), 1e-12);
    double smallest = 1;
    for (const Travel::Point& p : travel.points) smallest = std::min(smallest, p.share);
    EXPECT_LT(smallest, 0.02);
}

// Grashof's condition fails: no bar turns round. The crank ends where coupler and rocker are in line.
TEST(Travel, OfADoubleRockerIsLimitedWhereCouplerAndRockerAreInLine)
{
    FourBar f(0.6, 0.5, 0.55, 1.2, 1.0);
    const Travel travel = find_travel(f.model.finish(), f.model.coordinate(f.crank));
    const double limit = angle_between(f.b + f.c, f.a, f.d);
    EXPECT_NEAR(travel.most, limit, 1e-12);
    EXPECT_NEAR(travel.least, -limit, 1e-12);
    EXPECT_EQ(turnings(travel, f.model.coordinate(f.crank)).size(), 2u);
}

TEST(Travel, OfASliderIsTwiceTheCrankAndEndsInLine)
{
    for (const double angle : {0.3, 0.0}) { // at first beside, then on the dead point
        SliderCrank s(0.15, 0.4, angle);
        const Model& model = s.model.finish();
        const Coordinate slide = s.model.coordinate(s.slider), crank = s.model.coordinate(s.crank);
        const Travel by_crank = find_travel(model, crank);
        EXPECT_EQ(by_crank.up, Travel::End::closed);
        const auto found = turnings(by_crank, slide);
        ASSERT_EQ(found.size(), 2u) << angle;
        for (const Turning& t : found) {
            EXPECT_NEAR(t.value, t.least ? s.l - s.r : s.l + s.r, 1e-12);
            EXPECT_NEAR(std::cos(t.swept), t.least ? -1 : 1, 1e-12);
        }
        const Travel by_slider = find_travel(model, slide);
        EXPECT_NEAR(by_slider.least, s.l - s.r, 1e-12);
        EXPECT_NEAR(by_slider.most, s.l + s.r, 1e-12);
    }
}

// With crank and rod of one length the slider may stay in the middle while both turn: two curves cross there.
TEST(Travel, TellsWhereAMechanismMayGoOnInTwoWays)
{
    SliderCrank s(0.3, 0.3, 0.4);
    const Travel travel = find_travel(s.model.finish(), s.model.coordinate(s.crank));
    ASSERT_EQ(travel.branches.size(), 2u);
    for (const double at : travel.branches) EXPECT_NEAR(std::cos(at), 0, 1e-6);
}

TEST(Travel, StopsAtTheLimitsAsked)
{
    SliderCrank s;
    const Travel travel =
        find_travel(s.model.finish(), s.model.coordinate(s.crank), {.from = -0.2, .to = 1.5});
    EXPECT_EQ(travel.down, Travel::End::limit);
    EXPECT_EQ(travel.up, Travel::End::limit);
    EXPECT_NEAR(travel.least, -0.2, 1e-12);
    EXPECT_NEAR(travel.most, 1.5, 1e-12);
    const auto found = turnings(travel, s.model.coordinate(s.slider));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].value, s.l + s.r, 1e-12);
}

TEST(Travel, HoldsWhatElseIsFree)
{
    DoublePendulum p(0.3, 0.2);
    const Travel travel = find_travel(p.model.finish(), p.model.coordinate(p.first));
    ASSERT_EQ(travel.held.size(), 1u);
    EXPECT_EQ(travel.held[0].index, p.model.coordinate(p.second).index);
    EXPECT_EQ(travel.up, Travel::End::closed);
}

TEST(Travel, OfALockedMechanismIsRefused)
{
    SliderCrank s;
    const Model& model = s.model.finish();
    const Model held = with_drives(model, {steady_motion(model, s.model.coordinate(s.crank), 0)});
    const std::string error = error_of([&] { find_travel(held, s.model.coordinate(s.slider)); });
    EXPECT_TRUE(contains(error, "'slider' cannot move")) << error;
    const std::string outside =
        error_of([&] { find_travel(model, s.model.coordinate(s.crank), {.from = 1, .to = 2}); });
    EXPECT_TRUE(contains(outside, "not between the limits 1 and 2")) << outside;
}

} // namespace
} // namespace tamis::mechanics_test::travel_test
