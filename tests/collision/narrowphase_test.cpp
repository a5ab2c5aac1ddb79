#include "collision/narrowphase.hpp"

#include "collision/random_poses.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double everything = std::numeric_limits<double>::infinity();
Pose at(double x, double y, double z)
{
    return {Matrix3d::Identity(), {x, y, z}};
}

std::vector<ContactPoint> points(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                 double alert = everything)
{
    std::vector<ContactPoint> out;
    collide(a, pose_a, b, pose_b, alert, out);
    return out;
}

// The one point of a pair, checked in a few frames; lengths in units of `scale`.
void expect_point(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double scale,
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

std::vector<Case> all_pairs(double scale)
{
    const std::vector<std::pair<Shape, const char*>> shapes = {
        {sphere(0.7 * scale), "sphere"},
        {box(1.1 * scale, 0.8 * scale, 1.5 * scale), "box"},
        {rectangle(1.3 * scale, 0.9 * scale), "rectangle"},
        {cylinder(0.6 * scale, 1.4 * scale), "cylinder"},
        {wall({0.3, -0.4, 1}, 0.2 * scale), "wall"}};
    std::vector<Case> cases;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (std::size_t j = i; j < shapes.size(); ++j)
            cases.push_back({shapes[i].first, shapes[j].first, shapes[i].second});
    cases.pop_back(); // wall against wall has no contact
    return cases;
}

// Iterative, and compared for gaps and where contacts happen: in a deep overlap two normals may tie.
bool by_bullet(const Case& c)
{
    return !std::holds_alternative<Sphere>(c.a) && !std::holds_alternative<Plane>(c.b);
}

// Each test draws the same numbers, run alone or with the others.
struct Narrowphase : testing::Test {
    Narrowphase() { random_engine.seed(2024); }
};

} // namespace

TEST_F(Narrowphase, SpheresAreApartByCentreDistanceLessRadii)
{
    for (double s : scales) {
        expect_point(sphere(s), at(0, 0, 0), sphere(0.5 * s), at(0, 3 * s, 4 * s), s, 3.5, {0, 0.6, 0.8});
        expect_point(sphere(s), at(0, 0, 0), sphere(0.5 * s), at(s, 0, 0), s, -0.5, {1, 0, 0});
    }
}

TEST_F(Narrowphase, SphereStandsOffPlaneByHeightLessRadius)
{
    for (double s : scales) {
        expect_point(sphere(s), at(5 * s, 0, 4 * s), wall({0, 0, 1}, s), at(0, 0, 0), s, 2, {0, 0, -1});
        expect_point(sphere(s), at(0, 0, 1.5 * s), wall({0, 0, 1}, s), at(0, 0, 0), s, -0.5, {0, 0, -1});
        expect_point(sphere(s), at(0, 0, -2 * s), wall({0, 0, 1}, s), at(0, 0, 0), s, -4, {0, 0, -1});
    }
}

TEST_F(Narrowphase, SphereMeetsFaceEdgeCornerAndInsideOfBox)
{
    for (double s : scales) {
        const Shape ball = sphere(0.5 * s), cube = box(2 * s, 4 * s, 6 * s);
        expect_point(ball, at(0.3 * s, 0.2 * s, 4 * s), cube, at(0, 0, 0), s, 0.5, {0, 0, -1});
        expect_point(ball, at(4 * s, 6 * s, 0), cube, at(0, 0, 0), s, 4.5, Vector3d(-3, -4, 0) / 5);
        expect_point(ball, at(-3 * s, 4 * s, 4 * s), cube, at(0, 0, 0), s, 2.5, Vector3d(2, -2, -1) / 3);
        expect_point(ball, at(0.75 * s, 0.5 * s, 0.5 * s), cube, at(0, 0, 0), s, -0.75, {-1, 0, 0});
        expect_point(ball, at(0, 0, 2.5 * s), cube, at(0, 0, 0), s, -1, {0, 0, -1});
    }
}

