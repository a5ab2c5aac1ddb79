// Damping ratios; see damping.hpp. Of a linear oscillator under a constant force, y = 1 / A^2 is a polynomial of
// second degree in s = f^2,
//
//     y ~ (1 - s / s_n)^2 + (2 zeta)^2 s / s_n,
//
// so that a parabola through three points of (s, y) is exact, however sharp the peak between them; a parabola or
// lines in (f, A) would cut it off. f0 is the parabola's vertex, f1 and f2 are where y = 2 y(f0).
#include "tamis/analysis/damping.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tamis {

double equivalent_damping(double energy_per_period, double particle_mass, double peak_velocity,
                          double mass_ratio)
{
    if (!(particle_mass > 0) || !(peak_velocity > 0))
        fail("A damper of {} kg that moves at {} m/s at most has no damping ratio: give positive numbers.",
             particle_mass, peak_velocity);
    return mass_ratio * energy_per_period /
           (2 * std::numbers::pi * particle_mass * peak_velocity * peak_velocity);
}

double rigid_bed_bound(double mass_ratio)
{
    return 2 * mass_ratio / std::numbers::pi;
}

namespace {

// c0 + c1 (s - s1) + c2 (s - s1)^2 through three points.
struct Parabola {
    double s1, c0, c1, c2;
    Parabola(const double* s, const double* y) : s1(s[1]), c0(y[1])
    {
        const double left = (y[1] - y[0]) / (s[1] - s[0]), right = (y[2] - y[1]) / (s[2] - s[1]);
        c2 = (right - left) / (s[2] - s[0]);
        c1 = left + c2 * (s[1] - s[0]);
    }
};

// Where y has this value between points `low` and `low` + 1: on the parabola through three points from `first` on
// if it crosses once there, else on a line.
double crossing(const std::vector<double>& s, const std::vector<double>& y, std::size_t low,
                std::size_t first, double value)
{
    const double a = s[low], b = s[low + 1];
    const double line = a + (value - y[low]) / (y[low + 1] - y[low]) * (b - a);
    const Parabola p(&s[first], &y[first]);
    if (p.c2 == 0) return line;
    const double root = p.c1 * p.c1 - 4 * p.c2 * (p.c0 - value);
    if (!(root >= 0)) return line;
    int inside = 0;
    double found = line;
    for (const double sign : {-1.0, 1.0}) {
        const double x = p.s1 + (-p.c1 + sign * std::sqrt(root)) / (2 * p.c2);
        if (x < a || x > b) continue;
        ++inside;
        found = x;
    }
    return inside == 1 ? found : line;
}

} // namespace

HalfPower half_power(std::span<const double> frequency, std::span<const double> amplitude)
{
    const std::size_t n = frequency.size();
    if (amplitude.size() != n || n < 3)
        fail("A resonance curve of {} amplitudes at {} frequencies has no half-power points: give three or "
             "more of each.",
             amplitude.size(), n);
    std::vector<double> s(n), y(n);
    for (std::size_t k = 0; k < n; ++k) {
        if (!(amplitude[k] > 0) || !(frequency[k] >= 0) || (k > 0 && !(frequency[k] > frequency[k - 1])))
            fail("Point {} of the resonance curve, {} at {} Hz, cannot be used: amplitudes must be positive "
                 "and frequencies rise.",
                 k + 1, amplitude[k], frequency[k]);
        s[k] = frequency[k] * frequency[k];
        y[k] = 1 / (amplitude[k] * amplitude[k]);
    }
    const std::size_t top = static_cast<std::size_t>(std::min_element(y.begin(), y.end()) - y.begin());
    if (top == 0 || top + 1 == n)
        fail("The resonance curve is largest at its end, {} Hz: take more frequencies beyond.",
             frequency[top]);
    const Parabola p(&s[top - 1], &y[top - 1]);
    const double s0 = p.s1 - p.c1 / (2 * p.c2), y0 = p.c0 - p.c1 * p.c1 / (4 * p.c2);
    if (!(p.c2 > 0) || !(y0 > 0))
        fail("The points of the resonance curve around its peak at {:g} Hz are too far apart to tell its "
             "height: take more frequencies.",
             frequency[top]);
    // On the parabola of the peak, as far as it reaches; beyond, between the first points that are low enough.
    const double half = std::sqrt(y0 / p.c2);
    std::size_t low = top - 1, high = top + 1;
    while (low > 0 && y[low] < 2 * y0) --low;
    while (high + 1 < n && y[high] < 2 * y0) ++high;
    if (y[low] < 2 * y0 || y[high] < 2 * y0)
        fail("The resonance curve does not fall to half the power on both sides of its peak at {:g} Hz: take "
             "more frequencies.",
             frequency[top]);
    HalfPower h{std::sqrt(s0), 1 / std::sqrt(y0), 0, 0, 0};
    h.f1 = std::sqrt(low == top - 1 ? s0 - half : crossing(s, y, low, low, 2 * y0));
    h.f2 = std::sqrt(high == top + 1 ? s0 + half : crossing(s, y, high - 1, high - 2, 2 * y0));
    h.damping = (h.f2 - h.f1) / (2 * h.f0);
    return h;
}

} // namespace tamis
