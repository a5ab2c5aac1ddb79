// Lines that show where a container is and hide nothing in it.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <array>

namespace tamis {

using Wireframe = std::vector<std::array<int, 2>>; // between two vertices each

// The edges of all faces, each once.
Wireframe edges(const Surface& surface);

// Lines of a plane, in its own frame, over all that `box` (world axes) covers of it: a round length apart,
// where they stay while the box moves, and at least a tenth of its longest edge.
struct Grid {
    std::vector<Eigen::Vector3d> vertices;
    Wireframe lines;
};
Grid grid(const Plane& plane, const Pose& pose, const Bounds& box);

} // namespace tamis
