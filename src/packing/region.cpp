// A ball lies in a convex region if its centre lies in the region moved inwards by its radius.
#include "tamis/packing/region.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

struct Holds {
    const Eigen::Vector3d& x;
    double r;

    bool within(double distance_squared, double radius) const
    {
        return radius >= r && distance_squared <= (radius - r) * (radius - r);
    }
    bool operator()(const Sphere& s) const { return within(x.squaredNorm(), s.radius); }
    bool operator()(const Box& b) const { return (x.cwiseAbs().array() <= b.half.array() - r).all(); }
    bool operator()(const Cylinder& c) const
    {
        return std::abs(x.z()) <= c.half_length - r && within(x.head<2>().squaredNorm(), c.radius);
    }
    bool operator()(const Capsule& c) const
    {
        const double z = std::max(std::abs(x.z()) - c.half_length, 0.0);
        return within(x.head<2>().squaredNorm() + z * z, c.radius);
    }
    bool operator()(const Polyhedron& p) const
    {
        for (int f = 0; f < p.hull->faces(); ++f)
            if (p.hull->normal[f].dot(x) > p.hull->offset[f] - r) return false;
        return true;
    }
    template <class Other>
    bool operator()(const Other&) const
    {
        fail(
            "A plane, mesh or hollow shape has no inside to fill: give the sphere, box, cylinder, capsule or "
            "polyhedron that bounds the grains.");
    }
};

} // namespace

bool holds(const Shape& region, const Eigen::Vector3d& x, double radius)
{
    return std::visit(Holds{x, radius}, region);
}

void check_lengths(std::initializer_list<double> lengths, const char* culprit)
{
    for (double length : lengths)
        if (!(length > 0 && std::isfinite(length)))
            fail("{} has a length of {}: give it positive, finite lengths.", culprit, length);
}

} // namespace tamis
