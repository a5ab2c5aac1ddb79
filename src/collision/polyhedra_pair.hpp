// A pair of convex polyhedra A and B in the frame of A, and its difference C = {x_b - x_a}: the separation
// along a unit vector n is f(n) = min_C n.c, and max f is the distance of A and B if the origin lies outside
// C, minus the penetration depth if it lies inside.
#pragma once

#include "tamis/collision/hull.hpp"

#include <array>
#include <limits>

namespace tamis::polyhedra {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative to the size of the pair.
inline constexpr double round_off = 1e-14, tolerance = 1e-12;
// Closer than this the direction between closest points is not to be trusted.
inline constexpr double touching = 1e-10;

// A point of C: the difference of two vertices.
struct Difference {
    Vector3d w;
    int a, b;
};

struct Pair {
    const Hull &a, &b;
    Matrix3d R; // x_A = R x_B + p
    Vector3d p;
    double size;

    Vector3d of_a(int i) const { return a.vertices[i]; }
    Vector3d of_b(int i) const { return R * b.vertices[i] + p; }
    // argmin over C of n.c
    Difference support(const Vector3d& n) const;
};

// The best direction and its separation; a point of A that B is apart from by gap n, and the vertices of A
// and B that span it and its counterpart.
struct Optimum {
    Vector3d n;
    double gap;
    Vector3d on_a;
    int count; // of vertex pairs
    std::array<int, 3> a, b;
};
// Of corners of C: v = sum of weight[i] s[corner[i]].
Optimum witness(const Pair& pair, const Vector3d& n, double gap, const Difference* s, int count,
                const std::array<int, 3>& corner, const std::array<double, 3>& weight);

} // namespace tamis::polyhedra
