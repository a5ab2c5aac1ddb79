// Small vibrations of a smooth system about its configuration at the start, at rest.
#pragma once

#include "tamis/smooth/smooth_system.hpp"

namespace tamis {

struct Modes {
    Eigen::VectorXd omega; // circular frequencies in ascending order, rad/s; negative: grows at that rate
    // Columns: displacement and turn of each node (6 values), in world axes; each has a modal mass of one.
    Eigen::MatrixXd shapes;
};

// Refuses a system that is not in equilibrium: its accelerations must vanish. Velocities are taken as zero;
// dampers and gyroscopic terms are left out.
Modes modes(SmoothSystem& system);

} // namespace tamis
