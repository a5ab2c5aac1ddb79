// With s the point of a segment nearest to x: inside of a round cavity R - |x - s|, outside of a round body |x - s| - R.
// A point outside a box or cylinder is nearest to itself clamped to it; a centre inside, to the nearest face.
#include "tamis/dem/wall_surface.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

using Eigen::Vector3d;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_direction = std::numeric_limits<double>::min();

Vector3d away_from_segment(const Vector3d& x, double half_length)
{
    return {x.x(), x.y(), x.z() - std::clamp(x.z(), -half_length, half_length)};
}

WallDistance outside_box(const Vector3d& half, const Vector3d& x)
{
    const Vector3d way = x - x.cwiseMax(-half).cwiseMin(half);
    if (const double d2 = way.squaredNorm(); d2 > no_direction) return {way / std::sqrt(d2), std::sqrt(d2)};
    int k;
    const double depth = (half - x.cwiseAbs()).minCoeff(&k);
    return {(x[k] < 0 ? -1.0 : 1.0) * Vector3d::Unit(k), -depth};
}

WallDistance outside_cylinder(double radius, double half, const Vector3d& x)
{
    const double rho = std::hypot(x.x(), x.y());
    const Vector3d radial = rho > 0 ? Vector3d(x.x() / rho, x.y() / rho, 0) : Vector3d(1, 0, 0);
    // In the half-plane through the axis it is a box.
    const WallDistance flat = outside_box({radius, half, infinite}, {rho, x.z(), 0});
    return {flat.normal.x() * radial + flat.normal.y() * Vector3d::UnitZ(), flat.distance};
}

WallSurface plane(int part, const Vector3d& normal, double offset)
{
    return {WallSurface::Kind::plane, part, normal, offset, 0};
}

WallSurface round(WallSurface::Kind kind, int part, double radius, double half_length)
{
    return {kind, part, Vector3d(0, 0, 0), radius, half_length};
}

void add_cavity(const Hollow& hollow, int part, std::vector<WallSurface>& out)
{
    using Kind = WallSurface::Kind;
    if (const auto* s = std::get_if<Sphere>(&hollow.cavity))
        out.push_back(round(Kind::inside, part, s->radius, 0));
    else if (const auto* c = std::get_if<Capsule>(&hollow.cavity))
        out.push_back(round(Kind::inside, part, c->radius, c->half_length));
    else if (const auto* y = std::get_if<Cylinder>(&hollow.cavity)) {
        out.push_back(round(Kind::inside, part, y->radius, infinite));
        for (const double side : {-1.0, 1.0}) out.push_back(plane(part, {0, 0, -side}, -y->half_length));
    } else if (const auto* b = std::get_if<Box>(&hollow.cavity))
        for (int k = 0; k < 3; ++k)
            for (const double side : {-1.0, 1.0})
                out.push_back(plane(part, -side * Vector3d::Unit(k), -b->half[k]));
}

} // namespace

WallDistance distance(const WallSurface& s, const Vector3d& x)
{
    switch (s.kind) {
    case WallSurface::Kind::plane:
        return {s.normal, s.normal.dot(x) - s.offset};
    case WallSurface::Kind::box:
        return outside_box(s.normal, x);
    case WallSurface::Kind::cylinder:
        return outside_cylinder(s.offset, s.half_length, x);
    case WallSurface::Kind::inside:
    case WallSurface::Kind::outside:
        break;
    }
    const Vector3d y = away_from_segment(x, s.half_length);
    const double squared = y.squaredNorm(), rho = std::sqrt(squared);
    const Vector3d radial = squared > no_direction ? Vector3d(y / rho) : Vector3d(1, 0, 0);
    if (s.kind == WallSurface::Kind::outside) return {radial, rho - s.offset};
    return {-radial, s.offset - rho};
}

void add_surfaces(const Shape& shape, int part, const std::string& name, std::vector<WallSurface>& out)
{
    using Kind = WallSurface::Kind;
    if (const auto* p = std::get_if<Plane>(&shape))
        out.push_back(plane(part, p->normal, p->offset));
    else if (const auto* h = std::get_if<Hollow>(&shape))
        add_cavity(*h, part, out);
    else if (const auto* s = std::get_if<Sphere>(&shape))
        out.push_back(round(Kind::outside, part, s->radius, 0));
    else if (const auto* c = std::get_if<Capsule>(&shape))
        out.push_back(round(Kind::outside, part, c->radius, c->half_length));
    else if (const auto* y = std::get_if<Cylinder>(&shape))
        out.push_back(round(Kind::cylinder, part, y->radius, y->half_length));
    else if (const auto* b = std::get_if<Box>(&shape))
        out.push_back({Kind::box, part, b->half, 0, 0});
    else
        fail("'{}' is a {}: the method dem takes planes, boxes, cylinders, capsules, spheres and their "
             "cavities; "
             "build the wall of these, or choose --method moreau-jean.",
             name, std::holds_alternative<Mesh>(shape) ? "mesh" : "polyhedron");
}

} // namespace tamis
