// Measures of packings: solid fraction and coordination number.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

namespace tamis {

// Volume of the part of a ball, or of a solid shape, that lies within the region. Exact for balls, boxes and
// polyhedra; for a cylinder or capsule, its exact volume times the fraction of the polyhedron drawn for it.
double volume_within(const Bounds& region, const Eigen::Vector3d& centre, double radius);
double volume_within(const Bounds& region, const Shape& shape, const Pose& pose);

// Volume of the grains within the region over the volume of the region. Keep the region away from walls.
double solid_fraction(const Bounds& region, std::span<const Eigen::Vector3d> centres,
                      std::span<const double> radii);
double solid_fraction(const Bounds& region, std::span<const Shape> shapes, std::span<const Pose> poses);

// Solid fraction of the middle of a bed, the box between the quartiles of the centres along each axis:
// away from the walls and insensitive to a few flying grains. NaN where that box is thinner than a
// grain. For grains of other shapes give the radii of balls of equal volume: the errors at the faces
// of the box cancel on average.
double middle_solid_fraction(std::span<const Eigen::Vector3d> centres, std::span<const double> radii);

// Mean number of touching neighbours. Rattlers carry no load: grains with fewer than `least` contacts, those
// with fewer once these are removed, and so on.
struct Coordination {
    double mean = 0;             // over all grains
    double without_rattlers = 0; // over grains that are not rattlers, with each other and walls; 0 if none
    int grains = 0, rattlers = 0;
};
// `touching` has each pair of touching grains 0 .. grains - 1 once; -1 is a wall.
Coordination coordination(int grains, std::span<const std::pair<int, int>> touching, int least = 4);
// Only grains whose origins lie within the region count; the others are walls to them.
Coordination coordination(const Bounds& region, std::span<const Pose> poses,
                          std::span<const std::pair<int, int>> touching, int least = 4);

} // namespace tamis
