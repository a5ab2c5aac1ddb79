#include "tamis/collision/mesh_contacts.hpp"

#include "collision/pair_points.hpp"
#include "collision/random_poses.hpp"
#include "error_of.hpp"
#include "tamis/collision/hull_queries.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numbers>
#include <set>

namespace mesh_contacts_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

struct MeshContacts : testing::Test {
    MeshContacts() { random_engine.seed(2028); }
};

double least_gap(const std::vector<ContactPoint>& found)
{
    double least = everything;
    for (const ContactPoint& c : found) least = std::min(least, c.gap);
    return least;
}

// A grid of n x n squares, each two triangles, over [-size, size]^2 at the heights z(x, y); inner vertices
// are moved at random in the plane by `jitter` of the spacing.
template <class Height>
Shape terrain(int n, double size, double jitter, Height&& z)
{
    std::vector<Vector3d> vertices;
    std::vector<std::array<int, 3>> triangles;
    const double step = 2 * size / n;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            const bool inner = i > 0 && j > 0 && i < n && j < n;
            const double x = -size + step * (i + (inner ? uniform(-jitter, jitter) : 0)),
                         y = -size + step * (j + (inner ? uniform(-jitter, jitter) : 0));
            vertices.emplace_back(x, y, z(x, y));
            const int v = i * (n + 1) + j;
            if (i == n || j == n) continue;
            if ((i + j) % 2) {
                triangles.push_back({v, v + n + 1, v + n + 2});
                triangles.push_back({v, v + n + 2, v + 1});
            } else {
                triangles.push_back({v, v + n + 1, v + 1});
                triangles.push_back({v + n + 1, v + n + 2, v + 1});
            }
        }
    return mesh(vertices, triangles);
}

Shape flat_ground(double size)
{
    return terrain(8, size, 0.3, [](double, double) { return 0.0; });
}

// The faces of a hull, each a fan; inwards: seen from inside.
Shape surface_of(const Hull& hull, bool inwards = false)
{
    std::vector<std::array<int, 3>> triangles;
    for (int f = 0; f < hull.faces(); ++f)
        for (int i = hull.face_start[f] + 2; i < hull.face_start[f + 1]; ++i) {
            std::array<int, 3> t = {hull.face_vertex[hull.face_start[f]], hull.face_vertex[i - 1],
                                    hull.face_vertex[i]};
            if (inwards) std::swap(t[1], t[2]);
            triangles.push_back(t);
        }
    return mesh(hull.vertices, triangles);
}

Hull random_hull(double size)
{
    std::vector<Vector3d> corners;
    for (int i = 0; i < 20; ++i) corners.push_back(size * random_vector(1));
    return make_hull(corners);
}

// Distance to a triangle by Ericson (2005), 5.1.5, written anew.
double distance_to_triangle(const Vector3d& x, const Vector3d& a, const Vector3d& b, const Vector3d& c)
{
    const Vector3d n = (b - a).cross(c - a).normalized();
    const auto inside = [&](const Vector3d& p, const Vector3d& q) {
        return (q - p).cross(x - p).dot(n) >= 0;
    };
    if (inside(a, b) && inside(b, c) && inside(c, a)) return std::abs(n.dot(x - a));
    const auto to_segment = [&](const Vector3d& p, const Vector3d& q) {
        const double t = std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0);
        return (x - p - t * (q - p)).norm();
    };
    return std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
}

double distance_to_mesh(const Vector3d& x, const Shape& shape)
{
    const TriangleMesh& m = *std::get<Mesh>(shape).mesh;
    double least = everything;
    for (const auto& [a, b, c] : m.triangles)
        least = std::min(least, distance_to_triangle(x, m.vertices[a], m.vertices[b], m.vertices[c]));
    return least;
}

} // namespace

