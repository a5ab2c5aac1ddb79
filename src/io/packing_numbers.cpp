// Layout: kind and size (three numbers) of each shape, pose (rotation row by row, position), and for
// polyhedra the points of their hulls, one after the other. Numbers can be whole and still be those of no packing:
// every one is checked.
#include "tamis/io/packing_numbers.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <span>

namespace tamis {

namespace {

enum Kind : std::int64_t { sphere_kind, box_kind, cylinder_kind, capsule_kind, polyhedron_kind };
constexpr std::size_t sizes[] = {1, 3, 2, 2, 0}; // that a kind has

} // namespace

SavedState numbers_of(const Packing& packing, const std::string& name)
{
    std::vector<std::int64_t> kind, points;
    std::vector<double> size, pose, vertices;
    for (int i = 0; i < packing.size(); ++i) {
        auto add = [&](Kind k, double a, double b, double c) {
            kind.push_back(k);
            size.insert(size.end(), {a, b, c});
        };
        points.push_back(0);
        const Shape& shape = packing.shapes[i];
        if (const auto* s = std::get_if<Sphere>(&shape)) {
            add(sphere_kind, s->radius, 0, 0);
        } else if (const auto* b = std::get_if<Box>(&shape)) {
            add(box_kind, b->half.x(), b->half.y(), b->half.z());
        } else if (const auto* c = std::get_if<Cylinder>(&shape)) {
            add(cylinder_kind, c->radius, c->half_length, 0);
        } else if (const auto* k = std::get_if<Capsule>(&shape)) {
            add(capsule_kind, k->radius, k->half_length, 0);
        } else if (const auto* p = std::get_if<Polyhedron>(&shape)) {
            add(polyhedron_kind, 0, 0, 0);
            points.back() = static_cast<std::int64_t>(p->hull->vertices.size());
            for (const Eigen::Vector3d& x : p->hull->vertices)
                vertices.insert(vertices.end(), x.begin(), x.end());
        } else {
            fail("Grain {} of the packing '{}' is not a solid shape: it cannot be stored.", i + 1, name);
        }
        const Pose& at = packing.poses[i];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) pose.push_back(at.R(r, c));
        pose.insert(pose.end(), at.p.begin(), at.p.end());
    }
    SavedState out;
    out.put_integers("kind", kind);
    out.put_integers("points", points);
    out.put("size", size);
    out.put("pose", pose);
    out.put("vertices", vertices);
    return out;
}

Packing packing_of(const SavedState& numbers, const std::string& name)
{
    const auto &kind = numbers.get_integers("kind"), &points = numbers.get_integers("points");
    const auto &size = numbers.get("size"), &pose = numbers.get("pose"), &vertices = numbers.get("vertices");
    if (size.size() != 3 * kind.size() || pose.size() != 12 * kind.size() || points.size() != kind.size())
        fail("The packing '{}' is damaged.", name);
    Packing packing;
    std::size_t next = 0; // of the vertices
    for (std::size_t i = 0; i < kind.size(); ++i) {
        const auto refuse = [&](const std::string& what) {
            fail("Grain {} of the packing '{}' {}: take an undamaged file, or make the packing again.", i + 1,
                 name, what);
        };
        if (kind[i] < sphere_kind || kind[i] > polyhedron_kind) refuse("is of an unknown kind");
        const std::span s(&size[3 * i], sizes[kind[i]]), p(&pose[12 * i], 12);
        if (!std::ranges::all_of(s, [](double x) { return x > 0 && std::isfinite(x); }))
            refuse(fmt::format("measures {} m", fmt::join(s, ", ")));
        const std::size_t left = (vertices.size() - next) / 3;
        if (points[i] < 0 || static_cast<std::uint64_t>(points[i]) > left ||
            (points[i] > 0) != (kind[i] == polyhedron_kind))
            refuse(fmt::format("has {} points of the {} that are left", points[i], left));
        Pose at;
        at.R << p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8];
        at.p << p[9], p[10], p[11];
        if (!at.p.allFinite()) refuse(fmt::format("is at ({}, {}, {})", p[9], p[10], p[11]));
        if (!at.R.isUnitary(1e-9) || !(at.R.determinant() > 0)) refuse("has no rotation as its orientation");
        switch (kind[i]) {
        case sphere_kind:
            packing.add(Sphere{s[0]}, at);
            break;
        case box_kind:
            packing.add(Box{{s[0], s[1], s[2]}}, at);
            break;
        case cylinder_kind:
            packing.add(Cylinder{s[0], s[1]}, at);
            break;
        case capsule_kind:
            packing.add(Capsule{s[0], s[1]}, at);
            break;
        default: {
            std::vector<Eigen::Vector3d> x;
            for (std::int64_t k = 0; k < points[i]; ++k, next += 3)
                x.emplace_back(vertices[next], vertices[next + 1], vertices[next + 2]);
            try {
                packing.add(polyhedron(x), at);
            } catch (const Error&) {
                refuse(fmt::format("has {} points that span no polyhedron", x.size()));
            }
        }
        }
        const MassProperties solid = mass_properties(packing.shapes.back());
        if (!(solid.volume > 0) || !std::isfinite(solid.volume) || !solid.inertia.allFinite())
            refuse(fmt::format("has a volume of {} m3", solid.volume));
    }
    if (next != vertices.size())
        fail("The packing '{}' is damaged: {} of its points belong to no grain.", name,
             (vertices.size() - next) / 3);
    return packing;
}

} // namespace tamis
