#include "tamis/packing/grading.hpp"

#include "error_of.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace grading_test {

using namespace tamis;

namespace {

// The largest difference of the mass curve of the sizes from the grading at any size, in masses of the grain
// at which it occurs.
double worst(const Grading& g, std::vector<double> sizes)
{
    std::sort(sizes.begin(), sizes.end());
    const auto mass = [](double d) { return d * d * d; };
    const double total =
        std::accumulate(sizes.begin(), sizes.end(), 0.0, [&](double sum, double d) { return sum + mass(d); });
    double below = 0, largest = 0;
    for (double d : sizes) {
        const double F = passing(g, d) * total, m = mass(d);
        if (g.opening.front() < g.opening.back()) // at a step the curve takes all values
            largest = std::max({largest, std::abs(below - F) / m, std::abs(below + m - F) / m});
        below += m;
    }
    return largest;
}

const Grading gap_graded{{0.01, 0.02, 0.05, 0.05, 0.08}, {0, 0.3, 0.3, 0.6, 1}};

} // namespace

// Each stratum has its mass in one grain, so the curves meet once in it and differ by less than the grain.
TEST(Grading, SizesFollowTheCurveWithinOneGrain)
{
    for (double scale : {1e-3, 1.0, 1e3})
        for (Grading g : {ballast_31_50(), uniform_by_mass(0.01, 0.05), uniform_by_mass(0.001, 0.1)}) {
            for (double& d : g.opening) d *= scale;
            for (int n : {1, 2, 10, 137, 10'000}) {
                const auto sizes = draw_sizes(g, n);
                ASSERT_EQ(sizes.size(), std::size_t(n));
                EXPECT_LE(worst(g, sizes), 1 + 1e-9 * n);
                EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), g.opening.front());
                EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), g.opening.back());
            }
        }
}

// dN = dF / d^3, integrated.
TEST(Grading, NumbersOfGrainsAreMassesOverCubes)
{
    const int n = 100'000;
    const auto sizes = draw_sizes(uniform_by_mass(1, 3), n);
    const auto number = [](double a, double b) { return (1 / (a * a) - 1 / (b * b)) / 2; };
    const auto below = std::count_if(sizes.begin(), sizes.end(), [](double d) { return d < 1.5; });
    EXPECT_NEAR(double(below) / n, number(1, 1.5) / number(1, 3), 2.0 / n);
}

TEST(Grading, GapsAreEmptyAndStepsHaveTheirMass)
{
    const auto sizes = draw_sizes(gap_graded, 5000);
    double total = 0, fine = 0, step = 0;
    for (double d : sizes) {
        const double m = d * d * d;
        total += m;
        if (d <= 0.02) fine += m;
        if (std::abs(d - 0.05) < 1e-12) step += m;
        // (One grain stands for the end of one part and the start of the next.)
        EXPECT_LE(
            std::count_if(sizes.begin(), sizes.end(), [](double x) { return x > 0.0201 && x < 0.0499; }), 1);
    }
    const double grain = std::pow(0.08, 3) / total;
    EXPECT_NEAR(fine / total, 0.3, grain);
    EXPECT_NEAR(step / total, 0.3, 2 * grain);
}

TEST(Grading, MonodisperseGrainsAreEqual)
{
    for (double d : draw_sizes(monodisperse(0.03), 1000)) EXPECT_DOUBLE_EQ(d, 0.03);
}

TEST(Grading, BallastLiesWithinTheLimitsOfTheStandard)
{
    const struct {
        double opening, least, most;
    } limits[] = {
        {0.0224, 0, 0.03}, {0.0315, 0.01, 0.25}, {0.04, 0.3, 0.65}, {0.05, 0.7, 0.99}, {0.063, 1, 1}};
    const auto sizes = draw_sizes(ballast_31_50(), 2000);
    double total = 0;
    for (double d : sizes) total += d * d * d;
    for (const auto& limit : limits) {
        EXPECT_DOUBLE_EQ(passing(ballast_31_50(), limit.opening), (limit.least + limit.most) / 2);
        double below = 0;
        for (double d : sizes)
            if (d <= limit.opening) below += d * d * d;
        EXPECT_GE(below / total, limit.least - 1e-12);
        EXPECT_LE(below / total, limit.most + 1e-12);
    }
    EXPECT_GE(passing(ballast_31_50(), 0.05) - passing(ballast_31_50(), 0.0315), 0.5);
}

TEST(Grading, OrderComesFromTheSeedAndSizesDoNot)
{
    auto a = draw_sizes(ballast_31_50(), 100, 1), b = draw_sizes(ballast_31_50(), 100, 2);
    EXPECT_EQ(a, draw_sizes(ballast_31_50(), 100, 1));
    EXPECT_NE(a, b);
    std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
    EXPECT_EQ(a, b);
}

TEST(Grading, WhatIsNoSieveCurveIsRefused)
{
    for (const Grading& g :
         {Grading{{1}, {1}}, Grading{{1, 2}, {0, 0.9}}, Grading{{2, 1}, {0, 1}}, Grading{{0, 1}, {0, 1}},
          Grading{{1, 2, 3}, {0, 1}}, Grading{{1, 2, 3}, {0, 1, 0.5}}, Grading{{1, NAN}, {0, 1}}})
        EXPECT_TRUE(contains(error_of([&] { draw_sizes(g, 3); }), "not a sieve curve"));
    EXPECT_TRUE(contains(error_of([] { draw_sizes(monodisperse(1), 0); }), "at least one"));
}

} // namespace grading_test
