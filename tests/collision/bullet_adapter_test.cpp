#include "tamis/collision/bullet_adapter.hpp"
#include "tamis/collision/narrowphase.hpp"

#include "collision/pair_points.hpp"
#include "collision/random_poses.hpp"
#include "tamis/base/error.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>

namespace bullet_adapter_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// Half width of a shape along the unit vector n.
double half_width(const Shape& shape, const Pose& pose, const Vector3d& n)
{
    const Vector3d m = pose.R.transpose() * n;
    if (const Box* box = std::get_if<Box>(&shape)) return m.cwiseAbs().dot(box->half);
    const Cylinder& c = std::get<Cylinder>(shape);
    return c.radius * std::hypot(m.x(), m.y()) + c.half_length * std::abs(m.z());
}

double separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Vector3d& n)
{
    return n.dot(pose_b.p - pose_a.p) - half_width(a, pose_a, n) - half_width(b, pose_b, n);
}

// How far a point is out of the solid; at most zero inside.
double outside(const Shape& shape, const Pose& pose, const Vector3d& point)
{
    const Vector3d x = pose.R.transpose() * (point - pose.p);
    if (const Box* box = std::get_if<Box>(&shape)) return (x.cwiseAbs() - box->half).maxCoeff();
    const Cylinder& c = std::get<Cylinder>(shape);
    return std::max(std::hypot(x.x(), x.y()) - c.radius, std::abs(x.z()) - c.half_length);
}

// Overlap of two boxes by the separating axes: exact.
double box_box_depth_gap(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b)
{
    double gap = -std::numeric_limits<double>::infinity();
    const auto consider = [&](const Vector3d& axis) {
        if (axis.norm() < 1e-9) return;
        for (double sign : {-1, 1})
            gap = std::max(gap, separation(a, pose_a, b, pose_b, sign * axis.normalized()));
    };
    for (int i = 0; i < 3; ++i) {
        consider(pose_a.R.col(i));
        consider(pose_b.R.col(i));
        for (int j = 0; j < 3; ++j) consider(pose_a.R.col(i).cross(pose_b.R.col(j)));
    }
    return gap;
}

void expect_closest(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double scale,
                    double gap, const Vector3d& normal, double tolerance)
{
    for (int frame = 0; frame < 5; ++frame) {
        const Pose world = frame == 0 ? Pose{} : Pose{random_rotation(), scale * random_vector(1)};
        const ContactPoint c = closest_points(a, world * pose_a, b, world * pose_b);
        EXPECT_NEAR(c.gap / scale, gap, tolerance);
        EXPECT_LT((c.normal - world.R * normal).norm(), 100 * tolerance);
        EXPECT_LT((c.on_b - c.on_a - c.gap * c.normal).norm() / scale, tolerance);
    }
}

Shape random_box(double s)
{
    return box(s * uniform(0.4, 2), s * uniform(0.4, 2), s * uniform(0.4, 2));
}
Shape random_cylinder(double s)
{
    return cylinder(s * uniform(0.2, 1), s * uniform(0.4, 2));
}

// Each test draws the same numbers, run alone or with the others.
struct BulletAdapter : testing::Test {
    BulletAdapter() { random_engine.seed(2025); }
};

} // namespace

TEST_F(BulletAdapter, AgreesWithSphereBoxClosedForm)
{
    for (double s : scales)
        for (int trial = 0; trial < 10000; ++trial) {
            const Shape a = sphere(s * uniform(0.1, 1)), b = random_box(s);
            const Pose pose_a{random_rotation(), random_vector(1.5 * s)},
                pose_b{random_rotation(), random_vector(s)};
            std::vector<ContactPoint> exact;
            collide(a, pose_a, b, pose_b, std::numeric_limits<double>::infinity(), exact);
            const ContactPoint c = closest_points(a, pose_a, b, pose_b);
            ASSERT_NEAR(c.gap / s, exact[0].gap / s, 1e-11);
            ASSERT_LT((c.normal - exact[0].normal).norm(), 1e-9);
            ASSERT_LT((c.on_a - exact[0].on_a).norm() / s, 1e-9);
            ASSERT_LT((c.on_b - exact[0].on_b).norm() / s, 1e-9);
        }
}

