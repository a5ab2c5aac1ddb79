// An element of length l has the portions l/2 (1 - 1/sqrt 3), l/sqrt 3, l/2 (1 -
// 1/sqrt 3) of its three nodes.
#include "tamis/smooth/beam_layout.hpp"

#include "tamis/base/error.hpp"
#include "tamis/smooth/constraint.hpp"
#include "tamis/smooth/rigid_body.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace tamis {

using Eigen::Matrix3d, Eigen::Vector3d;

namespace {

// Inertia of a node, about it, in the axes of the section.
struct NodeInertia {
    double mass = 0, first = 0; // first moment along x
    Vector3d second{0, 0, 0};   // about x, y, z
};

// A piece of beam of the given length, its middle at x = centre.
void add_piece(NodeInertia& to, const BeamSection& section, BeamInertia kind, double length, double centre)
{
    to.second += length * section.inertia;
    if (kind == BeamInertia::consistent) return; // the element has the mass
    const double mass = length * section.mass;
    to.mass += mass;
    if (kind == BeamInertia::nodes) return;
    to.first += mass * centre;
    to.second.tail<2>().array() += mass * (centre * centre + length * length / 12);
}

} // namespace

std::vector<int> lay_beam(SmoothSystem& system, const BeamLayout& layout, int a, int b)
{
    const int n = layout.elements;
    if (n < 1) fail("Beam '{}' has {} elements: it needs at least one.", layout.name, n);
    const NodeMotion start = system.start()[a], end = system.start()[b];
    const Vector3d way = end.x - start.x;
    const double length = way.norm() / n; // of an element
    if (!(length > 0)) fail("Beam '{}' has no length: its ends stand in one place.", layout.name);
    Matrix3d axes;
    axes.col(0) = way.normalized();
    axes.col(2) = axes.col(0).cross(layout.y);
    if (axes.col(2).norm() < 1e-6 * layout.y.norm() || layout.y.isZero(0))
        fail("The sections of beam '{}' have their y axis along the beam: choose one across.", layout.name);
    axes.col(2).normalize();
    axes.col(1) = axes.col(2).cross(axes.col(0));

    std::vector<int> nodes{a};
    for (int k = 1; k < 2 * n; ++k) {
        const double s = k / (2.0 * n);
        NodeMotion inner;
        inner.R = axes;
        inner.x = start.x + s * way;
        inner.v = (1 - s) * start.v + s * end.v;
        inner.omega = (1 - s) * start.omega + s * end.omega;
        nodes.push_back(system.add_node(fmt::format("{} {}", layout.name, k), inner));
    }
    nodes.push_back(b);

    std::vector<NodeInertia> inertia(nodes.size());
    const double outer = length / 2 * (layout.inertia == BeamInertia::nodes ? 0.5 : 1 - 1 / std::sqrt(3.0));
    for (int e = 0; e < n; ++e) {
        std::array<Pose, 3> at;
        for (int k = 0; k < 3; ++k) {
            const NodeMotion& node = system.start()[nodes[2 * e + k]];
            at[k] = {node.R, start.x + (2 * e + k) / (2.0 * n) * way};
        }
        system.add<Beam>(
            layout.name, std::array{nodes[2 * e], nodes[2 * e + 1], nodes[2 * e + 2]}, at, axes,
            layout.section,
            BeamOptions{layout.damping, layout.inertia == BeamInertia::consistent, layout.gravity});
        add_piece(inertia[2 * e], layout.section, layout.inertia, outer, outer / 2);
        add_piece(inertia[2 * e + 1], layout.section, layout.inertia, length - 2 * outer, 0);
        add_piece(inertia[2 * e + 2], layout.section, layout.inertia, outer, -outer / 2);
    }
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const NodeInertia& own = inertia[k];
        const Matrix3d turn = system.start()[nodes[k]].R.transpose() * axes; // to the axes of the node
        const double com = own.mass > 0 ? own.first / own.mass : 0;
        const Vector3d central = own.second - own.first * com * Vector3d(0, 1, 1);
        system.add<RigidBody>(RigidBodySpec{layout.name, nodes[k], own.mass, turn * Vector3d(com, 0, 0),
                                            turn * central.asDiagonal() * turn.transpose(), layout.gravity});
    }
    return nodes;
}

int carried_node(SmoothSystem& system, const std::string& name, int carrier, const Pose& local)
{
    if (carrier != ground_node && local.p.isZero(0)) return carrier;
    const NodeMotion of = carrier == ground_node ? NodeMotion{} : system.start()[carrier];
    NodeMotion node;
    const Vector3d arm = of.R * local.p;
    node.R = of.R * local.R;
    node.x = of.x + arm;
    node.v = of.v + of.omega.cross(arm);
    node.omega = of.omega;
    const int number = system.add_node(name, node);
    std::vector<JointRow> rows;
    for (int k = 0; k < 3; ++k)
        rows.push_back({JointRow::point, carrier, number, local.p, Vector3d::Zero(), Vector3d::Unit(k)});
    for (int k = 0; k < 3; ++k) {
        rows.push_back({JointRow::axes, carrier, number, local.R.col((k + 1) % 3), Vector3d::Unit(k)});
        rows.back().scale = system.length();
    }
    system.add<Constraint>("clamp of " + name, carrier, number, rows);
    return number;
}

} // namespace tamis
