// The inner nodes and the elements of a beam between two nodes of a system; and a node at a place of its own on a body,
// clamped to it by six rows: x = x_body + R p, and the same axes.
#include "tamis/smooth/beam_layout.hpp"

#include "tamis/base/error.hpp"
#include "tamis/smooth/constraint.hpp"

namespace tamis {

using Eigen::Vector3d;

std::vector<int> lay_beam(SmoothSystem& system, const BeamLayout& layout, int a, int b)
{
    const std::vector<NodeMotion> nodes = beam_nodes(layout, system.start()[a], system.start()[b]);
    std::vector<int> numbers{a};
    for (std::size_t k = 1; k + 1 < nodes.size(); ++k)
        numbers.push_back(system.add_node(fmt::format("{} {}", layout.name, k), nodes[k]));
    numbers.push_back(b);
    for (auto& element : beam_elements(layout, nodes, numbers)) system.add(std::move(element));
    return numbers;
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
