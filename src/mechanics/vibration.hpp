// Modes of small motions M x'' + C x' + K x = 0: x = Re(shape exp(lambda t)).
#pragma once

#include "tamis/mechanics/machine.hpp"

#include <complex>

namespace tamis {

struct Mode {
    std::complex<double> lambda; // 1/s; one of a conjugate pair
    Eigen::VectorXcd shape;      // of x, the largest entry in terms of the scale of x is 1

    double frequency() const; // of the vibration, Hz; 0: does not swing
    double natural() const;   // |lambda| / (2 pi), Hz
    double damping() const;   // ratio: 1 and more does not swing, negative grows
};

// In ascending order of |lambda|: one for each pair of conjugate lambda, and one for each real lambda from damping.
// Without damping: one for each coordinate, real where it grows, and 0 where nothing pulls back. Refuses what can move
// without inertia.
std::vector<Mode> vibration_modes(const Machine& machine, const Machine::SmallMotions& m);

} // namespace tamis
