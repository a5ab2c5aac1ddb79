// Two masses clamped together, each on a spring and a damper of its own: the test problem of co-simulation.
// Zhang et al. (2020), Sect. 4, Fig. 11 and Table 1; Zhang et al. (2022), Sect. 4.1, Figs 8 and 9.
//
//   |-k1,c1-[m1]==[m2]-k2,c2-|    As a whole: one mass m1 + m2 on both springs. Cut at the clamp: the first
//                                 mass on the smooth side, the second one on the nonsmooth side, whose clamp
//                                 follows the first mass and gives back its reaction.
//
// Sample runs:  two_masses --t-end 0.1
//               two_masses --t-end 0.1 --coupling tight
//               two_masses --t-end 0.1 --coupling explicit-index1 --rho-inf 0.56
//               two_masses --t-end 0.1 --coupling tight --acceleration quasi-newton --m2 20
#include "support/two_masses.hpp"
#include <tamis.hpp>

#include <cmath>
#include <memory>
using namespace tamis;

TAMIS_MODEL(two_masses, "Two masses clamped together, whole or by co-simulation (Zhang et al. 2020, 2022)")
{
    // 1. Parameters, in SI units.
    TwoMasses m;
    m.m1 = opt("m1", 1, "first mass", "kg", positive);
    m.m2 = opt("m2", 1, "second mass", "kg", positive);
    m.k1 = opt("k1", 5000, "stiffness of the first spring", "N/m", not_negative);
    m.k2 = opt("k2", 0, "stiffness of the second spring", "N/m", not_negative);
    m.c1 = opt("c1", 0, "damping of the first mass", "N s/m", not_negative);
    m.c2 = opt("c2", 0, "damping of the second mass", "N s/m", not_negative);
    m.v = opt("speed", 0.1, "velocity at the start, in the middle", "m/s");

    // 2. The two bodies, and where they may be cut.
    const TwoMassBodies bodies = add_two_masses(model, m);
    cut(bodies.second);
    model.show(bodies.first, box(0.1, 0.1, 0.1), {.p = {-0.05, 0, 0}}, "first mass");
    model.show(bodies.second, box(0.1, 0.1, 0.1), {.p = {0.05, 0, 0}}, "second mass");

    // 3. What to record: both sides, the exact solution, and the error of both so far (Zhang et al. 2020, eq.
    //    34), in positions and in velocities.
    const double M = m.m1 + m.m2, k = m.k1 + m.k2, c = m.c1 + m.c2, v0 = m.v;
    const double delta = c / (2 * M), w2 = k / M - delta * delta;
    const auto solution = [=](double t) -> std::pair<double, double> { // x and v
        const double decay = std::exp(-delta * t);
        if (w2 == 0) return {v0 * t * decay, v0 * (1 - delta * t) * decay};
        const double w = std::sqrt(std::abs(w2));
        const double s = (w2 > 0 ? std::sin(w * t) : std::sinh(w * t)) / w;
        const double r = w2 > 0 ? std::cos(w * t) : std::cosh(w * t);
        return {v0 * s * decay, v0 * (r - delta * s) * decay};
    };
    record({"x1", "v1", "x2", "v2"}, [=](const View& s) {
        return std::vector{s.position(bodies.first)[0], s.velocity(bodies.first)[0],
                           s.position(bodies.second)[0], s.velocity(bodies.second)[0]};
    });
    record({"x", "v"}, [=](const View& s) {
        const auto [x, v] = solution(s.time());
        return std::vector{x, v};
    });
    auto sums = std::make_shared<std::array<double, 6>>(); // of |x|, |v|, and of the deviations of each mass
    record({"error_x1", "error_v1", "error_x2", "error_v2"}, [=](const View& s) {
        const auto [x, v] = solution(s.time());
        auto& [all_x, all_v, x1, v1, x2, v2] = *sums;
        all_x += std::abs(x);
        all_v += std::abs(v);
        x1 += std::abs(s.position(bodies.first)[0] - x);
        v1 += std::abs(s.velocity(bodies.first)[0] - v);
        x2 += std::abs(s.position(bodies.second)[0] - x);
        v2 += std::abs(s.velocity(bodies.second)[0] - v);
        const auto part = [](double deviations, double all) { return all > 0 ? deviations / all : 0; };
        return std::vector{part(x1, all_x), part(v1, all_v), part(x2, all_x), part(v2, all_v)};
    });
    compared({"x1", "v1", "x2", "v2"});
    for (const char* mass : {"1", "2"}) {
        exact(std::string("x") + mass, "x");
        exact(std::string("v") + mass, "v");
    }
    defaults.h = 1e-3;
    run_until(0.5);
}
