// An element of length l has the portions l/2 (1 - 1/sqrt 3), l/sqrt 3, l/2 (1 - 1/sqrt 3) of its three nodes.
#include "tamis/model/beam_mesh.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/rigid_body.hpp"

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

// Of the sections at the start: x along the beam.
Matrix3d section_axes(const BeamLayout& layout, const Vector3d& way)
{
    Matrix3d axes;
    axes.col(0) = way.normalized();
    axes.col(2) = axes.col(0).cross(layout.y);
    if (axes.col(2).norm() < 1e-6 * layout.y.norm() || layout.y.isZero(0))
        fail("The sections of beam '{}' have their y axis along the beam: choose one across.", layout.name);
    axes.col(2).normalize();
    axes.col(1) = axes.col(2).cross(axes.col(0));
    return axes;
}

} // namespace

std::vector<NodeMotion> beam_nodes(const BeamLayout& layout, const NodeMotion& a, const NodeMotion& b)
{
    const int n = layout.elements;
    if (n < 1) fail("Beam '{}' has {} elements: it needs at least one.", layout.name, n);
    const Vector3d way = b.x - a.x;
    if (!(way.norm() / n > 0)) fail("Beam '{}' has no length: its ends stand in one place.", layout.name);
    const Matrix3d axes = section_axes(layout, way);
    std::vector<NodeMotion> nodes{a};
    for (int k = 1; k < 2 * n; ++k) {
        const double s = k / (2.0 * n);
        NodeMotion& inner = nodes.emplace_back();
        inner.R = axes;
        inner.x = a.x + s * way;
        inner.v = (1 - s) * a.v + s * b.v;
        inner.omega = (1 - s) * a.omega + s * b.omega;
    }
    nodes.push_back(b);
    return nodes;
}

std::vector<std::unique_ptr<Element>>
beam_elements(const BeamLayout& layout, const std::vector<NodeMotion>& nodes, const std::vector<int>& numbers)
{
    const int n = layout.elements;
    const Vector3d start = nodes.front().x, way = nodes.back().x - start;
    const double length = way.norm() / n; // of an element
    const Matrix3d axes = section_axes(layout, way);
    std::vector<std::unique_ptr<Element>> elements;
    std::vector<NodeInertia> inertia(nodes.size());
    const double outer = length / 2 * (layout.inertia == BeamInertia::nodes ? 0.5 : 1 - 1 / std::sqrt(3.0));
    for (int e = 0; e < n; ++e) {
        std::array<Pose, 3> at;
        for (int k = 0; k < 3; ++k) at[k] = {nodes[2 * e + k].R, start + (2 * e + k) / (2.0 * n) * way};
        elements.push_back(std::make_unique<Beam>(
            layout.name, std::array{numbers[2 * e], numbers[2 * e + 1], numbers[2 * e + 2]}, at, axes,
            layout.section,
            BeamOptions{layout.damping, layout.inertia == BeamInertia::consistent, layout.gravity}));
        add_piece(inertia[2 * e], layout.section, layout.inertia, outer, outer / 2);
        add_piece(inertia[2 * e + 1], layout.section, layout.inertia, length - 2 * outer, 0);
        add_piece(inertia[2 * e + 2], layout.section, layout.inertia, outer, -outer / 2);
    }
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const NodeInertia& own = inertia[k];
        const Matrix3d turn = nodes[k].R.transpose() * axes; // to the axes of the node
        const double com = own.mass > 0 ? own.first / own.mass : 0;
        const Vector3d central = own.second - own.first * com * Vector3d(0, 1, 1);
        elements.push_back(std::make_unique<RigidBody>(
            RigidBodySpec{layout.name, numbers[k], own.mass, turn * Vector3d(com, 0, 0),
                          turn * central.asDiagonal() * turn.transpose(), layout.gravity}));
    }
    return elements;
}

} // namespace tamis
