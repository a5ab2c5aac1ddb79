// What balls touch of a wall: a shape as one or several smooth surfaces, each with a contact of its own. The cavity of
// a box is six planes, that of a cylinder its side and two planes; other shapes are one surface each.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/dem/wall_distance.hpp"

#include <vector>

namespace tamis {

struct WallSurface {
    using Kind = SurfaceKind;
    Kind kind;
    int part;               // the wall that it belongs to
    Eigen::Vector3d normal; // of a plane, into the free side; else half lengths of a box
    double offset;          // of a plane: normal . x = offset; else the radius
    // Round surfaces are at this distance from a segment along z of this half length: a point for a sphere, infinite
    // for the side of a cylinder.
    double half_length;

    PlainSurface plain() const { return {kind, {normal.x(), normal.y(), normal.z()}, offset, half_length}; }
};

// Distance of a point to the surface, negative inside the solid, and the direction away from it; frame of the shape. In
// wall_distance.hpp for numbers of any kind.
struct WallDistance {
    Eigen::Vector3d normal;
    double distance;
};
WallDistance distance(const WallSurface& surface, const Eigen::Vector3d& x);

// Appends those of a shape; refuses polyhedra and meshes, naming the wall.
void add_surfaces(const Shape& shape, int part, const std::string& name, std::vector<WallSurface>& out);

} // namespace tamis