TEST_F(MeshContacts, ASphereOverATriangulatedPlaneFeelsThePlaneAlone)
{
    for (double s : scales) {
        const Shape ground = flat_ground(10 * s);
        const TriangleMesh& m = *std::get<Mesh>(ground).mesh;
        std::vector<Vector3d> places = m.vertices;
        for (const TriangleMesh::Edge& e : m.edges)
            for (double t : {0.5, 0.1, 1e-9})
                places.push_back(m.vertices[e.a] + t * (m.vertices[e.b] - m.vertices[e.a]));
        for (int i = 0; i < 2000; ++i) places.push_back(random_vector(9 * s));
        int checked = 0;
        for (const Vector3d& place : places)
            for (double gap : {0.05, 0.0, -0.1, -1.3}) {
                if (place.head<2>().cwiseAbs().maxCoeff() > 9.5 * s) continue;
                const Pose world = checked % 3 ? Pose{} : Pose{random_rotation(), random_vector(s)};
                const Pose ball = world * Pose{Matrix3d::Identity(), {place.x(), place.y(), (1 + gap) * s}};
                const auto found = points(sphere(s), ball, ground, world, 0.1 * s);
                ASSERT_EQ(found.size(), 1u) << place.transpose() << " " << gap;
                ASSERT_NEAR(found[0].gap / s, gap, 1e-13);
                ASSERT_LT((found[0].normal + world.R.col(2)).norm(), 1e-12);
                ASSERT_EQ(found[0].feature, 0);
                ++checked;
            }
        EXPECT_GT(checked, 8000);
    }
}

TEST_F(MeshContacts, ASphereRollsAlongARidgeOnOnePoint)
{
    // A roof along y whose ridge is at z = 0, divided unevenly.
    const Shape roof = terrain(8, 4, 0, [](double x, double) { return -0.5 * std::abs(x); });
    for (int i = 0; i < 2000; ++i) {
        const double y = i % 10 == 0 ? -3.0 + (i / 10) % 7 : uniform(-3.5, 3.5), tilt = uniform(-0.4, 0.4);
        const Vector3d n(std::sin(tilt), 0, std::cos(tilt));
        const auto found =
            points(sphere(0.5), {Matrix3d::Identity(), Vector3d(0, y, 0) + 0.52 * n}, roof, {}, 0.1);
        ASSERT_EQ(found.size(), 1u) << y;
        ASSERT_NEAR(found[0].gap, 0.02, 1e-14);
        ASSERT_LT((found[0].normal + n).norm(), 1e-12);
    }
}

TEST_F(MeshContacts, ASphereInAValleyMeetsBothSides)
{
    const Shape valley = terrain(8, 4, 0, [](double x, double) { return std::abs(x); });
    const double r = 0.5, height = r * std::sqrt(2);
    for (int i = 0; i < 500; ++i) {
        const auto found = points(sphere(r), at(0, uniform(-3.5, 3.5), height + 0.01), valley, {}, 0.1);
        ASSERT_EQ(found.size(), 2u);
        for (const ContactPoint& c : found) ASSERT_NEAR(c.gap, 0.01 / std::sqrt(2), 1e-14);
        EXPECT_NEAR(found[0].normal.dot(found[1].normal), 0, 1e-14);
    }
}

TEST_F(MeshContacts, ASphereMeetsAConvexSurfaceOnceAtTheDistanceOfTheHull)
{
    for (double s : scales)
        for (int trial = 0; trial < 200; ++trial) {
            const Hull hull = random_hull(s);
            const Shape skin = surface_of(hull);
            for (int i = 0; i < 20; ++i) {
                const Vector3d x = random_vector(1.5 * s);
                const Nearest n = nearest(hull, x);
                const double r = s * uniform(0.1, 1);
                if (n.distance < -r) continue;
                const auto found = points(sphere(r), {Matrix3d::Identity(), x}, skin, {}, 5 * s);
                ASSERT_EQ(found.size(), 1u);
                ASSERT_NEAR(found[0].gap / s, (n.distance - r) / s, 1e-12);
                if (std::abs(n.distance) > 1e-3 * s) {
                    ASSERT_LT((found[0].normal + n.outward).norm(), 1e-9);
                }
            }
        }
}

TEST_F(MeshContacts, TheDeepestPointOfASphereOnRoughGroundIsThatOfBruteForce)
{
    for (int trial = 0; trial < 20; ++trial) {
        const Shape ground = terrain(8, 4, 0.2, [](double, double) { return uniform(-0.6, 0.6); });
        for (int i = 0; i < 600; ++i) {
            const Vector3d x(uniform(-5, 5), uniform(-5, 5), uniform(0.6, 1.6));
            const double r = uniform(0.2, 1), distance = distance_to_mesh(x, ground);
            const auto found = points(sphere(r), {Matrix3d::Identity(), x}, ground, {}, 0.1);
            if (distance > r + 0.1) {
                ASSERT_TRUE(found.empty());
                continue;
            }
            ASSERT_FALSE(found.empty());
            ASSERT_NEAR(least_gap(found), distance - r, 1e-13);
            std::set<int> features;
            for (const ContactPoint& c : found) {
                ASSERT_TRUE(features.insert(c.feature).second);
                // Each is a local minimum, on the surface, with the centre along the normal.
                ASSERT_NEAR(distance_to_mesh(c.on_b, ground), 0, 1e-13);
                ASSERT_LT((c.on_b - x - (c.gap + r) * c.normal).norm(), 1e-13);
            }
        }
    }
}

