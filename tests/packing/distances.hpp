// Brute force over balls.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <span>

namespace tamis {

// The smallest of distance / sum of radii over all pairs.
inline double closest(std::span<const Eigen::Vector3d> x, std::span<const double> radii)
{
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            least = std::min(least, (x[i] - x[j]).norm() / (radii[i] + radii[j]));
    return least;
}

} // namespace tamis
