// Newton-Euler equations of free bodies with joints as constraints,
//
//     m c'' = m g + F,   I omega' = M - omega x I omega,   g(q) = 0
//
// with rows of three kinds between bodies a and b (X, Y, n fixed in a body or in the world; x points of
// bodies):
//
//     n . (x_b - x_a),    L (X . Y - X0 . Y0),    (|x_b - x_a|^2 / l - l) / 2
//
// L, the length scale of the mechanism, makes metres of angles. G follows from x' = w x (x - c) + c', X' = w
// x X; G' v is the second derivative of g at constant c' and omega, hence constant w. Joints: none, one or
// two turns about non-parallel axes or a spherical one, after none to three slides. All other compositions
// are refused, as are driven coordinates.
#include "nscd/absolute_system.hpp"

#include "error.hpp"
#include "nscd/moreau_jean.hpp"
#include "nscd/state_hash.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// Angle of the turn about the unit vector `axis` that brings `from` to `to`.
double angle_about(const Vector3d& axis, const Vector3d& from, const Vector3d& to)
{
    return std::atan2(axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
}

bool parallel(const Vector3d& a, const Vector3d& b)
{
    return a.cross(b).norm() < 1e-9;
}

int body_of_link(const Model& model, int mechanism, int link)
{
    for (std::size_t b = 0; b < model.bodies().size(); ++b)
        if (model.bodies()[b].mechanism == mechanism && model.bodies()[b].link == link)
            return static_cast<int>(b);
    return -1;
}

Vector3d value(const Mechanism& m, const Vector& x)
{
    return {m.value(x[0]), m.value(x[1]), m.value(x[2])};
}

} // namespace

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

AbsoluteSystem::AbsoluteSystem(const Model& model) : model_(model)
{
    if (!model.grains().empty()) fail("This method has no grains: run the model by the Moreau-Jean scheme.");
    if (!model.drives().empty()) {
        const Coordinate c = model.drives().front().on;
        fail("Coordinate '{}' is driven: absolute coordinates do not know driven joints; use relative "
             "coordinates.",
             model.mechanisms()[c.mechanism]->coordinate_name(c.index));
    }
    for (const BodyRecord& b : model.bodies()) {
        const Eigen::LDLT<Matrix3d> ldlt(b.inertia);
        if (!(ldlt.vectorD().minCoeff() > 0))
            fail("Body '{}' has no inertia about some axis: in absolute coordinates all three principal "
                 "inertias "
                 "must be positive, even of a plane mechanism.",
                 b.name);
        inverse_inertia_.push_back(ldlt.solve(Matrix3d::Identity()));
    }
    for (const auto& m : model.mechanisms()) {
        const Eigen::VectorXd p = m->parameter_values();
        const double scale = p[p.size() - 1];
        length_ = std::max(length_, scale);
        coordinates_.emplace_back(m->nv());
        for (const Mechanism::BodyRecord& b : m->bodies()) add_joint(*m, b, scale);
        for (const LoopSpec& l : m->loops()) add_loop(*m, l, scale);
    }
    g = Eigen::VectorXd::Zero(rows());
    G_dot_v = g;
    G.setZero(rows(), 12);
    f = Eigen::VectorXd::Zero(6 * bodies());

    const MoreauJean assembled(model, {});
    start_.q.resize(bodies());
    start_.v.resize(6 * bodies());
    for (int b = 0; b < bodies(); ++b) {
        const BodyMotion& motion = assembled.view().motion(b);
        const Vector3d arm = motion.pose.R * model.bodies()[b].com;
        CentrePose& pose = start_.q[b];
        pose.c = motion.pose.p + arm;
        pose.turn = Eigen::Quaterniond(motion.pose.R).normalized();
        pose.R = pose.turn.toRotationMatrix();
        start_.v.segment<3>(6 * b) = motion.velocity + motion.turning_rate.cross(arm);
        start_.v.segment<3>(6 * b + 3) = motion.pose.R.transpose() * motion.turning_rate;
    }
}

Vector3d AbsoluteSystem::from_centre(int body, const Vector3d& point) const
{
    return body < 0 ? point : (point - model_.bodies()[body].com).eval();
}