TEST_F(MeshContacts, ThinPlatesAreFeltFromTheSideWhereTheBodyIs)
{
    const Shape plate = surface_of(hull_of(Box{{2, 2, 0.01}}));
    for (double side : {-1.0, 1.0}) {
        const Vector3d n(0, 0, -side);
        const auto ball = points(sphere(0.5), at(0.1, 0.2, side * 0.5), plate, {}, 0.1);
        ASSERT_EQ(ball.size(), 1u);
        EXPECT_NEAR(ball[0].gap, -0.01, 1e-14);
        EXPECT_LT((ball[0].normal - n).norm(), 1e-14);
        for (const Shape& body : {box(1, 1, 1), cylinder(0.5, 1), rectangle(1, 1)}) {
            const double half =
                body.index() == rectangle(1, 1).index() && std::get<Box>(body).half.z() == 0 ? 0 : 0.5;
            for (double gap : {0.004, -0.004}) {
                const auto found = points(body, at(0.1, 0.2, side * (half + 0.01 + gap)), plate, {}, 0.005);
                ASSERT_EQ(found.size(), 4u);
                for (const ContactPoint& c : found) {
                    EXPECT_NEAR(c.gap, gap, 1e-14);
                    EXPECT_LT((c.normal - n).norm(), 1e-14);
                }
            }
        }
    }
}

TEST_F(MeshContacts, BodiesOnATriangulatedPlaneHaveThePointsOfThePlane)
{
    const Shape stone = polyhedron(random_hull(0.7).vertices);
    for (double s : scales) {
        const Shape ground = flat_ground(10 * s), plane = wall({0, 0, 1}, 0);
        std::vector<Vector3d> scaled = std::get<Polyhedron>(stone).hull->vertices;
        for (Vector3d& x : scaled) x *= s;
        for (const Shape& body : {box(s, 0.8 * s, 0.6 * s), rectangle(s, s), cylinder(0.4 * s, s),
                                  capsule(0.3 * s, s), polyhedron(scaled)})
            for (int trial = 0; trial < 400; ++trial) {
                // Every other one flat on a side.
                Matrix3d R = random_rotation();
                if (trial % 2) R = turn(uniform(0, 6), {0, 0, 1});
                Pose pose{R, {uniform(-8, 8) * s, uniform(-8, 8) * s, 0}};
                std::vector<ContactPoint> expected = points(body, pose, plane, {}, everything);
                pose.p.z() = -least_gap(expected) + s * uniform(-0.01, 0.01);
                expected = points(body, pose, plane, {}, 0.05 * s);
                const auto found = points(body, pose, ground, {}, 0.05 * s);
                ASSERT_EQ(found.size(), expected.size()) << body.index();
                for (const ContactPoint& c : found) {
                    const auto near = [&](const ContactPoint& e) {
                        return (c.on_a - e.on_a).norm() < 1e-12 * s;
                    };
                    ASSERT_TRUE(std::any_of(expected.begin(), expected.end(), near));
                    ASSERT_LT((c.normal + Vector3d::UnitZ()).norm(), 1e-12);
                    ASSERT_NEAR(c.gap / s, c.on_a.z() / s, 1e-12);
                }
            }
    }
}

TEST_F(MeshContacts, ABoxInATrayOfTrianglesMeetsItsWallsEvenInTheCorner)
{
    const Shape tray = surface_of(hull_of(Box{{2, 2, 2}}), true), planes = hollow(box(4, 4, 4));
    for (int trial = 0; trial < 300; ++trial) {
        // Within the alert distance of three walls, or through them.
        const Vector3d gap = random_vector(1e-3);
        const Pose pose{Matrix3d::Identity(),
                        Vector3d(1.5, -1.5, -1.5) + Vector3d(-gap.x(), gap.y(), gap.z())};
        const auto found = points(box(1, 1, 1), pose, tray, {}, 0.01),
                   expected = points(box(1, 1, 1), pose, planes, {}, 0.01);
        ASSERT_EQ(found.size(), 12u);
        ASSERT_EQ(expected.size(), 12u);
        for (const ContactPoint& e : expected) {
            const auto same = [&](const ContactPoint& c) {
                return std::abs(c.gap - e.gap) < 1e-14 && (c.normal - e.normal).norm() < 1e-14 &&
                       (c.on_a - e.on_a).norm() < 1e-14;
            };
            EXPECT_EQ(std::count_if(found.begin(), found.end(), same), 1) << gap.transpose();
        }
    }
}

