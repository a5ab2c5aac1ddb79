// Turns by a rotation vector theta: exp(theta) turns by |theta| about theta.
#pragma once

#include <Eigen/Geometry>

namespace tamis {

inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& x)
{
    Eigen::Matrix3d X;
    X << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
    return X;
}

Eigen::Quaterniond exp_turn(const Eigen::Vector3d& theta);
// R = exp(theta) R_0 turns at omega = T(theta) theta', in the axes of which theta is written.
Eigen::Matrix3d tangent_map(const Eigen::Vector3d& theta);         // T
Eigen::Matrix3d inverse_tangent_map(const Eigen::Vector3d& theta); // T^-1, for |theta| < 2 pi
Eigen::Matrix3d tangent_map_derivative(const Eigen::Vector3d& theta,
                                       const Eigen::Vector3d& u); // of T(theta) u with respect to theta

} // namespace tamis
