// Layout: kind and size (three numbers) of each shape, pose (rotation row by row, position), and for
// polyhedra the points of their hulls, one after the other; a checksum over all numbers. A file can be whole
// and still hold what is no packing: every number is checked.
#include "tamis/io/packing_file.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/hdf5_file.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <span>

namespace tamis {

namespace {

enum Kind : std::int64_t { sphere_kind, box_kind, cylinder_kind, capsule_kind, polyhedron_kind };
constexpr std::size_t sizes[] = {1, 3, 2, 2, 0}; // that a kind has
constexpr std::int64_t version = 1;

template <class... Arrays>
std::uint64_t checksum(const Arrays&... arrays)
{
    StateHash hash;
    (hash.add(arrays.data(), static_cast<std::ptrdiff_t>(arrays.size())), ...);
    return hash.value;
}

} // namespace

void write_packing(const std::filesystem::path& path, const Packing& packing)
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
            fail("Grain {} of the packing '{}' is not a solid shape: it cannot be stored.", i + 1,
                 path.string());
        }
        const Pose& at = packing.poses[i];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) pose.push_back(at.R(r, c));
        pose.insert(pose.end(), at.p.begin(), at.p.end());
    }
    Hdf5 file;
    file.attributes["tamis_packing"] = std::vector<std::int64_t>{version};
    file.attributes["checksum"] = std::vector<std::uint64_t>{checksum(size, pose, vertices)};
    file.datasets["kind"] = {kind, 0};
    file.datasets["points"] = {points, 0};
    file.datasets["size"] = {size, 3};
    file.datasets["pose"] = {pose, 12};
    file.datasets["vertices"] = {vertices, 3};
    write_hdf5(path, file);
}

Packing read_packing(const std::filesystem::path& path)
{
    const Hdf5 file = read_hdf5(path, true);
    if (file.attribute<std::int64_t>("tamis_packing") != version)
        fail("'{}' is a packing of another version.", path.string());
    const auto &kind = file.array<std::int64_t>("kind"), &points = file.array<std::int64_t>("points");
    const auto &size = file.array<double>("size"), &pose = file.array<double>("pose"),
               &vertices = file.array<double>("vertices");
    if (file.attribute<std::uint64_t>("checksum") != checksum(size, pose, vertices) ||
        size.size() != 3 * kind.size() || pose.size() != 12 * kind.size() || points.size() != kind.size())
        fail("The packing '{}' is damaged.", path.string());
    Packing packing;
    std::size_t next = 0; // of the vertices
    for (std::size_t i = 0; i < kind.size(); ++i) {
        const auto refuse = [&](const std::string& what) {
            fail("Grain {} of the packing '{}' {}: take an undamaged file, or make the packing again.", i + 1,
                 path.string(), what);
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
        fail("The packing '{}' is damaged: {} of its points belong to no grain.", path.string(),
             (vertices.size() - next) / 3);
    return packing;
}

} // namespace tamis