TEST_F(MeshContacts, ABoxOverhangingABlockRestsOnTheCornersOfTheOverlap)
{
    const Shape block = surface_of(hull_of(Box{{1, 1, 1}}));
    for (double angle : {0.0, 0.3})
        for (double gap : {0.001, -0.001})
            for (double tilt : {0.0, 1e-5, -1e-5}) {
                const Pose pose{turn(angle, {0, 0, 1}) * turn(tilt, {1, 2, 0}), {0.9, 0.1, 1.25 + gap}};
                const auto found = points(box(1, 1, 0.5), pose, block, {}, 0.01);
                double left = everything, right = -everything;
                for (const ContactPoint& c : found) {
                    EXPECT_NEAR(c.gap, gap, 2e-5);
                    EXPECT_LT((c.normal - Vector3d(0, 0, -1)).norm(), 1e-4);
                    left = std::min(left, c.on_b.x());
                    right = std::max(right, c.on_b.x());
                }
                EXPECT_GE(found.size(), 3u);
                EXPECT_NEAR(right, 1, 1e-3); // the edge of the block
                EXPECT_LT(left, 0.5);
            }
}

TEST_F(MeshContacts, ALargeBoxRestsOnTheCornersOfASmallBlock)
{
    const Shape block = surface_of(hull_of(Box{{0.3, 0.2, 1}}));
    const auto found = points(box(2, 2, 1), {turn(0.2, {0, 0, 1}), {0.1, 0, 1.499}}, block, {}, 0.01);
    ASSERT_EQ(found.size(), 4u);
    for (const ContactPoint& c : found) {
        EXPECT_NEAR(c.gap, -0.001, 1e-14);
        EXPECT_NEAR(std::abs(c.on_b.x()), 0.3, 1e-14);
        EXPECT_NEAR(std::abs(c.on_b.y()), 0.2, 1e-14);
    }
}

TEST_F(MeshContacts, PushesAlongTheDeepestPointBringAStoneOutOfABlock)
{
    const Hull block = hull_of(Box{{1, 1.2, 0.8}});
    const Shape solid = polyhedron(block.vertices), skin = surface_of(block);
    int tried = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const Shape stone = polyhedron(random_hull(0.6).vertices);
        Pose pose{random_rotation(), 3 * random_vector(1)};
        const auto apart = points(stone, pose, solid, {}, everything);
        const double gap = least_gap(apart), depth = uniform(1e-4, 0.01);
        if (gap < 0) continue;
        ++tried;
        pose.p += (gap + depth) * apart[0].normal; // into the block
        const Vector3d start = pose.p;
        for (int push = 0; push < 30; ++push) {
            const auto found = points(stone, pose, skin, {}, 0);
            const auto lower = [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; };
            if (found.empty()) break;
            const ContactPoint& deepest = *std::min_element(found.begin(), found.end(), lower);
            pose.p += (deepest.gap - 1e-9) * deepest.normal;
        }
        ASSERT_GT(least_gap(points(stone, pose, solid, {}, everything)), -1e-9) << trial;
        ASSERT_LT((pose.p - start).norm(), 5 * depth) << trial;
    }
    EXPECT_GT(tried, 1500);
}

TEST_F(MeshContacts, ACapsuleAndACylinderAcrossARidgeTouchIt)
{
    const Shape roof = terrain(8, 4, 0, [](double x, double) { return -0.5 * std::abs(x); });
    for (double gap : {0.01, -0.01}) {
        const Pose across{turn(0.1, {0, 0, 1}) * turn(std::numbers::pi / 2, {0, 1, 0}),
                          {0.1, 0.3, 0.2 + gap}};
        for (const Shape& body : {capsule(0.2, 2), cylinder(0.2, 2)}) {
            const auto found = points(body, across, roof, {}, 0.05);
            ASSERT_EQ(found.size(), 1u);
            EXPECT_NEAR(found[0].gap, gap, 1e-8);
            EXPECT_LT((found[0].normal - Vector3d(0, 0, -1)).norm(), 1e-6);
            EXPECT_NEAR(found[0].on_b.x(), 0, 1e-6);
        }
    }
}

