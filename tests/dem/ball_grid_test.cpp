// Pairs of near balls against all pairs.
#include "tamis/dem/ball_grid.hpp"

#include <gtest/gtest.h>
#include <random>

namespace tamis {
namespace {

std::vector<BallRow> scattered(int n, double box, double least, double most)
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> place(-box, box), radius(least, most);
    std::vector<BallRow> balls;
    for (int i = 0; i < n; ++i)
        balls.push_back({place(random), place(random), 0.5 * place(random), radius(random)});
    return balls;
}

void expect_all_pairs(BallGrid& grid, const std::vector<BallRow>& balls, double skin)
{
    std::vector<int> start, near, expected;
    grid.pairs(balls, skin, start, near);
    ASSERT_EQ(start.size(), balls.size() + 1);
    for (std::size_t i = 0; i < balls.size(); ++i) {
        expected.clear();
        for (std::size_t j = i + 1; j < balls.size(); ++j) {
            const double x = balls[j][0] - balls[i][0], y = balls[j][1] - balls[i][1],
                         z = balls[j][2] - balls[i][2], reach = balls[i][3] + balls[j][3] + skin;
            if (x * x + y * y + z * z <= reach * reach) expected.push_back(static_cast<int>(j));
        }
        EXPECT_EQ(std::vector<int>(near.begin() + start[i], near.begin() + start[i + 1]), expected) << i;
    }
}

TEST(BallGrid, FindsAllPairsInAnyOrder)
{
    BallGrid grid;
    for (const auto& [n, box] : {std::pair(1, 1.0), {2, 0.01}, {600, 1.0}, {600, 0.1}, {300, 1e4}}) {
        std::vector<BallRow> balls = scattered(n, box, 0.02, 0.1);
        expect_all_pairs(grid, balls, 0.03);
        const std::vector<int> order = grid.sort(balls, 0.03);
        std::vector<BallRow> sorted;
        for (const int i : order) sorted.push_back(balls[i]);
        expect_all_pairs(grid, sorted, 0.03);
        const std::vector<int>& again = grid.sort(sorted, 0.03);
        EXPECT_TRUE(std::is_sorted(again.begin(), again.end()));
    }
}

} // namespace
} // namespace tamis
