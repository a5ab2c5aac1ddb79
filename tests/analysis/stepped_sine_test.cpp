// Steady states of known sequences; stepped sines on oscillators whose response is known, and on others that only
// the strategies for nonlinear ones can handle.
#include "tamis/analysis/damping.hpp"
#include "tamis/analysis/stepped_sine.hpp"

#include "error_of.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::test::stepped_sine_test {

constexpr double pi = std::numbers::pi;

TEST(SteadyState, CriterionByPeriod)
{
    std::vector<double> x;
    for (int k = 0; k < 40; ++k)
        x.push_back(1 - std::pow(0.8, k)); // within 1 % over 5 from 0.8^k = 0.0069 on
    const SteadyCriterion c{.tolerance = 0.01, .periods = 5};
    EXPECT_EQ(steadiness(x, c), Steadiness::every_period);
    EXPECT_EQ(steadiness(std::span(x).first(10), c), Steadiness::none);
    const int from = steady_from(x, c);
    EXPECT_LE(std::pow(0.8, from) * (1 - std::pow(0.8, 4)), 0.01);
    EXPECT_GT(std::pow(0.8, from - 1) * (1 - std::pow(0.8, 4)), 0.01 * (1 - std::pow(0.8, from + 3)));
    EXPECT_EQ(steady_from(std::span(x).first(10), c), 10);
    EXPECT_NEAR(limit_of(std::span(x).first(6)), 1, 1e-12);
    EXPECT_TRUE(std::isnan(limit_of(std::vector<double>{1, 2, 4})));
}

TEST(SteadyState, CyclesOfTwoPeriods)
{
    std::vector<double> x;
    for (int k = 0; k < 10; ++k) x.push_back(k % 2 ? 1.0 : 1.2);
    EXPECT_EQ(steadiness(x, {0.02, 5}), Steadiness::two_periods);
    x.back() = 1.1;
    EXPECT_EQ(steadiness(x, {0.02, 5}), Steadiness::none);
    EXPECT_NE(error_of([&] { steadiness(x, {0.02, 1}); }).find("two periods or more"), std::string::npos);
}

namespace {

// m = 1, omega = 1, damping ratio zeta, under amplitude sin(2 pi f t), without an error of integration: steady
// solution plus free oscillation.
class Oscillator : public Experiment {
  public:
    explicit Oscillator(double zeta) : zeta_(zeta) {}
    void excite(double frequency, double amplitude) override
    {
        w_ = 2 * pi * frequency;
        amplitude_ = amplitude;
        y_ = amplitude / std::complex<double>(1 - w_ * w_, 2 * zeta_ * w_);
    }
    PeriodResponse run_period() override
    {
        constexpr int n = 64;
        const double T = 2 * pi / w_;
        const std::complex<double> i(0, 1), lambda(-zeta_, std::sqrt(1 - zeta_ * zeta_));
        // Free: Re(b exp(lambda t)) with what the steady solution Im(y exp(i w t)) leaves of x and v.
        const double x = x_ - y_.imag(), v = v_ - (i * w_ * y_).imag();
        const std::complex<double> b(x, (lambda.real() * x - v) / lambda.imag());
        double squares = 0;
        std::complex<double> projected = 0;
        for (int k = 0; k < n; ++k) {
            const double t = T * k / n;
            const double now = (y_ * std::exp(i * (w_ * t))).imag() + (b * std::exp(lambda * t)).real();
            squares += now * now / n;
            projected += 2.0 / n * now * i * std::exp(-i * (w_ * t));
        }
        x_ = y_.imag() + (b * std::exp(lambda * T)).real();
        v_ = (i * w_ * y_).imag() + (lambda * b * std::exp(lambda * T)).real();
        ++periods;
        return {std::sqrt(squares), projected};
    }
    int periods = 0;

  private:
    double zeta_, w_ = 1, amplitude_ = 0, x_ = 0, v_ = 0;
    std::complex<double> y_;
};

// The rms follows the amplitude by a law, as a first-order lag.
class Lagging : public Experiment {
  public:
    Lagging(std::function<double(double amplitude)> law, double lag) : law_(std::move(law)), lag_(lag) {}
    void excite(double, double amplitude) override { amplitude_ = amplitude; }
    PeriodResponse run_period() override
    {
        now_ += (law_(amplitude_) - now_) * (1 - lag_);
        ++periods;
        const double shake =
            1 + noise * std::sin(2.4 * periods * periods) + (periods % 2 ? alternate : -alternate);
        return {now_ * shake, now_ * std::sqrt(2.0)};
    }
    double noise = 0, alternate = 0;
    int periods = 0;

  private:
    std::function<double(double)> law_;
    double lag_, amplitude_ = 0, now_ = 0;
};

std::vector<double> around(double f0, double zeta)
{
    std::vector<double> f;
    for (int k = -8; k <= 8; ++k) f.push_back(f0 * (1 + 0.5 * zeta * k));
    return f;
}

} // namespace

