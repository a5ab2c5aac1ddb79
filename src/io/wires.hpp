// Lines that show where a container is and hide nothing in it.
#pragma once

#include "collision/shapes.hpp"

#include <array>

namespace tamis {

using Lines = std::vector<std::array<int, 2>>; // between two vertices each

// The edges of all faces, each once.
Lines edges(const Surface& surface);

// Lines of a plane, in its own frame, over all that `box` (world axes) covers of it: a round length apart,
// where they stay while the box moves, and at least a tenth of its longest edge.
struct Grid {
    std::vector<Eigen::Vector3d> vertices;
    Lines lines;
};
Grid grid(const Plane& plane, const Pose& pose, const Bounds& box);

} // namespace tamis
