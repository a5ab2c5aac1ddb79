// A map over rho_inf and w01h: at each point the spectral radius rho of the map from one step to the next, of the
// recurrence of the published schemes (stability.cpp) and of a step of the solvers themselves. Stable where rho <= 1.
#include "support/stability_map.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace tamis {

void compute(std::span<StabilityPoint> points, long first, const StabilityParameters& p,
             const StabilityGrid& grid, const OneStepMap& measured, int threads)
{
    const long count = static_cast<long>(points.size()), row = grid.w_steps + 1;
    std::exception_ptr error; // must not leave its thread
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (long i = 0; i < count; ++i) {
        try {
            StabilityParameters at = p;
            at.rho_inf = static_cast<double>((first + i) / row) / grid.rho_steps;
            at.w01h = grid.w_end * static_cast<double>((first + i) % row) / grid.w_steps;
            points[i] = {at.rho_inf, at.w01h, spectral_radius(amplification(recurrence(at))),
                         spectral_radius(measured(at))};
        } catch (...) {
#pragma omp critical(stability_map_error)
            error = std::current_exception();
        }
    }
    if (error) std::rethrow_exception(error);
}

StabilityStatistics statistics(std::span<const StabilityPoint> map)
{
    StabilityStatistics s;
    long counted = 0, stable_points = 0;
    bool all = true; // of this rho_inf so far
    for (std::size_t i = 0; i < map.size(); ++i) {
        const StabilityPoint& point = map[i];
        s.largest_radius = std::max(s.largest_radius, point.radius);
        s.largest_difference = std::max(s.largest_difference, std::abs(point.radius_measured - point.radius) /
                                                                  std::max(1.0, point.radius));
        if (point.w01h > 0) {
            ++counted;
            stable_points += stable(point.radius);
            all = all && stable(point.radius);
        }
        if (i + 1 < map.size() && map[i + 1].rho_inf == point.rho_inf) continue;
        if (all) s.always.push_back(point.rho_inf);
        all = true;
    }
    s.stable_share = static_cast<double>(stable_points) / static_cast<double>(std::max(counted, 1L));
    return s;
}

} // namespace tamis