TEST(SteppedSine, LinearOscillatorHasItsResponse)
{
    const double zeta = 0.02, f0 = 1 / (2 * pi);
    Oscillator o(zeta);
    SteppedSine how{.steady = {0.002, 10}, .longest = 500};
    const std::vector<SinePoint> points = stepped_sine(o, around(f0, zeta), 0.1, how);
    std::vector<double> f, a;
    for (const SinePoint& p : points) {
        const double w = 2 * pi * p.frequency;
        const std::complex<double> exact = 0.1 / std::complex<double>(1 - w * w, 2 * zeta * w);
        // 0.2 % over ten periods leave 0.2 % / (exp(2 pi 0.2) - 1) = 0.08 % in phase with the response; beats may hide
        // a little more. A transient in quadrature changes the rms by half its square only: 0.2 % hide 6.3 %, which in
        // ten periods falls to 1.8 %, 3.6 % in the mean.
        EXPECT_LT(std::abs(p.harmonic - exact), 0.036 * std::abs(exact)) << p.frequency;
        EXPECT_NEAR(p.rms, std::abs(exact) / std::sqrt(2.0), 3e-3 * std::abs(exact));
        EXPECT_EQ(p.steadiness, Steadiness::every_period);
        EXPECT_TRUE(p.reached);
        EXPECT_EQ(p.trials, 1);
        f.push_back(p.frequency);
        a.push_back(std::abs(p.harmonic));
    }
    EXPECT_NEAR(half_power(f, a).damping, zeta, 0.01 * zeta);
}

TEST(SteppedSine, ControlHoldsTheResponseOfALinearOscillator)
{
    const double zeta = 0.02, f0 = 1 / (2 * pi);
    Oscillator o(zeta);
    SteppedSine how{.steady = {0.01, 10}, .longest = 500, .target = 0.5, .tolerance = 0.02};
    std::vector<double> f, a;
    for (const SinePoint& p : stepped_sine(o, around(f0, zeta), 0.1, how)) {
        EXPECT_TRUE(p.reached) << p.frequency;
        EXPECT_NEAR(p.rms, 0.5, 0.01 + 1e-12);
        f.push_back(p.frequency);
        a.push_back(std::abs(p.harmonic) / p.amplitude); // transfer function
    }
    EXPECT_NEAR(half_power(f, a).damping, zeta, 0.03 * zeta);
}

TEST(SteppedSine, ControlConvergesOnNonlinearLaws)
{
    const std::vector<std::pair<const char*, std::function<double(double)>>> laws = {
        {"softening", [](double a) { return std::sqrt(a); }},
        {"hardening", [](double a) { return a * a * a; }},
        {"jump", [](double a) { return a < 3 ? 0.2 * a : 2 * a; }},
        {"saturation", [](double a) { return a / (0.2 + a); }}};
    for (const auto& [name, law] : laws) {
        Lagging e(law, 0.5);
        const SinePoint p = sine_point(e, 10, 0.1, {.steady = {0.01, 4}, .target = 0.5, .tolerance = 0.02});
        EXPECT_TRUE(p.reached) << name;
        EXPECT_NEAR(p.rms, 0.5, 0.01 + 1e-12) << name;
        EXPECT_NEAR(law(p.amplitude), p.rms, 0.01) << name;
        EXPECT_LT(p.trials, 10) << name;
        EXPECT_EQ(p.periods, e.periods) << name;
    }
}

TEST(SteppedSine, EarlyAdjustmentSavesPeriods)
{
    int periods[2];
    for (const bool early : {false, true}) {
        Lagging e([](double a) { return a; }, 0.95);
        SteppedSine how{.steady = {0.01, 10}, .longest = 400, .target = 0.5};
        if (!early) how.early = 1e9;
        const SinePoint p = sine_point(e, 10, 5, how);
        EXPECT_TRUE(p.reached);
        periods[early] = p.periods;
    }
    EXPECT_LT(periods[true], 0.7 * periods[false]);
}

TEST(SteppedSine, TwoPeriodCyclesAreRecognised)
{
    Lagging e([](double a) { return a; }, 0.3);
    e.alternate = 0.2;
    const SinePoint p = sine_point(e, 10, 0.1, {.target = 0.5});
    EXPECT_TRUE(p.reached);
    EXPECT_EQ(p.steadiness, Steadiness::two_periods);
    EXPECT_NEAR(p.rms, 0.5, 0.025);
}

TEST(SteppedSine, TheBestIsTakenWhereControlFails)
{
    // Steady below and above, never at the target: 0.3, 0.45, 0.7.
    Lagging steps([](double a) { return a < 1 ? 0.3 : a < 2 ? 0.45 : 0.7; }, 0);
    const SinePoint p = sine_point(steps, 10, 0.5, {.target = 0.5, .tolerance = 0.02, .trials = 12});
    EXPECT_FALSE(p.reached);
    EXPECT_EQ(p.trials, 12);
    EXPECT_NEAR(p.rms, 0.45, 1e-12);
    EXPECT_EQ(p.steadiness, Steadiness::every_period);
    // Never steady at all.
    Lagging wild([](double a) { return a; }, 0);
    wild.noise = 0.25;
    const SinePoint q = sine_point(wild, 10, 0.5, {.longest = 20, .target = 0.5, .trials = 4});
    EXPECT_FALSE(q.reached);
    EXPECT_EQ(q.steadiness, Steadiness::none);
    EXPECT_NEAR(q.rms, 0.5, 0.2);
}

TEST(SteppedSine, WhatCannotBeIsRefused)
{
    Lagging e([](double) { return INFINITY; }, 0);
    EXPECT_NE(error_of([&] { sine_point(e, 0, 1, {}); }).find("positive numbers"), std::string::npos);
    EXPECT_NE(error_of([&] { sine_point(e, 1, 1, {.longest = 3}); }).find("give more"), std::string::npos);
    EXPECT_NE(error_of([&] { sine_point(e, 1, 1, {}); }).find("not finite"), std::string::npos);
}

} // namespace tamis::test::stepped_sine_test
