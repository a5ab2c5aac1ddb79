// What crosses the cut between a smooth and a nonsmooth side: the motion of a marker one way, a wrench on it
// the other way; as plain numbers on the wire between peers.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/model/model.hpp"

#include <Eigen/Geometry>
#include <span>
#include <string>

namespace tamis {

// Of a marker: its frame, velocities, accelerations; world axes.
struct InterfaceMotion {
    static constexpr int size = 19;

    Eigen::Vector3d x{0, 0, 0};
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    Eigen::Vector3d v{0, 0, 0}, omega{0, 0, 0}; // of its origin; angular velocity
    Eigen::Vector3d a{0, 0, 0}, alpha{0, 0, 0};

    static InterfaceMotion read(std::span<const double> wire); // normalises the orientation
    void write(std::span<double> wire) const;
    // Of a marker that is carried along, at `offset` in the axes of this one.
    InterfaceMotion carried(const Pose& offset) const;
    // A time later at the present velocities. (By the acceleration as well, the wrench on it would come back at once:
    // explicit couplings of like masses diverge.)
    InterfaceMotion coasted(double time) const;
    // Seen from a world in which the origin and axes of the present one are `frame`
    // (Zhang et al. 2020, eq. 20).
    InterfaceMotion seen_from(const Pose& frame) const;
};

// Part s of the way from one to the other, 0 to 1: positions and rates on a
// straight line, orientation by SLERP.
InterfaceMotion between(const InterfaceMotion& from, const InterfaceMotion& to, double s);

// The mistake made most where another solver tells the motion of a marker: fails if its first one is more than `reach`
// from the marker's start, or turned otherwise. It may be of a time `later`.
void check_start(const std::string& who, const InterfaceMotion& first, const InterfaceMotion& marker,
                 double reach, bool turns, double later = 0);

inline constexpr int wrench_size = 6;
Wrench read_wrench(std::span<const double> wire);
void write_wrench(const Wrench& wrench, std::span<double> wire);

} // namespace tamis
