// Damping ratios of systems whose ratio is known.
#include "tamis/analysis/damping.hpp"

#include "error_of.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace tamis::test::damping_test {

constexpr double pi = std::numbers::pi;

// Amplitude of an oscillator of 10 Hz under a constant force, from 8 to 12 Hz.
struct Curve {
    std::vector<double> f, a;
    Curve(double zeta, int steps)
    {
        for (int k = 0; k <= steps; ++k) {
            f.push_back(8 + 4.0 * k / steps);
            const double r = f.back() / 10;
            a.push_back(1 / std::hypot(1 - r * r, 2 * zeta * r));
        }
    }
};

TEST(Damping, HalfPowerGivesTheRatioOfALinearOscillator)
{
    // A^2 is half that of the peak where (f / f_n)^2 = 1 - 2 zeta^2 -+ 2 zeta sqrt(1 - zeta^2), so that its definition
    // differs from zeta by 2 zeta^2 of it; the interpolation is exact.
    for (const double zeta : {0.002, 0.01, 0.03})
        for (const int steps : {173, 61}) { // at 0.002 the whole peak is less than a step wide
            const Curve c(zeta, steps);
            const HalfPower h = half_power(c.f, c.a);
            const double a = 1 - 2 * zeta * zeta, b = 2 * zeta * std::sqrt(1 - zeta * zeta);
            EXPECT_NEAR(h.damping, (std::sqrt(a + b) - std::sqrt(a - b)) / (2 * std::sqrt(a)), 1e-9);
            EXPECT_NEAR(h.damping, zeta, 2.1 * zeta * zeta * zeta) << zeta << ", " << steps;
            EXPECT_NEAR(h.f0, 10 * std::sqrt(1 - 2 * zeta * zeta), 1e-7);
            EXPECT_NEAR(h.amplitude, 1 / (2 * zeta * std::sqrt(1 - zeta * zeta)), 1e-5 / zeta);
        }
}

TEST(Damping, HalfPowerOfACurveThatIsNoneIsRefused)
{
    const Curve wide(0.3, 100);
    EXPECT_NE(error_of([&] { half_power(wide.f, wide.a); }).find("does not fall to half the power"),
              std::string::npos);
    const std::vector<double> f{1, 2, 3}, rising{1, 2, 3}, zero{1, 2, 0};
    EXPECT_NE(error_of([&] { half_power(f, rising); }).find("largest at its end, 3 Hz"), std::string::npos);
    EXPECT_NE(error_of([&] { half_power(f, zero); }).find("Point 3"), std::string::npos);
}

TEST(Damping, EquivalentRatioOfAViscousDamperIsItsRatio)
{
    // A damper c on a mass m tuned to f dissipates c A_V^2 / (2 f) in a period and has zeta = c / (4 pi f m).
    const double c = 0.7, m = 2, f = 13, A_V = 0.4, mu = 0.05;
    EXPECT_NEAR(equivalent_damping(c * A_V * A_V / (2 * f), mu * m, A_V, mu), c / (4 * pi * f * m), 1e-15);
    EXPECT_NE(error_of([] { equivalent_damping(1, 0, 1); }).find("positive numbers"), std::string::npos);
}

TEST(Damping, BoundOfARigidBedIsThatOfTwoStops)
{
    const double m = 0.1, A_V = 0.4;
    const double lost = 2 * (m * (2 * A_V) * (2 * A_V) / 2);
    EXPECT_NEAR(equivalent_damping(lost, m, A_V), rigid_bed_bound(), 1e-16);
    EXPECT_NEAR(rigid_bed_bound(), 0.00637, 5e-6); // Biondani et al. (2022), 1 %
}

} // namespace tamis::test::damping_test
