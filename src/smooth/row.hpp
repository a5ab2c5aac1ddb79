// A scalar function phi of the motion of two nodes: a constraint, or a coordinate that a spring acts on.
#pragma once

#include "tamis/model/absolute_joints.hpp"
#include "tamis/model/element.hpp"

namespace tamis {

using Row12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// Value, gradient with respect to (delta x, delta theta) of node a, then of b, and derivative of the
// gradient. The latter is not symmetric: turns do not commute.
struct RowTerms {
    double phi;
    Row12 G;
    Matrix12 H;
};
RowTerms row_terms(const JointRow& row, const NodeMotion& a, const NodeMotion& b);

// First and second derivative in time at a = alpha = 0 of a row that depends on time only by its nodes.
struct RowRates {
    double first, second;
};
RowRates row_rates(const JointRow& row, const NodeMotion& a, const NodeMotion& b);

inline Row12 velocities(const NodeMotion& a, const NodeMotion& b)
{
    Row12 v;
    v << a.v, a.omega, b.v, b.omega;
    return v;
}

} // namespace tamis
