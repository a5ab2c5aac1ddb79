// Transforms against the plain sum, and spectra of sines against the sines.
#include "tamis/analysis/spectrum.hpp"

#include "error_of.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::test::spectrum_test {

constexpr double pi = std::numbers::pi;

TEST(Spectrum, FourierIsThePlainSumForAnyLength)
{
    for (const int n : {1, 2, 7, 12, 30, 97, 121}) {
        std::vector<double> x(n);
        for (int j = 0; j < n; ++j) x[j] = std::sin(1.7 * j) + 0.1 * j;
        const auto fast = fourier(x);
        ASSERT_EQ(static_cast<int>(fast.size()), n);
        for (int k = 0; k < n; ++k) {
            std::complex<double> plain = 0;
            for (int j = 0; j < n; ++j) plain += x[j] * std::polar(1.0, -2 * pi * j * k / n);
            EXPECT_LT(std::abs(fast[k] - plain), 1e-11 * n) << "n = " << n << ", k = " << k;
        }
    }
}

static std::vector<double> times(double h, int n)
{
    std::vector<double> t(n + 1);
    for (int k = 0; k <= n; ++k) t[k] = k * h;
    return t;
}

TEST(Spectrum, SinesHaveTheirAmplitudesAndPhases)
{
    const std::vector<double> t = times(1e-3, 2000);
    std::vector<double> x;
    for (const double s : t)
        x.push_back(0.5 + 2 * std::sin(2 * pi * 15 * s + 0.3) + 0.25 * std::cos(2 * pi * 127 * s));
    const Spectrum all = spectrum({t, x}, {0, 2});
    ASSERT_EQ(all.frequency.size(), 1001u);
    EXPECT_NEAR(all.frequency[30], 15, 1e-9);
    for (std::size_t k = 0; k < all.frequency.size(); ++k) {
        const double expected = k == 0 ? 0.5 : k == 30 ? 2 : k == 254 ? 0.25 : 0;
        EXPECT_NEAR(all.amplitude[k], expected, 1e-12);
    }
    EXPECT_NEAR(all.phase[30], 0.3, 1e-12);
    EXPECT_NEAR(all.phase[254], pi / 2, 1e-11);
    EXPECT_NEAR(all.largest(100, 200), 127, 1e-9);
}

TEST(Spectrum, TaperKeepsWhatLeaksFromALineAwayFromOthers)
{
    const std::vector<double> t = times(1e-3, 2000);
    std::vector<double> x;
    for (const double s : t)
        x.push_back(2 * std::sin(2 * pi * 15.23 * s) + 1e-4 * std::sin(2 * pi * 127 * s));
    const Spectrum plain = spectrum({t, x}, {0, 2}), tapered = spectrum({t, x}, {0, 2}, Taper::hann);
    EXPECT_GT(plain.amplitude[254], 1e-3);
    EXPECT_NEAR(tapered.amplitude[254], 1e-4, 1e-6); // 2 (0.5 / 224)^3 leaks
    EXPECT_NEAR(tapered.largest(10, 20), 15.23, 0.25);
}

TEST(Spectrum, UnequalStepsAreRefused)
{
    std::vector<double> t = times(0.1, 10), x(11, 1.0);
    t[5] += 0.01;
    EXPECT_NE(error_of([&] { spectrum({t, x}, {0, 1}); }).find("equal steps"), std::string::npos);
}

} // namespace tamis::test::spectrum_test
