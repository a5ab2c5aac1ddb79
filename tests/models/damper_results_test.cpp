// What all models of dampers tell, of motions in closed form.
#include "error_of.hpp"
#include "support/damper_results.hpp"
#include "tamis/io/columns.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>

namespace tamis::test::damper_results_test {

namespace {

constexpr double pi = std::numbers::pi, f = 12, w = 2 * pi * f, X = 3e-3, sag = 0.02;

// An oscillator of mass m that vibrates about its sag as (1 - exp(-t / T)) X sin w t, with steps of h.
struct Vibration {
    double m = 2, c = 0.3, T = 0.5, h = 1e-3, end = 5;

    Columns columns() const
    {
        Columns out("vibration", {"t", "x", "v", "dissipated"});
        double dissipated = 0;
        for (int k = 0; k <= std::lround(end / h); ++k) {
            const double t = k * h, grown = 1 - std::exp(-t / T);
            const double v = X * (grown * w * std::cos(w * t) + std::exp(-t / T) / T * std::sin(w * t));
            out.add(std::vector{t, sag + grown * X * std::sin(w * t), v, dissipated});
            // By a fine rule for what a damper takes in the next step.
            for (int i = 0; i < 8; ++i) {
                const double s = t + (i + 0.5) * h / 8, g = 1 - std::exp(-s / T);
                const double u = X * (g * w * std::cos(w * s) + std::exp(-s / T) / T * std::sin(w * s));
                dissipated += c * u * u * h / 8;
            }
        }
        return out;
    }
    std::map<std::string, double> results() const
    {
        std::map<std::string, double> all;
        const Columns recorded = columns();
        // Particles of a hundredth of its mass: eq. 10 is then that of the oscillator itself.
        for (const Result& r :
             damper_results({.position = "x", .velocity = "v", .frequency = f, .particle_mass = 0.01 * m})) {
            const std::vector<double> values = r.values(recorded);
            EXPECT_EQ(values.size(), r.names.size());
            for (std::size_t k = 0; k < values.size(); ++k) all[r.names[k]] = values[k];
        }
        return all;
    }
};

} // namespace

TEST(DamperResults, ADashpotHasItsOwnDampingRatio)
{
    const Vibration dashpot{.T = 1e-3}; // steady from the start
    const auto r = dashpot.results();
    EXPECT_NEAR(r.at("zeta_PD"), dashpot.c / (2 * dashpot.m * w), 1e-3 * dashpot.c / (2 * dashpot.m * w));
    EXPECT_NEAR(r.at("energy_per_cycle_J"), pi * dashpot.c * w * X * X, 1e-3 * pi * dashpot.c * w * X * X);
    EXPECT_LT(r.at("energy_deviation"), 0.01);
}

// The rms of a period around t is 1 - exp(-t / T) of that at the end, so that five periods in a row spread by less
// than 5 % from t1 on, where exp(-t1 / T) (1 - exp(-4 / (f T))) = 0.05 (1 - mean of the five exponentials).
TEST(DamperResults, TheTransientEndsWhereItsPeriodsAreAlike)
{
    const Vibration growing;
    const auto r = growing.results();
    double first = 0;
    const auto rms = [&](double t) { return 1 - std::exp(-t / growing.T); };
    for (; true; first += 1e-3) {
        double sum = 0;
        for (int k = 0; k < 5; ++k) sum += rms(first + k / f) / 5;
        if (rms(first + 4 / f) - rms(first) <= 0.05 * sum) break;
    }
    EXPECT_NEAR(r.at("steady_from_s"), first, 1.5 / f); // a period begins half of one before its middle
    EXPECT_NEAR(r.at("steady_rms_m"), X / std::sqrt(2.0), 0.02 * X);
    EXPECT_NEAR(r.at("steady_peak_m"), X, 0.01 * X);
    EXPECT_NEAR(r.at("dominant_Hz"), f, 0.5); // two lines of 4 s
}

TEST(DamperResults, AGrowingMotionHasNoSteadyStateAndIsJudgedByItsSecondHalf)
{
    const Vibration slow{.T = 100};
    const Columns c = slow.columns();
    const auto results = damper_results({.position = "x", .velocity = "v", .frequency = f});
    ASSERT_EQ(results.size(), 3u); // none of an energy
    EXPECT_NE(error_of([&] { results[0].values(c); }).find("let the run go on for longer"),
              std::string::npos);
    // (1 - exp(-t / T)) is t / T here: rms over the second half.
    EXPECT_NEAR(results[1].values(c)[0], X / std::sqrt(2.0) * 0.05 * std::sqrt(7.0 / 12), 0.03 * X * 0.05);
}

} // namespace tamis::test::damper_results_test
