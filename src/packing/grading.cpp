// Sizes drawn from a sieve curve F(d), by mass.
//
// Grains of sizes d .. d + dd are dN = dF / d^3 in number, per mass of a grain of size one. Between openings
// a < b, F is linear: with the slope c, N(d) - N(a) = c (1 / a^2 - 1 / d^2) / 2. The curve is cut into n
// strata of equal number; the grain of a stratum has its mean mass, d^3 = dF / dN. So the mass is right at
// all the cuts, and between two cuts there is one grain.
#include "tamis/packing/grading.hpp"

#include "tamis/base/error.hpp"
#include "tamis/packing/random.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

void check(const Grading& g)
{
    const auto ascends = [](const std::vector<double>& x) {
        return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }) &&
               std::is_sorted(x.begin(), x.end());
    };
    const std::size_t n = g.opening.size();
    if (n < 2 || g.passing.size() != n || !ascends(g.opening) || !ascends(g.passing) || !(g.opening[0] > 0) ||
        g.passing.front() != 0 || g.passing.back() != 1)
        fail("A grading of {} openings and {} passing fractions is not a sieve curve: give as many of both, "
             "at least two, ascending, with positive openings and fractions from 0 to 1.",
             n, g.passing.size());
}

// The root of d^3 = m between low and high, by Newton's method from above: it descends to the root.
double cube_root(double m, double low, double high)
{
    double d = high;
    for (int i = 0; i < 100; ++i) {
        const double next = d - (d * d * d - m) / (3 * d * d);
        if (!(next < d)) break;
        d = next;
    }
    return std::clamp(d, low, high);
}

} // namespace

Grading monodisperse(double size)
{
    return {{size, size}, {0, 1}};
}

Grading uniform_by_mass(double smallest, double largest)
{
    return {{smallest, largest}, {0, 1}};
}

// EN 13450, category A of ballast 31.5/50: passing by mass
//     at 22.4 mm 0-3 %, at 31.5 mm 1-25 %, at 40 mm 30-65 %, at 50 mm 70-99 %, at 63 mm 100 %.
// The middle of each; nothing passes the next sieve below, 16 mm.
Grading ballast_31_50()
{
    return {{0.016, 0.0224, 0.0315, 0.04, 0.05, 0.063}, {0, 0.015, 0.13, 0.475, 0.845, 1}};
}

double passing(const Grading& grading, double size)
{
    check(grading);
    const auto& d = grading.opening;
    const auto i = std::upper_bound(d.begin(), d.end(), size) - d.begin(); // d[i - 1] <= size < d[i]
    if (i == 0) return 0;
    if (i == static_cast<std::ptrdiff_t>(d.size())) return 1;
    const double low = grading.passing[i - 1], high = grading.passing[i];
    return low + (high - low) * (size - d[i - 1]) / (d[i] - d[i - 1]);
}

std::vector<double> draw_sizes(const Grading& grading, int n, std::uint64_t seed)
{
    check(grading);
    if (n < 1) fail("{} grains cannot follow a grading: draw at least one.", n);
    // Number of grains in each segment of the curve: dF (a + b) / (2 a^2 b^2), of the scale of one.
    const double unit = grading.opening.back();
    std::vector<double> d, F = grading.passing, number;
    for (double opening : grading.opening) d.push_back(opening / unit);
    double total = 0;
    for (std::size_t i = 0; i + 1 < d.size(); ++i) {
        number.push_back((F[i + 1] - F[i]) * (d[i] + d[i + 1]) / (2 * d[i] * d[i] * d[i + 1] * d[i + 1]));
        total += number.back();
    }

    std::vector<double> sizes(n);
    std::size_t segment = 0;
    double below = 0; // number in the segments before this one
    double low = d[0], low_F = 0;
    for (int k = 0; k < n; ++k) {
        // The upper end of stratum k, at this number of grains.
        const double end = total * (k + 1) / n;
        while (segment + 1 < number.size() && end > below + number[segment]) below += number[segment++];
        const double a = d[segment], b = d[segment + 1], dF = F[segment + 1] - F[segment];
        double high = d.back(), high_F = 1;
        if (k + 1 < n) {
            const double share =
                number[segment] > 0 ? std::clamp((end - below) / number[segment], 0.0, 1.0) : 0;
            // 1 / d^2 goes linearly with the number; on a step a = b, F does.
            high = std::clamp(1 / std::sqrt((1 - share) / (a * a) + share / (b * b)), a, b);
            high_F = F[segment] + dF * (a < b ? (high - a) / (b - a) : share);
        }
        sizes[k] = unit * cube_root((high_F - low_F) * n / total, low, high);
        low = high, low_F = high_F;
    }
    Random(seed).shuffle(sizes);
    return sizes;
}

} // namespace tamis
