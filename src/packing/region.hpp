// Whether a container holds a ball.
#pragma once

#include "tamis/collision/shapes.hpp"

namespace tamis {

// Whether a ball of this radius at x, in the frame of the region, lies inside. The region is a sphere, box,
// cylinder, capsule or polyhedron; others throw Error.
bool holds(const Shape& region, const Eigen::Vector3d& x, double radius);

// Throws Error, with `culprit` as its subject, unless all lengths are positive and finite.
void check_lengths(std::initializer_list<double> lengths, const char* culprit);

} // namespace tamis
