// The residual of contacts with friction between rigid bodies, many at once: what contact_problem.cpp computes of any
// contact, to the same bits. The order of sums is therefore that in which Eigen evaluates the expressions there.
#pragma once

#include "tamis/base/kernel.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"

namespace tamis {

// u = drift + frame^T (v_b + w_b x r_b - v_a - w_a x r_a), w = u + b + R o r, and |r - P(r - rho w^)|.
template <class R>
TAMIS_KERNEL void check_contacts(ResidualPack& pack, int lane)
{
    const R zero(0), one(1), two(2), three(3);
    const auto number = [&](const double* from) {
        R x;
        load(x, from + lane);
        return x;
    };
    using Numbers = const double(*)[ResidualPack::lanes];
    const auto vec = [&](Numbers from) { return Vec<R>{number(from[0]), number(from[1]), number(from[2])}; };
    const auto sizes = [](const Vec<R>& a) { return Vec<R>{absolute(a.x), absolute(a.y), absolute(a.z)}; };
    const Vec<R> n = vec(pack.frame), t1 = vec(pack.frame + 3), t2 = vec(pack.frame + 6);
    const Vec<R> drift = vec(pack.drift), bias = vec(pack.bias), r = vec(pack.r);
    const Vec<R> frame_sizes{absolute(n.x) + (absolute(t1.x) + absolute(t2.x)),
                             absolute(n.y) + (absolute(t1.y) + absolute(t2.y)),
                             absolute(n.z) + (absolute(t1.z) + absolute(t2.z))};

    Vec<R> world{zero, zero, zero};
    R trace = zero, magnitude = absolute(drift.x) + absolute(bias.x);
    magnitude = magnitude + (absolute(drift.y) + absolute(bias.y));
    magnitude = magnitude + (absolute(drift.z) + absolute(bias.z));
    for (int s = 0; s < 2; ++s) {
        const Vec<R> arm = vec(pack.arm[s]), v = vec(pack.v[s]), w = vec(pack.v[s] + 3);
        const Vec<R> x = v + cross(w, arm);
        world = s == 0 ? world - x : world + x;
        const Vec<R> a = sizes(cross(arm, n)), b = sizes(cross(arm, t1)), c = sizes(cross(arm, t2));
        const Vec<R> moments{a.x + (b.x + c.x), a.y + (b.y + c.y), a.z + (b.z + c.z)};
        magnitude = magnitude + (dot(frame_sizes, sizes(v)) + dot(moments, sizes(w)));
        const Vec<R> J0 = vec(pack.J[s]), J1 = vec(pack.J[s] + 3), J2 = vec(pack.J[s] + 6); // columns
        const Vec<R> turned{J0.x * arm.x + J1.x * arm.y + J2.x * arm.z,
                            J0.y * arm.x + J1.y * arm.y + J2.y * arm.z,
                            J0.z * arm.x + (J1.z * arm.y + J2.z * arm.z)};
        trace = trace + (dot(arm, arm) * (J0.x + (J1.y + J2.z)) - dot(arm, turned) +
                         three * number(pack.inverse_mass[s]));
    }

    const R R_n = number(pack.compliance[0]), R_t = number(pack.compliance[1]);
    const Vec<R> u{drift.x + dot(n, world) + bias.x + R_n * r.x,
                   drift.y + dot(t1, world) + (bias.y + R_t * r.y),
                   drift.z + dot(t2, world) + (bias.z + R_t * r.z)};
    trace = if_greater(larger(trace, R_n), zero, trace + R_n + R_t + R_t, trace);
    magnitude = magnitude + R_n * absolute(r.x) + R_t * absolute(r.y) + R_t * absolute(r.z);

    // As project_contact(), which lets through what is not a number.
    const R rho = if_greater(trace, zero, three / trace, zero), mu = number(pack.friction);
    const R z1 = r.y - rho * u.y, z2 = r.z - rho * u.z, size = root(z1 * z1 + z2 * z2);
    const R sum = size + rho * root(u.y * u.y + u.z * u.z), twice = two * rho;
    const R growth =
        if_greater(sum, zero, (r.y * (r.y - twice * u.y) + r.z * (r.z - twice * u.z)) / sum, zero);
    const R alpha = r.x - rho * u.x + mu * growth, p = alpha / (one + mu * mu), limit = mu * p;
    const Vec<R> sticks{alpha - mu * size, z1, z2}, slides{p, limit * (z1 / size), limit * (z2 / size)};
    const Vec<R> projected =
        if_greater(zero, alpha, Vec<R>{zero, zero, zero}, if_greater(size, limit, slides, sticks));
    const Vec<R> natural = r - projected;

    store(root(dot(natural, natural)), pack.natural + lane);
    store(larger(zero - u.x, zero), pack.approach + lane);
    store(rho, pack.rho + lane);
    store(magnitude, pack.magnitude + lane);
    store(dot(u, u), pack.square + lane);
    store(dot(r, r), pack.impulse + lane);
}

} // namespace tamis
