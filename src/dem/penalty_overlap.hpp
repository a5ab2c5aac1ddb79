// What two balls, or a ball and a wall, that overlap are to each other; R is double, or a pack. Rows are those of
// BallRows.
#pragma once

#include "tamis/dem/penalty_kernel.hpp"
#include "tamis/dem/penalty_law.hpp"

namespace tamis {

// Both reach the middle of the overlap.
template <class R>
struct Arms {
    R a, b;
};

// Rows x and v of a, and of b.
template <class R>
TAMIS_KERNEL Overlap<R> overlap_of_balls(const R (&p)[4], const R (&a)[8], const R (&q)[4], const R (&b)[8],
                                         Arms<R>& arms)
{
    const R zero(0), one(1), half(0.5);
    const Vec<R> way{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const R d = root(dot(way, way)), reach = p[3] + q[3];
    Overlap<R> o;
    o.n = if_greater(d, zero, way * (one / d), Vec<R>{one, zero, zero});
    o.delta = reach - d;
    arms = {p[3] - o.delta * half, q[3] - o.delta * half};
    const Vec<R> omega_a{a[4], a[5], a[6]}, omega_b{b[4], b[5], b[6]};
    o.u = Vec<R>{b[0] - a[0], b[1] - a[1], b[2] - a[2]} - cross(omega_a * arms.a + omega_b * arms.b, o.n);
    o.w = omega_b - omega_a;
    o.inverse_mass = a[3] + b[3];
    o.inverse_mass_T = o.inverse_mass + arms.a * arms.a * a[7] + arms.b * arms.b * b[7];
    o.inverse_inertia = a[7] + b[7];
    o.radius = p[3] * q[3] / reach;
    return o;
}

template <class R>
TAMIS_KERNEL Vec<R> vec(const double* x)
{
    return {R(x[0]), R(x[1]), R(x[2])};
}

// From the wall's origin, world axes; distance and normal in the wall's axes.
template <class R>
TAMIS_KERNEL DistanceOf<R> distance(const PlainSurface& surface, const WallMotion& wall,
                                    const Vec<R>& from_origin)
{
    const double* M = wall.R;
    return distance(surface, vec<R>(M) * from_origin.x + vec<R>(M + 3) * from_origin.y +
                                 vec<R>(M + 6) * from_origin.z);
}

// The wall is a, flat as seen from the ball with rows q and b. `point`: the contact, from the wall's origin.
template <class R>
TAMIS_KERNEL Overlap<R> overlap_of_wall(const WallMotion& wall, const DistanceOf<R>& to,
                                        const Vec<R>& from_origin, const R (&q)[4], const R (&b)[8],
                                        Vec<R>& point)
{
    const double* M = wall.R;
    const Vec<R> omega{b[4], b[5], b[6]}, angular = vec<R>(wall.w);
    Overlap<R> o;
    o.n = {dot(vec<R>(M), to.normal), dot(vec<R>(M + 3), to.normal), dot(vec<R>(M + 6), to.normal)};
    o.delta = q[3] - to.distance;
    point = from_origin - o.n * to.distance;
    o.u = Vec<R>{b[0], b[1], b[2]} - cross(omega * to.distance, o.n) - vec<R>(wall.v) - cross(angular, point);
    o.w = omega - angular;
    o.inverse_mass = b[3];
    o.inverse_mass_T = b[3] + to.distance * to.distance * b[7];
    o.inverse_inertia = b[7];
    o.radius = q[3];
    return o;
}

} // namespace tamis
