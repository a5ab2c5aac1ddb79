// Contact points of a capsule, which is a, with the convex shapes.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/hull_queries.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

namespace tamis {

// At most three points each: 0 the closest or deepest, unless it is one of 1 and 2, which are the ends of the
// stretch along which the capsule lies on the other shape.
void capsule_points(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b, double alert,
                    std::vector<ContactPoint>& out);
void capsule_points(const Capsule& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert,
                    std::vector<ContactPoint>& out);
void capsule_points(const Capsule& a, const Pose& pose_a, const Polyhedron& b, const Pose& pose_b,
                    double alert, std::vector<ContactPoint>& out);
void capsule_points(const Capsule& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double alert,
                    std::vector<ContactPoint>& out);

// Parameters in [-length, length] of the closest points p + s u and p' + t u' of two segments; d = p - p', u
// and u' are unit vectors.
struct SegmentPair {
    double s, t;
};
SegmentPair closest_on_segments(const Eigen::Vector3d& d, const Eigen::Vector3d& u, double length_u,
                                const Eigen::Vector3d& v, double length_v);

// The end t, in [-length, length], of the shortest way from the solid to the segment x + t u, in the frame of
// the solid; false if the segment enters the solid.
bool nearest_on_segment(const Cylinder& solid, const Eigen::Vector3d& x, const Eigen::Vector3d& u,
                        double length, double& t, Nearest& found);

} // namespace tamis