TEST_F(BulletAdapter, AgreesWithSphereCylinderClosedForm)
{
    for (double s : scales)
        for (int trial = 0; trial < 10000; ++trial) {
            const Shape a = sphere(s * uniform(0.1, 1)), b = random_cylinder(s);
            const Pose pose_a{random_rotation(), random_vector(1.5 * s)},
                pose_b{random_rotation(), random_vector(s)};
            std::vector<ContactPoint> exact;
            collide(a, pose_a, b, pose_b, std::numeric_limits<double>::infinity(), exact);
            const ContactPoint c = closest_points(a, pose_a, b, pose_b);
            ASSERT_NEAR(c.gap / s, exact[0].gap / s, 1e-7);
        }
}

TEST_F(BulletAdapter, BoxesFaceToFace)
{
    for (double s : scales)
        for (double gap : {1.0, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.3}) {
            const Pose above{turn(0.4, {0, 0, 1}), s * Vector3d(0.3, -0.2, 1.5 + gap)};
            expect_closest(box(s, s, s), {}, box(2 * s, 2 * s, 2 * s), above, s, gap, {0, 0, 1}, 1e-11);
        }
}

TEST_F(BulletAdapter, BoxesEdgeToEdge)
{
    // The edge along y on top of a cube stood on its edge, under the edge along x of another one.
    const double quarter = std::numbers::pi / 4;
    for (double s : scales)
        for (double gap : {1.0, 1e-3, 1e-9, -1e-9, -1e-3, -0.1}) {
            const Pose below{turn(quarter, {0, 1, 0}), {0, 0, 0}};
            const Pose above{turn(quarter, {1, 0, 0}), s * Vector3d(0.1, -0.2, std::sqrt(2) + gap)};
            expect_closest(box(s, s, s), below, box(s, s, s), above, s, gap, {0, 0, 1}, 1e-11);
        }
}

TEST_F(BulletAdapter, BoxVertexOverFace)
{
    // A cube stood on its vertex reaches half a diagonal below its centre.
    const Matrix3d R =
        Eigen::Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), Vector3d(0, 0, 1)).toRotationMatrix();
    for (double s : scales)
        for (double gap : {1.0, 1e-3, 1e-9, -1e-9, -1e-3, -0.1}) {
            const Pose above{R, s * Vector3d(0.1, 0.2, 0.5 + std::sqrt(3) / 2 + gap)};
            expect_closest(box(2 * s, 2 * s, s), {}, box(s, s, s), above, s, gap, {0, 0, 1}, 1e-11);
        }
}

TEST_F(BulletAdapter, BoxVertexToVertex)
{
    for (double s : scales)
        expect_closest(box(s, s, s), {}, box(s, s, s), {Matrix3d::Identity(), s * Vector3d(2, 3, 3)}, s, 3,
                       Vector3d(1, 2, 2) / 3, 1e-11);
}

TEST_F(BulletAdapter, CylindersSideBySideCrossedAndStacked)
{
    const Matrix3d lying = turn(std::numbers::pi / 2, {1, 0, 0});
    for (double s : scales)
        for (double gap : {1.0, 1e-3, -1e-3, -0.1}) {
            const Shape a = cylinder(0.5 * s, 2 * s), b = cylinder(s, 3 * s);
            const Vector3d aside = s * (1.5 + gap) * Vector3d(0.6, 0.8, 0) + Vector3d(0, 0, 0.2 * s);
            expect_closest(a, {}, b, {Matrix3d::Identity(), aside}, s, gap, {0.6, 0.8, 0}, 1e-8);
            expect_closest(a, {}, b, {lying, s * Vector3d(1.5 + gap, 0.1, 0.2)}, s, gap, {1, 0, 0}, 1e-8);
            expect_closest(a, {}, b, {Matrix3d::Identity(), s * Vector3d(0.2, 0.3, 2.5 + gap)}, s, gap,
                           {0, 0, 1}, 1e-8);
        }
}

TEST_F(BulletAdapter, CylinderOnABoxFaceLyingAndStanding)
{
    const Matrix3d lying = turn(std::numbers::pi / 2, {1, 0, 0});
    for (double s : scales)
        for (double gap : {1.0, 1e-3, -1e-3, -0.1}) {
            const Shape a = box(3 * s, 3 * s, s), b = cylinder(0.5 * s, 2 * s);
            expect_closest(a, {}, b, {lying, s * Vector3d(0.1, 0.2, 1 + gap)}, s, gap, {0, 0, 1}, 1e-8);
            expect_closest(a, {}, b, {Matrix3d::Identity(), s * Vector3d(0.1, 0.2, 1.5 + gap)}, s, gap,
                           {0, 0, 1}, 1e-8);
        }
}

