// Contact points of a cylinder, which is a, with flat-sided shapes and other cylinders.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

#include <array>

namespace tamis {

// Four points a quarter turn apart on each rim, the first of them the deepest against `normal`: a lying
// cylinder touches a plane by one point of each rim, a standing one by four of one rim, and nothing changes
// abruptly in between. Standing within 1e-8 rad, the deepest direction is noise, and the points keep to the
// cylinder's own x and y. 0..3 on the rim at -z, 4..7 on the rim at +z.
std::array<Eigen::Vector3d, 8> rim_points(const Cylinder& a, const Pose& pose_a,
                                          const Eigen::Vector3d& normal);

// The closest or deepest points, feature 0; or, where a side of the polyhedron faces the cylinder, at most
// four of: points 1 + (0 .. 7) of the rims over that side, 9, 10 the ends of the lowest generator over it,
// and from 11 on the side's vertices under the cap and the crossings of its edges with the rim.
void cylinder_points(const Cylinder& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert,
                     std::vector<ContactPoint>& out);
void cylinder_points(const Cylinder& a, const Pose& pose_a, const Polyhedron& b, const Pose& pose_b,
                     double alert, std::vector<ContactPoint>& out);
// The closest or deepest points, feature 0; or, where the cylinders lie side by side, the ends
// 1, 2 of the stretch they share; or, where caps face each other, a few points of their rims
// and of the crossings of these.
void cylinder_points(const Cylinder& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b,
                     double alert, std::vector<ContactPoint>& out);

} // namespace tamis
