// Pairs of shapes, and what can be said of a pair without the narrowphase.
#pragma once

#include "collision/pair_points.hpp"
#include "collision/random_poses.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tamis::narrowphase_cases {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// The one point of a pair, checked in a few frames; lengths in units of `scale`.
inline void expect_point(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double scale,
                         double gap, const Vector3d& normal, double tolerance = 1e-14)
{
    for (int frame = 0; frame < 5; ++frame) {
        const Pose world = frame == 0 ? Pose{} : Pose{random_rotation(), scale * random_vector(1)};
        const auto found = points(a, world * pose_a, b, world * pose_b);
        ASSERT_EQ(found.size(), 1u);
        const ContactPoint& c = found[0];
        EXPECT_NEAR(c.gap / scale, gap, tolerance);
        EXPECT_LT((c.normal - world.R * normal).norm(), 10 * tolerance);
        EXPECT_LT((c.on_b - c.on_a - c.gap * c.normal).norm() / scale, tolerance);
    }
}

struct Case {
    Shape a, b;
    const char* name;
};

// A polyhedron without symmetry, its frame's origin off its middle.
inline Shape stone(double s)
{
    return polyhedron({{0.7 * s, 0, 0},
                       {-0.6 * s, 0.1 * s, 0},
                       {0, 0.8 * s, 0.1 * s},
                       {0.1 * s, -0.5 * s, 0.3 * s},
                       {0.2 * s, 0.1 * s, 0.9 * s},
                       {-0.2 * s, -0.3 * s, -0.4 * s},
                       {0.4 * s, 0.4 * s, -0.3 * s}});
}

// Half of what the shape takes along the unit vector n, to the side of n.
inline double support(const Shape& shape, const Pose& pose, const Vector3d& n)
{
    struct {
        Vector3d m;
        double operator()(const Sphere& s) const { return s.radius; }
        double operator()(const Box& s) const { return m.cwiseAbs().dot(s.half); }
        double operator()(const Cylinder& s) const
        {
            return s.radius * std::hypot(m.x(), m.y()) + s.half_length * std::abs(m.z());
        }
        double operator()(const Capsule& s) const { return s.radius + s.half_length * std::abs(m.z()); }
        double operator()(const Polyhedron& s) const
        {
            double reach = -everything;
            for (const Vector3d& v : s.hull->vertices) reach = std::max(reach, m.dot(v));
            return reach;
        }
        double operator()(const Plane& s) const { return m.dot(s.normal) > 1 - 1e-9 ? s.offset : everything; }
        double operator()(const Hollow&) const { return everything; }
        double operator()(const Mesh&) const { return everything; }
    } along{pose.R.transpose() * n};
    return n.dot(pose.p) + std::visit(along, shape);
}

// How far the normal proves a and b to be apart, or by how much a shift along it parts them.
inline double separation(const Case& c, const Pose& pose_a, const Pose& pose_b, const Vector3d& n)
{
    return -support(c.b, pose_b, -n) - support(c.a, pose_a, n);
}

// How far x is outside the shape, negative inside; zero on the surface.
inline double outside(const Shape& shape, const Pose& pose, const Vector3d& point)
{
    struct {
        Vector3d x;
        double operator()(const Sphere& s) const { return x.norm() - s.radius; }
        double operator()(const Box& s) const { return (x.cwiseAbs() - s.half).maxCoeff(); }
        double operator()(const Cylinder& s) const
        {
            return std::max(std::hypot(x.x(), x.y()) - s.radius, std::abs(x.z()) - s.half_length);
        }
        double operator()(const Capsule& s) const
        {
            return std::hypot(x.x(), x.y(), std::max(std::abs(x.z()) - s.half_length, 0.0)) - s.radius;
        }
        double operator()(const Polyhedron& s) const
        {
            double height = -everything;
            for (int f = 0; f < s.hull->faces(); ++f)
                height = std::max(height, s.hull->normal[f].dot(x) - s.hull->offset[f]);
            return height;
        }
        double operator()(const Plane& s) const { return s.normal.dot(x) - s.offset; }
        double operator()(const Hollow&) const { return 0; }
        double operator()(const Mesh&) const { return 0; }
    } at_point{pose.R.transpose() * (point - pose.p)};
    return std::visit(at_point, shape);
}

inline const ContactPoint& deepest(const std::vector<ContactPoint>& found)
{
    const auto lower = [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; };
    return *std::min_element(found.begin(), found.end(), lower);
}

inline std::vector<Case> all_pairs(double scale)
{
    const std::vector<std::pair<Shape, const char*>> shapes = {
        {sphere(0.7 * scale), "sphere"},
        {box(1.1 * scale, 0.8 * scale, 1.5 * scale), "box"},
        {rectangle(1.3 * scale, 0.9 * scale), "rectangle"},
        {cylinder(0.6 * scale, 1.4 * scale), "cylinder"},
        {capsule(0.4 * scale, 1.2 * scale), "capsule"},
        {stone(scale), "polyhedron"},
        {wall({0.3, -0.4, 1}, 0.2 * scale), "wall"}};
    std::vector<Case> cases;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (std::size_t j = i; j < shapes.size(); ++j)
            cases.push_back({shapes[i].first, shapes[j].first, shapes[i].second});
    cases.pop_back(); // wall against wall has no contact
    return cases;
}

// Iterative, and compared for gaps and where contacts happen: in a deep overlap two normals may tie.
inline bool by_search(const Case& c)
{
    return !std::holds_alternative<Sphere>(c.a) && !std::holds_alternative<Plane>(c.b);
}
// To Bullet's accuracy.
inline bool by_bullet(const Case& c)
{
    const bool flat = c.a.index() == 1 && c.b.index() == 1;
    return by_search(c) &&
           (std::holds_alternative<Cylinder>(c.a) || std::holds_alternative<Cylinder>(c.b) || flat);
}

// Each test draws the same numbers, run alone or with the others.
struct Narrowphase : testing::Test {
    Narrowphase() { random_engine.seed(2024); }
};

} // namespace tamis::narrowphase_cases