TEST_F(Narrowphase, SphereMeetsSideCapRimAndInsideOfCylinder)
{
    for (double s : scales) {
        const Shape ball = sphere(0.5 * s), can = cylinder(s, 6 * s);
        expect_point(ball, at(3 * s, 4 * s, s), can, at(0, 0, 0), s, 3.5, {-0.6, -0.8, 0});
        expect_point(ball, at(0.3 * s, 0.4 * s, -5 * s), can, at(0, 0, 0), s, 1.5, {0, 0, 1});
        expect_point(ball, at(0, 4 * s, 7 * s), can, at(0, 0, 0), s, 4.5, {0, -0.6, -0.8});
        expect_point(ball, at(0, 0.75 * s, 2 * s), can, at(0, 0, 0), s, -0.75, {0, -1, 0});
        expect_point(ball, at(0, 0.5 * s, 2.75 * s), can, at(0, 0, 0), s, -0.75, {0, 0, -1});
    }
}

TEST_F(Narrowphase, CoincidentCentresGiveAUnitNormalAndTheExactDepth)
{
    const std::pair<Shape, double> others[] = {{sphere(2), -2.5},
                                               {box(2, 4, 6), -1.5},
                                               {rectangle(2, 4), -0.5},
                                               {cylinder(1, 6), -1.5},
                                               {cylinder(3, 2), -1.5}};
    for (const auto& [other, gap] : others) {
        const Pose pose{random_rotation(), random_vector(1)};
        const auto found = points(sphere(0.5), pose, other, pose);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0].normal.norm(), 1, 1e-15);
        EXPECT_NEAR(found[0].gap, gap, 1e-15);
        EXPECT_EQ(points(sphere(0.5), pose, other, pose)[0].normal, found[0].normal);
    }
    for (const Shape& shape : {box(1, 2, 3), rectangle(1, 2), cylinder(1, 3)}) {
        const auto found = points(shape, {}, shape, {});
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0].normal.norm(), 1, 1e-12);
        EXPECT_TRUE(found[0].on_a.allFinite() && found[0].on_b.allFinite());
    }
}

TEST_F(Narrowphase, BoxOnPlaneReportsExactlyItsCornersWithinAlert)
{
    for (double s : scales)
        for (const Shape& shape : {box(2 * s, 3 * s, 4 * s), rectangle(2 * s, 3 * s), box(2 * s, 0, 4 * s)})
            for (int trial = 0; trial < 1000; ++trial) {
                const Pose body{random_rotation(), random_vector(3 * s)},
                    ground{random_rotation(), random_vector(s)};
                const Shape floor = wall(random_vector(1), uniform(-s, s));
                const Plane& plane = std::get<Plane>(floor);
                const Vector3d n = ground.R * plane.normal;
                const double alert = uniform(-s, s);
                std::vector<ContactPoint> expected;
                int number = 0;
                for (const Vector3d& corner : corners(std::get<Box>(shape))) {
                    const Vector3d x = body * corner;
                    const double gap = n.dot(x - ground * (plane.offset * plane.normal));
                    if (gap <= alert) expected.push_back({x, x - gap * n, -n, gap, number});
                    ++number;
                }
                const auto found = points(shape, body, floor, ground, alert);
                ASSERT_EQ(found.size(), expected.size());
                for (std::size_t i = 0; i < found.size(); ++i) {
                    EXPECT_EQ(found[i].feature, expected[i].feature);
                    EXPECT_NEAR(found[i].gap, expected[i].gap, 1e-14 * s);
                    EXPECT_LT((found[i].on_a - expected[i].on_a).norm(), 1e-14 * s);
                    EXPECT_LT((found[i].on_b - expected[i].on_b).norm(), 2e-14 * s);
                    EXPECT_LT((found[i].normal - expected[i].normal).norm(), 1e-15);
                }
            }
}

