// The test problem of smooth/nonsmooth co-simulation as a model: two masses, each on a spring and a damper of
// its own, clamped together; see stability.hpp.
#pragma once

#include "support/stability.hpp"
#include "tamis/cosim/split.hpp"
#include "tamis/model/description.hpp"

namespace tamis {

struct TwoMasses {
    double m1 = 1, m2 = 1, k1 = 0, k2 = 0, c1 = 0, c2 = 0;
    double x = 0, v = 0; // at the start
};
// Along x. The springs are so long that the masses may move by a metre.
struct TwoMassBodies {
    Body first, second;
    Coordinate along;
};
TwoMassBodies add_two_masses(ModelDescription& model, const TwoMasses& masses);

// The one-step map of their co-simulation by the solvers of this library, measured by running it. Column k is
// the state after one step from the state e_k: (x1, v1, v1', x1 before, v1 before, v1' before, x2, v2), with
// h = m1 = 1.
Eigen::MatrixXd coupled_map(const StabilityParameters& p);

} // namespace tamis
