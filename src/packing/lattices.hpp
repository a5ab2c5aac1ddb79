// Regular arrangements of balls, and a loose one from which grains are dropped.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace tamis {

// Centres of balls of diameter `spacing` that fill the box in rows, starting at its lower corner. Each is
// then displaced at random by up to `jitter` spacings along each axis: balls of diameter up to spacing (1 - 2
// jitter) do not overlap.
std::vector<Eigen::Vector3d> cubic_lattice(const Bounds& box, double spacing, double jitter = 0,
                                           std::uint64_t seed = 1);

// Centres of balls of this diameter in horizontal close-packed layers within the box: layers A B C A ... are
// face-centred cubic, A B A ... hexagonal.
enum class Stacking { abc, ab };
std::vector<Eigen::Vector3d> close_packed_lattice(const Bounds& box, double diameter,
                                                  Stacking stacking = Stacking::abc);

// Centres of balls of this diameter in layers A B C A ... on the floor z = 0 of an upright cylinder around
// the z axis, with a ball of each layer A on the axis.
std::vector<Eigen::Vector3d> layers_in_cylinder(double radius, double diameter, int layers);

// Initial positions of bodies that will be dropped, enclosed in balls of the given radii: each in a cubic
// cell of side 2 gap (largest radius), within the horizontal outline of the container (a box, or a shape
// around the z axis), layer by layer upwards from z = bottom, in the frame of the container. A body is
// displaced at random by up to `jitter` of its clearance in the cell; it never leaves the cell.
struct Drop {
    enum class Order { given, shuffled, largest_first };
    double bottom = 0;
    double gap = 1.1;
    double jitter = 0.9;
    Order order = Order::shuffled;
    std::uint64_t seed = 1;
};
std::vector<Eigen::Vector3d> drop_lattice(const Shape& container, std::span<const double> radii,
                                          const Drop& drop = {});

} // namespace tamis
