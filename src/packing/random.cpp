// Random numbers from uniform ones.
//
// Normal: C. F. F. Karney, Sampling exactly from the normal distribution, ACM TOMS 42 (2016), algorithm N,
// with doubles for its exact digits. exp(-p) is the probability that the longest run p > u1 > u2 > ... of
// uniform numbers has even length (von Neumann). Directions and rotations: G. Marsaglia, Choosing a point
// from the surface of a sphere, Ann. Math. Stat. 43 (1972); a rotation is a point of the unit sphere in four
// dimensions, read as a quaternion.
#include "tamis/packing/random.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace tamis {

std::uint64_t Random::below(std::uint64_t n)
{
    const std::uint64_t whole = std::numeric_limits<std::uint64_t>::max() / n * n;
    std::uint64_t x = engine_();
    while (x >= whole) x = engine_();
    return x % n;
}

bool Random::survives(double p)
{
    for (bool even = true;; even = !even) {
        const double u = uniform();
        if (u >= p) return even;
        p = u;
    }
}

double Random::normal()
{
    // |y| = k + x: exp(-y^2 / 2) = exp(-k / 2) exp(-k (k - 1) / 2) exp(-x (2 k + x) / 2).
    for (;;) {
        int k = 0;
        while (survives(0.5)) ++k;
        bool accepted = true;
        for (int i = 0; i < k * (k - 1) && accepted; ++i) accepted = survives(0.5);
        const double x = uniform(), p = x * (2 * k + x) / (2 * k + 2);
        for (int i = 0; i <= k && accepted; ++i) accepted = survives(p);
        if (accepted) return uniform() < 0.5 ? -(k + x) : k + x;
    }
}

std::pair<Eigen::Vector2d, double> Random::disc()
{
    for (;;) {
        const double x = uniform(-1, 1), y = uniform(-1, 1), square = x * x + y * y;
        if (square < 1 && square > 0) return {{x, y}, square};
    }
}

Eigen::Vector3d Random::direction()
{
    const auto [x, s] = disc();
    const double f = 2 * std::sqrt(1 - s);
    return {f * x[0], f * x[1], 1 - 2 * s};
}

Eigen::Matrix3d Random::rotation()
{
    const auto [x, s] = disc();
    const auto [y, t] = disc();
    const double f = std::sqrt((1 - s) / t);
    return Eigen::Quaterniond(x[0], x[1], f * y[0], f * y[1]).toRotationMatrix();
}

} // namespace tamis
