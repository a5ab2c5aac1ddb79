// Description of a mechanism: checks what a designer writes and splits composed joints into elementary links.
#include "tamis/mbs_symbolic/mechanism.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <bit>
#include <cmath>

namespace tamis {

namespace {

ElementaryJoint elementary(ElementaryJoint::Kind kind, const Eigen::Vector3d& axis, const std::string& suffix)
{
    const double length = axis.norm();
    if (!(length > 0) || !std::isfinite(length))
        fail("A joint's axis is ({}, {}, {}): give it a direction of non-zero length.", axis[0], axis[1],
             axis[2]);
    Eigen::Vector3d unit = axis / length;
    for (double& x : unit)
        if (std::abs(x) < 1e-15) x = 0;
    return {kind, unit, suffix};
}

const Eigen::Vector3d ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};

Joint planar(const Eigen::Vector3d& first, const std::string& name1, const Eigen::Vector3d& second,
             const std::string& name2, const Eigen::Vector3d& normal, const std::string& name3)
{
    return {{elementary(ElementaryJoint::prismatic, first, name1),
             elementary(ElementaryJoint::prismatic, second, name2),
             elementary(ElementaryJoint::revolute, normal, name3)}};
}

void check_rotation(const Eigen::Matrix3d& R, const std::string& owner)
{
    if (!((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < 1e-9) || R.determinant() < 0)
        fail("The orientation of '{}' is not a rotation matrix: its columns must be orthonormal and "
             "right-handed.",
             owner);
}

} // namespace

Inertia::Inertia(Expr xx, Expr yy, Expr zz, Expr xy, Expr xz, Expr yz)
{
    tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
}

Joint hinge(const Eigen::Vector3d& axis)
{
    return {{elementary(ElementaryJoint::revolute, axis, "")}};
}
Joint hinge_x()
{
    return hinge(ex);
}
Joint hinge_y()
{
    return hinge(ey);
}
Joint hinge_z()
{
    return hinge(ez);
}
Joint slide(const Eigen::Vector3d& axis)
{
    return {{elementary(ElementaryJoint::prismatic, axis, "")}};
}
Joint slide_x()
{
    return slide(ex);
}
Joint slide_y()
{
    return slide(ey);
}
Joint slide_z()
{
    return slide(ez);
}
Joint cylindrical(const Eigen::Vector3d& axis)
{
    return {{elementary(ElementaryJoint::prismatic, axis, ".slide"),
             elementary(ElementaryJoint::revolute, axis, ".turn")}};
}
Joint universal(const Eigen::Vector3d& first, const Eigen::Vector3d& second)
{
    return {{elementary(ElementaryJoint::revolute, first, ".first"),
             elementary(ElementaryJoint::revolute, second, ".second")}};
}
Joint planar_x()
{
    return planar(ey, ".y", ez, ".z", ex, ".turn");
}
Joint planar_y()
{
    return planar(ex, ".x", ez, ".z", ey, ".turn");
}
Joint planar_z()
{
    return planar(ex, ".x", ey, ".y", ez, ".turn");
}
Joint spherical()
{
    return {{{ElementaryJoint::spherical, {0, 0, 0}, ""}}};
}
Joint free_joint()
{
    return {{elementary(ElementaryJoint::prismatic, ex, ".x"),
             elementary(ElementaryJoint::prismatic, ey, ".y"),
             elementary(ElementaryJoint::prismatic, ez, ".z"),
             {ElementaryJoint::spherical, {0, 0, 0}, ".turn"}}};
}
Joint fixed_joint()
{
    return {{{ElementaryJoint::fixed, {0, 0, 0}, ""}}};
}

int loop_equations(LoopKind kind)
{
    switch (kind) {
    case LoopKind::point_plane:
        return 2;
    case LoopKind::ball:
        return 3;
    case LoopKind::hinge:
        return 5;
    case LoopKind::rod:
        return 1;
    }
    return 0;
}

Mechanism::Mechanism(int number, std::string name) : number_(number), name_(std::move(name)) {}

Expr Mechanism::parameter(const std::string& name, double value)
{
    for (std::size_t k = 0; k < parameters_.size(); ++k)
        if (parameters_[k].name == name) {
            parameters_[k].value = value;
            return graph_->symbol(Input::p, static_cast<int>(k));
        }
    parameters_.push_back({name, value});
    return graph_->symbol(Input::p, static_cast<int>(parameters_.size()) - 1);
}

void Mechanism::set_gravity(const Vector& gravity)
{
    gravity_ = gravity;
}

Body Mechanism::add(const BodySpec& spec)
{
    if (spec.name.empty()) fail("A body of mechanism '{}' has no name: give it one.", name_);
    for (const BodyRecord& b : bodies_)
        if (b.name == spec.name) fail("Two bodies are called '{}': names must differ.", spec.name);
    if (spec.joint.parts.empty()) fail("Body '{}' has no joint: use fixed_joint() to weld it.", spec.name);
    check_rotation(spec.orientation, spec.name);

    int parent = link_of(spec.parent);
    const int first = static_cast<int>(links_.size());
    for (std::size_t k = 0; k < spec.joint.parts.size(); ++k) {
        Link link;
        link.name = spec.name + spec.joint.parts[k].suffix;
        link.parent = parent;
        link.joint = spec.joint.parts[k];
        if (k == 0) {
            link.at = spec.at;
            link.orientation = spec.orientation;
        }
        if (k + 1 == spec.joint.parts.size()) {
            link.mass = spec.mass;
            link.com = spec.com;
            link.inertia = spec.inertia.tensor;
        }
        link.q = nq_;
        link.v = nv_;
        nq_ += link.nq();
        nv_ += link.nv();
        parent = static_cast<int>(links_.size());
        links_.push_back(link);
    }
    bodies_.push_back({spec.name, parent, first});
    return {number_, static_cast<int>(bodies_.size()) - 1};
}

void Mechanism::close(const LoopSpec& loop)
{
    LoopSpec l = loop;
    if (l.name.empty()) l.name = fmt::format("loop {}", loops_.size() + 1);
    link_of(l.a);
    link_of(l.b);
    if (l.a == l.b) fail("Loop '{}' joins a body to itself: name two different bodies.", l.name);
    if (l.kind == LoopKind::point_plane || l.kind == LoopKind::hinge) {
        if (!(l.axis.norm() > 0)) fail("Loop '{}' has an axis of zero length: give it a direction.", l.name);
        l.axis.normalize();
    }
    if (l.kind == LoopKind::hinge) {
        if (!(l.axis_b.norm() > 0))
            fail("Loop '{}' is a hinge: give its axis in the frame of the second body too (axis_b).", l.name);
        l.axis_b.normalize();
    }
    loops_.push_back(l);
}

Frame Mechanism::add_frame(const std::string& name, Body body, const Vector& at,
                           const Eigen::Matrix3d& orientation)
{
    check_rotation(orientation, name);
    frames_.push_back({name, link_of(body), at, orientation});
    return {number_, static_cast<int>(frames_.size()) - 1};
}

int Mechanism::add_wrench(Frame frame)
{
    if (frame.mechanism != number_ || frame.index < 0 || frame.index >= static_cast<int>(frames_.size()))
        fail("A frame handle does not belong to mechanism '{}': forces act at frames of their own mechanism.",
             name_);
    wrench_frames_.push_back(frame.index);
    return wrenches() - 1;
}

int Mechanism::loop_rows() const
{
    int rows = 0;
    for (const LoopSpec& l : loops_) rows += loop_equations(l.kind);
    return rows;
}

Eigen::VectorXd Mechanism::parameter_values() const
{
    Eigen::VectorXd p(parameters_.size() + 1);
    for (std::size_t k = 0; k < parameters_.size(); ++k) p[k] = parameters_[k].value;
    p[p.size() - 1] = 1;
    p[p.size() - 1] = length_scale(p);
    return p;
}

int Mechanism::link_of(Body body) const
{
    if (body.is_ground()) return -1;
    if (body.mechanism != number_ || body.index >= static_cast<int>(bodies_.size()))
        fail("A body handle does not belong to mechanism '{}': bodies of one mechanism cannot carry or close "
             "another.",
             name_);
    return bodies_[body.index].link;
}

Body Mechanism::body(const std::string& name) const
{
    for (std::size_t k = 0; k < bodies_.size(); ++k)
        if (bodies_[k].name == name) return {number_, static_cast<int>(k)};
    std::string known;
    for (const BodyRecord& b : bodies_) known += (known.empty() ? "" : ", ") + b.name;
    fail("There is no body '{}' in mechanism '{}'; it has: {}.", name, name_, known.empty() ? "none" : known);
}

Coordinate Mechanism::coordinate(Body body, int k) const
{
    if (body.is_ground()) fail("The ground has no coordinates.");
    link_of(body);
    const BodyRecord& b = bodies_[body.index];
    const int first = links_[b.first_link].v;
    const int count = links_[b.link].v + links_[b.link].nv() - first;
    if (k < 0 || k >= count)
        fail("The joint of body '{}' has {} velocities: number {} does not exist (they count from 0).",
             b.name, count, k);
    return {number_, first + k};
}

Coordinate Mechanism::coordinate(const std::string& name) const
{
    std::string known;
    for (int j = 0; j < nv_; ++j) {
        if (coordinate_name(j) == name) return {number_, j};
        known += (j ? ", " : "") + coordinate_name(j);
    }
    fail("There is no coordinate '{}' in mechanism '{}'; it has: {}.", name, name_, known);
}

std::string Mechanism::coordinate_name(int velocity) const
{
    for (const Link& l : links_)
        if (velocity >= l.v && velocity < l.v + l.nv())
            return l.nv() == 1 ? l.name : fmt::format("{}.{}", l.name, "xyz"[velocity - l.v]);
    fail("Mechanism '{}' has no velocity number {}.", name_, velocity);
}

int Mechanism::position_index(int velocity) const
{
    for (const Link& l : links_)
        if (velocity >= l.v && velocity < l.v + l.nv()) return l.q;
    fail("Mechanism '{}' has no velocity number {}.", name_, velocity);
}

double Mechanism::value(const Expr& e) const
{
    const Eigen::VectorXd p = parameter_values();
    Inputs in;
    in.p = p.data();
    return evaluate(e, in);
}

double Mechanism::length_scale(const Eigen::VectorXd& p) const
{
    double scale = 0;
    Inputs in;
    in.p = p.data();
    auto see = [&](const Vector& x) {
        for (int i = 0; i < 3; ++i) scale = std::max(scale, std::abs(evaluate(x[i], in)));
    };
    for (const Link& l : links_) {
        see(l.at);
        see(l.com);
    }
    for (const LoopSpec& l : loops_) {
        see(l.point_a);
        see(l.point_b);
    }
    return scale > 0 ? scale : 1;
}

std::uint64_t Mechanism::hash() const
{
    std::uint64_t h = 1469598103934665603ull; // FNV-1a over 64-bit words
    auto word = [&](std::uint64_t x) { h = (h ^ x) * 1099511628211ull, h ^= h >> 29; };
    auto number = [&](double x) { word(std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x)); };
    auto text = [&](const std::string& s) {
        word(s.size());
        for (char c : s) word(static_cast<unsigned char>(c));
    };
    auto expr = [&](auto&& self, const Expr& e) -> void {
        if (e.is_constant()) {
            word(1);
            number(e.value());
            return;
        }
        const Node& n = *e.node();
        word(2 + static_cast<std::uint64_t>(n.op));
        if (n.op == Op::symbol) {
            word(n.index);
        } else {
            self(self, n.a);
            self(self, n.b);
        }
    };
    auto vector = [&](const auto& x) {
        for (const auto& e : x.reshaped()) {
            if constexpr (std::is_same_v<std::decay_t<decltype(e)>, double>)
                number(e);
            else
                expr(expr, e);
        }
    };
    word(parameters_.size());
    for (const ParameterRecord& p : parameters_) text(p.name);
    vector(gravity_);
    for (const Link& l : links_) {
        word(l.parent + 1);
        word(l.joint.kind);
        vector(l.joint.axis);
        vector(l.at);
        vector(l.orientation);
        expr(expr, l.mass);
        vector(l.com);
        vector(l.inertia);
    }
    for (const LoopSpec& l : loops_) {
        word(static_cast<std::uint64_t>(l.kind));
        word(link_of(l.a) + 1);
        word(link_of(l.b) + 1);
        vector(l.point_a);
        vector(l.point_b);
        vector(l.axis);
        vector(l.axis_b);
        expr(expr, l.length);
    }
    for (const NamedFrame& f : frames_) {
        word(f.link + 1);
        vector(f.at);
        vector(f.orientation);
    }
    for (int f : wrench_frames_) word(f);
    return h;
}

void Mechanism::validate() const
{
    for (const ParameterRecord& p : parameters_)
        if (!std::isfinite(p.value)) fail("Parameter '{}' is {}: give it a finite value.", p.name, p.value);
    for (const BodyRecord& b : bodies_) {
        const Link& l = links_[b.link];
        const double mass = value(l.mass);
        if (!(mass > 0)) fail("Body '{}' has mass {} kg: a body needs a positive mass.", b.name, mass);
        Eigen::Matrix3d inertia;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) inertia(i, j) = value(l.inertia(i, j));
        const Eigen::Vector3d principal =
            Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues();
        if (!(principal.minCoeff() >= -1e-12 * principal.cwiseAbs().maxCoeff()))
            fail("Body '{}' has an inertia tensor that is not positive definite (principal inertias {:.6g}, "
                 "{:.6g}, {:.6g} kg m2): give moments about the centre of mass, all positive.",
                 b.name, principal[0], principal[1], principal[2]);
    }
    for (const LoopSpec& l : loops_)
        if (l.kind == LoopKind::rod && !(value(l.length) > 0))
            fail("Rod '{}' has length {} m: give it a positive length.", l.name, value(l.length));
}

} // namespace tamis
