// Four of many points of one contact patch: p0 the deepest, p1 the farthest from it, p2 the farthest from the
// line p0 p1, p3 the farthest outside the triangle p0 p1 p2. A force anywhere in the patch is then carried by
// the four up to what the corners beyond their quadrilateral would add.
#include "collision/contact_points.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

namespace tamis {

void keep_four(std::vector<ContactPoint>& out, std::size_t first, double tie)
{
    if (out.size() - first <= 4) return;
    const Eigen::Vector3d n = out[first].normal;
    const auto best = [&](auto&& value) {
        std::size_t chosen = first;
        double largest = value(out[first]);
        for (std::size_t i = first + 1; i < out.size(); ++i)
            if (const double v = value(out[i]); v > largest + tie) {
                chosen = i;
                largest = v;
            }
        return chosen;
    };
    std::array<std::size_t, 4> keep;
    keep[0] = best([](const ContactPoint& c) { return -c.gap; });
    const Eigen::Vector3d p0 = out[keep[0]].on_a;
    keep[1] = best([&](const ContactPoint& c) { return (c.on_a - p0).norm(); });
    const Eigen::Vector3d p1 = out[keep[1]].on_a;
    // Height over the line from p to q in the contact plane, positive on the left seen against n.
    const auto left_of = [&](const Eigen::Vector3d& p, const Eigen::Vector3d& q) -> Eigen::Vector3d {
        return n.cross(q - p).normalized();
    };
    const Eigen::Vector3d across = left_of(p0, p1);
    keep[2] = best([&](const ContactPoint& c) { return std::abs(across.dot(c.on_a - p0)); });
    const Eigen::Vector3d p2 = out[keep[2]].on_a;
    const double side = across.dot(p2 - p0) < 0 ? -1 : 1;
    const Eigen::Vector3d out01 = -side * across, out12 = -side * left_of(p1, p2),
                          out20 = -side * left_of(p2, p0);
    keep[3] = best([&](const ContactPoint& c) {
        return std::max({out01.dot(c.on_a - p0), out12.dot(c.on_a - p1), out20.dot(c.on_a - p2)});
    });
    std::sort(keep.begin(), keep.end());
    std::size_t end = first;
    for (std::size_t k = 0; k < 4; ++k)
        if (k == 0 || keep[k] != keep[k - 1]) {
            if (keep[k] != end) out[end] = out[keep[k]];
            ++end;
        }
    out.resize(end);
}

} // namespace tamis
