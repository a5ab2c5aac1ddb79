// Shapes carried by bodies: geometry only, in the shape's own frame.
#pragma once

#include "tamis/collision/broadphase.hpp"
#include "tamis/collision/hull.hpp"
#include "tamis/collision/triangle_mesh.hpp"

#include <Eigen/Core>
#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace tamis {

// Position and orientation of a frame in the world: x_W = R x + p.
struct Pose {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    Eigen::Vector3d operator*(const Eigen::Vector3d& x) const { return R * x + p; }
    Pose operator*(const Pose& b) const { return {R * b.R, R * b.p + p}; }
};

struct Sphere { // centred
    double radius;
};
struct Box { // centred, edges along the axes; one half length may be zero (a rectangle)
    Eigen::Vector3d half;
};
struct Cylinder { // centred, axis z
    double radius, half_length;
};
struct Capsule {                // centred, axis z: all points within `radius` of a segment
    double radius, half_length; // of the segment
};
struct Polyhedron { // convex
    std::shared_ptr<const Hull> hull;
};
struct Hollow { // everything outside the cavity is solid: a container seen from inside
    std::variant<Sphere, Box, Cylinder, Capsule> cavity;
};
struct Mesh { // a triangulated surface; the normals point into the free side
    std::shared_ptr<const TriangleMesh> mesh;
};
struct Plane { // the half-space normal . x < offset is solid; the normal points into the free side
    Eigen::Vector3d normal;
    double offset;
};
using Shape = std::variant<Sphere, Box, Cylinder, Plane, Capsule, Polyhedron, Hollow, Mesh>;

// Constructors for model files. Lengths are full lengths; each function throws Error unless its dimensions
// are positive and finite (one length of a box may be zero).
Shape sphere(double radius);
Shape box(double length_x, double length_y, double length_z);
Shape rectangle(double length_x, double length_y); // in the x-y plane, four corners, no thickness
Shape cylinder(double radius, double length);
Shape capsule(double radius, double length); // length between the centres of the two end spheres
Shape polyhedron(const std::vector<Eigen::Vector3d>& points); // convex hull of the points
Shape mesh(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<int, 3>>& triangles);
Shape hollow(const Shape& cavity); // inside of a sphere, box, cylinder or capsule
// The plane n.x = d, free on the side of n, which need not be a unit vector.
Shape wall(const Eigen::Vector3d& normal, double offset);

// Corners of a box, numbered 0..; a rectangle has four, counter-clockwise from (+x, +y):
// (+,+), (-,+), (-,-), (+,-); a box has these four at z = -half then at z = +half.
// A box flat in x or y is a rectangle in the y-z or z-x plane, numbered in the same way.
std::vector<Eigen::Vector3d> corners(const Box& box);

// The axis along which the box is flat; z if it is not flat.
inline int flat_axis(const Box& box)
{
    return box.half.x() == 0 ? 0 : box.half.y() == 0 ? 1 : 2;
}

// Radius of the smallest centred sphere that encloses the shape (for a hollow shape, its
// cavity); infinite for a plane.
double bounding_radius(const Shape& shape);
// Axis-aligned bounding box of the shape in the given pose. It is infinite for a hollow shape, and for a
// plane unless the normal is along an axis.
Bounds bounds(const Shape& shape, const Pose& pose);
// Mass properties of a solid shape; a plane, a mesh or a hollow shape has none and throws Error.
MassProperties mass_properties(const Shape& shape);
// Mass properties of a rigid cluster of solid shapes that do not overlap.
MassProperties mass_properties(const std::vector<std::pair<Shape, Pose>>& parts);

// A polygonal surface for drawing. A plane is drawn as a square of the given extent.
struct Surface {
    std::vector<Eigen::Vector3d> vertices;
    std::vector<std::vector<int>> faces;
};
Surface surface(const Shape& shape, double plane_extent);

// The hull of a polyhedron; null for other shapes.
inline const Hull* polyhedron_hull(const Shape& shape)
{
    const Polyhedron* polyhedron = std::get_if<Polyhedron>(&shape);
    return polyhedron ? polyhedron->hull.get() : nullptr;
}

} // namespace tamis
