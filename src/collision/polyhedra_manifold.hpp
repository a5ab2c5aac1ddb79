// Contact points of two convex polyhedra: the closest or deepest features, and the overlap of the two faces
// that face each other.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/hull.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

namespace tamis {

// Appends at most eight points, mostly four, with gap <= alert, all with the same normal, from a to b. The
// smallest gap is the distance of the hulls, or minus their penetration depth. Features are stable from step
// to step while the same vertices, edges and faces touch. Returns the smallest gap or, if that is more than alert, a
// bound that it is not below.
double polyhedra_manifold(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b, double alert,
                          std::vector<ContactPoint>& out);

} // namespace tamis
