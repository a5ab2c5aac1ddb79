// Contact points of a shape, which is a, with a triangulated surface.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

namespace tamis {

// A flat part of the surface acts as one, however it is divided into triangles: a body that rolls or slides
// over it meets no edge.
//
// - Sphere: one point for each flat part, ridge edge or ridge vertex whose distance from the centre is a
//   local minimum.
// - Capsule: the same for its end spheres; also where its segment crosses ridge edges or passes ridge
//   vertices.
// - Box, polyhedron: its vertices over triangles (a few for each flat part, unless alert is infinite),
//   its edges across ridge edges, ridge vertices under its faces. Corners that approach edges or corners are
//   seen once they overlap.
// - Cylinder: points of its rims over triangles, as against a plane; ridge edges that come close to it.
//
// A body behind the surface is pushed to the free side if it is not deeper than the shape's own size.
void mesh_points(const Shape& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double alert,
                 std::vector<ContactPoint>& out);

} // namespace tamis
