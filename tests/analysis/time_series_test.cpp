// Integrals of sampled sines against closed forms, and what is refused.
#include "tamis/analysis/time_series.hpp"

#include "error_of.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::test::time_series_test {

namespace {

constexpr double pi = std::numbers::pi;

struct Sampled {
    std::vector<double> t, x;
    template <class F>
    Sampled(double h, int n, F&& f)
    {
        for (int k = 0; k <= n; ++k) {
            t.push_back(k * h);
            x.push_back(f(k * h));
        }
    }
    operator TimeSeries() const { return {t, x}; }
};

} // namespace

TEST(TimeSeries, MeanRmsAndPeakOfASine)
{
    // 10 Hz, 1 ms: a period is 100 steps, over which the trapezoidal rule is exact.
    const Sampled s(1e-3, 1000, [](double t) { return 0.3 + 2 * std::sin(2 * pi * 10 * t); });
    const Window w = last_periods(s.t, 0.1, 4);
    EXPECT_NEAR(w.from, 0.6, 1e-12);
    EXPECT_NEAR(mean(s, w), 0.3, 1e-13);
    EXPECT_NEAR(rms(s, w), std::sqrt(0.09 + 2), 1e-13);
    EXPECT_NEAR(peak(s, w), 2.3, 1e-12);
}

TEST(TimeSeries, EndsOfAWindowAreInterpolated)
{
    const Sampled line(0.1, 10, [](double t) { return 3 * t; });
    EXPECT_NEAR(integral(line, {0.23, 0.71}), 1.5 * (0.71 * 0.71 - 0.23 * 0.23), 1e-14);
    EXPECT_NEAR(integral(line, {0.42, 0.43}), 1.5 * (0.43 * 0.43 - 0.42 * 0.42), 1e-14);
    EXPECT_NEAR(at(line, 0.77), 2.31, 1e-14);
    EXPECT_NEAR(at(line, 1.0), 3, 1e-14);
    // Times at any distance, such as a last short step.
    const std::vector<double> t{0, 0.5, 0.6, 2}, x{0, 1, 1.2, 4};
    EXPECT_NEAR(integral({t, x}, {0, 2}), 4, 1e-14);
}

TEST(TimeSeries, HarmonicByProjection)
{
    const auto f = [](double t) {
        return 5 + 3 * std::sin(2 * pi * 7 * t + 0.4) + std::sin(2 * pi * 21 * t);
    };
    const Sampled s(1e-3, 2000, f);
    const Harmonic whole = harmonic(s, 7, {0.5, 0.5 + 9.0 / 7}); // other harmonics vanish in whole periods
    EXPECT_NEAR(whole.offset, 5, 2e-4);
    EXPECT_NEAR(whole.amplitude, 3, 2e-4);
    EXPECT_NEAR(whole.phase, 0.4, 2e-4);
    // Of a pure sine it is exact in any window of whole steps.
    const Sampled pure(1e-3, 2000, [](double t) { return 5 + 3 * std::sin(2 * pi * 7 * t - 2); });
    const Harmonic any = harmonic(pure, 7, {0.123, 0.241});
    EXPECT_NEAR(any.offset, 5, 1e-10);
    EXPECT_NEAR(any.amplitude, 3, 1e-10);
    EXPECT_NEAR(any.phase, -2, 1e-10);
}

TEST(TimeSeries, ByPeriod)
{
    // An amplitude that doubles from one period to the next.
    const Sampled s(1e-3, 350, [](double t) {
        return std::exp2(std::floor(t / 0.1 - 0.5 + 1e-9)) * std::sin(2 * pi * 10 * (t - 0.05));
    });
    const std::vector<double> by_period = rms_by_period(s, 0.1);
    ASSERT_EQ(by_period.size(), 3u);
    EXPECT_NEAR(by_period[0], std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(by_period[2], 4 * std::sqrt(0.5), 1e-12);

    const Sampled count(0.01, 100, [](double t) { return t * t; });
    const std::vector<double> growth = growth_by_period(count, 0.25, 3);
    ASSERT_EQ(growth.size(), 3u);
    EXPECT_NEAR(growth[0], 0.25 * 0.75, 1e-12);
    EXPECT_NEAR(growth[2], 1 - 0.5625, 1e-12);
}

TEST(TimeSeries, WorkOfAViscousDamperIsPiCOmegaXSquared)
{
    const double X = 0.01, omega = 2 * pi * 10, c = 3;
    const Sampled v(1e-3, 500, [=](double t) { return X * omega * std::cos(omega * t); });
    const Sampled f(1e-3, 500, [=](double t) { return c * X * omega * std::cos(omega * t); });
    for (const double work : work_by_period(v.t, f.x, v.x, 0.1, 3))
        EXPECT_NEAR(work, pi * c * omega * X * X, 1e-12);
}

TEST(TimeSeries, Spread)
{
    const Spread s = spread(std::vector<double>{1, 2, 3, 4});
    EXPECT_DOUBLE_EQ(s.mean, 2.5);
    EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(5.0 / 3) / 2.5);
    EXPECT_EQ(spread(std::vector<double>{7}).deviation, 0);
}

TEST(TimeSeries, WhatIsNotThereIsRefused)
{
    const Sampled s(0.1, 10, [](double t) { return t; });
    EXPECT_EQ(
        error_of([&] {
            rms(s, {0.5, 1.2});
        }),
        "The time from 0.5 s to 1.2 s is not within the 0 s to 1 s that were recorded: let the run go on for "
        "longer, or ask for less.");
    EXPECT_NE(error_of([&] { rms(s, {0.5, 0.5}); }).find("holds no time"), std::string::npos);
    EXPECT_NE(error_of([&] { harmonic(s, 1, {0.5, 0.9}); }).find("half a period"), std::string::npos);
    const std::vector<double> t{0, 1, 1}, x{1, 2, 3}, y{1, 2};
    EXPECT_NE(error_of([&] { mean({t, x}, {0, 1}); }).find("times must rise"), std::string::npos);
    EXPECT_NE(error_of([&] { mean({t, y}, {0, 1}); }).find("one value for each time"), std::string::npos);
    EXPECT_NE(error_of([&] { growth_by_period(s, 0.3, 4); }).find("is not within"), std::string::npos);
}

} // namespace tamis::test::time_series_test