void AbsoluteSystem::add_group(const std::vector<Row>& rows)
{
    if (rows.empty()) return;
    groups_.push_back({rows[0].a, rows[0].b, static_cast<int>(rows_.size()), static_cast<int>(rows.size())});
    rows_.insert(rows_.end(), rows.begin(), rows.end());
}

void AbsoluteSystem::add_joint(const Mechanism& m, const Mechanism::BodyRecord& record, double scale)
{
    const Mechanism::Link& first = m.links()[record.first_link];
    AbsoluteJoint joint{body_of_link(model_, m.number(), first.parent),
                        body_of_link(model_, m.number(), record.link),
                        {first.orientation, value(m, first.at)},
                        {},
                        {}};
    const int number = static_cast<int>(joints_.size());
    bool known = true;
    for (int i = record.first_link; i <= record.link; ++i) {
        const Mechanism::Link& l = m.links()[i];
        auto coordinate = [&](JointCoordinate::Kind kind, std::size_t k) {
            coordinates_.back()[l.v + (kind == JointCoordinate::spherical ? k : 0)] = {kind, number,
                                                                                       static_cast<int>(k)};
        };
        switch (l.joint.kind) {
        case ElementaryJoint::fixed:
            break;
        case ElementaryJoint::prismatic:
            // A slide along the axis of the turns before it might as well come first.
            for (const Vector3d& turn : joint.turns) known = known && parallel(turn, l.joint.axis);
            known = known && !joint.spherical;
            coordinate(JointCoordinate::slide, joint.slides.size());
            joint.slides.push_back(l.joint.axis);
            break;
        case ElementaryJoint::revolute:
            for (const Vector3d& turn : joint.turns) known = known && !parallel(turn, l.joint.axis);
            known = known && !joint.spherical;
            coordinate(JointCoordinate::turn, joint.turns.size());
            joint.turns.push_back(l.joint.axis);
            break;
        case ElementaryJoint::spherical:
            known = known && joint.turns.empty() && !joint.spherical;
            for (std::size_t k = 0; k < 3; ++k) coordinate(JointCoordinate::spherical, k);
            joint.spherical = true;
            break;
        }
    }
    Eigen::Matrix3Xd slides(3, joint.slides.size());
    for (std::size_t k = 0; k < joint.slides.size(); ++k) slides.col(k) = joint.slides[k];
    if (slides.cols() > 0 && slides.fullPivLu().rank() < slides.cols()) known = false;
    if (joint.turns.size() > 2) known = false;
    if (!known)
        fail("The joint of body '{}' is not known in absolute coordinates: compose it of independent slides, "
             "then at most two "
             "turns about different axes or a spherical joint; split others by bodies of their own.",
             record.name);

    // Directions in which the body cannot slide.
    const Matrix3d& R = joint.frame.R;
    std::vector<Row> rows;
    const Row point{Row::point, joint.parent, joint.body, from_centre(joint.parent, joint.frame.p),
                    from_centre(joint.body, Vector3d::Zero())};
    auto add_point = [&](const Vector3d& n, bool carried) {
        rows.push_back(point);
        rows.back().n = n;
        rows.back().carried = carried && joint.parent >= 0;
    };
    if (slides.cols() == 0)
        for (int k = 0; k < 3; ++k) add_point(Vector3d::Unit(k), false);
    if (slides.cols() == 1)
        for (int k = 1; k < 3; ++k) add_point(R * contact_frame(joint.slides[0]).col(k), true);
    if (slides.cols() == 2) add_point(R * joint.slides[0].cross(joint.slides[1]).normalized(), true);
    add_group(rows);

    // Axes that keep their angle.
    rows.clear();
    auto add_axes = [&](const Vector3d& X, const Vector3d& Y) {
        rows.push_back({Row::axes, joint.parent, joint.body, R * X, Y});
        rows.back().value = X.dot(Y);
        rows.back().scale = scale;
    };
    if (joint.turns.size() == 1) {
        const Matrix3d axes = contact_frame(joint.turns[0]);
        for (int k = 1; k < 3; ++k) add_axes(axes.col(k), axes.col(0));
    } else if (joint.turns.size() == 2) {
        add_axes(joint.turns[0], joint.turns[1]);
    } else if (!joint.spherical) {
        for (int k = 0; k < 3; ++k) add_axes(Vector3d::Unit((k + 1) % 3), Vector3d::Unit(k));
    }
    add_group(rows);

    if (slides.cols() > 0) {
        const Eigen::Matrix3Xd dual = slides * (slides.transpose() * slides).inverse();
        for (std::size_t k = 0; k < joint.slides.size(); ++k) joint.slides[k] = dual.col(k);
    }
    joints_.push_back(joint);
}

