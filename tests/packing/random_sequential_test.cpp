#include "tamis/packing/random_sequential.hpp"

#include "error_of.hpp"
#include "packing/distances.hpp"
#include "tamis/packing/measures.hpp"
#include "tamis/packing/random.hpp"
#include "tamis/packing/region.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace random_sequential_test {

using namespace tamis;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

std::vector<double> equal_balls(double fraction, double volume, double r)
{
    return std::vector<double>(
        static_cast<std::size_t>(std::ceil(fraction * volume / (4 * pi / 3 * r * r * r))), r);
}

} // namespace

TEST(RandomSequential, BallsOfAllSizesKeepApartInEveryRegion)
{
    Random random(1);
    for (double scale : {1e-3, 1.0, 1e3})
        for (const Shape& region : {box(scale, 2 * scale, 0.5 * scale), cylinder(0.5 * scale, scale),
                                    sphere(0.6 * scale), capsule(0.5 * scale, 0.5 * scale),
                                    polyhedron({{scale, 0, 0},
                                                {-scale, 0, 0},
                                                {0, scale, 0},
                                                {0, -scale, 0},
                                                {0, 0, scale},
                                                {0, 0, -scale}})})
            for (double gap : {1.0, 1.1}) {
                std::vector<double> radii(600);
                for (double& r : radii) r = scale * 0.005 * std::pow(20, std::pow(random.uniform(), 2));
                const auto x = random_sequential(region, radii, {.gap = gap});
                EXPECT_GE(closest(x, radii), gap * (1 - 1e-15));
                for (std::size_t i = 0; i < x.size(); ++i)
                    EXPECT_TRUE(holds(region, x[i], gap * radii[i] * (1 - 1e-12)));
            }
}

TEST(RandomSequential, EqualBallsReachASolidFractionOfThreeTenths)
{
    const auto radii = equal_balls(0.3, 20 * 20 * 20, 0.5);
    const auto x = random_sequential(box(20, 20, 20), radii);
    EXPECT_EQ(x.size(), radii.size());
    EXPECT_GE(closest(x, radii), 1);
    EXPECT_GE(solid_fraction({Vector3d::Constant(-10), Vector3d::Constant(10)}, x, radii), 0.3);
}

TEST(RandomSequential, ResultComesFromTheSeed)
{
    const auto radii = equal_balls(0.2, 4 * pi / 3, 0.1);
    const auto place = [&](std::uint64_t seed) {
        return random_sequential(sphere(1), radii, {.seed = seed});
    };
    EXPECT_EQ(place(1), place(1));
    EXPECT_NE(place(1), place(2));
}

// One ball alone is anywhere in the region moved inwards, with equal probability.
TEST(RandomSequential, ABallAloneIsUniformInItsRegion)
{
    const std::vector<double> one{0.2};
    constexpr int n = 4000;
    double inner = 0, upper = 0;
    for (int seed = 0; seed < n; ++seed) {
        const Vector3d x = random_sequential(cylinder(1.2, 2.4), one, {.seed = std::uint64_t(seed)})[0];
        inner += x.head<2>().norm() < std::sqrt(0.5);
        upper += x.z() > 0.5;
    }
    EXPECT_NEAR(inner / n, 0.5, 4 * 0.5 / std::sqrt(n));
    EXPECT_NEAR(upper / n, 0.25, 4 * 0.5 / std::sqrt(n));
}

TEST(RandomSequential, MoreThanCanBePlacedIsReportedWithTheFraction)
{
    const auto radii = equal_balls(0.45, 1000, 0.5);
    const std::string text = error_of([&] { random_sequential(box(10, 10, 10), radii, {.attempts = 1000}); });
    EXPECT_TRUE(contains(text, fmt::format("of {} balls", radii.size()))) << text;
    EXPECT_TRUE(contains(text, "solid fraction of 0.2") || contains(text, "solid fraction of 0.3")) << text;
    EXPECT_TRUE(contains(text, "enlarge the region")) << text;
    EXPECT_TRUE(contains(error_of([] {
                             random_sequential(sphere(1), std::vector<double>{0.1, 1.1});
                         }),
                         "Ball 1 "));
    EXPECT_TRUE(contains(error_of([] { random_sequential(sphere(1), std::vector<double>{0.1, -1}); }), "-1"));
}

} // namespace random_sequential_test
