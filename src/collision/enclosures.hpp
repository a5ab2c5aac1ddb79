// Contact points of a shape, which is a, with the walls of the cavity around it.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

namespace tamis {

// The walls: 0 .. 5 of a box (-x, +x, -y, +y, -z, +z), 0 the side and 1, 2 the caps (-z, +z) of a cylinder, 0
// of a sphere or capsule. Features are wall + 8 * point, the point being 0 for a sphere, the end for a
// capsule, the vertex (a few for each wall, unless alert is infinite), or that of the rims of a
// cylinder as against a plane.
void enclosure_points(const Shape& a, const Pose& pose_a, const Hollow& b, const Pose& pose_b, double alert,
                      std::vector<ContactPoint>& out);

} // namespace tamis
