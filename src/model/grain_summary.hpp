// What a bed of grains is as a whole, by every method.
#pragma once

#include "tamis/model/view.hpp"

namespace tamis {

struct GrainSummary {
    double mass = 0;                                            // kg
    Eigen::Vector3d centre_of_mass{0, 0, 0}, velocity{0, 0, 0}; // of the centre of mass
    Eigen::Matrix3d inertia{Eigen::Matrix3d::Zero()};           // about it, world axes
    double temperature = 0; // granular: <|v - <v>|^2> / 3, every grain counting alike, m2/s2 (Campbell)
    double overlap = 0;     // largest of the contacts of grains that view.contacts() tells, m
};
// Of all grains of the model; nothing but zeros if there are none.
GrainSummary grain_summary(const View& view);

} // namespace tamis
