// Pairs of near balls against all pairs.
#include "tamis/dem/ball_grid.hpp"

#include <gtest/gtest.h>
#include <random>

namespace tamis::ball_grid_test {
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
    std::vector<std::pair<int, int>> found, expected;
    const bool sorted = grid.pairs(balls, skin, [&](int i, int j) { found.emplace_back(i, j); });
    EXPECT_TRUE(!sorted || std::is_sorted(found.begin(), found.end()));
    std::sort(found.begin(), found.end());
    for (int i = 0; i < static_cast<int>(balls.size()); ++i)
        for (int j = i + 1; j < static_cast<int>(balls.size()); ++j) {
            const double x = balls[j][0] - balls[i][0], y = balls[j][1] - balls[i][1],
                         z = balls[j][2] - balls[i][2], reach = balls[i][3] + balls[j][3] + skin;
            if (x * x + y * y + z * z <= reach * reach) expected.emplace_back(i, j);
        }
    EXPECT_EQ(found, expected);
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
        EXPECT_TRUE(grid.pairs(sorted, 0.03, [](int, int) {}));
        const std::vector<int>& again = grid.sort(sorted, 0.03);
        EXPECT_TRUE(std::is_sorted(again.begin(), again.end()));
    }
}

} // namespace
} // namespace tamis::ball_grid_test
