// Stability of smooth/nonsmooth co-simulation on its test problem: two masses, each on a spring and a damper
// of its own, clamped together. One is stepped by the smooth solver under the clamp's force, the other by the
// nonsmooth solver, which holds it to the motion of the first.
#pragma once

#include "tamis/cosim/coupling_scheme.hpp"

#include <Eigen/Core>

namespace tamis {

// All without units: time is counted in steps, mass in m1.
struct StabilityParameters {
    CouplingScheme scheme = CouplingScheme::tight;
    double rho_inf = 0.6;               // of the smooth solver's two-step scheme, 0 to 1
    double w01h = 1;                    // omega_01 h, of the first mass alone, with its spring
    double r_m = 1;                     // m2 / m1
    double r_k = 0;                     // omega_02 / omega_01
    double r_c = 0;                     // xi_2 / xi_1
    double xi1 = 0;                     // damping ratio of the first mass alone
    BaumgarteWeights weights = index_1; // of the modified inputs
};

// Stops by an Error that names what is out of range.
void check(const StabilityParameters& p);

// A1 z_n+1 = A2 z_n + A3 z_n-1 with z = (x1, v1, x2, v2, lambda), lambda the clamp's force on the first mass.
struct Recurrence {
    using Matrix = Eigen::Matrix<double, 5, 5>;
    Matrix A1, A2, A3;
};
Recurrence recurrence(const StabilityParameters& p);

// Lambda in (z_n+1, z_n) = Lambda (z_n, z_n-1).
Eigen::MatrixXd amplification(const Recurrence& r);

// Largest modulus of an eigenvalue.
double spectral_radius(Eigen::MatrixXd map);

// Free masses (w01h = 0) have a double eigenvalue 1, their uniform motion, which round-off splits by 1e-8.
inline bool stable(double radius)
{
    return radius <= 1 + 1e-6;
}

} // namespace tamis
