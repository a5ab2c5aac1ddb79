#include "tamis/collision/enclosures.hpp"

#include "collision/pair_points.hpp"
#include "collision/random_poses.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numbers>

namespace enclosures_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

struct Enclosures : testing::Test {
    Enclosures() { random_engine.seed(2027); }
};

// The points by feature, with gaps and normals in units of `scale` and the frame of the cavity, checked in a
// few frames: each point satisfies gap = n . (on_b - on_a).
struct Expected {
    int feature;
    double gap;
    Vector3d normal;
};
void expect_points(const Shape& a, const Pose& pose_a, const Shape& b, double scale, double alert,
                   std::vector<Expected> expected)
{
    for (int frame = 0; frame < 5; ++frame) {
        const Pose world = frame == 0 ? Pose{} : Pose{random_rotation(), scale * random_vector(1)};
        const auto found = points(a, world * pose_a, b, world, alert * scale);
        ASSERT_EQ(found.size(), expected.size());
        for (const Expected& e : expected) {
            const auto c =
                std::find_if(found.begin(), found.end(), [&](auto& p) { return p.feature == e.feature; });
            ASSERT_NE(c, found.end()) << e.feature;
            EXPECT_NEAR(c->gap / scale, e.gap, 1e-14);
            EXPECT_LT((c->normal - world.R * e.normal).norm(), 1e-13);
            EXPECT_LT((c->on_b - c->on_a - c->gap * c->normal).norm() / scale, 1e-14);
        }
    }
}

Shape random_stone(double s)
{
    std::vector<Vector3d> corners;
    for (int i = 0; i < 20; ++i) corners.push_back(s * random_vector(0.5));
    return polyhedron(corners);
}

} // namespace

TEST_F(Enclosures, SphereMeetsEachWallOfABoxFromInside)
{
    for (double s : scales) {
        const Shape ball = sphere(0.5 * s), room = hollow(box(4 * s, 6 * s, 8 * s));
        expect_points(ball, at(0, 0, 0), room, s, 0.1, {});
        expect_points(ball, at(1.6 * s, 0, 0), room, s, 0.1, {{1, -0.1, {1, 0, 0}}});
        expect_points(ball, at(1.6 * s, -2.45 * s, 0), room, s, 0.1,
                      {{1, -0.1, {1, 0, 0}}, {2, 0.05, {0, -1, 0}}});
        expect_points(ball, at(-1.5 * s, 2.5 * s, 3.45 * s), room, s, 0.1,
                      {{0, 0, {-1, 0, 0}}, {3, 0, {0, 1, 0}}, {5, 0.05, {0, 0, 1}}});
        expect_points(ball, at(0, 0, -5 * s), room, s, 0.1, {{4, -1.5, {0, 0, -1}}}); // through the wall
    }
}

TEST_F(Enclosures, SphereMeetsRoundWallsFromInside)
{
    for (double s : scales) {
        const Shape ball = sphere(0.5 * s);
        expect_points(ball, at(1.2 * s, 1.6 * s, 0), hollow(sphere(3 * s)), s, 1, {{0, 0.5, {0.6, 0.8, 0}}});
        const Shape drum = hollow(cylinder(2 * s, 6 * s));
        expect_points(ball, at(0.6 * s, 0.8 * s, 0), drum, s, 1, {{0, 0.5, {0.6, 0.8, 0}}});
        expect_points(ball, at(0.9 * s, 1.2 * s, 2.6 * s), drum, s, 1,
                      {{0, 0, {0.6, 0.8, 0}}, {2, -0.1, {0, 0, 1}}});
        expect_points(ball, at(0, 0, -2 * s), drum, s, 1, {{1, 0.5, {0, 0, -1}}});
        const Shape pill = hollow(capsule(2 * s, 4 * s));
        expect_points(ball, at(0, s, s), pill, s, 1, {{0, 0.5, {0, 1, 0}}});
        expect_points(ball, at(0, 0.6 * s, 2.8 * s), pill, s, 1, {{0, 0.5, {0, 0.6, 0.8}}});
    }
}

TEST_F(Enclosures, CentredSphereHasAUnitNormal)
{
    for (const Shape& cavity : {sphere(1), cylinder(1, 4), capsule(1, 2)}) {
        const auto found = points(sphere(0.5), {}, hollow(cavity), {}, 0.6);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].gap, 0.5);
        EXPECT_NEAR(found[0].normal.norm(), 1, 1e-15);
    }
}

