// The joints are those of AbsoluteJoints. A driven turn by q(t) about the axis k of a hinge keeps
//
//     (exp(k q) (k x c)) . C = sin(angle - q) = 0
//
// with c across k on the parent and C the same on the body; of a universal joint with axes a0 and a1, C = a1
// for the first turn, and for the second a0 on the parent against exp(-a1 q) (a0 x a1) on the body.
#include "tamis/smooth/smooth_model.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/assembly.hpp"
#include "tamis/model/detection.hpp"
#include "tamis/model/rigid_body.hpp"
#include "tamis/smooth/beam_layout.hpp"
#include "tamis/smooth/spring.hpp"

namespace tamis {

using Eigen::Vector3d;

void SmoothView::see(double t, std::span<const NodeMotion> nodes, std::span<const double> lambda)
{
    t_ = t;
    for (std::size_t b = 0; b < motion_.size(); ++b) {
        if (node_[b] < 0) continue;
        const NodeMotion& n = nodes[node_[b]];
        motion_[b] = {{n.R, n.x}, n.v, n.omega};
    }
    for (std::size_t k = 0; k < driven_.size(); ++k)
        drive_forces_[k] = driven_[k].element->force(lambda[driven_[k].row]);
    if (!beams_.empty()) nodes_.assign(nodes.begin(), nodes.end());
    for (BeamParts& beam : beams_)
        for (std::size_t k = 0; k < beam.nodes.size(); ++k) {
            const NodeMotion& n = nodes[beam.nodes[k]];
            beam.sections[k] = {{n.R * beam.turn[k], n.x}, n.v, n.omega};
        }
}

Energy SmoothView::beam_energy() const
{
    Energy sum;
    std::vector<NodeMotion> own;
    for (const BeamParts& beam : beams_)
        for (const Element* element : beam.elements) {
            own.clear();
            for (const int node : element->nodes()) own.push_back(nodes_[node]);
            sum += element->energy({.t = t_, .nodes = own});
        }
    return sum;
}

double SmoothView::drive_force(Coordinate c) const
{
    for (std::size_t k = 0; k < driven_.size(); ++k)
        if (driven_[k].on.mechanism == c.mechanism && driven_[k].on.index == c.index) return drive_forces_[k];
    return JointView::drive_force(c);
}

SmoothModel::SmoothModel(const Model& model, const std::vector<Body>& left_out)
    : model_(model), joints_(model), view_(joints_)
{
    system_.observe(view_);
    system_.set_length(joints_.length());
    add_bodies(left_out);
    add_joints();
    add_drives();
    add_springs();
    add_beams();
    add_loads();
}

int SmoothModel::node(Body body) const
{
    const int number = model_.body_number(body);
    if (!has(number)) fail("Body '{}' is left out of the smooth system.", model_.bodies()[number].name);
    return node_of(number);
}

MarkerWrench& SmoothModel::marker(const std::string& name, Body body, const Vector3d& point)
{
    return system_.add<MarkerWrench>("wrench '" + name + "'", node(body), point);
}

void SmoothModel::add_bodies(const std::vector<Body>& left_out)
{
    const std::vector<BodyMotion> motions = start_motions(model_);
    std::vector<char> out(model_.bodies().size(), 0);
    for (const Body b : left_out) out.at(model_.body_number(b)) = 1;
    for (const AbsoluteJoint& j : joints_.joints()) // parents come first
        if (j.parent >= 0 && out[j.parent]) out[j.body] = 1;
    for (std::size_t b = 0; b < out.size(); ++b) {
        const BodyRecord& body = model_.bodies()[b];
        const BodyMotion& m = motions[b];
        view_.set(static_cast<int>(b), m);
        view_.node_.push_back(-1);
        if (out[b]) continue;
        NodeMotion start;
        start.R = m.pose.R;
        start.x = m.pose.p;
        start.v = m.velocity;
        start.omega = m.angular_velocity;
        view_.node_.back() = system_.add_node(body.name, start);
        system_.add<RigidBody>(RigidBodySpec{body.name, view_.node_.back(), body.mass, body.com, body.inertia,
                                             model_.gravity_value()});
    }
    view_.settle();
}

void SmoothModel::add_joints()
{
    // Groups of one joint or loop follow each other and make one element.
    const std::vector<JointGroup>& groups = joints_.groups();
    for (std::size_t k = 0; k < groups.size();) {
        const JointGroup& g = groups[k];
        std::vector<JointRow> rows;
        for (; k < groups.size() && groups[k].name == g.name && groups[k].a == g.a && groups[k].b == g.b; ++k)
            for (int i = 0; i < groups[k].count; ++i) rows.push_back(joints_.rows()[groups[k].first + i]);
        if (has(g.a) && has(g.b))
            system_.add<Constraint>("joint '" + g.name + "'", node_of(g.a), node_of(g.b), std::move(rows));
    }
}

JointRow SmoothModel::slide_row(const JointCoordinate& c) const
{
    const AbsoluteJoint& j = joints_.joint(c.joint);
    JointRow row{JointRow::point, j.parent, j.body, j.frame.p, Vector3d::Zero()};
    row.n = j.frame.R * j.slides[c.number];
    row.carried = true;
    return row;
}

void SmoothModel::add_drives()
{
    for (const Drive& d : model_.drives()) {
        const JointCoordinate& c = joints_.coordinate(d.on);
        const AbsoluteJoint& j = joints_.joint(c.joint);
        if (!has(j.body) || !has(j.parent)) continue;
        const std::string name =
            "drive of '" + model_.mechanisms()[d.on.mechanism].coordinate_name(d.on.index) + "'";
        const int row = system_.rows(), a = node_of(j.parent), b = node_of(j.body);
        const DrivenRow* element;
        if (c.kind == JointCoordinate::slide) {
            element = &system_.add<DrivenRow>(name, a, b, slide_row(c), DrivenRow::value, Vector3d::Zero(),
                                              d.motion);
        } else {
            JointRow axes{JointRow::axes, j.parent, j.body, Vector3d::Zero(), Vector3d::Zero()};
            axes.scale = joints_.length(d.on.mechanism);
            const Vector3d& k = j.turns[c.number];
            const bool second = c.number == 1;
            if (!second) {
                axes.on_b = j.turns.size() == 1 ? contact_frame(k).col(1).eval() : j.turns[1];
                const Vector3d x = k.cross(axes.on_b);
                axes.on_a = j.frame.R * x / x.squaredNorm();
            } else {
                const Vector3d x = j.turns[0].cross(k);
                axes.on_a = j.frame.R * j.turns[0];
                axes.on_b = x / x.squaredNorm();
            }
            element = &system_.add<DrivenRow>(name, a, b, axes,
                                              second ? DrivenRow::axis_on_b : DrivenRow::axis_on_a,
                                              second ? k : Vector3d(j.frame.R * k), d.motion);
        }
        view_.driven_.push_back({d.on, element, row});
        view_.drive_forces_.push_back(0);
    }
}

void SmoothModel::add_springs()
{
    for (const JointSpring& s : model_.joint_springs()) {
        const JointCoordinate& c = joints_.coordinate(s.on);
        const AbsoluteJoint& j = joints_.joint(c.joint);
        if (!has(j.body) || !has(j.parent)) continue;
        const std::string name =
            "spring of '" + model_.mechanisms()[s.on.mechanism].coordinate_name(s.on.index) + "'";
        const int a = node_of(j.parent), b = node_of(j.body);
        if (c.kind == JointCoordinate::slide) {
            system_.add<SlideSpring>(name, a, b, slide_row(c), s.law);
            continue;
        }
        TurnCoordinate turn;
        turn.universal = j.turns.size() == 2;
        turn.second = c.number == 1;
        turn.axis_a = j.frame.R * j.turns[0];
        turn.axis_b = j.turns.back();
        turn.to = turn.second      ? j.turns[0]
                  : turn.universal ? j.turns[1]
                                   : contact_frame(j.turns[0]).col(1).eval();
        turn.from = j.frame.R * turn.to;
        system_.add<TurnSpring>(name, a, b, turn, s.law, &view_.angle(s.on));
    }
    for (const PointSpring& s : model_.point_springs()) {
        const Model::FrameRecord &a = model_.frame_record(s.a), &b = model_.frame_record(s.b);
        if (has(a.body) && has(b.body))
            system_.add<PointSpringElement>("spring", node_of(a.body), a.local.p, node_of(b.body), b.local.p,
                                            s.law);
    }
}

void SmoothModel::add_beams()
{
    for (const BeamSpec& s : model_.beams()) {
        int ends[2];
        for (const int k : {0, 1}) {
            const Model::FrameRecord& f = model_.frame_record(k == 0 ? s.a : s.b);
            if (!has(f.body))
                fail("Beam '{}' ends on body '{}', which is left out: let it end on a body of the smooth "
                     "system.",
                     s.name, model_.bodies()[f.body].name);
            ends[k] = carried_node(system_, s.name + (k == 0 ? " a" : " b"), node_of(f.body), f.local);
        }
        const Model::FrameRecord& a = model_.frame_record(s.a);
        const Vector3d y = a.local.R * s.y;
        SmoothView::BeamParts& beam = view_.beams_.emplace_back();
        const std::size_t first = system_.elements().size();
        beam.nodes = lay_beam(system_,
                              {s.name, s.elements, s.section,
                               a.body < 0 ? y : Vector3d(system_.start()[node_of(a.body)].R * y), s.damping,
                               s.inertia, model_.gravity_value()},
                              ends[0], ends[1]);
        for (std::size_t e = first; e < system_.elements().size(); ++e)
            beam.elements.push_back(system_.elements()[e].get());
        const Eigen::Matrix3d& axes = system_.start()[beam.nodes[1]].R; // inner nodes stand as their sections
        for (const int node : beam.nodes) beam.turn.push_back(system_.start()[node].R.transpose() * axes);
        beam.sections.resize(beam.nodes.size());
    }
}

void SmoothModel::add_loads()
{
    for (const JointForce& f : model_.joint_forces()) {
        const AbsoluteJoint& j = joints_.joint(joints_.coordinate(f.on).joint);
        if (has(j.body) && has(j.parent))
            system_.add<LawForce>("force", node_of(j.parent), node_of(j.body), f, joints_, view_);
    }
    for (const AppliedWrench& w : model_.wrenches()) {
        const Model::FrameRecord& f = model_.frame_record(w.at);
        if (f.body >= 0 && has(f.body))
            system_.add<LawWrench>("wrench", node_of(f.body), f.local.p, w, view_);
    }
}

} // namespace tamis
