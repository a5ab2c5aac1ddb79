// What softer contacts save: the closed form behind Fig. 2 of Biondani et al. (2022).
#include "support/stiffness_sizing.hpp"

#include <gtest/gtest.h>

namespace tamis::stiffness_sizing_test {
namespace {

// Points of the map: steel balls of 3 mm, 1.182e6 N/m, beta = 3, eta = 5 %, contacts within a hundredth of a period.
TEST(StiffnessSizing, SpeedupIsThatOfTheClosedForm)
{
    struct Point {
        double frequency, acceleration, speedup;
        bool by_duration;
    };
    constexpr Point published[] = {
        {1, 0.1, 16.578, false},          {1.7783, 0.19953, 14.775, false}, {3.1623, 0.39811, 13.168, false},
        {5.6234, 0.79433, 11.736, false}, {10, 1.5849, 10.46, false},       {17.783, 3.1623, 9.3225, false},
        {31.623, 6.3096, 8.3087, false},  {56.234, 12.589, 7.4051, false},  {100, 25.119, 4.6606, true},
        {177.83, 50.119, 2.6209, true},   {316.23, 100, 1.4738, true},      {630.96, 0.17783, 0.73866, true}};
    for (const Point& p : published) {
        const Speedup x = sizing_speedup(p.frequency, p.acceleration);
        EXPECT_NEAR(x.ratio, p.speedup, 2e-4 * p.speedup);
        EXPECT_EQ(x.by_duration, p.by_duration);
    }
}

TEST(StiffnessSizing, MaterialHasThePublishedStiffness)
{
    EXPECT_NEAR(sizing_material(sizing_cases()[0]), 9.06e4, 0.005e4);
}

} // namespace
} // namespace tamis::stiffness_sizing_test
