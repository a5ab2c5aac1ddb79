// With p_a, p_b the arms of the points, d x_b = delta x - p_b x delta theta, and d n = -n x delta theta_a for
// a direction that node a carries. G' v: the time derivative of G at fixed v and omega is H applied to v.
#include "tamis/smooth/row.hpp"

#include "tamis/model/rotation.hpp"

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

RowTerms row_terms(const JointRow& row, const NodeMotion& a, const NodeMotion& b)
{
    RowTerms out;
    out.G.setZero();
    out.H.setZero();
    const Vector3d A = a.R * row.on_a, B = b.R * row.on_b;
    if (row.kind == JointRow::axes) {
        const Matrix3d XY = row.scale * cross_matrix(A) * cross_matrix(B);
        out.phi = row.scale * (A.dot(B) - row.value);
        out.G.segment<3>(3) = row.scale * A.cross(B);
        out.G.segment<3>(9) = -out.G.segment<3>(3);
        out.H.block<3, 3>(3, 3) = XY.transpose();
        out.H.block<3, 3>(3, 9) = -XY;
        out.H.block<3, 3>(9, 3) = -XY.transpose();
        out.H.block<3, 3>(9, 9) = XY;
        return out;
    }
    const Vector3d e = b.x + B - a.x - A;
    const Matrix3d P_a = cross_matrix(A), P_b = cross_matrix(B);
    Vector3d n = row.n;
    if (row.kind == JointRow::rod) n = e / row.value;
    if (row.carried) n = a.R * row.n;
    const Matrix3d N = cross_matrix(n);
    out.G << -n, n.cross(A), n, B.cross(n);
    out.H.block<3, 3>(9, 9) = N * P_b;
    if (row.carried) {
        const Vector3d d = e + A;
        out.phi = n.dot(e) - row.value;
        out.G.segment<3>(3) = n.cross(d);
        out.H.block<3, 3>(0, 3) = N;
        out.H.block<3, 3>(3, 0) = -N;
        out.H.block<3, 3>(3, 3) = cross_matrix(d) * N;
        out.H.block<3, 3>(3, 6) = N;
        out.H.block<3, 3>(3, 9) = -N * P_b;
        out.H.block<3, 3>(6, 3) = -N;
        out.H.block<3, 3>(9, 3) = -P_b * N;
        return out;
    }
    out.H.block<3, 3>(3, 3) = -N * P_a;
    if (row.kind == JointRow::point) {
        out.phi = n.dot(e) - row.value;
        return out;
    }
    out.phi = (e.squaredNorm() / row.value - row.value) / 2;
    Eigen::Matrix<double, 3, 12> E; // de
    E << -Matrix3d::Identity(), P_a, Matrix3d::Identity(), -P_b;
    out.H.noalias() += E.transpose() * E / row.value;
    return out;
}

RowRates row_rates(const JointRow& row, const NodeMotion& a, const NodeMotion& b)
{
    const RowTerms terms = row_terms(row, a, b);
    const Row12 v = velocities(a, b);
    return {terms.G.dot(v), v.dot(terms.H * v)};
}

} // namespace tamis
