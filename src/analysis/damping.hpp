// Damping ratios: of a resonance curve, and of a particle damper by itself.
#pragma once

#include <span>

namespace tamis {

// Equivalent damping ratio of a particle damper that moves as a sine with the peak velocity A_V: that of the
// oscillator of mass m_p / mu, tuned to the frequency of the sine, that dissipates as much in a period.
//
//     zeta_PD = mu E / (2 pi m_p A_V^2)     Biondani et al. (2022), eq. 11
double equivalent_damping(double energy_per_period, double particle_mass, double peak_velocity,
                          double mass_ratio = 0.01);

// What a bed that moves as one and is stopped by every impact can reach: it meets floor and lid once in a
// period each, at a relative speed of 2 A_V at most, and loses m_p (2 A_V)^2 / 2 at each. That is E = 4 m_p
// A_V^2, zeta_PD = 2 mu / pi, 0.637 % for mu = 1 %. Gravity does not change it: what it adds to the speed at
// the floor, it takes at the lid.
double rigid_bed_bound(double mass_ratio = 0.01);

// Half-power points of a resonance curve: zeta = (f2 - f1) / (2 f0), where the amplitude is that of the peak at
// f0 over the root of two at f1 and f2. Frequencies rise. Throws if the curve does not fall that far on both
// sides of its largest point.
struct HalfPower {
    double f0, amplitude, f1, f2, damping;
};
HalfPower half_power(std::span<const double> frequency, std::span<const double> amplitude);

} // namespace tamis
