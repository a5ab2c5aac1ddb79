#include "tamis/packing/random.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace random_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr int draws = 200'000;
const double sigma = 1 / std::sqrt(double(draws)); // of the mean of numbers of variance one

} // namespace

TEST(Random, UniformNumbersAreTheHighBitsOfTheStandardEngine)
{
    std::mt19937_64 engine; // its 10000th number is given by the C++ standard
    engine.discard(9999);
    EXPECT_EQ(engine(), 9981545732273789042u);
    Random random(std::mt19937_64::default_seed);
    double u = 0;
    for (int i = 0; i < 10000; ++i) u = random.uniform();
    EXPECT_EQ(u, std::ldexp(double(9981545732273789042u >> 11), -53));
}

TEST(Random, NormalNumbersHaveTheMomentsAndTheQuantilesOfTheNormalDistribution)
{
    Random random(1);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, below[3] = {};
    for (int i = 0; i < draws; ++i) {
        const double x = random.normal();
        m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
        for (int k = 0; k < 3; ++k) below[k] += x < k - 0.5;
    }
    EXPECT_NEAR(m1 / draws, 0, 4 * sigma);
    EXPECT_NEAR(m2 / draws, 1, 4 * std::sqrt(2.0) * sigma);
    EXPECT_NEAR(m3 / draws, 0, 4 * std::sqrt(15.0) * sigma);
    EXPECT_NEAR(m4 / draws, 3, 4 * std::sqrt(96.0) * sigma);
    for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(below[k] / draws, std::erfc(-(k - 0.5) / std::sqrt(2.0)) / 2, 4 * 0.5 * sigma);
}

// Archimedes: each coordinate is uniform on [-1, 1].
TEST(Random, DirectionsAreUniformOnTheSphere)
{
    Random random(2);
    Vector3d mean = Vector3d::Zero(), low = Vector3d::Zero();
    Matrix3d square = Matrix3d::Zero();
    for (int i = 0; i < draws; ++i) {
        const Vector3d n = random.direction();
        ASSERT_NEAR(n.norm(), 1, 1e-15);
        mean += n / draws, square += n * n.transpose() / draws;
        for (int k = 0; k < 3; ++k) low[k] += n[k] < 0.6;
    }
    EXPECT_LT(mean.cwiseAbs().maxCoeff(), 4 * std::sqrt(1.0 / 3) * sigma);
    EXPECT_LT((square - Matrix3d::Identity() / 3).cwiseAbs().maxCoeff(), 4 * std::sqrt(4.0 / 45) * sigma);
    EXPECT_LT((low / draws - Vector3d::Constant(0.8)).cwiseAbs().maxCoeff(), 4 * 0.4 * sigma);
}

// The angle of a uniform rotation has the density (1 - cos t) / pi; columns are uniform directions.
TEST(Random, RotationsAreUniform)
{
    Random random(3);
    Matrix3d mean = Matrix3d::Zero(), square = Matrix3d::Zero();
    double trace = 0, right = 0;
    for (int i = 0; i < draws; ++i) {
        const Matrix3d R = random.rotation();
        ASSERT_LT((R * R.transpose() - Matrix3d::Identity()).cwiseAbs().maxCoeff(), 2e-15);
        ASSERT_GT(R.determinant(), 0);
        mean += R / draws, square += R.cwiseAbs2() / draws;
        trace += R.trace() * R.trace() / draws;
        right += R.trace() > 1; // t < pi / 2, of probability 1 / 2 - 1 / pi
    }
    EXPECT_LT(mean.cwiseAbs().maxCoeff(), 4 * std::sqrt(1.0 / 3) * sigma);
    EXPECT_LT((square - Matrix3d::Constant(1.0 / 3)).cwiseAbs().maxCoeff(), 4 * std::sqrt(4.0 / 45) * sigma);
    EXPECT_NEAR(trace, 1, 4 * std::sqrt(2.0) * sigma);
    EXPECT_NEAR(right / draws, 0.5 - 1 / M_PI, 4 * 0.5 * sigma);
}

TEST(Random, ShufflesPutEachItemAnywhereEquallyOften)
{
    Random random(4);
    constexpr int n = 5, times = 20'000;
    int count[n][n] = {};
    for (int t = 0; t < times; ++t) {
        std::vector<int> items(n);
        std::iota(items.begin(), items.end(), 0);
        random.shuffle(items);
        for (int i = 0; i < n; ++i) ++count[i][items[i]];
    }
    for (const auto& row : count)
        for (int c : row) EXPECT_NEAR(c, times / n, 4.5 * std::sqrt(times * 0.2 * 0.8));
}

} // namespace random_test
