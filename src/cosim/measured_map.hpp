// The one-step map of a co-simulation of the two-mass oscillator, measured by running it.
#pragma once

#include "cosim/stability.hpp"

namespace tamis {

// Column k is the state after one step from the state e_k: (x1, v1, v1', x1 before, v1 before, v1' before,
// x2, v2) as the two solvers hold it, with h = m1 = 1.
Eigen::MatrixXd measured_map(const StabilityParameters& p);

} // namespace tamis
