// Shape pair -> contact points with signed gaps.
#pragma once

#include "collision/shapes.hpp"

#include <vector>

namespace tamis {

struct ContactPoint {
    Eigen::Vector3d on_a, on_b; // the points of the two surfaces, world frame
    Eigen::Vector3d normal;     // unit, from a to b: gap = normal . (on_b - on_a)
    double gap;
    int feature; // which corner, edge, ... : stable from step to step, unique within the pair
};

// Appends the points of the pair whose gap is at most `alert`. Where a flat contact is reduced to four
// points, an infinite alert asks for all. Walls (planes, hollow shapes, meshes) do not meet walls. A cylinder
// that lies along an edge, of a polyhedron or a mesh, has one point there.
void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double alert,
             std::vector<ContactPoint>& out);

} // namespace tamis
