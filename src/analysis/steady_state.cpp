// Steady: max - min <= tolerance |mean| over the last n periods, or over the even and the odd ones of 2 n, each by
// themselves. The limit of what approaches it by a constant factor r is x_n + (x_n - x_n-1) r / (1 - r) (Aitken).
#include "tamis/analysis/steady_state.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

namespace {

// Every `stride`-th of the last values, `count` of them.
bool within(std::span<const double> values, int stride, int count, int offset, double tolerance)
{
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
    for (int k = 0; k < count; ++k) {
        const double x = values[values.size() - 1 - static_cast<std::size_t>(k * stride + offset)];
        least = std::min(least, x);
        most = std::max(most, x);
        sum += x;
    }
    return most - least <= tolerance * std::abs(sum / count);
}

} // namespace

Steadiness steadiness(std::span<const double> by_period, const SteadyCriterion& criterion)
{
    const int n = criterion.periods;
    if (n < 2 || !(criterion.tolerance >= 0))
        fail("A steady state over {} periods within {} cannot be found: give two periods or more and a "
             "tolerance that is not negative.",
             n, criterion.tolerance);
    const int values = static_cast<int>(by_period.size());
    if (values >= n && within(by_period, 1, n, 0, criterion.tolerance)) return Steadiness::every_period;
    if (values >= 2 * n && within(by_period, 2, n, 0, criterion.tolerance) &&
        within(by_period, 2, n, 1, criterion.tolerance))
        return Steadiness::two_periods;
    return Steadiness::none;
}

int steady_from(std::span<const double> by_period, const SteadyCriterion& criterion)
{
    const int values = static_cast<int>(by_period.size());
    int from = values;
    for (int end = values; end >= criterion.periods; --end) {
        const Steadiness s = steadiness(by_period.first(static_cast<std::size_t>(end)), criterion);
        if (s == Steadiness::none) break;
        from = end - (s == Steadiness::two_periods ? 2 : 1) * criterion.periods;
    }
    return from;
}

double limit_of(std::span<const double> by_period)
{
    const std::size_t n = by_period.size();
    if (n < 3) return std::nan("");
    const double last = by_period[n - 1] - by_period[n - 2], before = by_period[n - 2] - by_period[n - 3];
    if (last == 0) return by_period[n - 1];
    const double ratio = last / before;
    if (!(ratio > 0 && ratio < 1)) return std::nan("");
    return by_period[n - 1] + last * ratio / (1 - ratio);
}

} // namespace tamis
