// Measures of packings: solid fraction and coordination number.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

namespace tamis {

// Volume of the part of a ball, or of a solid shape, that lies within the region. Exact for balls, boxes and
// polyhedra; of a cylinder or capsule, the exact volume times the share of the polyhedron drawn for it.
double volume_within(const Bounds& region, const Eigen::Vector3d& centre, double radius);
double volume_within(const Bounds& region, const Shape& shape, const Pose& pose);

// Volume of the grains within the region / volume of the region. Keep the region away from the walls.
double solid_fraction(const Bounds& region, std::span<const Eigen::Vector3d> centres,
                      std::span<const double> radii);
double solid_fraction(const Bounds& region, std::span<const Shape> shapes, std::span<const Pose> poses);

// Solid fraction of the middle of a bed: of the box between the quartiles of the centres along each axis,
// away from walls and whatever a few grains that fly do. Not a number where that box is thinner than a grain.
// For grains of other shapes give the radii of balls of equal volume: what these lose at the faces of the box
// and gain is the same on average.
double middle_solid_fraction(std::span<const Eigen::Vector3d> centres, std::span<const double> radii);

// Touching neighbours of a grain, on average. Rattlers carry nothing: grains with fewer than `least`
// contacts, those with fewer once these are gone, and so on.
struct Coordination {
    double mean = 0;             // over all grains
    double without_rattlers = 0; // over the others, contacts among them and with walls; 0 if there are none
    int grains = 0, rattlers = 0;
};
// Each touching pair of grains 0 .. grains - 1 once; -1 is a wall.
Coordination coordination(int grains, std::span<const std::pair<int, int>> touching, int least = 4);
// Of the grains whose origins lie within the region alone; to them the others are walls.
Coordination coordination(const Bounds& region, std::span<const Pose> poses,
                          std::span<const std::pair<int, int>> touching, int least = 4);

} // namespace tamis
