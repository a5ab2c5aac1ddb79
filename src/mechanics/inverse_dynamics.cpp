// All coordinates follow from the driven ones: a_v = B_c a_c - J_v^-1 J' v. The multipliers are those of the dependent
// rows, J_v^T lambda = (M a + c - Q)_v, and the forces of drives what is left on theirs. Forces in joints come another
// way, from Newton's and Euler's equations of the bodies, from the tips of the tree to its root; what they have along
// the axis of a driven joint is the force of its drive.
#include "tamis/mechanics/inverse_dynamics.hpp"

#include "tamis/base/error.hpp"
#include "tamis/mbs_symbolic/kinematics.hpp"

#include <cmath>

namespace tamis {

using Eigen::Matrix3d, Eigen::Vector3d, Eigen::VectorXd;

namespace {

Pose pose_of(const Placement& placement, int link)
{
    return link < 0 ? Pose{} : placement.link(link);
}

Vector3d value(const Mechanism& m, const Vector& x)
{
    return {m.value(x[0]), m.value(x[1]), m.value(x[2])};
}

} // namespace

InverseDynamics::InverseDynamics(const Model& model, double interval)
    : parts_(model), difference_(interval / 100)
{
    if (!model.beams().empty())
        fail("Beam '{}' bends by the forces on it: inverse dynamics is of rigid bodies only.",
             model.beams().front().name);
    std::string free;
    int freedoms = 0;
    for (const auto& p : parts_.all)
        for (const int j : p->partition->u) {
            free += fmt::format("{}'{}'", free.empty() ? "" : ", ", p->body.mechanism.coordinate_name(j));
            ++freedoms;
        }
    if (freedoms > 0)
        fail(
            "Inverse dynamics needs a motion that is all prescribed, but nothing moves {}: hold {}, or move {} at a "
            "steady speed.",
            free, freedoms == 1 ? "it" : "them", freedoms == 1 ? "it" : "them");
    if (model.drives().empty())
        fail("Nothing is driven in the model '{}': there is no prescribed motion to follow.", model.name());
    evaluate();
}

void InverseDynamics::go_to(double t)
{
    for (auto& p : parts_.all) {
        VectorXd q(p->body.nq);
        p->body.advance(parts_.q(*p), parts_.v(*p), q.data(), t - t_);
        p->driven.place(q.data(), t);
        p->partition->close(q.data(), t);
        parts_.q_of(*p) = q;
    }
    t_ = t;
    evaluate();
}

void InverseDynamics::evaluate()
{
    for (auto& p : parts_.all) {
        VectorXd v_c, v(p->body.nv);
        if (p->body.rows > 0) p->body.loops(parts_.q(*p));
        p->partition->project();
        if (!p->partition->J_v_inverse().allFinite() ||
            p->partition->J_v_inverse().norm() * p->body.J.norm() > 1e9)
            fail(
                "At t = {:.6g} s mechanism '{}' is at a dead point of its drives: no force of theirs moves it there; "
                "drive another coordinate.",
                t_, p->body.mechanism.name());
        p->driven.velocities(t_, {}, v_c);
        p->partition->velocities(nullptr, v_c.data(), v.data());
        parts_.at.v.segment(p->v0, p->body.nv) = v;
    }
    parts_.at.show(t_);
    parts_.forces.evaluate(parts_.at, false);
    driven_.clear();
    joints_.clear();
    loops_.clear();
    for (const BodyRecord& b : parts_.model.bodies()) joints_.push_back({b.name, {0, 0, 0}, {0, 0, 0}});
    for (auto& p : parts_.all) {
        const VectorXd a = accelerations(*p);
        drive_forces(*p, a);
        loop_reactions(*p);
        joint_reactions(*p, a);
    }
}

VectorXd InverseDynamics::accelerations(Part& p)
{
    const Partition& part = *p.partition;
    // v_c' by (8 (v(+d) - v(-d)) - (v(+2d) - v(-2d))) / 12 d
    VectorXd a_c = VectorXd::Zero(p.driven.count()), v_c;
    for (const auto& [steps, weight] : {std::pair{1, 8}, {-1, -8}, {2, -1}, {-2, 1}}) {
        p.driven.velocities(t_ + steps * difference_, {}, v_c);
        a_c += weight * v_c / (12 * difference_);
    }
    VectorXd a = part.B_c * a_c;
    if (part.v.empty()) return a;

    p.body.loop_bias(parts_.q(p), parts_.v(p));
    for (std::size_t i = 0; i < part.v.size(); ++i)
        for (std::size_t j = 0; j < part.v.size(); ++j)
            a[part.v[i]] -= part.J_v_inverse()(i, j) * p.body.J_dot_v[part.loop_rows[j]];
    return a;
}

void InverseDynamics::drive_forces(Part& p, const VectorXd& a)
{
    const Partition& part = *p.partition;
    const int m = p.body.mechanism.number();
    p.body.dynamics(parts_.q(p), parts_.v(p));
    VectorXd missing = p.body.M * a + p.body.c - parts_.forces.on(m).Q;
    p.lambda = VectorXd::Zero(p.body.rows);
    for (std::size_t j = 0; j < part.v.size(); ++j) {
        double& lambda = p.lambda[part.loop_rows[j]];
        for (std::size_t i = 0; i < part.v.size(); ++i)
            lambda += part.J_v_inverse()(i, j) * missing[part.v[i]];
    }
    if (p.body.rows > 0) missing -= p.body.J.transpose() * p.lambda;
    for (const int c : part.c)
        driven_.push_back({{m, c}, parts_.at.view.q({m, c}), parts_.at.v[p.v0 + c], a[c], missing[c]});
}

// Takes what acts on a link from the wrench that its joint must pass on.
void InverseDynamics::act(int link, const Part& p, const Vector3d& at, const Vector3d& force,
                          const Vector3d& moment)
{
    for (std::size_t b = 0; b < parts_.model.bodies().size(); ++b) {
        const BodyRecord& body = parts_.model.bodies()[b];
        if (body.mechanism != p.body.mechanism.number() || body.link != link) continue;
        const Vector3d origin = parts_.at.view.placement(body.mechanism).link(link).p;
        joints_[b].force -= force;
        joints_[b].moment -= moment + (at - origin).cross(force);
    }
}

// h = n . (x_a - x_b) pushes a along n at x_a; h = L t . k_b of a hinge, with t on a, turns a about t x k_b.
void InverseDynamics::loop_reactions(const Part& p)
{
    const Mechanism& m = p.body.mechanism;
    const Placement& placement = parts_.at.view.placement(m.number());
    int row = 0;
    for (const LoopSpec& l : m.loops()) {
        const int a = m.link_of(l.a), b = m.link_of(l.b);
        const Pose at_a = pose_of(placement, a), at_b = pose_of(placement, b);
        const Vector3d x_a = at_a * value(m, l.point_a), x_b = at_b * value(m, l.point_b);
        Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
        switch (l.kind) {
        case LoopKind::ball:
        case LoopKind::hinge:
            force = p.lambda.segment<3>(row);
            break;
        case LoopKind::point_plane: {
            const Matrix3d B = Kinematics<double>::basis(l.axis);
            force = B.rightCols<2>() * p.lambda.segment<2>(row);
            break;
        }
        case LoopKind::rod:
            force = p.lambda[row] / m.value(l.length) * (x_a - x_b);
            break;
        }
        if (l.kind == LoopKind::hinge) {
            const Matrix3d B = Kinematics<double>::basis(l.axis);
            for (int i : {1, 2})
                moment += p.lambda[row + 2 + i] * p.body.length_scale *
                          (at_a.R * B.col(i)).cross(at_b.R * l.axis_b);
        }
        row += loop_equations(l.kind);
        loops_.push_back({l.name, force, moment});
        act(a, p, x_a, force, moment);
        act(b, p, x_b, -force, -moment);
    }
}

void InverseDynamics::joint_reactions(const Part& p, const VectorXd& acceleration_of_joints)
{
    const Mechanism& m = p.body.mechanism;
    const Placement& placement = parts_.at.view.placement(m.number());
    for (int k = 0; k < m.wrenches(); ++k) {
        const int frame = m.wrench_frames()[k], link = m.frames()[frame].link;
        if (link >= 0)
            act(link, p, p.body.frame_position(frame), p.body.w.segment<3>(6 * k),
                p.body.w.segment<3>(6 * k + 3));
    }
    std::vector<Eigen::Matrix<double, 6, 1>> velocity, with_v, acceleration;
    placement.velocities(parts_.v(p), velocity);
    placement.bias_accelerations(parts_.v(p), velocity, with_v);
    placement.velocities(acceleration_of_joints.data(), acceleration);
    const int first = parts_.model.body_number({m.number(), 0});
    for (int k = static_cast<int>(m.bodies().size()) - 1; k >= 0; --k) {
        const BodyRecord& body = parts_.model.bodies()[first + k];
        Reaction& own = joints_[first + k];
        const Pose at = placement.link(body.link);
        const Vector3d omega = velocity[body.link].tail<3>(), com = at.R * body.com;
        const Vector3d a = acceleration[body.link].head<3>() + with_v[body.link].head<3>(),
                       alpha = acceleration[body.link].tail<3>() + with_v[body.link].tail<3>();
        const Matrix3d I = at.R * body.inertia * at.R.transpose();
        const Vector3d change =
            body.mass * (a + alpha.cross(com) + omega.cross(omega.cross(com)) - parts_.model.gravity_value());
        own.force += change;
        own.moment += com.cross(change) + I * alpha + omega.cross(I * omega);
        const int parent = m.links()[m.bodies()[k].first_link].parent;
        for (int other = 0; other < k; ++other) {
            if (m.bodies()[other].link != parent) continue;
            Reaction& on = joints_[first + other];
            on.force += own.force;
            on.moment += own.moment + (at.p - placement.link(parent).p).cross(own.force);
        }
    }
}

double InverseDynamics::power() const
{
    double sum = 0;
    for (const Driven& d : driven_) sum += d.force * d.v;
    return sum;
}

std::string InverseDynamics::redundant() const
{
    std::string out;
    for (const auto& p : parts_.all)
        if (!p->partition->redundant().empty()) out = p->partition->redundant();
    return out;
}

} // namespace tamis
