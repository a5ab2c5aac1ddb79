// Evaluation of a mechanism's generated equations. Contact points need no generated code of their own: with
// joint axes z_j and link origins o_j in the world, a point x of link i has dx/dq_j = z_j x (x - o_j) for a
// turn, z_j for a slide, for every joint j between the ground and the link.
#include "tamis/model/multibody.hpp"

#include "tamis/mbs_symbolic/generate.hpp"
#include "tamis/model/rotation.hpp"

namespace tamis {

Multibody::Multibody(const Mechanism& m, Equations::Source source)
    : mechanism(m), nq(m.nq()), nv(m.nv()), rows(m.loop_rows()), M(nullptr, 0, 0), J(nullptr, 0, 0),
      c(nullptr, 0), h(nullptr, 0), J_dot_v(Eigen::VectorXd::Zero(rows)),
      w(Eigen::VectorXd::Zero(6 * m.wrenches())), equations_(m, source),
      dynamics_(Eigen::VectorXd::Zero(output_size(m, Quantity::dynamics))),
      loops_(Eigen::VectorXd::Zero(output_size(m, Quantity::loops))),
      frames_(Eigen::VectorXd::Zero(output_size(m, Quantity::frames)))
{
    new (&M) Eigen::Map<const RowMatrix>(dynamics_.data(), nv, nv);
    new (&c) Eigen::Map<const Eigen::VectorXd>(dynamics_.data() + nv * nv, nv);
    new (&h) Eigen::Map<const Eigen::VectorXd>(loops_.data(), rows);
    new (&J) Eigen::Map<const RowMatrix>(loops_.data() + rows, rows, nv);
    for (const Mechanism::Link& l : m.links())
        for (int k = 0; k < l.nv(); ++k) turns_.push_back(l.joint.kind != ElementaryJoint::prismatic);
    const Eigen::VectorXd p = m.parameter_values();
    length_scale = p[p.size() - 1];
}

void Multibody::dynamics(const double* q, const double* v)
{
    equations_(Quantity::dynamics, q, v, w.data(), dynamics_.data());
}
void Multibody::bias(const double* q, const double* v)
{
    equations_(Quantity::bias, q, v, w.data(), dynamics_.data() + nv * nv);
}
void Multibody::loops(const double* q)
{
    equations_(Quantity::loops, q, nullptr, nullptr, loops_.data());
}
void Multibody::loop_bias(const double* q, const double* v)
{
    equations_(Quantity::loop_bias, q, v, nullptr, J_dot_v.data());
}
void Multibody::frames(const double* q, const double* v)
{
    equations_(Quantity::frames, q, v, nullptr, frames_.data());
}

void Multibody::advance(const double* q, const double* v, double* out, double dt) const
{
    for (const Mechanism::Link& l : mechanism.links()) {
        if (l.joint.kind != ElementaryJoint::spherical) {
            if (l.nv() == 1) out[l.q] = q[l.q] + dt * v[l.v];
            continue;
        }
        const Eigen::Vector3d turn(dt * v[l.v], dt * v[l.v + 1], dt * v[l.v + 2]);
        const Eigen::Quaterniond r =
            (Eigen::Quaterniond(q[l.q], q[l.q + 1], q[l.q + 2], q[l.q + 3]) * exp_quaternion(turn))
                .normalized();
        out[l.q] = r.w();
        out[l.q + 1] = r.x();
        out[l.q + 2] = r.y();
        out[l.q + 3] = r.z();
    }
}

Placement::Placement(Multibody& body)
    : body_(body), data_(Eigen::VectorXd::Zero(output_size(body.mechanism, Quantity::kinematics))),
      axes_(12 * static_cast<int>(body.mechanism.links().size()))
{
}

void Placement::update(const double* q)
{
    body_.equations_(Quantity::kinematics, q, nullptr, nullptr, data_.data());
}

Pose Placement::link(int i) const
{
    return {Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&data_[12 * i + 3]), origin(i)};
}

void Placement::velocities(const double* v, std::vector<Eigen::Matrix<double, 6, 1>>& out) const
{
    const auto& links = body_.mechanism.links();
    out.resize(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Mechanism::Link& l = links[i];
        Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), rate = Eigen::Vector3d::Zero();
        if (l.parent >= 0) {
            rate = out[l.parent].tail<3>();
            velocity = out[l.parent].head<3>() + rate.cross(origin(static_cast<int>(i)) - origin(l.parent));
        }
        for (int k = 0; k < l.nv(); ++k)
            (l.joint.kind == ElementaryJoint::prismatic ? velocity : rate) += axis(l.v + k) * v[l.v + k];
        out[i] << velocity, rate;
    }
}

// d/dt of velocities(): with r from the parent's origin, fixed in the parent but for slides along z,
//     o'' = o_p'' + alpha_p x r + omega_p x (omega_p x r) + 2 omega_p x z v,   alpha = alpha_p + omega_p x z v.
void Placement::bias_accelerations(const double* v,
                                   const std::vector<Eigen::Matrix<double, 6, 1>>& velocities,
                                   std::vector<Eigen::Matrix<double, 6, 1>>& out) const
{
    const auto& links = body_.mechanism.links();
    out.resize(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Mechanism::Link& l = links[i];
        Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
        if (l.parent >= 0) {
            const Eigen::Vector3d omega = velocities[l.parent].tail<3>();
            const Eigen::Vector3d r = origin(static_cast<int>(i)) - origin(l.parent);
            angular = out[l.parent].tail<3>();
            linear = out[l.parent].head<3>() + angular.cross(r) + omega.cross(omega.cross(r));
            for (int k = 0; k < l.nv(); ++k) {
                const Eigen::Vector3d along = axis(l.v + k) * v[l.v + k];
                if (l.joint.kind == ElementaryJoint::prismatic)
                    linear += 2 * omega.cross(along);
                else
                    angular += omega.cross(along);
            }
        }
        out[i] << linear, angular;
    }
}

void Placement::add_point_map(int i, const Eigen::Vector3d& point, const Eigen::Matrix3d& frame, double sign,
                              Eigen::Ref<Multibody::RowMatrix> H) const
{
    const auto& links = body_.mechanism.links();
    for (; i >= 0; i = links[i].parent) {
        const Mechanism::Link& l = links[i];
        for (int k = 0; k < l.nv(); ++k) {
            const Eigen::Vector3d z = axis(l.v + k);
            const Eigen::Vector3d dx =
                l.joint.kind == ElementaryJoint::prismatic ? z : z.cross(point - origin(i)).eval();
            H.col(l.v + k) += sign * (frame.transpose() * dx);
        }
    }
}

void Placement::add_turn_map(int i, const Eigen::Matrix3d& frame, double sign,
                             Eigen::Ref<Multibody::RowMatrix> H) const
{
    const auto& links = body_.mechanism.links();
    for (; i >= 0; i = links[i].parent) {
        const Mechanism::Link& l = links[i];
        if (l.joint.kind == ElementaryJoint::prismatic) continue;
        for (int k = 0; k < l.nv(); ++k) H.col(l.v + k) += sign * (frame.transpose() * axis(l.v + k));
    }
}

} // namespace tamis
