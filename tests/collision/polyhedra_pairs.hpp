// Pairs of polyhedra, and their gaps by brute force.
#pragma once

#include "collision/pair_points.hpp"
#include "collision/random_poses.hpp"
#include "tamis/collision/polyhedra_manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tamis::polyhedra_pairs {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
using Points = std::vector<ContactPoint>;

inline Hull block(double x, double y, double z)
{
    std::vector<Vector3d> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back(0.5 * Vector3d(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z));
    return make_hull(corners);
}

// Turns the cube's diagonal upright.
inline Matrix3d on_a_vertex()
{
    return Eigen::Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), Vector3d(0, 0, 1)).toRotationMatrix();
}

inline Points points(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b,
                     double alert = infinity)
{
    Points out;
    polyhedra_manifold(a, pose_a, b, pose_b, alert, out);
    return out;
}

inline double smallest_gap(const Points& list)
{
    double gap = infinity;
    for (const ContactPoint& c : list) gap = std::min(gap, c.gap);
    return gap;
}

// Signed distance of a point from the nearest plane of the surface: zero on the surface, and only there.
inline double off_surface(const Hull& hull, const Pose& pose, const Vector3d& point)
{
    const Vector3d x = pose.R.transpose() * (point - pose.p);
    double most = -infinity;
    for (int f = 0; f < hull.faces(); ++f) most = std::max(most, hull.normal[f].dot(x) - hull.offset[f]);
    return most;
}

// What holds for every answer; lengths in units of `size`.
inline void expect_consistent(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b,
                              double alert, double size, const Points& found)
{
    ASSERT_LE(found.size(), 8u);
    std::set<int> features;
    for (const ContactPoint& c : found) {
        ASSERT_TRUE(features.insert(c.feature).second);
        ASSERT_GE(c.feature, 0);
        ASSERT_LE(c.gap, alert);
        ASSERT_EQ(c.normal, found[0].normal);
        ASSERT_NEAR(c.normal.norm(), 1, 1e-14);
        ASSERT_LT((c.on_b - c.on_a - c.gap * c.normal).norm() / size, 1e-13);
        ASSERT_NEAR(off_surface(a, pose_a, c.on_a) / size, 0, 1e-9);
        ASSERT_NEAR(off_surface(b, pose_b, c.on_b) / size, 0, 1e-9);
    }
}

// The expected points: gap and place on A, in any order, in units of `scale`. Checked in several frames and
// with A and B exchanged.
struct Expected {
    Vector3d on_a;
    double gap;
};

inline void expect_points(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b, double scale,
                          double alert, const Vector3d& normal, const std::vector<Expected>& expected)
{
    for (int frame = 0; frame < 6; ++frame) {
        const Pose world = frame == 0 ? Pose{} : Pose{random_rotation(), scale * random_vector(1)};
        const Pose at_a = world * pose_a, at_b = world * pose_b;
        for (bool exchanged : {false, true}) {
            Points found =
                exchanged ? points(b, at_b, a, at_a, alert * scale) : points(a, at_a, b, at_b, alert * scale);
            if (exchanged)
                expect_consistent(b, at_b, a, at_a, alert * scale, scale, found);
            else
                expect_consistent(a, at_a, b, at_b, alert * scale, scale, found);
            ASSERT_EQ(found.size(), expected.size());
            for (ContactPoint& c : found) {
                if (exchanged) {
                    std::swap(c.on_a, c.on_b);
                    c.normal = -c.normal;
                }
                EXPECT_LT((c.normal - world.R * normal).norm(), 1e-9);
            }
            for (const Expected& e : expected) {
                double nearest = infinity;
                for (const ContactPoint& c : found)
                    nearest = std::min(nearest, (c.on_a - world * Vector3d(scale * e.on_a)).norm() / scale +
                                                    std::abs(c.gap / scale - e.gap));
                EXPECT_LT(nearest, 1e-9)
                    << e.on_a.transpose() << " exchanged " << exchanged << " scale " << scale;
            }
        }
    }
}

// Brute force in the world frame.
struct Solid {
    std::vector<Vector3d> vertices, normal;
    const Hull& hull;
    Solid(const Hull& h, const Pose& pose) : hull(h)
    {
        for (const Vector3d& v : h.vertices) vertices.push_back(pose * v);
        for (const Vector3d& n : h.normal) normal.push_back(pose.R * n);
    }
    Vector3d direction(const Hull::Edge& e) const { return vertices[e.b] - vertices[e.a]; }
};

// min n.x over B - max n.x over A, or anything below `least` if it is below.
inline double separation(const Solid& a, const Solid& b, const Vector3d& n, double least = -infinity)
{
    double high = -infinity, low = infinity;
    for (const Vector3d& x : b.vertices) low = std::min(low, n.dot(x));
    for (const Vector3d& x : a.vertices)
        if ((high = std::max(high, n.dot(x))) > low - least) break;
    return low - high;
}