TEST_F(Enclosures, CapsuleIsItsTwoEndsToEveryWall)
{
    const std::vector<Shape> cavities = {hollow(box(4, 6, 8)), hollow(sphere(4)), hollow(cylinder(3, 7)),
                                         hollow(capsule(3, 5))};
    for (double alert : {everything, 1.5})
        for (const Shape& cavity : cavities)
            for (int trial = 0; trial < 200; ++trial) {
                const Pose pose_a{random_rotation(), random_vector(1)},
                    pose_b{random_rotation(), random_vector(1)};
                std::vector<ContactPoint> expected;
                for (int end = 0; end < 2; ++end) {
                    const Pose ball{pose_a.R, pose_a * Vector3d(0, 0, end == 0 ? -0.8 : 0.8)};
                    for (ContactPoint c : points(sphere(0.3), ball, cavity, pose_b, alert)) {
                        c.feature += 8 * end;
                        expected.push_back(c);
                    }
                }
                auto found = points(capsule(0.3, 1.6), pose_a, cavity, pose_b, alert);
                ASSERT_EQ(found.size(), expected.size());
                for (const ContactPoint& e : expected) {
                    const auto c = std::find_if(found.begin(), found.end(),
                                                [&](auto& p) { return p.feature == e.feature; });
                    ASSERT_NE(c, found.end());
                    EXPECT_NEAR(c->gap, e.gap, 1e-14);
                    EXPECT_LT((c->on_b - e.on_b).norm() + (c->normal - e.normal).norm(), 1e-13);
                }
            }
}

TEST_F(Enclosures, ABoxInsideABoxMeetsSixPlanes)
{
    for (double s : scales)
        for (int trial = 0; trial < 300; ++trial) {
            const Shape body = trial % 2 ? box(2 * s, 3 * s, 4 * s) : box(2 * s, 0, 3 * s);
            const Pose pose_a{random_rotation(), random_vector(2 * s)},
                pose_b{random_rotation(), random_vector(s)};
            const auto found = points(body, pose_a, hollow(box(5 * s, 6 * s, 7 * s)), pose_b);
            std::map<int, ContactPoint> expected;
            const double half[] = {2.5, 3, 3.5};
            for (int wall_number = 0; wall_number < 6; ++wall_number) {
                const Vector3d n = (wall_number % 2 ? -1 : 1) * Vector3d::Unit(wall_number / 2);
                for (ContactPoint c : points(body, pose_a, wall(n, -s * half[wall_number / 2]), pose_b))
                    expected[wall_number + 8 * c.feature] = c;
            }
            ASSERT_EQ(found.size(), expected.size());
            for (const ContactPoint& c : found) {
                ASSERT_TRUE(expected.count(c.feature));
                const ContactPoint& e = expected[c.feature];
                EXPECT_NEAR(c.gap / s, e.gap / s, 1e-13);
                EXPECT_LT((c.normal - e.normal).norm(), 1e-13);
                EXPECT_LT((c.on_b - e.on_b).norm() / s, 1e-13);
            }
        }
}

TEST_F(Enclosures, VerticesMeetRoundWallsByTheirOwnDistance)
{
    for (double s : scales)
        for (int trial = 0; trial < 100; ++trial) {
            const Shape stone = random_stone(s);
            const Hull& hull = *std::get<Polyhedron>(stone).hull;
            const Pose pose{random_rotation(), random_vector(s)};
            std::map<int, double> in_sphere, in_drum, in_pill;
            for (int v = 0; v < static_cast<int>(hull.vertices.size()); ++v) {
                const Vector3d x = pose * hull.vertices[v] / s;
                in_sphere[8 * v] = 2 - x.norm();
                in_drum[8 * v] = 2 - std::hypot(x.x(), x.y());
                in_drum[8 * v + 1] = 1.5 + x.z();
                in_drum[8 * v + 2] = 1.5 - x.z();
                in_pill[8 * v] = 2 - std::hypot(x.x(), x.y(), x.z() - std::clamp(x.z(), -1.0, 1.0));
            }
            const auto compare = [&](const Shape& cavity, const std::map<int, double>& expected) {
                const auto found = points(stone, pose, hollow(cavity), {});
                ASSERT_EQ(found.size(), expected.size());
                for (const ContactPoint& c : found) ASSERT_NEAR(c.gap / s, expected.at(c.feature), 1e-14);
            };
            compare(sphere(2 * s), in_sphere);
            compare(cylinder(2 * s, 3 * s), in_drum);
            compare(capsule(2 * s, 2 * s), in_pill);
        }
}

