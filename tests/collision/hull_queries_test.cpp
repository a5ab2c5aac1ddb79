#include "tamis/collision/hull_queries.hpp"

#include "collision/random_poses.hpp"
#include "tamis/collision/narrowphase.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace hull_queries_test {

using namespace tamis;
using Eigen::Vector3d;

namespace {

struct HullQueries : testing::Test {
    HullQueries() { random_engine.seed(2026); }
};

Hull random_hull(double size)
{
    std::vector<Vector3d> points;
    const int count = 6 + static_cast<int>(uniform(0, 24));
    for (int i = 0; i < count; ++i)
        points.push_back(size * Vector3d(1, 0.6, 0.8).cwiseProduct(random_vector(1)));
    return make_hull(points);
}

// Signed distance by trying every face, every edge and every vertex.
double distance_by_brute_force(const Hull& hull, const Vector3d& x)
{
    double highest = -std::numeric_limits<double>::infinity();
    for (int f = 0; f < hull.faces(); ++f)
        highest = std::max(highest, hull.normal[f].dot(x) - hull.offset[f]);
    if (highest <= 0) return highest;
    double least = std::numeric_limits<double>::infinity();
    for (const Vector3d& v : hull.vertices) least = std::min(least, (x - v).norm());
    for (const Hull::Edge& edge : hull.edges) {
        const Vector3d a = hull.vertices[edge.a], e = (hull.vertices[edge.b] - a).normalized();
        const double t = e.dot(x - a);
        if (t > 0 && t < (hull.vertices[edge.b] - a).norm()) least = std::min(least, (x - a - t * e).norm());
    }
    for (int f = 0; f < hull.faces(); ++f) {
        const double h = hull.normal[f].dot(x) - hull.offset[f];
        bool above = h > 0;
        for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i) {
            const int next = i + 1 < hull.face_start[f + 1] ? i + 1 : hull.face_start[f];
            const Vector3d a = hull.vertices[hull.face_vertex[i]], b = hull.vertices[hull.face_vertex[next]];
            above &= (b - a).cross(x - a).dot(hull.normal[f]) >= 0;
        }
        if (above) least = std::min(least, h);
    }
    return least;
}

} // namespace

TEST_F(HullQueries, NearestPointOfAPolyhedronIsThatOfBruteForce)
{
    for (double s : scales)
        for (int trial = 0; trial < 400; ++trial) {
            const Hull hull = random_hull(s);
            for (int i = 0; i < 25; ++i) {
                const Vector3d x = random_vector(i % 2 ? s : 2.5 * s);
                const Nearest n = nearest(hull, x);
                ASSERT_NEAR(n.distance / s, distance_by_brute_force(hull, x) / s, 1e-14);
                ASSERT_NEAR(n.outward.norm(), 1, 1e-14);
                // The point is on the surface, and the plane through it supports the hull.
                const Vector3d q = x - n.distance * n.outward;
                ASSERT_NEAR(distance_by_brute_force(hull, q) / s, 0, 1e-13);
                for (const Vector3d& v : hull.vertices)
                    ASSERT_LT(std::min(n.distance / s - 1e-6, n.outward.dot(v - q) / s), 1e-9);
            }
        }
}

TEST_F(HullQueries, ABoxIsTheHullOfItsCorners)
{
    for (int trial = 0; trial < 1000; ++trial) {
        const Box box{{uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1)}};
        const Vector3d x = random_vector(1.5);
        const Nearest a = nearest(box, x), b = nearest(hull_of(box), x);
        ASSERT_NEAR(a.distance, b.distance, 1e-14);
        ASSERT_LT((a.outward - b.outward).norm(), 1e-12);
        const auto all = corners(box);
        for (int c = 0; c < 8; ++c) {
            EXPECT_EQ(all[c], corner(box, c));
            EXPECT_EQ(all[c], hull_of(box).vertices[c]);
        }
    }
    for (const Box& flat : {Box{{1, 2, 0}}, Box{{1, 0, 2}}, Box{{0, 1, 2}}})
        for (int c = 0; c < corner_count(flat); ++c) EXPECT_EQ(corners(flat)[c], corner(flat, c));
}

TEST_F(HullQueries, ASegmentIsClippedToTheFace)
{
    const Box box{{1, 2, 3}};
    const Hull& hull = hull_of(box);
    const int top = face_along(hull, {0.1, -0.2, 1});
    EXPECT_EQ(hull.normal[top], Vector3d(0, 0, 1));
    double t0 = -10, t1 = 10;
    clip(hull, top, {0, 0, 5}, {1, 1, 0}, 0, t0, t1);
    EXPECT_NEAR(t0, -1, 1e-15);
    EXPECT_NEAR(t1, 1, 1e-15);
    t0 = -10, t1 = 0.5;
    clip(hull, top, {0, 1.5, 5}, {0, 1, 0}, 0.25, t0, t1);
    EXPECT_NEAR(t0, -3.75, 1e-14);
    EXPECT_NEAR(t1, 0.5, 1e-15);
    t0 = -1, t1 = 1;
    clip(hull, top, {1.1, 0, 5}, {0, 1, 0}, 0, t0, t1);
    EXPECT_GT(t0, t1);
}

} // namespace hull_queries_test
