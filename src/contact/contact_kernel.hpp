// One manifold of contact points between two rigid bodies, one function: the inner loop of the coloured
// solver. R is the number: double, float, or a pack of them, one manifold a lane; on a device, plain float or
// double. Nothing but arithmetic is used, so that the same code runs in all of these with the same result.
//
// Impulses and velocities are world vectors, no tangents are chosen. For each point in turn, with P the
// impulse on body b,
//
//     u    = v_b + w_b x r_b - v_a - w_a x r_a
//     p'   = max(n.P - w_n / (W_nn + R_n), 0),                    w_n = n.u + b_n + R_n n.P
//     P_t' = projection of P_t - rho_t w_t on |P_t| <= mu p',     w_t = u_t + b_t + R_t P_t
//     v_b += (P' - P) / m_b,  w_b += I_b^-1 (r_b x (P' - P)),  and the opposite for a
//
// where 1 / rho_t is R_t plus the largest eigenvalue of W_tt; R and b_t are zero unless contacts yield. With
// rolling resistance, after that, M' = projection of M - rho_r (w_b - w_a) on |M| <= l_r p'. Its fixed points
// are those of Signorini and Coulomb. Compared on beds of 2000 to 6000 contacts, to a relative residual of
// 1e-2 and 1e-3: the projection on the cone with one step for all directions, P_K(P - rho u^), mostly needs
// more sweeps, up to 3 times as many, since a manifold turns more easily than it is pushed; u_t corrected for
// the change of p saves no sweep.
#pragma once

#include "tamis/base/kernel.hpp"

namespace tamis {

// A body as the kernel holds it. `line` is what a sweep reads and writes: v, 1/m, w, 1/I; the inverse inertia
// (xx yy zz xy xz yz) is read apart unless it is isotropic.
template <class R>
struct KernelBody {
    R line[8];
    R inertia[8];