TEST_F(Enclosures, FewVerticesForEachWallAndTheDeepestAmongThem)
{
    // A prism of 12 sides stands on the bottom and leans against no side.
    std::vector<Vector3d> corners;
    for (int i = 0; i < 24; ++i) {
        const double angle = std::numbers::pi / 6 * (i % 12);
        corners.emplace_back(std::cos(angle), std::sin(angle), i < 12 ? -1 : 1);
    }
    const Shape prism = polyhedron(corners);
    for (int trial = 0; trial < 100; ++trial) {
        const Pose pose{turn(uniform(0, 6), {0, 0, 1}) * turn(1e-3, random_vector(1)), {0, 0, 1}};
        const auto all = points(prism, pose, hollow(cylinder(5, 10)), at(0, 0, 5), everything);
        const auto found = points(prism, pose, hollow(cylinder(5, 10)), at(0, 0, 5), 0.1);
        ASSERT_GE(found.size(), 4u);
        ASSERT_LE(found.size(), 8u);
        const auto lower = [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; };
        EXPECT_NEAR(std::min_element(found.begin(), found.end(), lower)->gap,
                    std::min_element(all.begin(), all.end(), lower)->gap, 2e-5);
        // The centre is well inside what they span.
        for (int i = 0; i < 12; ++i) {
            const Vector3d n(std::cos(i), std::sin(i), 0);
            double reach = 0;
            for (const ContactPoint& c : found) reach = std::max(reach, n.dot(c.on_a));
            EXPECT_GT(reach, 0.6);
        }
    }
}

TEST_F(Enclosures, DeepestPointOfACylinderIsThatOfItsSampledRims)
{
    const double r = 0.4, half = 0.6;
    for (const Shape& cavity : {sphere(2), cylinder(2, 5), capsule(2, 1), box(3, 4, 5)})
        for (int trial = 0; trial < 200; ++trial) {
            const Pose pose_a{random_rotation(), random_vector(1)};
            const auto found = points(cylinder(r, 2 * half), pose_a, hollow(cavity), {});
            std::map<int, double> deepest, sampled;
            for (const ContactPoint& c : found) {
                const auto [entry, fresh] = deepest.emplace(c.feature % 8, c.gap);
                if (!fresh) entry->second = std::min(entry->second, c.gap);
                const Vector3d x = pose_a.R.transpose() * (c.on_a - pose_a.p);
                EXPECT_NEAR(std::hypot(x.x(), x.y()), r, 1e-14);
                EXPECT_NEAR(std::abs(x.z()), half, 1e-14);
            }
            for (int i = 0; i < 2000; ++i) {
                const double phi = 2 * std::numbers::pi * (i / 2) / 1000;
                const Vector3d x =
                    pose_a * Vector3d(r * std::cos(phi), r * std::sin(phi), i % 2 ? half : -half);
                for (const ContactPoint& c :
                     points(sphere(1e-9), {Matrix3d::Identity(), x}, hollow(cavity), {})) {
                    const auto [entry, fresh] = sampled.emplace(c.feature, c.gap + 1e-9);
                    if (!fresh) entry->second = std::min(entry->second, c.gap + 1e-9);
                }
            }
            ASSERT_EQ(deepest.size(), sampled.size());
            for (const auto& [wall_number, gap] : deepest) {
                EXPECT_LE(gap, sampled[wall_number] + 1e-13);
                EXPECT_GE(gap, sampled[wall_number] - 1e-5);
            }
        }
}

TEST_F(Enclosures, ACylinderStandsInADrumOnFourPointsAndLiesInItOnTwo)
{
    const Shape rod = cylinder(0.4, 2), drum = hollow(cylinder(3, 10));
    const auto standing = points(rod, at(1, 0.5, -4), drum, {}, 0.01);
    ASSERT_EQ(standing.size(), 4u);
    for (const ContactPoint& c : standing) EXPECT_NEAR(c.gap, 0, 1e-14);
    const auto lying = points(rod, at(0, -2.6, 0), drum, {}, 0.01);
    ASSERT_EQ(lying.size(), 2u);
    for (const ContactPoint& c : lying) {
        EXPECT_NEAR(c.gap, 0, 1e-13);
        EXPECT_LT((c.normal - Vector3d(0, -1, 0)).norm(), 1e-6);
        EXPECT_NEAR(std::abs(c.on_a.z()), 1, 1e-14);
    }
}

TEST_F(Enclosures, WallsDoNotMeetWalls)
{
    const Shape room = hollow(box(1, 1, 1));
    EXPECT_TRUE(points(room, {}, hollow(sphere(1)), {}).empty());
    EXPECT_TRUE(points(room, {}, wall({0, 0, 1}, 0), {}).empty());
    EXPECT_TRUE(points(wall({0, 0, 1}, 0), {}, room, {}).empty());
}

} // namespace enclosures_test
