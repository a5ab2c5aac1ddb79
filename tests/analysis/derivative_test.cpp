#include "tamis/analysis/derivative.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace derivative_test {

using namespace tamis;

TEST(Derivative, OfSmoothFunctionsIsExactWithinItsEstimate)
{
    const auto f = [](double x) { return std::vector{std::exp(x), std::sin(10 * x), 3 * x - 1}; };
    for (const Differences kind : {Differences::central, Differences::forward}) {
        const auto d = derivatives(f, 0.7, 0.05, 5, kind);
        const double exact[] = {std::exp(0.7), 10 * std::cos(7.0), 3};
        const double tolerance = kind == Differences::central ? 1e-9 : 1e-5;
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(d[k].value, exact[k], tolerance * std::abs(exact[k]));
            EXPECT_NEAR(d[k].value, exact[k], d[k].error + 1e-12);
        }
    }
}

TEST(Derivative, TellsOfAFunctionThatIsNotSmooth)
{
    const auto f = [](double x) { return std::vector{x > 0.703 ? 1.0 : 0.0}; };
    const auto d = derivatives(f, 0.7, 0.01, 3);
    EXPECT_GT(d[0].error, 10);
}

TEST(Derivative, IsNoNumberWhereTheFunctionIsNone)
{
    const auto f = [](double x) { return std::vector{std::sqrt(x), x}; };
    const auto d = derivatives(f, 0.001, 0.01, 3);
    EXPECT_FALSE(std::isfinite(d[0].value));
    EXPECT_NEAR(d[1].value, 1, 1e-12);
}

} // namespace derivative_test
