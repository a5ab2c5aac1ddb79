// Elements have rows one after the other, in the order in which they were added. The length of a system makes rows and
// columns of rotations comparable with those of translations: its size at the start unless given.
#include "tamis/smooth/smooth_system.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>

namespace tamis {

int SmoothSystem::add_node(const std::string& name, const NodeMotion& start)
{
    if (!start.x.allFinite() || !start.R.allFinite() || !start.v.allFinite() || !start.omega.allFinite())
        fail("The motion of node '{}' at the start is not finite: check its values.", name);
    names_.push_back(name);
    start_.push_back(start);
    return nodes() - 1;
}

void SmoothSystem::add(std::unique_ptr<Element> element)
{
    for (const int node : element->nodes())
        if (node < ground_node || node >= nodes())
            fail("The {} acts on node {}, but there are {} nodes: add the node first.", element->name(), node,
                 nodes());
    first_row_.push_back(rows_);
    rows_ += element->rows();
    elements_.push_back(std::move(element));
}

double SmoothSystem::length() const
{
    if (length_ > 0) return length_;
    Eigen::Vector3d least = Eigen::Vector3d::Zero(), most = least;
    for (const NodeMotion& n : start_) {
        least = least.cwiseMin(n.x);
        most = most.cwiseMax(n.x);
    }
    const double size = (most - least).norm();
    return size > 0 ? size : 1;
}

Energy SmoothSystem::energy(double t, std::span<const NodeMotion> nodes) const
{
    Gather gather(*this);
    Energy sum;
    for (const auto& e : elements_) sum += e->energy({.t = t, .nodes = gather(*e, nodes)});
    return sum;
}

Gather::Gather(const SmoothSystem& system)
{
    std::size_t most = 0;
    for (const auto& e : system.elements()) most = std::max(most, e->nodes().size());
    own_.resize(most);
}

std::span<const NodeMotion> Gather::operator()(const Element& element, std::span<const NodeMotion> nodes)
{
    const std::vector<int>& numbers = element.nodes();
    for (std::size_t k = 0; k < numbers.size(); ++k)
        own_[k] = numbers[k] == ground_node ? NodeMotion{} : nodes[numbers[k]];
    return {own_.data(), numbers.size()};
}

} // namespace tamis