TEST_F(Narrowphase, LyingCylinderTouchesPlaneByTheLowestPointOfEachRim)
{
    for (double s : scales) {
        // Axis tilted by alpha from the horizontal about y: the lowest rim points are r cos(alpha) under the
        // axis.
        const double alpha = 0.1, r = 0.5 * s, half = 2 * s, height = s;
        const Pose pose{Eigen::AngleAxisd(std::acos(-1) / 2 - alpha, Vector3d::UnitY()).toRotationMatrix(),
                        {0, 0, height}};
        const auto found = points(cylinder(r, 2 * half), pose, wall({0, 0, 1}, 0), {}, 0.75 * s);
        ASSERT_EQ(found.size(), 2u);
        EXPECT_EQ(found[0].feature, 0);
        EXPECT_EQ(found[1].feature, 4);
        EXPECT_NEAR(found[0].gap / s, (height - half * std::sin(alpha) - r * std::cos(alpha)) / s, 1e-14);
        EXPECT_NEAR(found[1].gap / s, (height + half * std::sin(alpha) - r * std::cos(alpha)) / s, 1e-14);
    }
}

TEST_F(Narrowphase, DeepestCylinderPointIsTheSupportOfTheCylinder)
{
    for (int trial = 0; trial < 10000; ++trial) {
        const double r = uniform(0.1, 1), half = uniform(0.1, 1);
        const Pose pose{random_rotation(), random_vector(1)};
        const Vector3d n = (random_rotation() * Vector3d::UnitX()).eval();
        const auto found = points(cylinder(r, 2 * half), pose, wall(n, 0.3), {});
        ASSERT_EQ(found.size(), 8u);
        const double cosine = std::abs(n.dot(pose.R.col(2))), sine = n.cross(pose.R.col(2)).norm();
        const auto lower = [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; };
        const double deepest = std::min_element(found.begin(), found.end(), lower)->gap;
        EXPECT_NEAR(deepest, n.dot(pose.p) - 0.3 - half * cosine - r * sine, 1e-13);
        std::set<int> features;
        for (const ContactPoint& c : found) {
            features.insert(c.feature);
            const Vector3d x = pose.R.transpose() * (c.on_a - pose.p);
            EXPECT_NEAR(std::hypot(x.x(), x.y()), r, 1e-14);
            EXPECT_NEAR(std::abs(x.z()), half, 1e-14);
        }
        EXPECT_EQ(features.size(), 8u);
    }
}

TEST_F(Narrowphase, StandingCylinderRestsOnFourPointsOfOneRimAtEveryTilt)
{
    for (double tilt : {0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-5}) {
        const Pose pose{(Eigen::AngleAxisd(tilt, Vector3d(1, 2, 0).normalized()) *
                         Eigen::AngleAxisd(0.7, Vector3d::UnitZ()))
                            .toRotationMatrix(),
                        {0, 0, 2}};
        const auto found = points(cylinder(1, 4), pose, wall({0, 0, 1}, 0), {}, 0.1);
        ASSERT_EQ(found.size(), 4u);
        Vector3d sum = Vector3d::Zero();
        for (int k = 0; k < 4; ++k) {
            EXPECT_EQ(found[k].feature, k);
            EXPECT_NEAR(found[k].gap, 0, 1.1 * tilt + 1e-14);
            sum += found[k].on_b;
        }
        EXPECT_LT(sum.norm(), 10 * tilt + 1e-14);
    }
}

TEST_F(Narrowphase, PlanesDoNotTouch)
{
    EXPECT_TRUE(points(wall({0, 0, 1}, 0), {}, wall({0, 0, -1}, 1), {}).empty());
}

