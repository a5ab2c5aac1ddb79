// Rows of three kinds between bodies a and b (X, Y, n fixed in a body or in the world; x points of bodies):
//
//     n . (x_b - x_a),    L (X . Y - X0 . Y0),    (|x_b - x_a|^2 / l - l) / 2
//
// L, the length scale of the mechanism, makes metres of angles. Joints: none, one or two turns about
// non-parallel axes or a spherical one, after none to three slides. All other compositions are refused.
#include "tamis/model/absolute_joints.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/detection.hpp"

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

AbsoluteJoints::AbsoluteJoints(const Model& model) : model_(model)
{
    for (const Mechanism& m : model.mechanisms()) {
        const Eigen::VectorXd p = m.parameter_values();
        lengths_.push_back(p[p.size() - 1]);
        length_ = std::max(length_, lengths_.back());
        coordinates_.emplace_back(m.nv());
        for (const Mechanism::BodyRecord& b : m.bodies()) add_joint(m, b, lengths_.back());
        for (const LoopSpec& l : m.loops()) add_loop(m, l, lengths_.back());
    }
}

void AbsoluteJoints::add_group(const std::vector<JointRow>& rows, const std::string& name)
{
    if (rows.empty()) return;
    groups_.push_back(
        {rows[0].a, rows[0].b, static_cast<int>(rows_.size()), static_cast<int>(rows.size()), name});
    rows_.insert(rows_.end(), rows.begin(), rows.end());
}

void AbsoluteJoints::add_joint(const Mechanism& m, const Mechanism::BodyRecord& record, double scale)
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
    std::vector<JointRow> rows;
    const JointRow point{JointRow::point, joint.parent, joint.body, joint.frame.p, Vector3d::Zero()};
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
    add_group(rows, record.name);

    // Axes that keep their angle.
    rows.clear();
    auto add_axes = [&](const Vector3d& X, const Vector3d& Y) {
        rows.push_back({JointRow::axes, joint.parent, joint.body, R * X, Y});
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
    add_group(rows, record.name);

    if (slides.cols() > 0) {
        const Eigen::Matrix3Xd dual = slides * (slides.transpose() * slides).inverse();
        for (std::size_t k = 0; k < joint.slides.size(); ++k) joint.slides[k] = dual.col(k);
    }
    joints_.push_back(joint);
}

void AbsoluteJoints::add_loop(const Mechanism& m, const LoopSpec& l, double scale)
{
    const int a = model_.body_number(l.a), b = model_.body_number(l.b);
    std::vector<JointRow> rows;
    const JointRow point{JointRow::point, a, b, value(m, l.point_a), value(m, l.point_b)};
    const Matrix3d axes = contact_frame(l.axis);
    if (l.kind == LoopKind::rod) {
        rows = {point};
        rows[0].kind = JointRow::rod;
        rows[0].value = m.value(l.length);
    } else {
        for (int k = l.kind == LoopKind::point_plane; k < 3; ++k) {
            rows.push_back(point);
            rows.back().n =
                l.kind == LoopKind::point_plane ? Vector3d(axes.col(k)) : Vector3d::Unit(k).eval();
        }
    }
    add_group(rows, l.name);
    if (l.kind != LoopKind::hinge) return;
    rows.clear();
    for (int k = 1; k < 3; ++k) {
        rows.push_back({JointRow::axes, a, b, axes.col(k), l.axis_b});
        rows.back().scale = scale;
    }
    add_group(rows, l.name);
}

AbsoluteJoints::RelativeMotion AbsoluteJoints::relative_motion(int number, const View& view) const
{
    const AbsoluteJoint& joint = joints_[number];
    const BodyMotion& b = view.motion(joint.body);
    const BodyMotion p = joint.parent < 0 ? BodyMotion{} : view.motion(joint.parent);
    RelativeMotion out;
    out.R_WJ = p.pose.R * joint.frame.R;
    out.R = out.R_WJ.transpose() * b.pose.R;
    out.d = out.R_WJ.transpose() * (b.pose.p - p.pose * joint.frame.p);
    out.velocity =
        out.R_WJ.transpose() * (b.velocity - p.velocity - p.angular_velocity.cross(b.pose.p - p.pose.p));
    out.angular_velocity = out.R_WJ.transpose() * (b.angular_velocity - p.angular_velocity);
    return out;
}

