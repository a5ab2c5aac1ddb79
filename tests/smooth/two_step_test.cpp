#include "tamis/smooth/two_step.hpp"

#include "error_of.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>

namespace two_step_test {

using namespace tamis;

TEST(TwoStep, CoefficientsAreThoseOfTheRationalValuesOfTheRadius)
{
    // By hand from Zhang et al. (2020), eqs (3, 4).
    const TwoStep s = TwoStep::with_radius(0.6);
    EXPECT_NEAR(s.a1, 2.0 / 3, 1e-15);
    EXPECT_NEAR(s.a2, 1.0 / 3, 1e-15);
    EXPECT_NEAR(s.b0, 25.0 / 48, 1e-15);
    EXPECT_NEAR(s.b1, 5.0 / 8, 1e-15);
    EXPECT_NEAR(s.b2, 3.0 / 16, 1e-15);
    const TwoStep bdf = TwoStep::with_radius(0); // the second backward differentiation formula
    EXPECT_NEAR(bdf.a1, 4.0 / 3, 1e-15);
    EXPECT_NEAR(bdf.a2, -1.0 / 3, 1e-15);
    EXPECT_NEAR(bdf.b0, 2.0 / 3, 1e-15);
    EXPECT_NEAR(bdf.b1, 0, 1e-15);
    EXPECT_NEAR(bdf.b2, 0, 1e-15);
}

TEST(TwoStep, IsExactForParabolasAndPredictsCubics)
{
    const double h = 0.3;
    for (const double rho : {0.0, 0.3, 0.6, 1.0}) {
        const TwoStep s = TwoStep::with_radius(rho);
        for (int p = 0; p < 3; ++p) {
            auto y = [&](double t) { return std::pow(t, p); };
            auto rate = [&](double t) { return p == 0 ? 0 : p * std::pow(t, p - 1); };
            const double known = s.known(h, y(1), y(1 - h), rate(1), rate(1 - h));
            EXPECT_NEAR(known + h * s.b0 * rate(1 + h), y(1 + h), 1e-14) << rho << ' ' << p;
        }
    }
    auto cube = [](double t) { return t * t * t; };
    EXPECT_NEAR(predicted_rate(h, cube(1), cube(1 - h), 3., 3 * (1 - h) * (1 - h)), 3 * (1 + h) * (1 + h),
                1e-13);
}

TEST(TwoStep, SpectralRadiusAtInfinityIsTheOneAskedFor)
{
    // y' = s y with |s h| -> infinity: b0 z^2 + b1 z + b2 = 0.
    for (const double rho : {0.0, 0.25, 0.6, 1.0}) {
        const TwoStep s = TwoStep::with_radius(rho);
        const std::complex<double> root = std::sqrt(std::complex<double>(s.b1 * s.b1 - 4 * s.b0 * s.b2));
        const double radius = std::max(std::abs(-s.b1 + root), std::abs(-s.b1 - root)) / (2 * s.b0);
        EXPECT_NEAR(radius, rho, 1e-7) << rho; // a double root
    }
    EXPECT_TRUE(contains(error_of([] { TwoStep::with_radius(1.2); }), "rho_inf is 1.2"));
}

} // namespace two_step_test
