// Contact points of a pair, and poses to put it into.
#pragma once

#include "tamis/collision/narrowphase.hpp"

#include <Eigen/Geometry>
#include <limits>
#include <vector>

namespace tamis {

inline constexpr double everything = std::numeric_limits<double>::infinity();

inline Pose at(double x, double y, double z)
{
    return {Eigen::Matrix3d::Identity(), {x, y, z}};
}

inline Eigen::Matrix3d turn(double angle, const Eigen::Vector3d& axis)
{
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

inline std::vector<ContactPoint> points(const Shape& a, const Pose& pose_a, const Shape& b,
                                        const Pose& pose_b, double alert = everything)
{
    std::vector<ContactPoint> out;
    collide(a, pose_a, b, pose_b, alert, out);
    return out;
}

} // namespace tamis
