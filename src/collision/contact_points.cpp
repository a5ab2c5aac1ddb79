// Four of many points of one contact patch: p0 the deepest, p1 the farthest from it, p2 the farthest
// from the line p0 p1, p3 the farthest outside the triangle p0 p1 p2. A force anywhere in the patch is
// then carried by the four up to what the corners beyond their quadrilateral would add. That is enough
// where a patch lies flat. A body that rolls touches next with a corner that is neither the deepest nor
// far from it: were it left out, it would be found when it is inside already, by the path of a step, and
// nothing brings it out. Hence the others are kept, too, as long as they are few; of many, those that
// touch and the deepest come first.
#include "tamis/collision/contact_points.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

namespace tamis {

namespace {

// Marks four of the points from `first` on with gap <= most.
void choose_four(const std::vector<ContactPoint>& out, std::size_t first, double most, double tie,
                 std::vector<char>& chosen)
{
    const Eigen::Vector3d n = out[first].normal;
    const auto best = [&](auto&& value) -> const Eigen::Vector3d& {
        std::size_t found = first;
        double largest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = first; i < out.size(); ++i) {
            if (out[i].gap > most) continue;
            if (const double v = value(out[i]); v > largest + tie) {
                found = i;
                largest = v;
            }
        }
        chosen[found - first] = 1;
        return out[found].on_a;
    };
    // Height over the line from p to q in the contact plane, positive on the left seen against n.
    const auto left_of = [&](const Eigen::Vector3d& p, const Eigen::Vector3d& q) -> Eigen::Vector3d {
        return n.cross(q - p).normalized();
    };
    const Eigen::Vector3d& p0 = best([](const ContactPoint& c) { return -c.gap; });
    const Eigen::Vector3d& p1 = best([&](const ContactPoint& c) { return (c.on_a - p0).norm(); });
    const Eigen::Vector3d across = left_of(p0, p1);
    const Eigen::Vector3d& p2 =
        best([&](const ContactPoint& c) { return std::abs(across.dot(c.on_a - p0)); });
    const double side = across.dot(p2 - p0) < 0 ? -1 : 1;
    const Eigen::Vector3d out01 = -side * across, out12 = -side * left_of(p1, p2),
                          out20 = -side * left_of(p2, p0);
    best([&](const ContactPoint& c) {
        return std::max({out01.dot(c.on_a - p0), out12.dot(c.on_a - p1), out20.dot(c.on_a - p2)});
    });
}

// Marks the deepest of the others until there are as many as a pair keeps.
void add_deepest(const std::vector<ContactPoint>& out, std::size_t first, double tie,
                 std::vector<char>& chosen)
{
    for (auto count = std::count(chosen.begin(), chosen.end(), 1); count < most_points; ++count) {
        std::size_t found = out.size();
        for (std::size_t i = first; i < out.size(); ++i)
            if (!chosen[i - first] && (found == out.size() || out[i].gap < out[found].gap - tie)) found = i;
        chosen[found - first] = 1;
    }
}

} // namespace

void keep_few(std::vector<ContactPoint>& out, std::size_t first, double tie)
{
    const std::size_t count = out.size() - first;
    if (count <= 4) return;
    const auto by_gap = [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; };
    const auto [least, most] =
        std::minmax_element(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), by_gap);
    const bool flat = most->gap - least->gap <= tie;
    if (!flat && count <= most_points) return;
    thread_local std::vector<char> chosen; // keeps its memory
    chosen.assign(count, 0);
    choose_four(out, first, std::numeric_limits<double>::infinity(), tie, chosen);
    if (!flat) {
        if (least->gap <= tie) choose_four(out, first, tie, tie, chosen);
        add_deepest(out, first, tie, chosen);
    }
    std::size_t end = first;
    for (std::size_t i = first; i < out.size(); ++i) {
        if (!chosen[i - first]) continue;
        if (i != end) out[end] = out[i];
        ++end;
    }
    out.resize(end);
}

} // namespace tamis