void AbsoluteSystem::add_loop(const Mechanism& m, const LoopSpec& l, double scale)
{
    const int a = model_.body_number(l.a), b = model_.body_number(l.b);
    std::vector<Row> rows;
    const Row point{Row::point, a, b, from_centre(a, value(m, l.point_a)),
                    from_centre(b, value(m, l.point_b))};
    const Matrix3d axes = contact_frame(l.axis);
    if (l.kind == LoopKind::rod) {
        rows = {point};
        rows[0].kind = Row::rod;
        rows[0].value = m.value(l.length);
    } else {
        for (int k = l.kind == LoopKind::point_plane; k < 3; ++k) {
            rows.push_back(point);
            rows.back().n =
                l.kind == LoopKind::point_plane ? Vector3d(axes.col(k)) : Vector3d::Unit(k).eval();
        }
    }
    add_group(rows);
    if (l.kind != LoopKind::hinge) return;
    rows.clear();
    for (int k = 1; k < 3; ++k) {
        rows.push_back({Row::axes, a, b, axes.col(k), l.axis_b});
        rows.back().scale = scale;
    }
    add_group(rows);
}

void AbsoluteSystem::advance(const std::vector<CentrePose>& q, const Eigen::VectorXd& delta,
                             std::vector<CentrePose>& out) const
{
    for (int b = 0; b < bodies(); ++b) {
        out[b].c = q[b].c + delta.segment<3>(6 * b);
        const Vector3d turn = delta.segment<3>(6 * b + 3);
        const double half = turn.norm() / 2;
        const Vector3d s = turn * (half > 1e-8 ? std::sin(half) / (2 * half) : 0.5 - half * half / 12);
        out[b].turn = (q[b].turn * Eigen::Quaterniond(std::cos(half), s[0], s[1], s[2])).normalized();
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
        const Row& row = rows_[i];
        const Side a = side(q, row.a, row.on_a), b = side(q, row.b, row.on_b);
        Vector3d force = Vector3d::Zero(); // on b at its centre per unit multiplier, less on a
        Vector3d moment_a = Vector3d::Zero(), moment_b = moment_a; // world axes
        if (row.kind == Row::axes) {
            g[i] = row.scale * (a.arm.dot(b.arm) - row.value);
            moment_b = row.scale * b.arm.cross(a.arm);
            moment_a = -moment_b;
        } else {
            const Vector3d e = b.c + b.arm - a.c - a.arm;
            if (row.kind == Row::rod) {
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
        const Row& row = rows_[i];
        const Side a = side(q, row.a, row.on_a), b = side(q, row.b, row.on_b);
        const Vector3d w_a = row.a < 0 ? Vector3d::Zero() : Vector3d(a.R * v.segment<3>(6 * row.a + 3));
        const Vector3d w_b = row.b < 0 ? Vector3d::Zero() : Vector3d(b.R * v.segment<3>(6 * row.b + 3));
        const Vector3d a1 = w_a.cross(a.arm), b1 = w_b.cross(b.arm), a2 = w_a.cross(a1), b2 = w_b.cross(b1);
        if (row.kind == Row::axes) {
            G_dot_v[i] = row.scale * (a2.dot(b.arm) + 2 * a1.dot(b1) + a.arm.dot(b2));
            continue;
        }
        const Vector3d e = b.c + b.arm - a.c - a.arm, e2 = b2 - a2;
        Vector3d e1 = b1 - a1;
        if (row.a >= 0) e1 -= v.segment<3>(6 * row.a);
        if (row.b >= 0) e1 += v.segment<3>(6 * row.b);
        if (row.kind == Row::rod) {
            G_dot_v[i] = (e1.squaredNorm() + e.dot(e2)) / row.value;
        } else if (row.carried) {
            const Vector3d n = a.R * row.n, n1 = w_a.cross(n);
            G_dot_v[i] = w_a.cross(n1).dot(e) + 2 * n1.dot(e1) + n.dot(e2);
        } else {
            G_dot_v[i] = row.n.dot(e2);
        }
    }
}

AbsoluteSystem::RelativeMotion AbsoluteSystem::relative_motion(int number, const AbsoluteView& view) const
{
    const AbsoluteJoint& joint = joints_[number];
    const BodyMotion& b = view.motion(joint.body);
    const BodyMotion p = joint.parent < 0 ? BodyMotion{} : view.motion(joint.parent);
    RelativeMotion out;
    out.R_WJ = p.pose.R * joint.frame.R;
    out.R = out.R_WJ.transpose() * b.pose.R;
    out.d = out.R_WJ.transpose() * (b.pose.p - p.pose * joint.frame.p);
    out.velocity =
        out.R_WJ.transpose() * (b.velocity - p.velocity - p.turning_rate.cross(b.pose.p - p.pose.p));
    out.turning_rate = out.R_WJ.transpose() * (b.turning_rate - p.turning_rate);
    return out;
}

// R = exp(a_1 q_1) exp(a_2 q_2): the turning rate is a_1 q_1' + R a_2 q_2'.
Vector3d AbsoluteSystem::turn_dual(int number, int k, const Matrix3d& R) const
{
    const AbsoluteJoint& joint = joints_[number];
    if (joint.turns.size() == 1) return joint.turns[0];
    const Vector3d own = k == 0 ? joint.turns[0] : Vector3d(R * joint.turns[1]);
    const Vector3d other = k == 0 ? Vector3d(R * joint.turns[1]) : joint.turns[0];
    const Vector3d dual = own - other.dot(own) * other;
    return dual / dual.squaredNorm();
}

double AbsoluteSystem::turn_angle(int number, int k, const Matrix3d& R) const
{
    const AbsoluteJoint& joint = joints_[number];
    const Vector3d& axis = joint.turns[k];
    if (joint.turns.size() == 1) {
        const Vector3d across = contact_frame(axis).col(1);
        return angle_about(axis, across, R * across);
    }
    return k == 0 ? angle_about(axis, joint.turns[1], R * joint.turns[1])
                  : angle_about(axis, R.transpose() * joint.turns[0], joint.turns[0]);
}

void AbsoluteSystem::forces(const std::vector<CentrePose>& q, const AbsoluteView& view)
{
    for (int b = 0; b < bodies(); ++b) {
        const BodyRecord& body = model_.bodies()[b];
        const Vector3d omega = q[b].R.transpose() * view.motion(b).turning_rate;
        f.segment<3>(6 * b) = body.mass * model_.gravity_value();
        f.segment<3>(6 * b + 3) = -omega.cross(body.inertia * omega);
    }
    auto apply = [&](int body, const Vector3d& point, const Vector3d& force, const Vector3d& moment) {
        if (body < 0) return;
        f.segment<3>(6 * body) += force;
        f.segment<3>(6 * body + 3) += q[body].R.transpose() * ((point - q[body].c).cross(force) + moment);
    };
    const Vector3d none = Vector3d::Zero();
    // A joint force acts between the body and its parent, along the dual of the coordinate's axis.
    auto joint_force = [&](Coordinate on, double value) {
        const JointCoordinate& c = coordinates_[on.mechanism][on.index];
        const AbsoluteJoint& joint = joints_[c.joint];
        const RelativeMotion relative = relative_motion(c.joint, view);
        const Vector3d& at = view.motion(joint.body).pose.p;
        Vector3d force = none, moment = none;
        if (c.kind == JointCoordinate::slide) force = value * (relative.R_WJ * joint.slides[c.number]);
        if (c.kind == JointCoordinate::turn)
            moment = value * (relative.R_WJ * turn_dual(c.joint, c.number, relative.R));
        if (c.kind == JointCoordinate::spherical) moment = value * q[joint.body].R.col(c.number);
        apply(joint.body, at, force, moment);
        apply(joint.parent, at, -force, -moment);
    };
    for (const JointSpring& s : model_.joint_springs())
        joint_force(s.on, -s.law.stiffness * (view.q(s.on) - s.law.rest) - s.law.damping * view.v(s.on));
    for (const JointForce& j : model_.joint_forces()) joint_force(j.on, j.law(view));
    for (const PointSpring& s : model_.point_springs()) {
        const Vector3d a = view.position(s.a), b = view.position(s.b), x = b - a;
        const double force = spring_force(s.law, x, view.velocity(s.b) - view.velocity(s.a));
        const Vector3d pull = x.norm() > 0 ? (force * x.normalized()).eval() : none;
        apply(model_.frame_record(s.a).body, a, pull, none);
        apply(model_.frame_record(s.b).body, b, -pull, none);
    }
    for (const AppliedWrench& w : model_.wrenches()) {
        const Wrench value = w.law(view);
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

AbsoluteView::AbsoluteView(const AbsoluteSystem& system)
    : View(system.model()), system_(system), motion_(system.bodies())
{
    for (const auto& m : model().mechanisms()) angle_.emplace_back(m->nv(), 0.0);
    set(0, system.start().q, system.start().v);
    // A start value may lie beyond a full turn.
    for (const auto& m : model().mechanisms())
        for (int j = 0; j < m->nv(); ++j)
            angle_[m->number()][j] = model().start_of(m->number()).q[m->position_index(j)];
    settle();
}

void AbsoluteView::set(double t, const std::vector<CentrePose>& q, const Eigen::VectorXd& v)
{
    t_ = t;
    for (int b = 0; b < system_.bodies(); ++b) {
        BodyMotion& m = motion_[b];
        m.pose = system_.body_pose(q, b);
        m.turning_rate = q[b].R * v.segment<3>(6 * b + 3);
        m.velocity = v.segment<3>(6 * b) + m.turning_rate.cross(m.pose.p - q[b].c);
    }
}

void AbsoluteView::settle()
{
    for (std::size_t m = 0; m < angle_.size(); ++m)
        for (std::size_t j = 0; j < angle_[m].size(); ++j)
            if (system_.coordinates(static_cast<int>(m))[j].kind == AbsoluteSystem::JointCoordinate::turn)
                angle_[m][j] = q({static_cast<int>(m), static_cast<int>(j)});
}

double AbsoluteView::q(Coordinate c) const
{
    const auto& [kind, joint, number] = system_.coordinates(c.mechanism)[c.index];
    const AbsoluteSystem::RelativeMotion relative = system_.relative_motion(joint, *this);
    if (kind == AbsoluteSystem::JointCoordinate::spherical)
        fail("Coordinate '{}' belongs to a spherical joint: ask for the rotation of its body instead.",
             model().mechanisms()[c.mechanism]->coordinate_name(c.index));
    if (kind == AbsoluteSystem::JointCoordinate::slide)
        return system_.joint(joint).slides[number].dot(relative.d);
    const double angle = system_.turn_angle(joint, number, relative.R), turn = 2 * std::numbers::pi;
    return angle + turn * std::round((angle_[c.mechanism][c.index] - angle) / turn);
}

double AbsoluteView::v(Coordinate c) const
{
    const auto& [kind, joint, number] = system_.coordinates(c.mechanism)[c.index];
    const AbsoluteSystem::RelativeMotion relative = system_.relative_motion(joint, *this);
    switch (kind) {
    case AbsoluteSystem::JointCoordinate::slide:
        return system_.joint(joint).slides[number].dot(relative.velocity);
    case AbsoluteSystem::JointCoordinate::turn:
        return system_.turn_dual(joint, number, relative.R).dot(relative.turning_rate);
    case AbsoluteSystem::JointCoordinate::spherical:
        break;
    }
    return relative.R.col(number).dot(relative.turning_rate);
}

double AbsoluteView::drive_force(Coordinate c) const
{
    fail("Coordinate '{}' is not driven.", model().mechanisms()[c.mechanism]->coordinate_name(c.index));
}

} // namespace tamis
