// A point in which two shapes touch, or nearly so.
#pragma once

#include <Eigen/Core>

namespace tamis {

struct ContactPoint {
    Eigen::Vector3d on_a, on_b; // the points of the two surfaces, world frame
    Eigen::Vector3d normal;     // unit, from a to b: gap = normal . (on_b - on_a)
    double gap;
    int feature; // which corner, edge, ... : stable from step to step, unique within the pair
};

} // namespace tamis
