// Constants of the law, and rules for stiffness and step, of Biondani et al. (2022); see penalty_law.hpp.
#include "tamis/dem/penalty_law.hpp"

#include <numbers>

namespace tamis {

using std::numbers::pi;

std::array<double, 8> PenaltyLaw::row() const
{
    const double log_e = restitution > 0 ? std::log(restitution) : 0;
    const double zeta2 = -2 * log_e / std::sqrt(pi * pi + log_e * log_e) * (hertz ? std::sqrt(5.0 / 6) : 1);
    return {stiffness, shear_ratio,       zeta2, restitution > 0 ? 0 : damping, friction,
            rolling,   hertz ? 1.0 : 0.0, 0};
}

SpringEnergy spring_energy(const LawOf<double>& law, double delta, double radius, const Vec<double>& u_T)
{
    const double S = tangent_stiffness<LawKinds<true, true, true>>(law, delta, radius);
    return {(law.hertz > 0 ? 4.0 / 15 : 0.5) * S * delta * delta, 0.5 * law.shear_ratio * S * dot(u_T, u_T)};
}

double hart_step(double mass, double stiffness, double alpha)
{
    return alpha * 2 * std::sqrt(mass / (2 * stiffness));
}

// S = 2 E' sqrt(R' delta) at (8/15) E' sqrt(R') delta^(5/2) = m' v^2 / 2.
double hertz_tangent(double speed, double mass, double radius, double young)
{
    const double delta = std::pow(15 * mass * speed * speed / (16 * young * std::sqrt(radius)), 0.4);
    return 2 * young * std::sqrt(radius * delta);
}

double stiffness_of_material(double speed, double mass, double radius, double young)
{
    return 1.053 * std::pow(speed * std::sqrt(mass) * radius * young * young, 0.4);
}

double stiffness_for_overlap(double mass, double radius, double speed, double beta, double eta)
{
    const double rate = beta * speed / (eta * radius);
    return mass * rate * rate;
}

double stiffness_for_duration(double mass, double period, double part)
{
    const double omega = pi / (part * period);
    return mass / 2 * omega * omega;
}

} // namespace tamis
