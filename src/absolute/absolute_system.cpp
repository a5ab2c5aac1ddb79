// Newton-Euler equations of free bodies with joints as constraints,
//
//     m c'' = m g + F,   I omega' = M - omega x I omega,   g(q) = 0
//
// with the rows of AbsoluteJoints. G follows from x' = w x (x - c) + c', X' = w x X; G' v is the second
// derivative of g at constant c' and omega, hence constant w. Driven coordinates are refused, and so are implicit
// forces: they have no tangents here, and would bound the step, which they promise not to.
#include "tamis/absolute/absolute_system.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/model/assembly.hpp"
#include "tamis/model/contact_records.hpp"
#include "tamis/model/laws.hpp"
#include "tamis/model/rotation.hpp"
#include "tamis/model/spring.hpp"

#include <Eigen/Cholesky>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::uint64_t AbsoluteState::hash() const
{
    StateHash hash;
    for (const CentrePose& pose : q) {
        hash.add(pose.c.data(), 3);
        hash.add(pose.turn.coeffs().data(), 4);
    }
    hash.add(v.data(), v.size());
    return hash.value;
}

void AbsoluteState::write(SavedState& out) const
{
    out.t = t;
    out.step = step;
    std::vector<double> poses;
    for (const CentrePose& pose : q) {
        poses.insert(poses.end(), pose.c.data(), pose.c.data() + 3);
        poses.insert(poses.end(), pose.turn.coeffs().data(), pose.turn.coeffs().data() + 4);
    }
    out.put("q", poses);
    out.put("v", v);
}

void AbsoluteState::read(const SavedState& in)
{
    t = in.t;
    step = in.step;
    const std::vector<double>& poses = in.get("q", 7 * q.size());
    for (std::size_t b = 0; b < q.size(); ++b) {
        q[b].c = Eigen::Map<const Vector3d>(&poses[7 * b]);
        q[b].turn.coeffs() = Eigen::Map<const Eigen::Vector4d>(&poses[7 * b + 3]);
        q[b].R = q[b].turn.toRotationMatrix();
    }
    in.get("v", v);
}

namespace {

void refuse_implicit_forces(const Model& model)
{
    const auto check = [](ForceTreatment treatment, const auto& name) {
        if (treatment == ForceTreatment::implicit)
            fail("This method has no implicit forces, but the {} is one: make it explicit, or run the model "
                 "by the Moreau-Jean scheme.",
                 name());
    };
    const auto coordinate = [&](Coordinate c) {
        return model.mechanisms()[c.mechanism].coordinate_name(c.index);
    };
    const auto frame = [&](Frame f) { return model.mechanisms()[f.mechanism].frames()[f.index].name; };
    for (const JointSpring& s : model.joint_springs())
        check(s.law.treatment, [&] { return fmt::format("spring in the joint '{}'", coordinate(s.on)); });
    for (const PointSpring& s : model.point_springs())
        check(s.law.treatment,
              [&] { return fmt::format("spring between '{}' and '{}'", frame(s.a), frame(s.b)); });
    for (const JointForce& f : model.joint_forces())
        check(f.treatment, [&] { return fmt::format("force on '{}'", coordinate(f.on)); });
}

} // namespace

AbsoluteSystem::AbsoluteSystem(const Model& model) : model_(model), joints_(model)
{
    if (!model.beams().empty())
        fail("This method has no beams, but the model has '{}': run it by the smooth method.",
             model.beams().front().name);
    if (!model.grains().empty()) fail("This method has no grains: run the model by the Moreau-Jean scheme.");
    if (!model.drives().empty()) {
        const Coordinate c = model.drives().front().on;
        fail("Coordinate '{}' is driven: absolute coordinates do not know driven joints; use relative "
             "coordinates.",
             model.mechanisms()[c.mechanism].coordinate_name(c.index));
    }
    if (!model.memories().empty())
        fail("This method has no memories, but the model has '{}': run it by the Moreau-Jean scheme.",
             model.memories().front().name);
    refuse_implicit_forces(model);
    const std::vector<AttachedShape>& shapes = model.shapes();
    for (int i = 0; i < static_cast<int>(shapes.size()); ++i)
        for (int j = 0; j < i; ++j) {
            if (shapes[i].material < 0 || shapes[j].material < 0 || !model.filter()(j, i)) continue;
            const Material pair = model.pair(shapes[i].material, shapes[j].material);
            if (pair.rolling > 0 || pair.anticipation || pair.stiffness > 0)
                fail("This method has no contacts with {}, but '{}' and '{}' have: run the model by the "
                     "Moreau-Jean scheme.",
                     pair.rolling > 0     ? "rolling resistance"
                     : pair.stiffness > 0 ? "compliant contacts"
                                          : "anticipation",
                     model.shape_name(j), model.shape_name(i));
        }
    for (const BodyRecord& b : model.bodies()) {
        const Eigen::LDLT<Matrix3d> ldlt(b.inertia);
        if (!(ldlt.vectorD().minCoeff() > 0))
            fail("Body '{}' has no inertia about some axis: in absolute coordinates all three principal "
                 "inertias must be positive, even of a plane mechanism.",
                 b.name);
        inverse_inertia_.push_back(ldlt.solve(Matrix3d::Identity()));
    }
    rows_ = joints_.rows();
    for (JointRow& row : rows_) {
        if (row.kind == JointRow::axes) continue;
        if (row.a >= 0) row.on_a -= model.bodies()[row.a].com;
        if (row.b >= 0) row.on_b -= model.bodies()[row.b].com;
    }
    g = Eigen::VectorXd::Zero(rows());
    G_dot_v = g;
    G.setZero(rows(), 12);
    f = Eigen::VectorXd::Zero(6 * bodies());

    const std::vector<BodyMotion> motions = start_motions(model);
    start_.q.resize(bodies());
    start_.v.resize(6 * bodies());
    for (int b = 0; b < bodies(); ++b) {
        const BodyMotion& motion = motions[b];
        const Vector3d arm = motion.pose.R * model.bodies()[b].com;
        CentrePose& pose = start_.q[b];
        pose.c = motion.pose.p + arm;
        pose.turn = Eigen::Quaterniond(motion.pose.R).normalized();
        pose.R = pose.turn.toRotationMatrix();
        start_.v.segment<3>(6 * b) = motion.velocity + motion.angular_velocity.cross(arm);
        start_.v.segment<3>(6 * b + 3) = motion.pose.R.transpose() * motion.angular_velocity;
    }
}

