// Heaps of spheres on a floor or in a bowl at the end of a step: light spheres carry ones that are up to ten
// thousand times heavier, and friction holds many of them in more than one way.
//
// Nothing moves but the spheres, and b = 0, so that a solution is to be expected: with compliance R = epsilon there is
// one, whose velocities stay bounded as epsilon -> 0 because r.(W r + q) <= 0, and impulses that grew without bound
// would do so along a y in K with H^T y = 0, which can be taken off again unless it is on the boundary of K.
#pragma once

#include "contact/beds.hpp"

namespace tamis::beds {

struct HeapOptions {
    int spheres = 50; // about 3.5 contacts each
    double friction = 0.7;
    double decades = 4;  // of the masses
    bool bowl = false;   // a hollow in place of the floor
    bool moving = false; // else at rest: v_free is due to gravity alone
    unsigned seed = 1;
};

inline ContactProblem heap(const HeapOptions& options)
{
    using Eigen::Vector3d;
    Random random(options.seed);
    const int n = options.spheres;
    const double size = 1.2 * std::cbrt(n), hollow = 3 * size; // radii of the heap, and of the bowl
    const Vector3d middle(0, 0, hollow);                       // of the bowl
    std::vector<Vector3d> x(n);
    std::vector<double> radius(n);
    for (int i = 0; i < n; ++i) {
        x[i] = random.vector(size) + Vector3d(0, 0, size);
        radius[i] = random(0.5, 1);
    }
    const auto inside = [&](int i) { // how deep in the support
        return options.bowl ? (middle - x[i]).norm() + radius[i] - hollow : radius[i] - x[i][2];
    };
    // They are drawn together, and pushed apart where they overlap.
    for (int pass = 0; pass < 300; ++pass) {
        for (Vector3d& p : x) p *= 0.99;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                const Vector3d d = x[i] - x[j];
                const double overlap = radius[i] + radius[j] - d.norm();
                if (overlap <= 0) continue;
                x[i] += 0.4 * overlap * d.normalized();
                x[j] -= 0.4 * overlap * d.normalized();
            }
            if (inside(i) > 0)
                x[i] += inside(i) * (options.bowl ? (middle - x[i]).normalized() : Vector3d(0, 0, 1));
        }
    }
    ContactProblem problem;
    const double step = 1e-3;
    for (int i = 0; i < n; ++i) {
        const double mass = std::pow(10, random(-0.5, 0.5) * options.decades);
        Vector3d v(0, 0, -9.81 * step), w(0, 0, 0);
        if (options.moving) v += 9.81 * step * random.vector(1), w += 9.81 * step * random.vector(1);
        add_grain(problem, x[i], mass, 0.4 * mass * radius[i] * radius[i] * Eigen::Matrix3d::Identity(), v,
                  w);
    }
    constexpr double reach = 0.03; // gaps that count as closed
    for (int i = 0; i < n; ++i) {
        const auto touch = [&](int other, const Vector3d& point, const Vector3d& normal) {
            add_manifold(problem, other, i, point, normal, 1, 0, options.friction, 0, 0);
        };
        for (int j = 0; j < i; ++j) {
            const Vector3d d = x[i] - x[j];
            const double gap = d.norm() - radius[i] - radius[j];
            if (gap < reach) touch(j, x[j] + (radius[j] + gap / 2) * d.normalized(), d);
        }
        if (inside(i) > -reach) {
            const Vector3d up = options.bowl ? Vector3d((middle - x[i]).normalized()) : Vector3d(0, 0, 1);
            touch(-1, x[i] - radius[i] * up, up);
        }
    }
    return problem;
}

// The heap of a number: 20 to 80 spheres, on a floor or in a bowl, at rest or moving. Friction 0.7 of the first ten,
// then between 0.1 and 1.2.
inline HeapOptions numbered_heap(int number)
{
    Random random(1000 + number);
    HeapOptions options{.spheres = 20 + static_cast<int>(random(0, 61)),
                        .bowl = number % 2 == 1,
                        .moving = number % 4 > 1,
                        .seed = static_cast<unsigned>(number + 1)};
    if (number >= 10) options.friction = random(0.1, 1.2);
    return options;
}

} // namespace tamis::beds
