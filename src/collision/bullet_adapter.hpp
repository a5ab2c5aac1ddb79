// Closest points of two convex shapes by Bullet.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

namespace tamis {

// The closest points of a and b if they are apart, the deepest if they overlap; each a sphere, box,
// cylinder, capsule or polyhedron. Feature 0.
ContactPoint closest_points(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

} // namespace tamis
