// Shapes: checked construction, corners, and polygons to draw with faces counter-clockwise seen from outside.
// Everything of a box is written in axes (i, j, k), a cyclic permutation of (x, y, z) whose k is the flat
// direction, or z if the box has none: rectangle and box then share numbering and orientation.
#include "collision/shapes.hpp"

#include "error.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

namespace tamis {

namespace {

bool positive(double length)
{
    return length > 0 && std::isfinite(length);
}

// A ring of n vertices around z, counter-clockwise seen from +z.
void append_ring(Surface& s, int n, double radius, double z)
{
    for (int i = 0; i < n; ++i) {
        const double angle = 2 * std::numbers::pi * i / n;
        s.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
}

// Quadrilaterals between the ring of n vertices that starts at `lower` and the ring above it.
void append_band(Surface& s, int n, int lower)
{
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        s.faces.push_back({lower + i, lower + j, lower + n + j, lower + n + i});
    }
}

Surface polygons(const Sphere& sphere, double)
{
    constexpr int bands = 12, n = 24, south = (bands - 1) * n, north = south + 1;
    Surface s;
    for (int ring = 1; ring < bands; ++ring) {
        const double polar = std::numbers::pi * (1 - double(ring) / bands);
        append_ring(s, n, sphere.radius * std::sin(polar), sphere.radius * std::cos(polar));
    }
    s.vertices.emplace_back(0, 0, -sphere.radius);
    s.vertices.emplace_back(0, 0, sphere.radius);
    for (int ring = 0; ring + 2 < bands; ++ring) append_band(s, n, ring * n);
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        s.faces.push_back({south, j, i});
        s.faces.push_back({north, south - n + i, south - n + j});
    }
    return s;
}

Surface polygons(const Box& box, double)
{
    Surface s{corners(box), {}};
    if (s.vertices.size() == 4) {
        s.faces = {{0, 1, 2, 3}};
        return s;
    }
    s.faces = {{3, 2, 1, 0}, {4, 5, 6, 7}};
    append_band(s, 4, 0);
    return s;
}

Surface polygons(const Cylinder& cylinder, double)
{
    constexpr int n = 32;
    Surface s;
    append_ring(s, n, cylinder.radius, -cylinder.half_length);
    append_ring(s, n, cylinder.radius, cylinder.half_length);
    append_band(s, n, 0);
    std::vector<int> bottom, top;
    for (int i = 0; i < n; ++i) {
        bottom.push_back(n - 1 - i);
        top.push_back(n + i);
    }
    s.faces.push_back(bottom);
    s.faces.push_back(top);
    return s;
}

Surface polygons(const Plane& plane, double extent)
{
    const Eigen::Vector3d centre = plane.normal * plane.offset;
    const Eigen::Vector3d u = plane.normal.unitOrthogonal() * (extent / 2), v = plane.normal.cross(u);
    return {{centre + u + v, centre - u + v, centre - u - v, centre + u - v}, {{0, 1, 2, 3}}};
}

} // namespace

Shape sphere(double radius)
{
    if (!positive(radius)) fail("A sphere cannot have radius {}: give it a positive, finite radius.", radius);
    return Sphere{radius};
}

Shape box(double length_x, double length_y, double length_z)
{
    const Eigen::Vector3d length(length_x, length_y, length_z);
    if (!length.allFinite() || length.minCoeff() < 0 || (length.array() == 0).count() > 1)
        fail("A box cannot measure {} x {} x {}: give it positive, finite lengths, of which one may be zero.",
             length_x, length_y, length_z);
    return Box{length / 2};
}

Shape rectangle(double length_x, double length_y)
{
    if (!positive(length_x) || !positive(length_y))
        fail("A rectangle cannot measure {} x {}: give it positive, finite lengths.", length_x, length_y);
    return Box{Eigen::Vector3d(length_x, length_y, 0) / 2};
}

Shape cylinder(double radius, double length)
{
    if (!positive(radius) || !positive(length))
        fail("A cylinder cannot have radius {} and length {}: give it a positive, finite radius and length.",
             radius, length);
    return Cylinder{radius, length / 2};
}

Shape wall(const Eigen::Vector3d& normal, double offset)
{
    const double norm = normal.stableNorm();
    if (!positive(norm) || !std::isfinite(offset))
        fail("A wall cannot have normal ({}, {}, {}) and offset {}: give it a finite normal other than zero "
             "and a "
             "finite offset.",
             normal.x(), normal.y(), normal.z(), offset);
    return Plane{normal / norm, offset};
}

std::vector<Eigen::Vector3d> corners(const Box& box)
{
    const int k = flat_axis(box), i = (k + 1) % 3, j = (k + 2) % 3, count = box.half[k] == 0 ? 4 : 8;
    std::vector<Eigen::Vector3d> points(count);
    for (int c = 0; c < count; ++c) {
        points[c][i] = c % 4 == 0 || c % 4 == 3 ? box.half[i] : -box.half[i];
        points[c][j] = c % 4 < 2 ? box.half[j] : -box.half[j];
        points[c][k] = c < 4 ? -box.half[k] : box.half[k];
    }
    return points;
}

double bounding_radius(const Shape& shape)
{
    struct {
        double operator()(const Sphere& s) const { return s.radius; }
        double operator()(const Box& s) const { return s.half.norm(); }
        double operator()(const Cylinder& s) const { return std::hypot(s.radius, s.half_length); }
        double operator()(const Plane&) const { return std::numeric_limits<double>::infinity(); }
    } radius;
    return std::visit(radius, shape);
}

Surface surface(const Shape& shape, double plane_extent)
{
    return std::visit([&](const auto& s) { return polygons(s, plane_extent); }, shape);
}

} // namespace tamis
