// Lines to draw; see wireframe.hpp. A plane's lines stand at whole multiples of d = {1, 2, 5} 10^k along two
// axes u and v from its foot, from floor(low / d) to ceil(high / d) of the box seen along each.
#include "tamis/io/wireframe.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

Wireframe edges(const Surface& surface)
{
    Wireframe all;
    for (const std::vector<int>& face : surface.faces)
        for (std::size_t i = 0; i < face.size(); ++i) {
            const auto [a, b] = std::minmax(face[i], face[i + 1 < face.size() ? i + 1 : 0]);
            all.push_back({a, b});
        }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

Grid grid(const Plane& plane, const Pose& pose, const Bounds& box)
{
    const Vector3d half = (box.high - box.low) / 2;
    const Vector3d centre = pose.R.transpose() * ((box.low + box.high) / 2 - pose.p);
    const double least = half.maxCoeff() / 5, decade = std::pow(10, std::floor(std::log10(least)));
    const double d = decade * (least <= decade ? 1 : least <= 2 * decade ? 2 : least <= 5 * decade ? 5 : 10);

    const Vector3d u = plane.normal.unitOrthogonal(), axis[] = {u, plane.normal.cross(u)};
    double first[2]; // whole numbers that an int may not hold, far from the foot
    int cells[2];
    for (int k : {0, 1}) {
        const double middle = axis[k].dot(centre), reach = (pose.R * axis[k]).cwiseAbs().dot(half);
        // Grains that press a little into a wall do not ask for a cell behind it.
        const double slack = 0.05;
        first[k] = std::floor((middle - reach) / d + slack);
        cells[k] = static_cast<int>(std::min(20.0, std::ceil((middle + reach) / d - slack) - first[k]));
    }
    Grid g;
    const auto line = [&](int i0, int j0, int i1, int j1) {
        const int start = static_cast<int>(g.vertices.size());
        for (const auto& [i, j] : {std::pair{i0, j0}, std::pair{i1, j1}})
            g.vertices.push_back(plane.normal * plane.offset + (first[0] + i) * d * axis[0] +
                                 (first[1] + j) * d * axis[1]);
        g.lines.push_back({start, start + 1});
    };
    for (int i = 0; i <= cells[0]; ++i) line(i, 0, i, cells[1]);
    for (int j = 0; j <= cells[1]; ++j) line(0, j, cells[0], j);
    return g;
}

} // namespace tamis
