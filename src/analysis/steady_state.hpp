// Whether a response that is measured period by period has settled.
#pragma once

#include <span>

namespace tamis {

// Criterion: the rms values of the last `periods` periods lie within `tolerance` of their mean, largest minus
// smallest. The response may also repeat itself in every second period, as those of particle dampers do: then
// the criterion holds for the even and the odd ones of twice as many periods, each by themselves.
//
// What is still to come: a linear response approaches its end by a factor exp(-2 pi zeta) in a period. After n
// periods within p, it may still be p / (exp(2 pi zeta n) - 1) away, about p if n = 0.11 / zeta. Give at least
// so many periods for lightly damped structures. Phases may settle later: what is in quadrature with the response
// changes its rms by half of its square only.
struct SteadyCriterion {
    double tolerance = 0.02;
    int periods = 5;
};

enum class Steadiness { none, every_period, two_periods };

// Judges the last values.
Steadiness steadiness(std::span<const double> by_period, const SteadyCriterion& criterion);

// The first period from which on all later stretches of `periods` periods are steady: where the transient ends. As
// many as there are values if there is none.
int steady_from(std::span<const double> by_period, const SteadyCriterion& criterion);

// Limit of a sequence that approaches it geometrically, from its last three values (Aitken); NaN if these do not
// approach anything.
double limit_of(std::span<const double> by_period);

} // namespace tamis
