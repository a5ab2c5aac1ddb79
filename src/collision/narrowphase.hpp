// Shape pair -> contact points with signed gaps.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/shapes.hpp"

#include <vector>

namespace tamis {

// Appends the points of the pair whose gap is at most `alert`. Where a flat contact is reduced to four
// points, an infinite alert asks for all. Walls (planes, hollow shapes, meshes) do not meet walls. A cylinder
// that lies along an edge, of a polyhedron or a mesh, has one point there.
void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double alert,
             std::vector<ContactPoint>& out);

} // namespace tamis