void AbsoluteSystem::advance(const std::vector<CentrePose>& q, const Eigen::VectorXd& delta,
                             std::vector<CentrePose>& out) const
{
    for (int b = 0; b < bodies(); ++b) {
        out[b].c = q[b].c + delta.segment<3>(6 * b);
        out[b].turn = (q[b].turn * exp_quaternion(delta.segment<3>(6 * b + 3))).normalized();
        out[b].R = out[b].turn.toRotationMatrix();
    }
}

struct AbsoluteSystem::Side {
    Matrix3d R = Matrix3d::Identity();
    Vector3d c{0, 0, 0};
    Vector3d arm; // point or axis of the row, world axes
};

AbsoluteSystem::Side AbsoluteSystem::side(const std::vector<CentrePose>& q, int body,
                                          const Vector3d& local) const
{
    if (body < 0) return {Matrix3d::Identity(), Vector3d::Zero(), local};
    return {q[body].R, q[body].c, q[body].R * local};
}

void AbsoluteSystem::constraints(const std::vector<CentrePose>& q)
{
    for (int i = 0; i < rows(); ++i) {
        const JointRow& row = rows_[i];
        const Side a = side(q, row.a, row.on_a), b = side(q, row.b, row.on_b);
        Vector3d force = Vector3d::Zero(); // on b at its centre per unit multiplier, less on a
        Vector3d moment_a = Vector3d::Zero(), moment_b = moment_a; // world axes
        if (row.kind == JointRow::axes) {
            g[i] = row.scale * (a.arm.dot(b.arm) - row.value);
            moment_b = row.scale * b.arm.cross(a.arm);
            moment_a = -moment_b;
        } else {
            const Vector3d e = b.c + b.arm - a.c - a.arm;
            if (row.kind == JointRow::rod) {
                g[i] = (e.squaredNorm() / row.value - row.value) / 2;
                force = e / row.value;
            } else {
                force = row.carried ? (a.R * row.n).eval() : row.n;
                g[i] = force.dot(e);
            }
            moment_b = b.arm.cross(force);
            moment_a = -a.arm.cross(force);
            if (row.carried) moment_a += force.cross(e);
        }
        G.row(i) << -force.transpose(), moment_a.transpose() * a.R, force.transpose(),
            moment_b.transpose() * b.R;
        if (row.a < 0) G.row(i).head<6>().setZero();
        if (row.b < 0) G.row(i).tail<6>().setZero();
    }
}

void AbsoluteSystem::bias(const std::vector<CentrePose>& q, const Eigen::VectorXd& v)
{
    for (int i = 0; i < rows(); ++i) {
        const JointRow& row = rows_[i];
        const Side a = side(q, row.a, row.on_a), b = side(q, row.b, row.on_b);
        const Vector3d w_a = row.a < 0 ? Vector3d::Zero() : Vector3d(a.R * v.segment<3>(6 * row.a + 3));
        const Vector3d w_b = row.b < 0 ? Vector3d::Zero() : Vector3d(b.R * v.segment<3>(6 * row.b + 3));
        const Vector3d a1 = w_a.cross(a.arm), b1 = w_b.cross(b.arm), a2 = w_a.cross(a1), b2 = w_b.cross(b1);
        if (row.kind == JointRow::axes) {
            G_dot_v[i] = row.scale * (a2.dot(b.arm) + 2 * a1.dot(b1) + a.arm.dot(b2));
            continue;
        }
        const Vector3d e = b.c + b.arm - a.c - a.arm, e2 = b2 - a2;
        Vector3d e1 = b1 - a1;
        if (row.a >= 0) e1 -= v.segment<3>(6 * row.a);
        if (row.b >= 0) e1 += v.segment<3>(6 * row.b);
        if (row.kind == JointRow::rod) {
            G_dot_v[i] = (e1.squaredNorm() + e.dot(e2)) / row.value;
        } else if (row.carried) {
            const Vector3d n = a.R * row.n, n1 = w_a.cross(n);
            G_dot_v[i] = w_a.cross(n1).dot(e) + 2 * n1.dot(e1) + n.dot(e2);
        } else {
            G_dot_v[i] = row.n.dot(e2);
        }
    }
}

