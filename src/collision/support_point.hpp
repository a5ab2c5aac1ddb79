// The vertex of a convex polyhedron that is farthest along a direction.
#pragma once

#include "tamis/collision/hull.hpp"

namespace tamis {

// Along n, in the hull's own frame; of several, the first.
int support_point(const Hull& hull, const Eigen::Vector3d& n);

// The same with given instructions, "scalar" or "avx2"; null where the machine has none
// such. All find the same vertex.
using SupportPoint = int (*)(const Hull& hull, const Eigen::Vector3d& n);
SupportPoint support_point_with(const char* instructions);

} // namespace tamis
