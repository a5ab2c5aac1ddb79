// Distance of points to a wall's surface, as the kernels take it: R is double, or a pack.
//
// With s the point of a segment nearest to x: inside of a round cavity R - |x - s|, outside of a round body
// |x - s| - R. A point outside a box or cylinder is nearest to itself clamped to it; a centre inside, to the nearest
// face.
#pragma once

#include "tamis/base/kernel.hpp"

namespace tamis {

enum class SurfaceKind { plane, inside, outside, box, cylinder };

struct PlainSurface {
    SurfaceKind kind;
    double normal[3], offset, half_length; // see WallSurface
};

template <class R>
struct DistanceOf {
    Vec<R> normal;
    R distance;
};

template <class R>
TAMIS_KERNEL R clamped(const R& x, double half)
{
    const R low = larger(x, R(-half));
    return if_greater(low, R(half), R(half), low);
}
constexpr double no_direction = 1e-300; // squared length

template <class R>
TAMIS_KERNEL DistanceOf<R> outside_box(double half_x, double half_y, double half_z, const Vec<R>& x)
{
    const R zero(0), one(1), least(no_direction);
    const Vec<R> way{x.x - clamped(x.x, half_x), x.y - clamped(x.y, half_y), x.z - clamped(x.z, half_z)};
    const R squared = dot(way, way), length = root(squared);
    // From inside, the face of least depth.
    const R depth_x = R(half_x) - absolute(x.x), depth_y = R(half_y) - absolute(x.y),
            depth_z = R(half_z) - absolute(x.z);
    const Vec<R> along_x{if_greater(zero, x.x, R(-1), one), zero, zero},
        along_y{zero, if_greater(zero, x.y, R(-1), one), zero},
        along_z{zero, zero, if_greater(zero, x.z, R(-1), one)};
    Vec<R> n = if_greater(depth_x, depth_y, along_y, along_x);
    R depth = if_greater(depth_x, depth_y, depth_y, depth_x);
    n = if_greater(depth, depth_z, along_z, n);
    depth = if_greater(depth, depth_z, depth_z, depth);
    const R inverse = one / if_greater(squared, least, length, one);
    return {if_greater(squared, least, way * inverse, n), if_greater(squared, least, length, zero - depth)};
}

template <class R>
TAMIS_KERNEL DistanceOf<R> distance(const PlainSurface& s, const Vec<R>& x)
{
    const R zero(0), one(1), least(no_direction);
    if (s.kind == SurfaceKind::plane) {
        const Vec<R> n{R(s.normal[0]), R(s.normal[1]), R(s.normal[2])};
        return {n, dot(n, x) - R(s.offset)};
    }
    if (s.kind == SurfaceKind::box) return outside_box(s.normal[0], s.normal[1], s.normal[2], x);
    Vec<R> y{x.x, x.y, zero};
    if (s.kind != SurfaceKind::cylinder) y.z = x.z - clamped(x.z, s.half_length);
    const R squared = dot(y, y), rho = root(squared);
    const R inverse = one / if_greater(squared, least, rho, one);
    const Vec<R> radial = if_greater(squared, least, y * inverse, Vec<R>{one, zero, zero});
    if (s.kind == SurfaceKind::cylinder) { // in the half-plane through the axis it is a box
        const DistanceOf<R> flat = outside_box(s.offset, s.half_length, 1e300, Vec<R>{rho, x.z, zero});
        return {Vec<R>{flat.normal.x * radial.x, flat.normal.x * radial.y, flat.normal.y}, flat.distance};
    }
    if (s.kind == SurfaceKind::outside) return {radial, rho - R(s.offset)};
    return {radial * R(-1), R(s.offset) - rho};
}

} // namespace tamis