void AbsoluteSystem::forces(const std::vector<CentrePose>& q, const AbsoluteView& view)
{
    for (int b = 0; b < bodies(); ++b) {
        const BodyRecord& body = model_.bodies()[b];
        const Vector3d omega = q[b].R.transpose() * view.motion(b).angular_velocity;
        f.segment<3>(6 * b) = body.mass * model_.gravity_value();
        f.segment<3>(6 * b + 3) = -omega.cross(body.inertia * omega);
    }
    auto apply = [&](int body, const Vector3d& point, const Vector3d& force, const Vector3d& moment) {
        if (body < 0) return;
        f.segment<3>(6 * body) += force;
        f.segment<3>(6 * body + 3) += q[body].R.transpose() * ((point - q[body].c).cross(force) + moment);
    };
    const Vector3d none = Vector3d::Zero();
    auto joint_force = [&](Coordinate on, double value) {
        const auto [joint, force, moment] = joints_.unit_load(on, view);
        const Vector3d& at = view.motion(joint->body).pose.p;
        apply(joint->body, at, value * force, value * moment);
        apply(joint->parent, at, -value * force, -value * moment);
    };
    for (const JointSpring& s : model_.joint_springs())
        joint_force(s.on, -spring_force(s.law, view.q(s.on), view.v(s.on)).value);
    for (const JointForce& j : model_.joint_forces()) joint_force(j.on, law_force(model_, j, view));
    for (const PointSpring& s : model_.point_springs()) {
        const Vector3d a = view.position(s.a), b = view.position(s.b);
        const Vector3d pull = spring_force(s.law, b - a, view.velocity(s.b) - view.velocity(s.a));
        apply(model_.frame_record(s.a).body, a, pull, none);
        apply(model_.frame_record(s.b).body, b, -pull, none);
    }
    for (const AppliedWrench& w : model_.wrenches()) {
        const Wrench value = law_wrench(model_, w, view);
        apply(model_.frame_record(w.at).body, view.position(w.at), value.force, value.moment);
    }
}

Eigen::Matrix<double, 3, 6> AbsoluteSystem::point_map(const CentrePose& q, const Vector3d& point,
                                                      const Matrix3d& frame, double sign)
{
    Eigen::Matrix<double, 3, 6> H;
    for (int k = 0; k < 3; ++k)
        H.row(k) << sign * frame.col(k).transpose(),
            sign * (point - q.c).cross(frame.col(k)).transpose() * q.R;
    return H;
}

ContactRecord AbsoluteSystem::record(const DetectedContact& d)
{
    const Vector3d none = Vector3d::Zero();
    return {d.shape_a,   d.shape_b,    d.point.feature,
            d.point.gap, d.point.on_b, contact_frame(d.point.normal),
            none,        none,         none};
}

AbsoluteView::AbsoluteView(const AbsoluteSystem& system) : JointView(system.joints()), system_(system)
{
    set(0, system.start().q, system.start().v);
    settle();
}

void AbsoluteView::set(double t, const std::vector<CentrePose>& q, const Eigen::VectorXd& v)
{
    t_ = t;
    for (int b = 0; b < system_.bodies(); ++b) {
        BodyMotion& m = motion_[b];
        m.pose = system_.body_pose(q, b);
        m.angular_velocity = q[b].R * v.segment<3>(6 * b + 3);
        m.velocity = v.segment<3>(6 * b) + m.angular_velocity.cross(m.pose.p - q[b].c);
    }
}

SavedState save(const AbsoluteState& state, const AbsoluteView& view, std::span<const ContactRecord> contacts)
{
    SavedState out;
    state.write(out);
    out.put("angles", view.angles());
    write_records("contacts", contacts, out);
    write_taken(view.dissipated(), out);
    return out;
}

std::vector<ContactRecord> restore(const SavedState& saved, AbsoluteState& state, AbsoluteView& view)
{
    state.read(saved);
    saved.get("angles", view.angles());
    view.set(state.t, state.q, state.v);
    view.set_dissipated(read_taken(saved));
    return read_records("contacts", saved, view.model());
}

} // namespace tamis
