// What the contact routines share: appending points, and keeping a few of many.
#pragma once

#include "tamis/collision/contact_point.hpp"
#include "tamis/collision/shapes.hpp"
#include <vector>

#include <cmath>
#include <limits>

namespace tamis {

// Below this squared length, a vector has lost its direction to underflow.
inline constexpr double no_direction = std::numeric_limits<double>::min();

// Filled in place: a copy of a freshly written point costs more than the point.
inline void append(std::vector<ContactPoint>& out, const Eigen::Vector3d& on_a, const Eigen::Vector3d& on_b,
                   const Eigen::Vector3d& normal, double gap, int feature)
{
    ContactPoint& c = out.emplace_back();
    c.on_a = on_a;
    c.on_b = on_b;
    c.normal = normal;
    c.gap = gap;
    c.feature = feature;
}

// The point at x of a sphere of radius r about `centre` against the nearest point of a surface at signed
// distance `distance` from the centre, whose outward normal there is `outward`; the sphere is a.
inline void append_ball(double radius, const Eigen::Vector3d& centre, const Eigen::Vector3d& outward,
                        double distance, double alert, int feature, std::vector<ContactPoint>& out)
{
    const double gap = distance - radius;
    if (gap <= alert)
        append(out, centre - radius * outward, centre - distance * outward, -outward, gap, feature);
}

// From `first` on, a and b change places.
inline void swap_sides(std::vector<ContactPoint>& out, std::size_t first)
{
    for (std::size_t i = first; i < out.size(); ++i) {
        std::swap(out[i].on_a, out[i].on_b);
        out[i].normal = -out[i].normal;
    }
}

// As many points as a pair keeps.
inline constexpr int most_points = 8;

// Of the points of one contact, from `first` on, keeps a few in their order: where the gaps are equal, four,
// the first and those that span the largest area with it; else up to eight, all if there are no more, or four
// that span the largest area with the deepest, as many of those that touch, and the deepest of the rest. Gaps
// and lengths that differ by less than `tie` are equal, and the earlier point wins: what is kept does not
// change with the noise of a body at rest.
void keep_few(std::vector<ContactPoint>& out, std::size_t first, double tie);

} // namespace tamis
