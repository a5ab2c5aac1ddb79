#include "support/stability_map.hpp"

#include "error_of.hpp"
#include "support/two_masses.hpp"
#include "tamis/base/error.hpp"

#include <gtest/gtest.h>

namespace tamis::test::stability_map_test {

TEST(StabilityMap, PiecesByAnyNumberOfThreadsMakeTheSameMap)
{
    const StabilityGrid grid{.rho_steps = 4, .w_steps = 5, .w_end = 2};
    const StabilityParameters p{.scheme = CouplingScheme::loose, .r_k = 0.3};
    std::vector<StabilityPoint> whole(grid.points()), pieces(grid.points());
    compute(whole, 0, p, grid, coupled_map, 1);
    compute(std::span(pieces).first(7), 0, p, grid, coupled_map, 3);
    compute(std::span(pieces).subspan(7), 7, p, grid, coupled_map, 2);
    ASSERT_EQ(whole.size(), 30u);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_EQ(whole[i].rho_inf, static_cast<double>(i / 6) / 4);
        EXPECT_EQ(whole[i].w01h, 2.0 * static_cast<double>(i % 6) / 5);
        EXPECT_EQ(whole[i].radius, pieces[i].radius);
        EXPECT_EQ(whole[i].radius_measured, pieces[i].radius_measured);
    }
}

TEST(StabilityMap, StatisticsCountStepsThatAreNotZero)
{
    const StabilityPoint map[] = {{0, 0, 3, 3},     {0, 1, 0.9, 0.9}, {0, 2, 1, 1.25},
                                  {0.5, 0, 1, 1},   {0.5, 1, 2, 2.1}, {0.5, 2, 0.5, 0.5},
                                  {1, 0, 0.1, 0.1}, {1, 1, 0.2, 0.2}, {1, 2, 1 + 1e-7, 1}};
    const StabilityStatistics s = statistics(map);
    EXPECT_DOUBLE_EQ(s.stable_share, 5.0 / 6);
    EXPECT_EQ(s.always, (std::vector<double>{0, 1}));
    EXPECT_EQ(s.largest_radius, 3);
    EXPECT_DOUBLE_EQ(s.largest_difference, 0.25);
}

TEST(StabilityMap, ErrorOfACoSimulationLeavesItsThread)
{
    std::vector<StabilityPoint> points(10);
    const OneStepMap broken = [](const StabilityParameters&) -> Eigen::MatrixXd { fail("It diverged."); };
    EXPECT_EQ(error_of([&] { compute(points, 0, {}, {}, broken, 2); }), "It diverged.");
    EXPECT_TRUE(contains(error_of([&] { compute(points, 0, {}, {.w_end = 1e300}, coupled_map, 2); }),
                         "give smaller parameters."));
}

} // namespace tamis::test::stability_map_test
