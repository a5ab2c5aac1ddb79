// The force between two balls, or a ball and a wall, that overlap: Biondani et al. (2022), Sect. 2.1. n points from a
// to b; everything acts on b, and reversed on a.
//
//     f_N = (s S delta - c u_n) n       linear: S = k, s = 1; Hertz-Mindlin: S = 2 E' sqrt(R' delta), s = 2/3
//     f_T                               directional (2) or elastic with history u_T (3)-(5), k_T = shear_ratio S
//     m_R = -rolling |f_N| w / |w|      (6), w the relative angular velocity, rolling = mu_R R_r
//
// c = 2 zeta sqrt(S m'), zeta = -ln e / sqrt(pi^2 + ln^2 e) (times sqrt(5/6) of Hertz, Tsuji 1992), or tau S. The damper
// may pull at the end of a contact: then the bodies part with e exactly.
//
// Beyond the paper: u_T is turned into the tangent plane by projection; and neither (2) nor (6) reverses a motion
// within one step, |f_T| <= m_T |v_T| / h, |m_R| <= I |w| / h with mass and inertia of the pair: with a sign
// alone, bodies at rest would tremble with all of mu |f_N|.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

enum class FrictionModel { directional, elastic };

struct PenaltyLaw {
    double stiffness = 0;   // linear: k, N/m; Hertz: E', Pa
    double shear_ratio = 1; // k_T / S; of Mindlin 4 G' / E'
    double restitution = 0; // 0: damped by tau
    double damping = 0;     // tau = c / S, s
    double friction = 0;
    double rolling = 0; // mu_R R_r, m
    bool hertz = false;
    double zeta2 = 0; // 2 zeta, by prepare()

    void prepare(); // after the values above
};

// What two bodies that overlap are to each other.
struct Overlap {
    Eigen::Vector3d n;
    double delta;
    Eigen::Vector3d u, w;                // velocity at the contact and angular velocity, of b relative to a
    double inverse_mass, inverse_mass_T; // 1/m', 1/m_T: of the motion along n and along the contact
    double inverse_inertia;              // of the relative turning
    double radius;                       // R', of Hertz
};

struct PenaltyForce {
    Eigen::Vector3d normal, tangential, rolling;
};

inline double tangent_stiffness(const PenaltyLaw& law, double delta, double radius)
{
    return law.hertz ? 2 * law.stiffness * std::sqrt(radius * delta) : law.stiffness;
}

// Energy of the springs.
inline double overlap_energy(const PenaltyLaw& law, double delta, double radius, const Eigen::Vector3d* u_T)
{
    const double S = tangent_stiffness(law, delta, radius);
    const double normal = (law.hertz ? 4.0 / 15 : 0.5) * S * delta * delta;
    return u_T ? normal + 0.5 * law.shear_ratio * S * u_T->squaredNorm() : normal;
}

// u_T: history of the contact, null for the directional model. (Inlined, all of it stays in registers.)
[[gnu::always_inline]] inline PenaltyForce penalty_force(const PenaltyLaw& law, const Overlap& o, double h,
                                                         Eigen::Vector3d* u_T)
{
    const double S = tangent_stiffness(law, o.delta, o.radius);
    const double c = law.restitution > 0 ? law.zeta2 * std::sqrt(S / o.inverse_mass) : law.damping * S;
    const double u_n = o.u.dot(o.n), f_N = (law.hertz ? 2.0 / 3 : 1.0) * S * o.delta - c * u_n;
    PenaltyForce f{f_N * o.n, {0, 0, 0}, {0, 0, 0}};
    const double most = law.friction * std::abs(f_N);
    const Eigen::Vector3d v_T = o.u - u_n * o.n;
    if (u_T && law.friction > 0) {
        const double k_T = law.shear_ratio * S, c_T = c * law.shear_ratio;
        Eigen::Vector3d u = *u_T - u_T->dot(o.n) * o.n + h * v_T; // (4)
        f.tangential = -k_T * u - c_T * v_T;                      // (3)
        if (f.tangential.squaredNorm() > most * most) {
            const double speed = v_T.norm();
            if (speed > 0) {
                f.tangential = (-most / speed) * v_T;
                u = ((most - c_T * speed) / (k_T * speed)) * v_T; // (5)
            } else {
                const double length = u.norm();
                f.tangential = (-most / length) * u;
                u *= most / (k_T * length);
            }
        }
        *u_T = u;
    } else if (most > 0) {
        const double speed = v_T.norm();
        if (speed > 0) f.tangential = (-std::min(most / speed, 1 / (h * o.inverse_mass_T))) * v_T; // (2)
    }
    if (law.rolling > 0) {
        const double speed = o.w.norm();
        if (speed > 0)
            f.rolling = (-std::min(law.rolling * std::abs(f_N) / speed, 1 / (h * o.inverse_inertia))) * o.w;
    }
    return f;
}

// Hart's step (1): alpha 2 sqrt(m / 2k) of a ball and the largest stiffness of its contacts.
double hart_step(double mass, double stiffness, double alpha = 0.1);
// Linear stiffness of the same strain energy as Hertz's at an impact of this speed (12).
double stiffness_of_material(double speed, double mass, double radius, double young); // m', R', E'
// Stiffness by the sizing rule: the overlap of a ball stays below eta r where beta times that of a single impact on a
// wall at the largest speed of the enclosure occur (7, 9),
double stiffness_for_overlap(double mass, double radius, double speed, double beta = 3, double eta = 0.05);
// or the contact of two balls, pi sqrt(m / 2k), lasts less than this part of a period.
double stiffness_for_duration(double mass, double period, double part = 0.01);

} // namespace tamis