// R = exp(a_1 q_1) exp(a_2 q_2): the angular velocity is a_1 q_1' + R a_2 q_2'.
Vector3d AbsoluteJoints::turn_dual(int number, int k, const Matrix3d& R) const
{
    const AbsoluteJoint& joint = joints_[number];
    if (joint.turns.size() == 1) return joint.turns[0];
    const Vector3d own = k == 0 ? joint.turns[0] : Vector3d(R * joint.turns[1]);
    const Vector3d other = k == 0 ? Vector3d(R * joint.turns[1]) : joint.turns[0];
    const Vector3d dual = own - other.dot(own) * other;
    return dual / dual.squaredNorm();
}

double AbsoluteJoints::turn_angle(int number, int k, const Matrix3d& R) const
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

// A joint force acts between the body and its parent, along the dual of the coordinate's axis.
AbsoluteJoints::UnitLoad AbsoluteJoints::unit_load(Coordinate on, const View& view) const
{
    const JointCoordinate& c = coordinate(on);
    const AbsoluteJoint& j = joints_[c.joint];
    const RelativeMotion relative = relative_motion(c.joint, view);
    UnitLoad load{&j, Vector3d::Zero(), Vector3d::Zero()};
    if (c.kind == JointCoordinate::slide) load.force = relative.R_WJ * j.slides[c.number];
    if (c.kind == JointCoordinate::turn)
        load.moment = relative.R_WJ * turn_dual(c.joint, c.number, relative.R);
    if (c.kind == JointCoordinate::spherical) load.moment = view.motion(j.body).pose.R.col(c.number);
    return load;
}

JointView::JointView(const AbsoluteJoints& joints)
    : View(joints.model()), joints_(joints), motion_(joints.model().bodies().size())
{
    // A start value may lie beyond a full turn.
    for (const Mechanism& m : model().mechanisms()) {
        first_angle_.push_back(static_cast<int>(angle_.size()));
        for (int j = 0; j < m.nv(); ++j)
            angle_.push_back(model().start_of(m.number()).q[m.position_index(j)]);
    }
}

void JointView::settle()
{
    for (std::size_t m = 0; m < first_angle_.size(); ++m)
        for (std::size_t j = 0; j < joints_.coordinates(static_cast<int>(m)).size(); ++j) {
            const Coordinate c{static_cast<int>(m), static_cast<int>(j)};
            if (joints_.coordinate(c).kind == JointCoordinate::turn) angle(c) = q(c);
        }
}

double JointView::q(Coordinate c) const
{
    const auto& [kind, joint, number] = joints_.coordinate(c);
    const AbsoluteJoints::RelativeMotion relative = joints_.relative_motion(joint, *this);
    if (kind == JointCoordinate::spherical)
        fail("Coordinate '{}' belongs to a spherical joint: ask for the rotation of its body instead.",
             model().mechanisms()[c.mechanism].coordinate_name(c.index));
    if (kind == JointCoordinate::slide) return joints_.joint(joint).slides[number].dot(relative.d);
    const double angle = joints_.turn_angle(joint, number, relative.R), turn = 2 * std::numbers::pi;
    return angle + turn * std::round((this->angle(c) - angle) / turn);
}

double JointView::v(Coordinate c) const
{
    const auto& [kind, joint, number] = joints_.coordinate(c);
    const AbsoluteJoints::RelativeMotion relative = joints_.relative_motion(joint, *this);
    switch (kind) {
    case JointCoordinate::slide:
        return joints_.joint(joint).slides[number].dot(relative.velocity);
    case JointCoordinate::turn:
        return joints_.turn_dual(joint, number, relative.R).dot(relative.angular_velocity);
    case JointCoordinate::spherical:
        break;
    }
    return relative.R.col(number).dot(relative.angular_velocity);
}

double JointView::drive_force(Coordinate c) const
{
    fail("Coordinate '{}' is not driven.", model().mechanisms()[c.mechanism].coordinate_name(c.index));
}

} // namespace tamis