TEST_F(MeshContacts, SwappingThePairFlipsIt)
{
    const Shape ground = terrain(6, 2, 0.2, [](double, double) { return uniform(-0.2, 0.2); });
    for (const Shape& body : {sphere(0.5), box(1, 1, 1), capsule(0.3, 1), cylinder(0.4, 1)})
        for (int trial = 0; trial < 100; ++trial) {
            const Pose pose_a{random_rotation(), {uniform(-1, 1), uniform(-1, 1), 0.6}},
                pose_b{random_rotation(), random_vector(1)};
            const auto ab = points(body, pose_b * pose_a, ground, pose_b, 0.1),
                       ba = points(ground, pose_b, body, pose_b * pose_a, 0.1);
            ASSERT_EQ(ab.size(), ba.size());
            for (std::size_t i = 0; i < ab.size(); ++i) {
                EXPECT_EQ(ab[i].on_a, ba[i].on_b);
                EXPECT_EQ(ab[i].normal, -ba[i].normal);
                EXPECT_EQ(ab[i].feature, ba[i].feature);
                EXPECT_NEAR(ab[i].normal.dot(ab[i].on_b - ab[i].on_a), ab[i].gap, 1e-14);
            }
        }
}

TEST_F(MeshContacts, TheTreeFindsWhatTheBoxesMeet)
{
    const Shape ground = terrain(20, 4, 0.3, [](double, double) { return uniform(-1, 1); });
    const TriangleMesh& m = *std::get<Mesh>(ground).mesh;
    for (int trial = 0; trial < 300; ++trial) {
        const Vector3d low = random_vector(4), high = low + random_vector(1).cwiseAbs();
        std::vector<int> found, expected;
        for_each_triangle(m, low, high, [&](int t) { found.push_back(t); });
        for (int t = 0; t < static_cast<int>(m.triangles.size()); ++t) {
            Vector3d least = m.vertices[m.triangles[t][0]], most = least;
            for (int v : m.triangles[t]) {
                least = least.cwiseMin(m.vertices[v]);
                most = most.cwiseMax(m.vertices[v]);
            }
            if ((least.array() <= high.array()).all() && (most.array() >= low.array()).all())
                expected.push_back(t);
        }
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
    }
}

TEST_F(MeshContacts, AClosedSurfaceHasEdgesBetweenTwoTrianglesAndPatchesForItsSides)
{
    const Shape skin = surface_of(hull_of(Box{{1, 2, 3}})), tray = surface_of(hull_of(Box{{1, 2, 3}}), true);
    const TriangleMesh &m = *std::get<Mesh>(skin).mesh, &inside = *std::get<Mesh>(tray).mesh;
    EXPECT_EQ(m.triangles.size(), 12u);
    EXPECT_EQ(m.edges.size(), 18u);
    EXPECT_EQ(m.patches, 6);
    EXPECT_EQ(std::count_if(m.edges.begin(), m.edges.end(), [](auto& e) { return e.sharp; }), 12);
    for (const TriangleMesh::Edge& e : m.edges) EXPECT_GE(e.right, 0);
    for (const TriangleMesh::Corner& c : m.corner) EXPECT_TRUE(c.sharp && !c.rim);
    EXPECT_EQ(std::count_if(inside.edges.begin(), inside.edges.end(), [](auto& e) { return e.sharp; }), 0);
}

TEST_F(MeshContacts, ImpossibleMeshesAreRefused)
{
    const Vector3d o(0, 0, 0), x(1, 0, 0), y(0, 1, 0);
    EXPECT_NE(error_of([&] { mesh({o, x, y}, {{0, 1, 3}}); }).find("vertex 3"), std::string::npos);
    EXPECT_NE(error_of([&] { mesh({o, x, 2 * x}, {{0, 1, 2}}); }).find("no triangle"), std::string::npos);
    EXPECT_NE(error_of([&] { mesh({o, x, {0, NAN, 0}}, {{0, 1, 2}}); }).find("Vertex 2"), std::string::npos);
}

} // namespace mesh_contacts_test