    TAMIS_DEVICE Vec<R> v() const { return {line[0], line[1], line[2]}; }
    TAMIS_DEVICE Vec<R> w() const { return {line[4], line[5], line[6]}; }
    TAMIS_DEVICE const R& inverse_mass() const { return line[3]; }
    template <bool isotropic>
    TAMIS_DEVICE Vec<R> turn(const Vec<R>& m) const // I^-1 m
    {
        if constexpr (isotropic) return m * line[7];
        const R* J = inertia;
        return {J[0] * m.x + J[3] * m.y + J[4] * m.z, J[3] * m.x + J[1] * m.y + J[5] * m.z,
                J[4] * m.x + J[5] * m.y + J[2] * m.z};
    }
    TAMIS_DEVICE void add(const Vec<R>& dv, const Vec<R>& dw)
    {
        line[0] = line[0] + dv.x, line[1] = line[1] + dv.y, line[2] = line[2] + dv.z;
        line[4] = line[4] + dw.x, line[5] = line[5] + dw.y, line[6] = line[6] + dw.z;
    }
    TAMIS_DEVICE void subtract(const Vec<R>& dv, const Vec<R>& dw)
    {
        line[0] = line[0] - dv.x, line[1] = line[1] - dv.y, line[2] = line[2] - dv.z;
        line[4] = line[4] - dw.x, line[5] = line[5] - dw.y, line[6] = line[6] - dw.z;
    }
};

// Numbers of a point, each `stride` after the one before.
struct PointField {
    enum {
        normal = 0,
        arm_a = 3,
        arm_b = 6,
        impulse = 9,
        normal_step = 12, // 1 / (W_nn + R_n)
        tangent_step,     // rho_t
        normal_bias,      // b_n, with the drift
        friction,
        plain_fields, // of a rigid point without rolling resistance
        moment = plain_fields,
        rolling_step = moment + 3, // rho_r
        rolling_length,            // l_r
        rolling_fields
    };
    // Of a compliant point, after all others.
    enum { tangent_bias = 0, normal_compliance = 3, tangent_compliance, compliant_fields };
    TAMIS_DEVICE static constexpr int before_compliance(bool rolling)
    {
        return rolling ? rolling_fields : plain_fields;
    }
    TAMIS_DEVICE static constexpr int count(bool rolling, bool compliant)
    {
        return before_compliance(rolling) + (compliant ? compliant_fields : 0);
    }
};

// How much a sweep changes the impulses: largest and sum of |P' - P|^2, and sum of |P'|^2.
template <class R>
struct KernelChange {
    R largest, change, impulse;
};

template <class R, class T>
TAMIS_KERNEL Vec<R> load_vec(const T* from, int stride)
{
    Vec<R> a;
    load(a.x, from), load(a.y, from + stride), load(a.z, from + 2 * stride);
    return a;
}
template <class R, class T>
TAMIS_KERNEL void store_vec(const Vec<R>& a, T* to, int stride)
{
    store(a.x, to), store(a.y, to + stride), store(a.z, to + 2 * stride);
}

// a scaled to |a| <= limit.
template <class R>
TAMIS_KERNEL Vec<R> project_on_ball(const Vec<R>& a, const R& limit)
{
    const R square = dot(a, a);
    return a * if_greater(square, limit * limit, limit / root(square), R(1));
}

// One pass over the points of a manifold. T is the number in memory.
template <bool isotropic, bool rolling, bool compliant, bool measure, class R, class T>
TAMIS_KERNEL void solve_manifold(KernelBody<R>& a, KernelBody<R>& b, int points, T* point, int stride,
                                 KernelChange<R>& total)
{
    using F = PointField;
    constexpr int fields = F::count(rolling, compliant), extra = F::before_compliance(rolling);
    for (int k = 0; k < points; ++k, point += fields * stride) {
        const auto vec = [&](int field) { return load_vec<R>(point + field * stride, stride); };
        const auto number = [&](int field) {
            R x;
            load(x, point + field * stride);
            return x;
        };
        const Vec<R> n = vec(F::normal), r_a = vec(F::arm_a), r_b = vec(F::arm_b), P = vec(F::impulse);
        const Vec<R> u = (b.v() - a.v()) + (cross(b.w(), r_b) - cross(a.w(), r_a));
        const R u_n = dot(n, u), p = dot(n, P), rho = number(F::tangent_step);
        R w_n = u_n + number(F::normal_bias);
        const Vec<R> z = P - u * rho;
        Vec<R> z_t = z - n * (p - rho * u_n);
        if constexpr (compliant) {
            w_n = w_n + number(extra + F::normal_compliance) * p;
            const Vec<R> P_t = P - n * p;
            z_t = z_t - (vec(extra + F::tangent_bias) + P_t * number(extra + F::tangent_compliance)) * rho;
        }
        const R p_new = larger(p - w_n * number(F::normal_step), R(0));
        const Vec<R> P_new = n * p_new + project_on_ball(z_t, R(number(F::friction) * p_new));
        const Vec<R> dP = P_new - P;
        store_vec(P_new, point + F::impulse * stride, stride);
        a.subtract(dP * a.inverse_mass(), a.template turn<isotropic>(cross(r_a, dP)));
        b.add(dP * b.inverse_mass(), b.template turn<isotropic>(cross(r_b, dP)));
        if constexpr (measure) {
            const R square = dot(dP, dP);
            total.largest = larger(total.largest, square);
            total.change = total.change + square;
            total.impulse = total.impulse + dot(P_new, P_new);
        }
        if constexpr (rolling) {
            const Vec<R> M = vec(F::moment);
            const Vec<R> M_new = project_on_ball(M - (b.w() - a.w()) * number(F::rolling_step),
                                                 R(number(F::rolling_length) * p_new));
            store_vec(M_new, point + F::moment * stride, stride);
            const Vec<R> dM = M_new - M, none{R(0), R(0), R(0)};
            a.subtract(none, a.template turn<isotropic>(dM));
            b.add(none, b.template turn<isotropic>(dM));
        }
    }
}

// What body `x` answers to an impulse d at r: velocity of the point.
template <class R>
TAMIS_KERNEL Vec<R> response(const KernelBody<R>& x, const Vec<R>& r, const Vec<R>& d)
{
    return d * x.inverse_mass() + cross(x.template turn<false>(cross(r, d)), r);
}

// 1 / (W_nn + R_n), rho_t and rho_r of the points of a manifold, from normals, arms, bodies and compliance.
// With W_tt the restriction of W to the tangent plane, tr W_tt = tr W - W_nn and det W_tt = n.adj(W) n. The
// rows of W_r = I_a^-1 + I_b^-1 bound its eigenvalues. Where no normal impulse can act, none is kept.
template <bool rolling, bool compliant, class R, class T>
TAMIS_KERNEL void prepare_manifold(const KernelBody<R>& a, const KernelBody<R>& b, int points, T* point,
                                   int stride)
{
    using F = PointField;
    constexpr int fields = F::count(rolling, compliant), extra = F::before_compliance(rolling);
    const R zero(0), one(1), half = R(T(0.5));
    const auto inverse = [&](const R& x) { return if_greater(x, zero, one / x, zero); };
    for (int k = 0; k < points; ++k, point += fields * stride) {
        const Vec<R> n = load_vec<R>(point + F::normal * stride, stride);
        const Vec<R> r_a = load_vec<R>(point + F::arm_a * stride, stride);
        const Vec<R> r_b = load_vec<R>(point + F::arm_b * stride, stride);
        const auto column = [&](const Vec<R>& d) { return response(a, r_a, d) + response(b, r_b, d); };
        const Vec<R> x = column({one, zero, zero}), y = column({zero, one, zero}),
                     z = column({zero, zero, one});
        R w = dot(n, x * n.x + y * n.y + z * n.z);
        // adj(W) n = n.x (y x z) + n.y (z x x) + n.z (x x y), W being symmetric
        const R determinant = dot(n, cross(y, z) * n.x + cross(z, x) * n.y + cross(x, y) * n.z);
        const R middle = (x.x + y.y + z.z - w) * half;
        R largest = middle + root(larger(middle * middle - determinant, zero));
        if constexpr (compliant) {
            R R_n, R_t;
            load(R_n, point + (extra + F::normal_compliance) * stride);
            load(R_t, point + (extra + F::tangent_compliance) * stride);
            w = w + R_n;
            largest = largest + R_t;
        }
        const R normal_step = inverse(w);
        store(normal_step, point + F::normal_step * stride);
        store(if_greater(w, zero, inverse(largest), zero), point + F::tangent_step * stride);
        const Vec<R> P = load_vec<R>(point + F::impulse * stride, stride);
        store_vec(P * if_greater(w, zero, one, zero), point + F::impulse * stride, stride);
        if constexpr (rolling) {
            R J[6], size[6];
            for (int i = 0; i < 6; ++i) {
                J[i] = a.inertia[i] + b.inertia[i];
                size[i] = larger(J[i], zero - J[i]);
            }
            const R bound = larger(larger(size[0] + size[3] + size[4], size[1] + size[3] + size[5]),
                                   size[2] + size[4] + size[5]);
            store(inverse(bound), point + F::rolling_step * stride);
        }
    }
}

} // namespace tamis