// Largest separation over all axes that can be the best one of overlapping hulls.
inline double separation_of_all_axes(const Solid& a, const Solid& b)
{
    double best = -infinity;
    for (const Vector3d& n : a.normal) best = std::max(best, separation(a, b, n, best));
    for (const Vector3d& n : b.normal) best = std::max(best, separation(a, b, -n, best));
    for (const Hull::Edge& ea : a.hull.edges)
        for (const Hull::Edge& eb : b.hull.edges) {
            const Vector3d d = a.direction(ea), e = b.direction(eb);
            Vector3d n = d.cross(e);
            const double length = n.norm();
            if (length < 1e-10 * d.norm() * e.norm()) continue;
            n /= length;
            const double along = n.dot(b.vertices[eb.a] - a.vertices[ea.a]);
            // The separation along +-n is at most that of the two edges.
            if (along > best) best = std::max(best, separation(a, b, n, best));
            if (-along > best) best = std::max(best, separation(a, b, -n, best));
        }
    return best;
}

inline double point_to_segment(const Vector3d& x, const Vector3d& p, const Vector3d& q)
{
    const double t = std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0);
    return (x - p - t * (q - p)).norm();
}

inline double vertices_to_boundary(const Solid& a, const Solid& b)
{
    double best = infinity;
    for (const Vector3d& x : b.vertices) {
        for (const Hull::Edge& e : a.hull.edges)
            best = std::min(best, point_to_segment(x, a.vertices[e.a], a.vertices[e.b]));
        for (int f = 0; f < a.hull.faces(); ++f) {
            const int start = a.hull.face_start[f], end = a.hull.face_start[f + 1];
            const double height = a.normal[f].dot(x - a.vertices[a.hull.face_vertex[start]]);
            bool above = height >= 0;
            for (int k = start; k < end && above; ++k) {
                const Vector3d &p = a.vertices[a.hull.face_vertex[k]],
                               &q = a.vertices[a.hull.face_vertex[k + 1 < end ? k + 1 : start]];
                above = a.normal[f].dot((q - p).cross(x - p)) >= 0;
            }
            if (above) best = std::min(best, height);
        }
    }
    return best;
}

// Of hulls that do not overlap.
inline double distance_of_all_features(const Solid& a, const Solid& b)
{
    double best = std::min(vertices_to_boundary(a, b), vertices_to_boundary(b, a));
    for (const Hull::Edge& ea : a.hull.edges)
        for (const Hull::Edge& eb : b.hull.edges) {
            const Vector3d d = a.direction(ea), e = b.direction(eb), n = d.cross(e);
            const Vector3d r = b.vertices[eb.a] - a.vertices[ea.a];
            const double nn = n.squaredNorm(), s = n.dot(r.cross(e)), t = n.dot(r.cross(d));
            if (nn > 1e-20 * d.squaredNorm() * e.squaredNorm() && s >= 0 && s <= nn && t >= 0 && t <= nn)
                best = std::min(best, std::abs(n.dot(r)) / std::sqrt(nn));
        }
    return best;
}

inline double true_gap(const Solid& a, const Solid& b)
{
    const double gap = separation_of_all_axes(a, b);
    return gap > 0 ? distance_of_all_features(a, b) : gap;
}

// Of 6 to 30 points of size about s: on an ellipsoid or within a box, up to ten times as long as thick.
inline Hull random_hull(double s)
{
    const int count = static_cast<int>(uniform(6, 31));
    const bool round = uniform(0, 1) < 0.7;
    const Vector3d shape(1, uniform(0.1, 1), uniform(0.1, 1));
    std::vector<Vector3d> cloud;
    for (int i = 0; i < count; ++i)
        cloud.push_back(s * (round ? random_vector(1).normalized() : random_vector(0.8)).cwiseProduct(shape));
    return make_hull(cloud);
}

// A random point of a face.
inline Vector3d face_point(const Hull& hull, int face)
{
    Vector3d sum = Vector3d::Zero();
    double weights = 0;
    for (int k = hull.face_start[face]; k < hull.face_start[face + 1]; ++k) {
        const double weight = uniform(0, 1);
        sum += weight * hull.vertices[hull.face_vertex[k]];
        weights += weight;
    }
    return sum / weights;
}

// Two poses at which a point of a face of A and one of B are apart by the given distance along A's normal. B
// is turned at random, or its face lies almost or exactly on A's.
struct Placed {
    Pose a, b;
};
inline Placed place(const Hull& a, const Hull& b, double apart, double reach, int trial)
{
    const int face_a = static_cast<int>(uniform(0, a.faces())),
              face_b = static_cast<int>(uniform(0, b.faces()));
    Placed p{{random_rotation(), random_vector(reach)}, {random_rotation(), Vector3d::Zero()}};
    const Vector3d n = p.a.R * a.normal[face_a];
    const double tilt = trial % 4 == 1 ? 0 : std::pow(10, uniform(-12, 0));
    if (trial % 2)
        p.b.R =
            turn(tilt, random_vector(1)) *
            Eigen::Quaterniond::FromTwoVectors(p.b.R * b.normal[face_b], -n).normalized().toRotationMatrix() *
            p.b.R;
    p.b.p = p.a * face_point(a, face_a) + apart * n - p.b.R * face_point(b, face_b);
    return p;
}

// From apart by 0.3 to overlapping by 0.3, a third of them close to touching.
inline double random_separation(int trial)
{
    if (trial % 3) return uniform(-0.3, 0.3);
    return std::pow(10, uniform(-12, -1)) * (uniform(0, 1) < 0.5 ? 1 : -1);
}

struct PolyhedraManifold : testing::Test {
    PolyhedraManifold() { random_engine.seed(2026); }
};

inline constexpr double gaps[] = {0.3, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.1};

} // namespace tamis::polyhedra_pairs
