// Shapes: checked construction, corners, boxes around them, mass properties, and polygons to draw with faces
// counter-clockwise seen from outside (of a hollow shape: from inside the cavity).
// Everything of a box is written in axes (i, j, k), a cyclic permutation of (x, y, z) whose k is the flat
// direction, or z if the box has none: rectangle and box then share numbering and orientation.
#include "tamis/collision/shapes.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Geometry>
#include <algorithm>
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

// A ball cut at its equator into halves whose centres are at z = -+half_length.
Surface round_ended(double radius, double half_length)
{
    constexpr int bands = 12, n = 24;
    Surface s;
    int rings = 0;
    const auto append = [&](int ring, double centre) {
        const double polar = std::numbers::pi * (1 - double(ring) / bands);
        append_ring(s, n, radius * std::sin(polar), radius * std::cos(polar) + centre);
        if (rings++ > 0) append_band(s, n, (rings - 2) * n);
    };
    for (int ring = 1; ring <= bands / 2; ++ring) append(ring, -half_length);
    for (int ring = bands / 2 + (half_length == 0); ring < bands; ++ring) append(ring, half_length);
    const int south = rings * n, north = south + 1;
    s.vertices.emplace_back(0, 0, -radius - half_length);
    s.vertices.emplace_back(0, 0, radius + half_length);
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        s.faces.push_back({south, j, i});
        s.faces.push_back({north, south - n + i, south - n + j});
    }
    return s;
}

Surface polygons(const Sphere& sphere, double)
{
    return round_ended(sphere.radius, 0);
}