TEST_F(Narrowphase, PairsBeyondAlertAreSilentAndAppendKeepsWhatIsThere)
{
    for (const Case& c : all_pairs(1)) {
        const Pose far = std::holds_alternative<Plane>(c.b) ? at(0, 0, -10) : at(10, 0, 0);
        std::vector<ContactPoint> out(1);
        out[0].feature = 77;
        collide(c.a, {}, c.b, far, 1, out);
        ASSERT_EQ(out.size(), 1u) << c.name;
        collide(c.a, {}, c.b, far, 20, out);
        EXPECT_GT(out.size(), 1u) << c.name;
        EXPECT_EQ(out[0].feature, 77);
    }
}

TEST_F(Narrowphase, SwappingThePairSwapsPointsAndFlipsNormals)
{
    for (double s : scales)
        for (const Case& c : all_pairs(s))
            for (int trial = 0; trial < 200; ++trial) {
                const Pose pose_a{random_rotation(), random_vector(s)},
                    pose_b{random_rotation(), random_vector(s)};
                const auto ab = points(c.a, pose_a, c.b, pose_b), ba = points(c.b, pose_b, c.a, pose_a);
                ASSERT_EQ(ab.size(), ba.size());
                if (by_bullet(c) && ab[0].gap < -0.1 * s) continue;
                const double tolerance = by_bullet(c) ? 1e-7 : 1e-14;
                for (std::size_t i = 0; i < ab.size(); ++i) {
                    EXPECT_EQ(ab[i].feature, ba[i].feature);
                    ASSERT_NEAR(ab[i].gap / s, ba[i].gap / s, tolerance);
                    if (by_bullet(c)) continue;
                    EXPECT_LT((ab[i].normal + ba[i].normal).norm(), tolerance);
                    EXPECT_LT((ab[i].on_a - ba[i].on_b).norm() / s, tolerance);
                    EXPECT_LT((ab[i].on_b - ba[i].on_a).norm() / s, tolerance);
                }
            }
}

TEST_F(Narrowphase, GapsAndNormalsMoveWithTheWorldFrame)
{
    for (double s : scales)
        for (const Case& c : all_pairs(s))
            for (int trial = 0; trial < 200; ++trial) {
                const Pose pose_a{random_rotation(), random_vector(s)},
                    pose_b{random_rotation(), random_vector(s)};
                const Pose world{random_rotation(), random_vector(100 * s)};
                const auto here = points(c.a, pose_a, c.b, pose_b);
                const auto there = points(c.a, world * pose_a, c.b, world * pose_b);
                ASSERT_EQ(here.size(), there.size());
                if (by_bullet(c) && here[0].gap < -0.1 * s) continue;
                for (std::size_t i = 0; i < here.size(); ++i) {
                    EXPECT_NEAR(here[i].gap / s, there[i].gap / s, by_bullet(c) ? 1e-7 : 1e-12);
                    if (by_bullet(c)) continue;
                    EXPECT_LT((world * here[i].on_a - there[i].on_a).norm() / s, 1e-12);
                    EXPECT_LT((world.R * here[i].normal - there[i].normal).norm(), 1e-11);
                }
            }
}

TEST_F(Narrowphase, MovingBAlongTheNormalOpensTheGapByAsMuch)
{
    for (double s : scales)
        for (const Case& c : all_pairs(s))
            for (int trial = 0; trial < 200; ++trial) {
                const Pose pose_a{random_rotation(), random_vector(s)};
                Pose pose_b{random_rotation(), random_vector(s)};
                const auto before = points(c.a, pose_a, c.b, pose_b);
                const double eps = 1e-4 * s;
                pose_b.p += eps * before[0].normal;
                const auto after = points(c.a, pose_a, c.b, pose_b);
                ASSERT_EQ(before.size(), after.size());
                if (by_bullet(c) && before[0].gap < -0.1 * s) continue;
                for (std::size_t i = 0; i < before.size(); ++i) {
                    EXPECT_NEAR((after[i].gap - before[i].gap) / s, 1e-4, by_bullet(c) ? 1e-7 : 1e-13);
                    EXPECT_NEAR(before[i].normal.dot(before[i].on_b - before[i].on_a), before[i].gap,
                                1e-13 * s);
                }
            }
}
