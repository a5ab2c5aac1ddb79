// Evaluation of applied forces and of their tangents; see applied_forces.hpp. A spring of length l along n has the
// stiffness k n n^T + (pull / l) (1 - n n^T) between its points, and those H^T .. H in joint coordinates. What would
// pull apart (a spring under compression across its line, a law that grows with its coordinate) is left to the explicit
// part, so that K and C never take from the mass matrix; the scheme keeps its order.
#include "tamis/nscd/applied_forces.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/laws.hpp"
#include "tamis/model/spring.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

bool implicit(const SpringLaw& law)
{
    return law.treatment == ForceTreatment::implicit;
}

} // namespace

AppliedForces::AppliedForces(const Model& model, std::vector<Multibody*> bodies)
    : model_(model), bodies_(std::move(bodies)), on_(bodies_.size()), map_(bodies_.size())
{
    for (const JointSpring& s : model.joint_springs())
        if (implicit(s.law)) on_[s.on.mechanism].implicit = true;
    for (const JointForce& f : model.joint_forces())
        if (f.treatment == ForceTreatment::implicit) on_[f.on.mechanism].implicit = true;
    for (const PointSpring& s : model.point_springs()) {
        if (!implicit(s.law)) continue;
        for (const Frame end : {s.a, s.b})
            if (const int body = model.frame_record(end).body; body >= 0)
                on_[model.bodies()[body].mechanism].implicit = true;
        const int a = model.frame_record(s.a).body, b = model.frame_record(s.b).body;
        if (a >= 0 && b >= 0 && model.bodies()[a].mechanism != model.bodies()[b].mechanism)
            fail("The implicit spring between bodies '{}' and '{}' ties two mechanisms: add both bodies to "
                 "one mechanism, or let the spring be explicit.",
                 model.bodies()[a].name, model.bodies()[b].name);
    }
    for (std::size_t m = 0; m < on_.size(); ++m) {
        const int nv = bodies_[m]->nv;
        on_[m].Q = Eigen::VectorXd::Zero(nv);
        if (!on_[m].implicit) continue;
        implicit_ = true;
        on_[m].K = on_[m].C = Eigen::MatrixXd::Zero(nv, nv);
        map_[m] = Multibody::RowMatrix::Zero(3, nv);
    }
}

void AppliedForces::evaluate(Configuration& at, bool tangents)
{
    for (std::size_t m = 0; m < on_.size(); ++m) {
        on_[m].Q.setZero();
        bodies_[m]->w.setZero();
    }
    for (const JointSpring& s : model_.joint_springs())
        on_[s.on.mechanism].Q[s.on.index] -= spring_force(s.law, at.view.q(s.on), at.view.v(s.on)).value;
    for (const JointForce& f : model_.joint_forces())
        on_[f.on.mechanism].Q[f.on.index] += law_force(model_, f, at.view);
    if (!model_.wrench_inputs().empty()) add_wrenches(at);
    if (tangents && implicit_) add_tangents(at);
}

void AppliedForces::add_wrenches(const Configuration& at)
{
    for (std::size_t m = 0; m < bodies_.size(); ++m)
        if (!bodies_[m]->mechanism.frames().empty())
            bodies_[m]->frames(at.q.data() + at.view.q_offset(static_cast<int>(m)),
                               at.v.data() + at.view.v_offset(static_cast<int>(m)));
    const Model::WrenchInput* input = model_.wrench_inputs().data();
    auto apply = [&](const Vector3d& force, const Vector3d& moment) {
        if (input->number >= 0) {
            auto w = bodies_[input->mechanism]->w.segment<6>(6 * input->number);
            w.head<3>() += force;
            w.tail<3>() += moment;
        }
        ++input;
    };
    const Vector3d none = Vector3d::Zero();
    for (const PointSpring& spring : model_.point_springs()) {
        const Multibody &a = *bodies_[spring.a.mechanism], &b = *bodies_[spring.b.mechanism];
        const Vector3d pull =
            spring_force(spring.law, b.frame_position(spring.b.index) - a.frame_position(spring.a.index),
                         b.frame_velocity(spring.b.index) - a.frame_velocity(spring.a.index));
        apply(pull, none);
        apply(-pull, none);
    }
    for (const AppliedWrench& w : model_.wrenches()) {
        const Wrench value = law_wrench(model_, w, at.view);
        apply(value.force, value.moment);
    }
}

void AppliedForces::add_tangents(Configuration& at)
{
    for (OnMechanism& on : on_)
        if (on.implicit) {
            on.K.setZero();
            on.C.setZero();
        }
    for (const JointSpring& s : model_.joint_springs())
        if (implicit(s.law)) {
            const SpringForce pull = spring_force(s.law, 0, 0);
            add_tangent(s.on, pull.stiffness, pull.damping);
        }
    for (const JointForce& f : model_.joint_forces()) {
        if (f.treatment != ForceTreatment::implicit) continue;
        const Multibody& body = *bodies_[f.on.mechanism];
        double& position = at.q[at.view.q_offset(f.on.mechanism) + body.mechanism.position_index(f.on.index)];
        double& velocity = at.v[at.view.v_offset(f.on.mechanism) + f.on.index];
        const double scale = body.turns(f.on.index) ? 1 : body.length_scale;
        const auto slope = [&](double& x, double step) {
            const double was = x, value = law_force(model_, f, at.view);
            x = was + step;
            at.show(at.view.time());
            const double changed = law_force(model_, f, at.view);
            x = was;
            at.show(at.view.time());
            return (value - changed) / step; // positive: pulls back
        };
        const double stiffness = slope(position, 1e-7 * (std::abs(position) + scale));
        add_tangent(f.on, stiffness, slope(velocity, 1e-6 * (std::abs(velocity) + scale)));
    }
    for (const PointSpring& spring : model_.point_springs())
        if (implicit(spring.law)) add_tangent(spring, at.view);
}

void AppliedForces::add_tangent(Coordinate on, double stiffness, double damping)
{
    on_[on.mechanism].K(on.index, on.index) += std::max(stiffness, 0.0);
    on_[on.mechanism].C(on.index, on.index) += std::max(damping, 0.0);
}

void AppliedForces::add_tangent(const PointSpring& spring, const RelativeView& at)
{
    const Model::FrameRecord &a = model_.frame_record(spring.a), &b = model_.frame_record(spring.b);
    if (a.body < 0 && b.body < 0) return;
    const int mechanism = model_.bodies()[a.body >= 0 ? a.body : b.body].mechanism;
    const Placement& placement = at.placement(mechanism);
    const Vector3d from = at.position(spring.a), to = at.position(spring.b);
    const Matrix3d axes = Matrix3d::Identity();
    Multibody::RowMatrix& H = map_[mechanism];
    H.setZero();
    if (a.body >= 0) placement.add_point_map(model_.bodies()[a.body].link, from, axes, -1, H);
    if (b.body >= 0) placement.add_point_map(model_.bodies()[b.body].link, to, axes, +1, H);
    const Vector3d x = to - from;
    const double length = x.norm();
    if (!(length > 0)) return;
    const Matrix3d N = x * x.transpose() / (length * length);
    const SpringForce pull = spring_force(spring.law, length, 0);
    const double across = std::max(pull.value / length, 0.0); // of the pull that turns with x
    on_[mechanism].K.noalias() +=
        H.transpose() * (pull.stiffness * N + across * (Matrix3d::Identity() - N)) * H;
    on_[mechanism].C.noalias() += pull.damping * H.transpose() * N * H;
}

} // namespace tamis
