// Newton and Euler about a point x that need not be the centre of mass x + c; c and J turn with the body:
//
//     m (a_c - g) = 0,   c x m (a_c - g) + J alpha + omega x J omega = 0,
//     a_c = a + alpha x c + omega x (omega x c)
#include "tamis/model/rigid_body.hpp"

#include "tamis/model/rotation.hpp"

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

RigidBody::RigidBody(RigidBodySpec spec)
    : Element("body '" + spec.name + "'", {spec.node}), spec_(std::move(spec))
{
}

void RigidBody::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    const NodeMotion& n = state.nodes[0];
    const double m = spec_.mass;
    const Vector3d c = n.R * spec_.com, w_c = n.omega.cross(c);
    const Matrix3d J = n.R * spec_.inertia * n.R.transpose();
    const Vector3d F = m * (n.a + n.alpha.cross(c) + n.omega.cross(w_c) - spec_.gravity);
    const Vector3d J_w = J * n.omega, J_alpha = J * n.alpha;
    terms.r.head<3>() += F;
    terms.r.segment<3>(3) += c.cross(F) + J_alpha + n.omega.cross(J_w);
    if (!tangent) return;

    const Matrix3d C = cross_matrix(c), W = cross_matrix(n.omega), A = cross_matrix(n.alpha);
    const Matrix3d F_theta = -m * (A + W * W) * C;
    const Matrix3d F_omega = -m * (cross_matrix(w_c) + W * C);
    terms.K.block<3, 3>(0, 3) += F_theta;
    terms.K.block<3, 3>(3, 3) +=
        cross_matrix(F) * C + C * F_theta - cross_matrix(J_alpha) + J * A + W * (J * W - cross_matrix(J_w));
    terms.C.block<3, 3>(0, 3) += F_omega;
    terms.C.block<3, 3>(3, 3) += C * F_omega - cross_matrix(J_w) + W * J;
    terms.M.block<3, 3>(0, 0) += m * Matrix3d::Identity();
    terms.M.block<3, 3>(0, 3) -= m * C;
    terms.M.block<3, 3>(3, 0) += m * C;
    terms.M.block<3, 3>(3, 3) += J - m * C * C;
}

Energy RigidBody::energy(const ElementState& state) const
{
    const NodeMotion& n = state.nodes[0];
    const Vector3d c = n.R * spec_.com, w = n.R.transpose() * n.omega;
    return {spec_.mass * (n.v + n.omega.cross(c)).squaredNorm() / 2 + w.dot(spec_.inertia * w) / 2,
            -spec_.mass * spec_.gravity.dot(n.x + c)};
}

} // namespace tamis
