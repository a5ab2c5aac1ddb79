// With t = |theta| and X the cross matrix of theta,
//
//     T = I + A X + B X^2,   T^-1 = I - X / 2 + E X^2
//     A = (1 - cos t) / t^2,   B = (t - sin t) / t^3,   E = (1 - (t / 2) cot(t / 2)) / t^2
//
// and A', B' their derivatives in t over t. Below a tenth of a radian series take the place of differences
// that cancel.
#include "smooth/rotation.hpp"

#include <cmath>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double small = 0.1;

// c0 + c1 y + c2 y^2 + c3 y^3
double series(double y, double c0, double c1, double c2, double c3)
{
    return c0 + y * (c1 + y * (c2 + y * c3));
}

double coefficient_a(double t)
{
    if (t < small) return series(t * t, 1. / 2, -1. / 24, 1. / 720, -1. / 40320);
    return (1 - std::cos(t)) / (t * t);
}

double coefficient_b(double t)
{
    if (t < small) return series(t * t, 1. / 6, -1. / 120, 1. / 5040, -1. / 362880);
    return (t - std::sin(t)) / (t * t * t);
}

} // namespace

Eigen::Quaterniond exp_turn(const Vector3d& theta)
{
    const double half = theta.norm() / 2;
    const double s = half < small ? series(half * half, 1. / 2, -1. / 12, 1. / 240, -1. / 10080)
                                  : std::sin(half) / (2 * half);
    return {std::cos(half), s * theta[0], s * theta[1], s * theta[2]};
}

Matrix3d tangent_map(const Vector3d& theta)
{
    const double t = theta.norm();
    const Matrix3d X = cross_matrix(theta);
    return Matrix3d::Identity() + coefficient_a(t) * X + coefficient_b(t) * X * X;
}

Matrix3d inverse_tangent_map(const Vector3d& theta)
{
    const double t = theta.norm();
    const double E = t < small ? series(t * t, 1. / 12, 1. / 720, 1. / 30240, 1. / 1209600)
                               : (1 - t / 2 / std::tan(t / 2)) / (t * t);
    const Matrix3d X = cross_matrix(theta);
    return Matrix3d::Identity() - X / 2 + E * X * X;
}

Matrix3d tangent_map_derivative(const Vector3d& theta, const Vector3d& u)
{
    const double t = theta.norm(), A = coefficient_a(t), B = coefficient_b(t);
    const double A1 = t < small ? series(t * t, -1. / 12, 1. / 180, -1. / 6720, 1. / 453600)
                                : (std::sin(t) / t - 2 * A) / (t * t);
    const double B1 =
        t < small ? series(t * t, -1. / 60, 1. / 1260, -1. / 60480, 1. / 4989600) : (A - 3 * B) / (t * t);
    const Vector3d w = theta.cross(u);
    return -A * cross_matrix(u) - B * (cross_matrix(w) + cross_matrix(theta) * cross_matrix(u)) +
           (A1 * w + B1 * theta.cross(w)) * theta.transpose();
}

} // namespace tamis
