// The Lorentz cone |x_t| <= x_n as interior-point methods use it.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

inline double cone_determinant(const Eigen::Vector3d& x)
{
    const double t = x.tail<2>().norm();
    return (x[0] - t) * (x[0] + t);
}

// Largest step from x inside the cone along d that does not leave it.
inline double step_to_boundary(const Eigen::Vector3d& x, const Eigen::Vector3d& d)
{
    double step = d[0] < 0 ? -x[0] / d[0] : std::numeric_limits<double>::max();
    const double a = cone_determinant(d), b = x[0] * d[0] - x.tail<2>().dot(d.tail<2>()),
                 c = cone_determinant(x);
    const double discriminant = b * b - a * c;
    if (discriminant < 0) return step;
    const double root = b + std::copysign(std::sqrt(discriminant), b); // of a s^2 + 2 b s + c = 0
    for (const double s : {a != 0 ? -root / a : 0, root != 0 ? -c / root : 0})
        if (s > 0) step = std::min(step, s);
    return step;
}

inline Eigen::Vector3d push_inside_cone(Eigen::Vector3d x)
{
    constexpr double margin = 4 * std::numeric_limits<double>::epsilon();
    x[0] = std::max(x[0], (1 + margin) * x.tail<2>().norm() + std::numeric_limits<double>::min());
    return x;
}

// nu x^-1 in the algebra of the cone.
inline Eigen::Vector3d cone_inverse(const Eigen::Vector3d& x, double nu)
{
    return nu / cone_determinant(x) * Eigen::Vector3d(x[0], -x[1], -x[2]);
}

// Nesterov-Todd metric: the symmetric H that preserves the cone, with H x = y.
inline Eigen::Matrix3d cone_metric(const Eigen::Vector3d& x, const Eigen::Vector3d& y)
{
    const double det_x = cone_determinant(x), det_y = cone_determinant(y);
    const Eigen::Vector3d mirror(1, -1, -1);
    const Eigen::Vector3d x_unit = x / std::sqrt(det_x), y_unit = y / std::sqrt(det_y);
    const Eigen::Vector3d w =
        (mirror.cwiseProduct(x_unit) + y_unit) / std::sqrt(2 * (1 + x_unit.dot(y_unit)));
    Eigen::Matrix3d H = 2 * w * w.transpose();
    H.diagonal() -= mirror;
    return H * std::sqrt(det_y / det_x);
}

} // namespace tamis