TEST_F(BulletAdapter, OverlapOfBoxesEqualsThatOfTheSeparatingAxes)
{
    int overlaps = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const Shape a = random_box(1), b = random_box(trial % 2 ? 1 : 0.02);
        const Pose pose_a{random_rotation(), random_vector(1)}, pose_b{random_rotation(), random_vector(1)};
        const double exact = box_box_depth_gap(std::get<Box>(a), pose_a, std::get<Box>(b), pose_b);
        const ContactPoint c = closest_points(a, pose_a, b, pose_b);
        if (exact >= 0) {
            EXPECT_GE(c.gap, exact - 1e-11);
        } else {
            ++overlaps;
            EXPECT_NEAR(c.gap, exact, 1e-10);
        }
    }
    EXPECT_GT(overlaps, 1000);
}

TEST_F(BulletAdapter, PointsLieOnTheShapesAndTheNormalProvesTheGap)
{
    for (int trial = 0; trial < 10000; ++trial) {
        const Shape a = trial % 3 ? random_box(1) : random_cylinder(1);
        const Shape b = trial % 3 == 1 ? random_box(1) : random_cylinder(1);
        const Pose pose_a{random_rotation(), random_vector(1)}, pose_b{random_rotation(), random_vector(1)};
        const ContactPoint c = closest_points(a, pose_a, b, pose_b);
        EXPECT_NEAR(separation(a, pose_a, b, pose_b, c.normal), c.gap, 1e-13);
        EXPECT_NEAR(c.normal.norm(), 1, 1e-14);
        const bool flat = trial % 3 == 1;
        const double tolerance = flat ? 1e-9 : c.gap > -0.1 ? 1e-4 : 1e-3;
        EXPECT_LT(outside(a, pose_a, c.on_a), tolerance);
        EXPECT_LT(outside(b, pose_b, c.on_b), tolerance);
    }
}

TEST_F(BulletAdapter, NoDirectionNearbySeparatesOverlappingCylindersMore)
{
    for (int trial = 0; trial < 500; ++trial) {
        const Shape a = random_cylinder(1), b = trial % 2 ? random_cylinder(1) : random_box(1);
        const Pose pose_a{random_rotation(), random_vector(0.5)},
            pose_b{random_rotation(), random_vector(0.5)};
        const ContactPoint c = closest_points(a, pose_a, b, pose_b);
        for (double turned = 1; turned > 1e-6; turned /= 2)
            for (int i = 0; i < 20; ++i) {
                const Vector3d n = turn(turned, random_vector(1)) * c.normal;
                ASSERT_LE(separation(a, pose_a, b, pose_b, n), c.gap + 1e-8);
            }
    }
}

TEST_F(BulletAdapter, SymmetricAndFlatPairsHaveTheirExactDepth)
{
    const Matrix3d I = Matrix3d::Identity();
    EXPECT_NEAR(closest_points(box(1, 1, 1), {}, box(1, 1, 1), {}).gap, -1, 1e-12);
    EXPECT_NEAR(closest_points(box(1, 1, 1), {}, box(1, 1, 1), {I, {0.9, 0, 0.9}}).gap, -0.1, 1e-12);
    EXPECT_NEAR(closest_points(box(1, 1, 1), {}, box(1, 1, 1), {I, {1, 0.5, 1}}).gap, 0, 1e-12);
    EXPECT_NEAR(closest_points(rectangle(1, 1), {}, rectangle(1, 1), {I, {0.5, 0.2, 0}}).gap, 0, 1e-12);
    EXPECT_NEAR(closest_points(rectangle(1, 1), {}, rectangle(1, 1), {I, {1.5, 0.2, 0}}).gap, 0.5, 1e-12);
    EXPECT_NEAR(closest_points(cylinder(0.5, 1), {}, cylinder(0.5, 1), {}).gap, -1, 1e-9);
    EXPECT_NEAR(closest_points(sphere(0.5), {}, sphere(0.25), {}).gap, -0.75, 1e-12);
}

TEST_F(BulletAdapter, WallsAreRefused)
{
    EXPECT_THROW(closest_points(wall({0, 0, 1}, 0), {}, sphere(1), {}), Error);
}

} // namespace bullet_adapter_test
