// Sections of beams. A rectangle b x h, b >= h, has the torsion constant of Saint-Venant
//
//     J = b h^3 [1/3 - (64 / pi^5) (h / b) sum over odd n of tanh(n pi b / (2 h)) / n^5],
//
// where the sum of 1 / n^5, which converges slowly, is 31/32 zeta(5). Cowper's shear factor: J. Appl. Mech.
// 33(2), 1966, doi 10.1115/1.3625046.
#include "tamis/model/beam_section.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tamis {

BeamSection beam_section(const SectionStiffness& s, double mass, const Eigen::Vector3d& inertia)
{
    BeamSection section;
    section.stiffness.diagonal() << s.EA, s.GAy, s.GAz, s.GJ, s.EJy, s.EJz;
    section.mass = mass;
    section.inertia = inertia;
    return section;
}

namespace {
double torsion_constant(double b, double h)
{
    if (b < h) std::swap(b, h);
    double sum = 31.0 / 32 * 1.0369277551433699;
    for (int n = 1; n < 12; n += 2) // 1 - tanh x = 2 / (e^2x + 1), below round-off thereafter
        sum -= 2 / (std::exp(n * std::numbers::pi * b / h) + 1) / std::pow(n, 5);
    return b * h * h * h * (1.0 / 3 - 64 / std::pow(std::numbers::pi, 5) * h / b * sum);
}
} // namespace

BeamSection beam_section(const RectangularSection& r)
{
    for (const auto& [value, what] : {std::pair{r.E, "Young's modulus"},
                                      {r.rho, "the density"},
                                      {r.width, "the width"},
                                      {r.height, "the height"},
                                      {r.shear_factor, "the shear factor"}})
        if (!(value > 0) || !std::isfinite(value))
            fail("In a rectangular section {} is {}: give a positive number.", what, value);
    if (!(r.nu > -1 && r.nu <= 0.5))
        fail("A rectangular section has Poisson's ratio {}: it must lie between -1 and 0.5.", r.nu);
    const double area = r.width * r.height, G = r.E / (2 * (1 + r.nu));
    const double Jy = r.height * std::pow(r.width, 3) / 12, Jz = r.width * std::pow(r.height, 3) / 12;
    const double shear = r.shear_factor * G * area;
    return beam_section(
        {r.E * area, shear, shear, G * torsion_constant(r.width, r.height), r.E * Jy, r.E * Jz}, r.rho * area,
        r.rho * Eigen::Vector3d(Jy + Jz, Jy, Jz));
}

double cowper_shear_factor(double nu)
{
    return 10 * (1 + nu) / (12 + 11 * nu);
}

} // namespace tamis