Surface polygons(const Capsule& capsule, double)
{
    return round_ended(capsule.radius, capsule.half_length);
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

Surface polygons(const Polyhedron& polyhedron, double)
{
    const Hull& hull = *polyhedron.hull;
    Surface s{hull.vertices, {}};
    for (int f = 0; f < hull.faces(); ++f)
        s.faces.emplace_back(hull.face_vertex.begin() + hull.face_start[f],
                             hull.face_vertex.begin() + hull.face_start[f + 1]);
    return s;
}

Surface polygons(const Hollow& hollow, double extent)
{
    Surface s = std::visit([&](const auto& cavity) { return polygons(cavity, extent); }, hollow.cavity);
    for (auto& face : s.faces) std::reverse(face.begin(), face.end());
    return s;
}

Surface polygons(const Mesh& mesh, double)
{
    Surface s{mesh.mesh->vertices, {}};
    for (const auto& t : mesh.mesh->triangles) s.faces.push_back({t[0], t[1], t[2]});
    return s;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

double farthest(const std::vector<Eigen::Vector3d>& vertices)
{
    double squared = 0;
    for (const Eigen::Vector3d& x : vertices) squared = std::max(squared, x.squaredNorm());
    return std::sqrt(squared);
}

Bounds around(const Pose& pose, const Eigen::Vector3d& half)
{
    return {pose.p - half, pose.p + half};
}

Bounds around(const Pose& pose, const std::vector<Eigen::Vector3d>& vertices)
{
    Bounds b{Eigen::Vector3d::Constant(infinity), Eigen::Vector3d::Constant(-infinity)};
    for (const Eigen::Vector3d& v : vertices) {
        const Eigen::Vector3d x = pose * v;
        b.low = b.low.cwiseMin(x);
        b.high = b.high.cwiseMax(x);
    }
    return b;
}

// Of a centred solid with int x^2 = int y^2 = across and int z^2 = along.
MassProperties revolved(double volume, double across, double along)
{
    const Eigen::Vector3d diagonal(across + along, across + along, 2 * across);
    return {volume, Eigen::Vector3d::Zero(), diagonal.asDiagonal()};
}

// The tensor that a mass at x has about the origin, per mass.
Eigen::Matrix3d steiner(const Eigen::Vector3d& x)
{
    return x.squaredNorm() * Eigen::Matrix3d::Identity() - x * x.transpose();
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

Shape capsule(double radius, double length)
{
    if (!positive(radius) || !positive(length))
        fail("A capsule cannot have radius {} and length {}: give it a positive, finite radius and length.",
             radius, length);
    return Capsule{radius, length / 2};
}

Shape polyhedron(const std::vector<Eigen::Vector3d>& points)
{
    return Polyhedron{std::make_shared<const Hull>(make_hull(points))};
}

Shape mesh(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<int, 3>>& triangles)
{
    return Mesh{std::make_shared<const TriangleMesh>(make_mesh(vertices, triangles))};
}

Shape hollow(const Shape& cavity)
{
    struct {
        Shape operator()(const Sphere& s) const { return Hollow{s}; }
        Shape operator()(const Box& s) const
        {
            if (s.half.minCoeff() == 0)
                fail("A hollow shape cannot have a flat box as its cavity: give the box three positive "
                     "lengths.");
            return Hollow{s};
        }
        Shape operator()(const Cylinder& s) const { return Hollow{s}; }
        Shape operator()(const Capsule& s) const { return Hollow{s}; }
        Shape operator()(const Plane&) const { return refuse("plane"); }
        Shape operator()(const Polyhedron&) const { return refuse("polyhedron"); }
        Shape operator()(const Hollow&) const { return refuse("hollow shape"); }
        Shape operator()(const Mesh&) const { return refuse("mesh"); }
        static Shape refuse(const char* kind)
        {
            fail("A hollow shape cannot have a {} as its cavity: give it a sphere, box, cylinder or capsule.",
                 kind);
        }
    } make;
    return std::visit(make, cavity);
}

Shape wall(const Eigen::Vector3d& normal, double offset)
{
    const double norm = normal.stableNorm();
    if (!positive(norm) || !std::isfinite(offset))
        fail("A wall cannot have normal ({}, {}, {}) and offset {}: give it a finite normal other than zero "
             "and a finite offset.",
             normal.x(), normal.y(), normal.z(), offset);
    return Plane{normal / norm, offset / norm}; // n.x = d, whatever the length of n
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
        double operator()(const Plane&) const { return infinity; }
        double operator()(const Capsule& s) const { return s.radius + s.half_length; }
        double operator()(const Polyhedron& s) const { return s.hull->radius; }
        double operator()(const Hollow& s) const { return std::visit(*this, s.cavity); }
        double operator()(const Mesh& s) const { return farthest(s.mesh->vertices); }
    } radius;
    return std::visit(radius, shape);
}

Bounds bounds(const Shape& shape, const Pose& pose)
{
    struct {
        const Pose& pose;
        Bounds operator()(const Sphere& s) const { return around(pose, Eigen::Vector3d::Constant(s.radius)); }
        Bounds operator()(const Box& s) const { return around(pose, pose.R.cwiseAbs() * s.half); }
        // The reach of a disc with normal a along x is r sqrt(1 - a_x^2), that is r |(R_xx, R_xy)|.
        Bounds operator()(const Cylinder& s) const
        {
            return around(pose, s.half_length * pose.R.col(2).cwiseAbs() +
                                    s.radius * pose.R.leftCols<2>().rowwise().norm());
        }
        Bounds operator()(const Capsule& s) const
        {
            return around(pose,
                          s.half_length * pose.R.col(2).cwiseAbs() + Eigen::Vector3d::Constant(s.radius));
        }
        Bounds operator()(const Polyhedron& s) const { return around(pose, s.hull->vertices); }
        Bounds operator()(const Mesh& s) const { return around(pose, s.mesh->vertices); }
        Bounds operator()(const Hollow&) const { return around({}, Eigen::Vector3d::Constant(infinity)); }
        // Tilted by however little, a half-space has no end in any direction.
        Bounds operator()(const Plane& s) const
        {
            Bounds b = around({}, Eigen::Vector3d::Constant(infinity));
            const Eigen::Vector3d normal = pose.R * s.normal;
            for (int k = 0; k < 3; ++k) {
                if (normal[(k + 1) % 3] != 0 || normal[(k + 2) % 3] != 0) continue;
                if (normal[k] > 0) b.high[k] = pose.p[k] + s.offset;
                if (normal[k] < 0) b.low[k] = pose.p[k] - s.offset;
            }
            return b;
        }
    } box{pose};
    return std::visit(box, shape);
}

MassProperties mass_properties(const Shape& shape)
{
    constexpr double pi = std::numbers::pi;
    struct {
        MassProperties operator()(const Sphere& s) const
        {
            const double volume = 4 * pi / 3 * std::pow(s.radius, 3),
                         square = volume * s.radius * s.radius / 5;
            return revolved(volume, square, square);
        }
        MassProperties operator()(const Box& s) const
        {
            if (s.half.minCoeff() == 0)
                fail("A rectangle has no volume to compute a mass of: give the box a thickness.");
            const double volume = 8 * s.half.prod();
            const Eigen::Vector3d squares = volume / 3 * s.half.cwiseAbs2();
            const Eigen::Vector3d diagonal = Eigen::Vector3d::Constant(squares.sum()) - squares;
            return {volume, Eigen::Vector3d::Zero(), diagonal.asDiagonal()};
        }
        MassProperties operator()(const Cylinder& s) const
        {
            const double volume = 2 * pi * s.radius * s.radius * s.half_length;
            return revolved(volume, volume * s.radius * s.radius / 4,
                            volume * s.half_length * s.half_length / 3);
        }
        // A cylinder and two half balls, whose centres of mass are 3/8 r from their discs:
        // int z^2 of the balls is V (r^2/5 + 2 h 3/8 r + h^2).
        MassProperties operator()(const Capsule& s) const
        {
            const double r = s.radius, h = s.half_length;
            const double middle = 2 * pi * r * r * h, ends = 4 * pi / 3 * r * r * r;
            return revolved(middle + ends, middle * r * r / 4 + ends * r * r / 5,
                            middle * h * h / 3 + ends * (r * r / 5 + 0.75 * h * r + h * h));
        }
        MassProperties operator()(const Polyhedron& s) const { return mass_properties(*s.hull); }
        MassProperties operator()(const Plane&) const { return refuse("plane"); }
        MassProperties operator()(const Hollow&) const { return refuse("hollow shape"); }
        MassProperties operator()(const Mesh&) const { return refuse("mesh"); }
        static MassProperties refuse(const char* kind)
        {
            fail("A {} has no volume to compute a mass of: give the mass and inertia of its body.", kind);
        }
    } mass;
    return std::visit(mass, shape);
}

MassProperties mass_properties(const std::vector<std::pair<Shape, Pose>>& parts)
{
    if (parts.empty()) fail("A cluster of no shapes has no mass: give it at least one shape.");
    std::vector<MassProperties> placed;
    MassProperties all;
    for (const auto& [shape, pose] : parts) {
        MassProperties part = mass_properties(shape);
        part.com = pose * part.com;
        part.inertia = pose.R * part.inertia * pose.R.transpose();
        all.volume += part.volume;
        placed.push_back(part);
    }
    // Seen from the first part, so that nothing cancels far from the origin.
    for (const MassProperties& part : placed)
        all.com += part.volume / all.volume * (part.com - placed[0].com);
    all.com += placed[0].com;
    for (const MassProperties& part : placed)
        all.inertia += part.inertia + part.volume * steiner(part.com - all.com);
    return all;
}

Surface surface(const Shape& shape, double plane_extent)
{
    return std::visit([&](const auto& s) { return polygons(s, plane_extent); }, shape);
}

} // namespace tamis
