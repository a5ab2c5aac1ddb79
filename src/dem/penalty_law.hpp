// The force between two balls, or a ball and a wall, that overlap: Biondani et al. (2022), Sect. 2.1. n points from a
// to b; everything acts on b, and reversed on a.
//
//     f_N = (s S delta - c u_n) n       linear: S = k, s = 1; Hertz-Mindlin: S = 2 E' sqrt(R' delta), s = 2/3
//     f_T                               directional (2) or elastic with history u_T (3)-(5), k_T = shear_ratio S
//     m_R = -rolling |f_N| w / |w|      (6), w the relative angular velocity, rolling = mu_R R_r
//
// c = 2 zeta sqrt(S m'), zeta = -ln e / sqrt(pi^2 + ln^2 e) (times sqrt(5/6) of Hertz, Tsuji 1992), or tau S. The
// damper may pull at the end of a contact: then the bodies part with e exactly.
//
// Beyond the paper: u_T is turned into the tangent plane by projection; and neither (2) nor (6) reverses a motion
// within one step, |f_T| <= m_T |v_T| / h, |m_R| <= I |w| / h with mass and inertia of the pair: with a sign
// alone, bodies at rest would tremble with all of mu |f_N|.
#pragma once

#include "tamis/base/kernel.hpp"

#include <array>
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

    std::array<double, 8> row() const; // as the kernels read it
};

// Numbers R of a law: double, or a pack of them.
template <class R>
struct LawOf {
    R stiffness, shear_ratio, zeta2, tau, friction, rolling, hertz; // zeta2: 2 zeta; hertz: 1 or 0
    TAMIS_DEVICE explicit LawOf(const R (&row)[8])
        : stiffness(row[0]), shear_ratio(row[1]), zeta2(row[2]), tau(row[3]), friction(row[4]),
          rolling(row[5]), hertz(row[6])
    {
    }
};

// What two bodies that overlap are to each other.
template <class R>
struct Overlap {
    Vec<R> n;
    R delta;
    Vec<R> u, w;                    // velocity at the contact and angular velocity, of b relative to a
    R inverse_mass, inverse_mass_T; // 1/m', 1/m_T: of the motion along n and along the contact
    R inverse_inertia;              // of the relative turning
    R radius;                       // R', of Hertz
};

template <class R>
struct PenaltyForce {
    R normal; // along n
    Vec<R> tangential, rolling;
};

// What laws are there, so that the others need not be asked for.
template <bool elastic_, bool rolling_, bool hertz_>
struct LawKinds {
    static constexpr bool elastic = elastic_, rolling = rolling_, hertz = hertz_;
};

template <class Kinds, class R>
TAMIS_KERNEL R tangent_stiffness(const LawOf<R>& law, const R& delta, const R& radius)
{
    if constexpr (Kinds::hertz)
        return if_greater(law.hertz, R(0), R(2) * law.stiffness * root(radius * delta), law.stiffness);
    else
        return law.stiffness;
}

// u_T: history of the contact, unused by the directional model.
template <class Kinds, class R>
TAMIS_KERNEL PenaltyForce<R> penalty_force(const LawOf<R>& law, const Overlap<R>& o, const R& h, Vec<R>& u_T)
{
    const R zero(0), one(1), S = tangent_stiffness<Kinds>(law, o.delta, o.radius);
    const R c = law.zeta2 * root(S / o.inverse_mass) + law.tau * S;
    const R u_n = dot(o.u, o.n);
    R spring = S * o.delta;
    if constexpr (Kinds::hertz) spring = if_greater(law.hertz, zero, R(2.0 / 3), one) * spring;
    const Vec<R> none{zero, zero, zero};
    PenaltyForce<R> f{spring - c * u_n, none, none};
    const R pressed = absolute(f.normal), most = law.friction * pressed;
    const Vec<R> v_T = o.u - o.n * u_n;
    if constexpr (Kinds::elastic) {
        const R k_T = law.shear_ratio * S, c_T = law.shear_ratio * c;
        u_T = u_T - o.n * dot(u_T, o.n) + v_T * h;     // (4)
        f.tangential = u_T * (zero - k_T) - v_T * c_T; // (3)
        const R squared = dot(f.tangential, f.tangential), limit = most * most;
        if (greater_bits(squared, limit)) {
            const R moving = dot(v_T, v_T);
            const Vec<R> way = if_greater(moving, zero, v_T, u_T);
            const R length = root(dot(way, way)), c_way = if_greater(moving, zero, c_T, zero);
            f.tangential = if_greater(squared, limit, way * (zero - most / length), f.tangential);
            u_T = if_greater(squared, limit, way * ((most - c_way * length) / (k_T * length)), u_T); // (5)
        }
        if (greater_bits(R(1e-300), law.friction)) {
            f.tangential = if_greater(law.friction, zero, f.tangential, none);
            u_T = if_greater(law.friction, zero, u_T, none);
        }
    } else {
        const R speed = root(dot(v_T, v_T)), a = most / speed, b = one / (h * o.inverse_mass_T);
        f.tangential = if_greater(speed, zero, v_T * (zero - if_greater(a, b, b, a)), none); // (2)
    }
    if constexpr (Kinds::rolling) {
        const R speed = root(dot(o.w, o.w)), a = law.rolling * pressed / speed,
                b = one / (h * o.inverse_inertia);
        f.rolling = if_greater(speed, zero, o.w * (zero - if_greater(a, b, b, a)), none);
    }
    return f;
}

// Energies of the springs along the normal and along the contact.
struct SpringEnergy {
    double normal, tangential;
};
SpringEnergy spring_energy(const LawOf<double>& law, double delta, double radius, const Vec<double>& u_T);

// Hart's step (1): alpha 2 sqrt(m / 2k) of a ball and the largest stiffness of its contacts.
double hart_step(double mass, double stiffness, double alpha = 0.1);
// Largest tangent stiffness of Hertz's law at an impact of this speed; m', R', E'.
double hertz_tangent(double speed, double mass, double radius, double young);
// Linear stiffness of the same strain energy as Hertz's at an impact of this speed (12).
double stiffness_of_material(double speed, double mass, double radius, double young); // m', R', E'
// Stiffness by the sizing rule: the overlap of a ball stays below eta r where beta times that of a single impact on a
// wall at the largest speed of the enclosure occur (7, 9),
double stiffness_for_overlap(double mass, double radius, double speed, double beta = 3, double eta = 0.05);
// or the contact of two balls, pi sqrt(m / 2k), lasts less than this part of a period.
double stiffness_for_duration(double mass, double period, double part = 0.01);

} // namespace tamis
