// Shapes as surfaces; their distances are in wall_distance.hpp.
#include "tamis/dem/wall_surface.hpp"

#include "tamis/base/error.hpp"

#include <limits>

namespace tamis {

using Eigen::Vector3d;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
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
    const auto [n, d] = distance(s.plain(), Vec<double>{x.x(), x.y(), x.z()});
    return {{n.x, n.y, n.z}, d};
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
             "cavities; build the wall of these, or run the model by the Moreau-Jean scheme.",
             name, std::holds_alternative<Mesh>(shape) ? "mesh" : "polyhedron");
}

} // namespace tamis
