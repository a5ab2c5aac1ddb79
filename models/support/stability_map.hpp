// Where in the plane of rho_inf and w01h a co-simulation is stable.
#pragma once

#include "support/stability.hpp"

#include <functional>
#include <span>
#include <vector>

namespace tamis {

struct StabilityGrid {
    int rho_steps = 100, w_steps = 200; // of equal length
    double w_end = 10;                  // rho_inf from 0 to 1, w01h from 0 to w_end
    long points() const { return (rho_steps + 1L) * (w_steps + 1); }
};

struct StabilityPoint {
    double rho_inf, w01h;
    double radius, radius_measured; // of the recurrence, of the one-step map
};

// The one-step map of a co-simulation as a matrix; called from several threads.
using OneStepMap = std::function<Eigen::MatrixXd(const StabilityParameters&)>;

// The points of the grid from `first` on, by rising rho_inf and, within it, w01h; same bits for any number of
// threads.
void compute(std::span<StabilityPoint> points, long first, const StabilityParameters& p,
             const StabilityGrid& grid, const OneStepMap& measured, int threads);

// Of a whole map.
struct StabilityStatistics {
    double stable_share = 0;       // of the points with w01h > 0
    std::vector<double> always;    // rho_inf that are stable for all w01h > 0
    double largest_radius = 0;     // of the recurrence
    double largest_difference = 0; // between both radii, relative to the radius where this is above 1
};
StabilityStatistics statistics(std::span<const StabilityPoint> map);

} // namespace tamis
