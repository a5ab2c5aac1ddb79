#include "tamis/collision/polyhedra_manifold.hpp"

#include "allocations.hpp"
#include "collision/random_poses.hpp"
#include "tamis/collision/bullet_adapter.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <set>

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Points = std::vector<ContactPoint>;

Hull block(double x, double y, double z)
{
    std::vector<Vector3d> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back(0.5 * Vector3d(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z));
    return make_hull(corners);
}

Matrix3d turn(double angle, const Vector3d& axis)
{
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

// Turns the cube's diagonal upright.
Matrix3d on_a_vertex()
{
    return Eigen::Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), Vector3d(0, 0, 1)).toRotationMatrix();
}

Points points(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b, double alert = infinity)
{
    Points out;
    polyhedra_manifold(a, pose_a, b, pose_b, alert, out);
    return out;
}

double smallest_gap(const Points& list)
{
    double gap = infinity;
    for (const ContactPoint& c : list) gap = std::min(gap, c.gap);
    return gap;
}

// Signed distance of a point from the nearest plane of the surface: zero on the surface, and only there.
double off_surface(const Hull& hull, const Pose& pose, const Vector3d& point)
{
    const Vector3d x = pose.R.transpose() * (point - pose.p);
    double most = -infinity;
    for (int f = 0; f < hull.faces(); ++f) most = std::max(most, hull.normal[f].dot(x) - hull.offset[f]);
    return most;
}

// What holds for every answer; lengths in units of `size`.
void expect_consistent(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b, double alert,
                       double size, const Points& found)
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

void expect_points(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b, double scale,
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
double separation(const Solid& a, const Solid& b, const Vector3d& n, double least = -infinity)
{
    double high = -infinity, low = infinity;
    for (const Vector3d& x : b.vertices) low = std::min(low, n.dot(x));
    for (const Vector3d& x : a.vertices)
        if ((high = std::max(high, n.dot(x))) > low - least) break;
    return low - high;
}

// Largest separation over all axes that can be the best one of overlapping hulls.
double separation_of_all_axes(const Solid& a, const Solid& b)
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

double point_to_segment(const Vector3d& x, const Vector3d& p, const Vector3d& q)
{
    const double t = std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0);
    return (x - p - t * (q - p)).norm();
}

double vertices_to_boundary(const Solid& a, const Solid& b)
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
double distance_of_all_features(const Solid& a, const Solid& b)
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

double true_gap(const Solid& a, const Solid& b)
{
    const double gap = separation_of_all_axes(a, b);
    return gap > 0 ? distance_of_all_features(a, b) : gap;
}

// Of 6 to 30 points of size about s: on an ellipsoid or within a box, up to ten times as long as thick.
Hull random_hull(double s)
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
Vector3d face_point(const Hull& hull, int face)
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
Placed place(const Hull& a, const Hull& b, double apart, double reach, int trial)
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
double random_separation(int trial)
{
    if (trial % 3) return uniform(-0.3, 0.3);
    return std::pow(10, uniform(-12, -1)) * (uniform(0, 1) < 0.5 ? 1 : -1);
}

struct PolyhedraManifold : testing::Test {
    PolyhedraManifold() { random_engine.seed(2026); }
};

const double gaps[] = {0.3, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.1};

} // namespace

TEST_F(PolyhedraManifold, FaceOnFaceHasTheCornersOfTheOverlap)
{
    for (double s : scales)
        for (double gap : gaps) {
            const double top = 0.5;
            // A cube on a larger one: its own corners.
            expect_points(block(2 * s, 2 * s, s), {}, block(s, s, s),
                          {Matrix3d::Identity(), s * Vector3d(0.3, -0.2, 1 + gap)}, s, infinity, {0, 0, 1},
                          {{{0.8, 0.3, top}, gap},
                           {{-0.2, 0.3, top}, gap},
                           {{-0.2, -0.7, top}, gap},
                           {{0.8, -0.7, top}, gap}});
            // Equal cubes, aligned.
            expect_points(block(s, s, s), {}, block(s, s, s),
                          {Matrix3d::Identity(), s * Vector3d(0, 0, 1 + gap)}, s, infinity, {0, 0, 1},
                          {{{0.5, 0.5, top}, gap},
                           {{-0.5, 0.5, top}, gap},
                           {{-0.5, -0.5, top}, gap},
                           {{0.5, -0.5, top}, gap}});
            // Equal cubes, offset.
            expect_points(
                block(s, s, s), {}, block(s, s, s), {Matrix3d::Identity(), s * Vector3d(0.6, 0.5, 1 + gap)},
                s, infinity, {0, 0, 1},
                {{{0.5, 0.5, top}, gap}, {{0.1, 0.5, top}, gap}, {{0.1, 0, top}, gap}, {{0.5, 0, top}, gap}});
        }
}

TEST_F(PolyhedraManifold, FacesTurnedBy45DegreesKeepFourCornersOfTheOctagon)
{
    const double near = 0.5, far = 0.5 * (std::sqrt(2) - 1); // corners (+-near, +-far), (+-far, +-near)
    for (double s : scales)
        for (double gap : gaps) {
            const Pose above{turn(std::numbers::pi / 4, {0, 0, 1}), s * Vector3d(0, 0, 1 + gap)};
            const Hull cube = block(s, s, s);
            const Points found = points(cube, {}, cube, above);
            expect_consistent(cube, {}, cube, above, infinity, s, found);
            ASSERT_EQ(found.size(), 4u);
            std::vector<double> angles;
            for (const ContactPoint& c : found) {
                EXPECT_NEAR(c.gap / s, gap, 1e-12);
                EXPECT_LT((c.normal - Vector3d(0, 0, 1)).norm(), 1e-12);
                const double x = std::abs(c.on_a.x()) / s, y = std::abs(c.on_a.y()) / s;
                EXPECT_NEAR(std::max(x, y), near, 1e-12);
                EXPECT_NEAR(std::min(x, y), far, 1e-12);
                angles.push_back(std::atan2(c.on_a.y(), c.on_a.x()));
            }
            // They surround the centre.
            std::sort(angles.begin(), angles.end());
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_LT(i < 3 ? angles[i + 1] - angles[i] : angles[0] + 2 * std::numbers::pi - angles[3],
                          0.76 * std::numbers::pi);
        }
}

TEST_F(PolyhedraManifold, TiltedFacesTurnedBy45DegreesKeepEightCornersOfTheOctagon)
{
    for (double s : scales) {
        const Hull cube = block(s, s, s);
        const Matrix3d tilted = turn(1e-3, {1, 0.3, 0}) * turn(std::numbers::pi / 4, {0, 0, 1});
        const Pose above{tilted, s * Vector3d(0, 0, 1.001)};
        const Points found = points(cube, {}, cube, above, 0.01 * s);
        expect_consistent(cube, {}, cube, above, 0.01 * s, s, found);
        EXPECT_EQ(found.size(), 8u);
    }
}

TEST_F(PolyhedraManifold, VertexOverFaceIsOnePoint)
{
    // A cube stood on its vertex reaches half a diagonal below its centre.
    for (double s : scales)
        for (double gap : gaps)
            expect_points(block(2 * s, 2 * s, s), {}, block(s, s, s),
                          {on_a_vertex(), s * Vector3d(0.1, 0.2, 0.5 + std::sqrt(3) / 2 + gap)}, s, infinity,
                          {0, 0, 1}, {{{0.1, 0.2, 0.5}, gap}});
}

TEST_F(PolyhedraManifold, CrossedAndSkewedEdgesMeetInOnePoint)
{
    const double quarter = std::numbers::pi / 4;
    for (double s : scales)
        for (double skew : {0.5, 1.0, 1.3, std::numbers::pi / 2})
            for (double gap : gaps) {
                // The edge along y on top of a block stood on its edge, under one turned about z.
                const Pose below{turn(quarter, {0, 1, 0}), {0, 0, 0}};
                const Pose above{turn(skew, {0, 0, 1}) * turn(quarter, {0, 1, 0}),
                                 s * Vector3d(0.05, -0.1, std::sqrt(2) + gap)};
                const Vector3d e(-std::sin(skew), std::cos(skew), 0);
                // (0, y) = (0.05, -0.1) + t e
                const double t = 0.05 / std::sin(skew), y = -0.1 + t * e.y();
                expect_points(block(s, s, s), below, block(s, s, s), above, s, infinity, {0, 0, 1},
                              {{{0, y, std::sqrt(0.5)}, gap}});
            }
}

TEST_F(PolyhedraManifold, ParallelEdgesMeetAtTheEndsOfTheirCommonStretch)
{
    const double quarter = std::numbers::pi / 4;
    for (double s : scales)
        for (double gap : {0.3, 1e-3, 1e-6}) { // overlapping, the best way out is sideways
            const Pose below{turn(quarter, {0, 1, 0}), {0, 0, 0}},
                above{turn(quarter, {0, 1, 0}), s * Vector3d(0, 0.4, std::sqrt(2) + gap)};
            expect_points(block(s, s, s), below, block(s, s, s), above, s, infinity, {0, 0, 1},
                          {{{0, -0.1, std::sqrt(0.5)}, gap}, {{0, 0.5, std::sqrt(0.5)}, gap}});
        }
}

TEST_F(PolyhedraManifold, EdgeOnFaceHasTwoPoints)
{
    const double quarter = std::numbers::pi / 4, half = std::sqrt(0.5);
    for (double s : scales)
        for (double gap : gaps) {
            // Along y, from -0.5 to 0.5, and one that hangs over.
            expect_points(block(2 * s, 2 * s, s), {}, block(s, s, s),
                          {turn(quarter, {0, 1, 0}), s * Vector3d(0.1, 0.2, 0.5 + half + gap)}, s, infinity,
                          {0, 0, 1}, {{{0.1, -0.3, 0.5}, gap}, {{0.1, 0.7, 0.5}, gap}});
            expect_points(block(2 * s, 2 * s, s), {}, block(s, s, s),
                          {turn(quarter, {0, 1, 0}), s * Vector3d(0.1, 0.7, 0.5 + half + gap)}, s, infinity,
                          {0, 0, 1}, {{{0.1, 0.2, 0.5}, gap}, {{0.1, 1, 0.5}, gap}});
        }
}

TEST_F(PolyhedraManifold, VerticesAndEdgesAtADistanceGiveTheDirectionBetweenThem)
{
    for (double s : scales)
        for (double gap : {3.0, 0.3, 1e-3, 1e-6}) {
            const Vector3d n = Vector3d(1, 2, 2) / 3;
            expect_points(block(s, s, s), {}, block(s, s, s),
                          {Matrix3d::Identity(), s * (Vector3d(1, 1, 1) + gap * n)}, s, infinity, n,
                          {{{0.5, 0.5, 0.5}, gap}});
            // A vertex beside the edge along z at (0.5, 0.5).
            const Vector3d m = Vector3d(3, 4, 0) / 5,
                           lowest = turn(0.6, {1, -1, 0}) * turn(0.3, {0, 0, 1}) * Vector3d(-0.5, -0.5, -0.5);
            const Matrix3d R = Eigen::Quaterniond::FromTwoVectors(lowest, -m).toRotationMatrix() *
                               turn(0.6, {1, -1, 0}) * turn(0.3, {0, 0, 1});
            expect_points(block(s, s, s), {}, block(s, s, s),
                          {R, s * (Vector3d(0.5, 0.5, 0.1) + (gap + std::sqrt(0.75)) * m)}, s, infinity, m,
                          {{{0.5, 0.5, 0.1}, gap}});
        }
}

TEST_F(PolyhedraManifold, CubeInsideACubeLeavesThroughTheNearestFace)
{
    for (double s : scales) {
        const Hull small = block(s, s, s), large = block(4 * s, 4 * s, 4 * s);
        for (int frame = 0; frame < 20; ++frame) {
            const Pose world{random_rotation(), s * random_vector(1)};
            for (const auto& [offset, gap] :
                 {std::pair(Vector3d(0.3, -0.1, 0.2), -2.2), std::pair(Vector3d(0, 0, 0), -2.5),
                  std::pair(Vector3d(1, 1, 1), -1.5)}) {
                const Pose inside = world * Pose{Matrix3d::Identity(), s * offset};
                const Points found = points(large, world, small, inside);
                expect_consistent(large, world, small, inside, infinity, s, found);
                EXPECT_NEAR(smallest_gap(found) / s, gap, 1e-12);
            }
            EXPECT_NEAR(smallest_gap(points(small, world, small, world)) / s, -1, 1e-12);
        }
    }
}

TEST_F(PolyhedraManifold, CoincidentHullsLeaveAcrossTheirSmallestWidth)
{
    // Many faces of B - A are about equally near: the polytope within it has no room for the roundest of
    // them.
    for (int vertices : {6, 10, 20, 30, 60, 100})
        for (int trial = 0; trial < 3; ++trial) {
            std::vector<Vector3d> cloud;
            for (int i = 0; i < vertices; ++i) cloud.push_back(random_vector(1).normalized());
            const Hull hull = make_hull(cloud);
            const Pose pose{random_rotation(), random_vector(1)}, near{pose.R, pose.p + random_vector(0.01)};
            for (const Pose& other : {pose, near}) {
                const Points found = points(hull, pose, hull, other);
                expect_consistent(hull, pose, hull, other, infinity, 1, found);
                const Solid a(hull, pose), b(hull, other);
                EXPECT_NEAR(smallest_gap(found), separation_of_all_axes(a, b), 1e-9);
                EXPECT_NEAR(separation(a, b, found[0].normal), smallest_gap(found), 1e-9);
            }
        }
}

TEST_F(PolyhedraManifold, GapsOfRandomPairsAreThoseOfBruteForce)
{
    int overlapping = 0, several = 0;
    for (int trial = 0; trial < 12000; ++trial) {
        const double s = scales[trial % 3], ratio = trial % 7 ? 1 : 30;
        const Hull a = random_hull(s), b = random_hull(s / ratio);
        const double size = b.radius;
        const Placed at = place(a, b, size * random_separation(trial / 3), s, trial);
        const Points found = points(a, at.a, b, at.b);
        ASSERT_NO_FATAL_FAILURE(expect_consistent(a, at.a, b, at.b, infinity, size, found)) << trial;
        const Solid solid_a(a, at.a), solid_b(b, at.b);
        const double gap = smallest_gap(found), exact = true_gap(solid_a, solid_b);
        ASSERT_NEAR(gap / size, exact / size, 1e-9) << trial;
        // The normal proves the gap.
        ASSERT_NEAR(separation(solid_a, solid_b, found[0].normal) / size, exact / size, 1e-9) << trial;
        overlapping += exact < 0;
        several += found.size() > 1;
    }
    EXPECT_GT(overlapping, 3000);
    EXPECT_GT(several, 1000);
}

TEST_F(PolyhedraManifold, ExchangingTheHullsOrMovingTheWorldMovesThePointsAlong)
{
    for (int trial = 0; trial < 8000; ++trial) {
        const double s = scales[trial % 3];
        const Hull a = random_hull(s), b = random_hull(s);
        // (Where two faces are parallel, equal gaps leave the choice of four points open.)
        const Placed at = place(a, b, s * random_separation(trial), s, 2 * trial);
        const double alert = 0.1 * s;
        const Points found = points(a, at.a, b, at.b, alert);
        const Pose world{random_rotation(), random_vector(s)};
        const Points moved = points(a, world * at.a, b, world * at.b, alert);
        Points exchanged = points(b, at.b, a, at.a, alert);
        ASSERT_EQ(moved.size(), found.size()) << trial;
        ASSERT_EQ(exchanged.size(), found.size()) << trial;
        for (const ContactPoint& c : found) {
            double off_moved = infinity, off_exchanged = infinity;
            for (const ContactPoint& m : moved)
                off_moved =
                    std::min(off_moved, (m.on_a - world * c.on_a).norm() + (m.on_b - world * c.on_b).norm());
            for (const ContactPoint& e : exchanged)
                off_exchanged = std::min(off_exchanged, (e.on_b - c.on_a).norm() + (e.on_a - c.on_b).norm());
            ASSERT_LT(off_moved / s, 1e-9) << trial;
            ASSERT_LT(off_exchanged / s, 1e-9) << trial;
            ASSERT_LT((moved[0].normal - world.R * c.normal).norm() * std::abs(c.gap) / s, 1e-12) << trial;
        }
    }
}

TEST_F(PolyhedraManifold, FarAwayFromTheOriginNothingChanges)
{
    const Hull a = random_hull(1), b = random_hull(1);
    const Placed at = place(a, b, 0.01, 1, 0);
    const Vector3d far = 1e6 * random_vector(1);
    const Points here = points(a, at.a, b, at.b),
                 there = points(a, {at.a.R, at.a.p + far}, b, {at.b.R, at.b.p + far});
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
        EXPECT_NEAR(here[i].gap, there[i].gap, 1e-9);
        EXPECT_EQ(here[i].feature, there[i].feature);
    }
}

TEST_F(PolyhedraManifold, PairsFartherApartThanAlertHaveNoPoints)
{
    int near = 0, far = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        const Hull a = random_hull(1), b = random_hull(1);
        const Placed at = place(a, b, random_separation(trial), 1, trial);
        const double gap = smallest_gap(points(a, at.a, b, at.b));
        EXPECT_EQ(points(a, at.a, b, at.b, gap - 1e-9).size(), 0u);
        const Points found = points(a, at.a, b, at.b, gap + 1e-9);
        ASSERT_GE(found.size(), 1u);
        EXPECT_NEAR(smallest_gap(found), gap, 1e-14);
        ++(gap > 0 ? far : near);
    }
    EXPECT_GT(near, 1000);
    EXPECT_GT(far, 1000);
}

TEST_F(PolyhedraManifold, RestingCubesKeepFourPointsWithContinuousGapsUnderSmallMotions)
{
    struct Case {
        double lower;    // width of the lower block
        Vector3d offset; // of the upper cube
        bool named;      // the same vertices and edges touch at all times
    };
    const Case cases[] = {{1, {0, 0, 0}, false},
                          {2, {0.3, -0.2, 0}, true},
                          {1, {0.6, 0.5, 0}, false},
                          {1, {0.3, 0.4, 0}, true}};
    for (double s : scales)
        for (const Case& c : cases)
            for (double resting : {0.0, 1e-3, -1e-3}) {
                const Hull a = block(c.lower * s, c.lower * s, s), b = block(s, s, s);
                const Pose above{Matrix3d::Identity(), s * (c.offset + Vector3d(0, 0, 1 + resting))};
                const Points rest = points(a, {}, b, above, 1e-2 * s);
                ASSERT_EQ(rest.size(), 4u);
                std::set<int> features;
                for (const ContactPoint& r : rest) features.insert(r.feature);
                for (double small : {1e-9, 1e-7, 1e-6, 1e-5})
                    for (int trial = 0; trial < 200; ++trial) {
                        const Pose moved{turn(small * uniform(0, 1), random_vector(1)),
                                         above.p + small * s * random_vector(1)};
                        const Points found = points(a, {}, b, moved, 1e-2 * s);
                        ASSERT_EQ(found.size(), 4u);
                        for (const ContactPoint& f : found) {
                            if (c.named) {
                                EXPECT_EQ(features.count(f.feature), 1u);
                            }
                            double nearest = infinity;
                            for (const ContactPoint& r : rest)
                                nearest = std::min(nearest, (r.on_a - f.on_a).norm());
                            EXPECT_LT(nearest / s, 10 * small);
                            EXPECT_LT(std::abs(f.gap / s - resting), 5 * small);
                            EXPECT_LT((f.normal - Vector3d(0, 0, 1)).norm(), 10 * small + 1e-7);
                        }
                        // One for each corner.
                        for (const ContactPoint& r : rest) {
                            double nearest = infinity;
                            for (const ContactPoint& f : found)
                                nearest = std::min(nearest, (r.on_a - f.on_a).norm());
                            EXPECT_LT(nearest / s, 10 * small);
                        }
                    }
            }
}

TEST_F(PolyhedraManifold, AgreesWithBulletOnBoxes)
{
    int overlapping = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        const Vector3d u(uniform(0.4, 2), uniform(0.4, 2), uniform(0.4, 2)),
            v(uniform(0.4, 2), uniform(0.4, 2), uniform(0.4, 2));
        const Pose pose_a{random_rotation(), random_vector(1)}, pose_b{random_rotation(), random_vector(1)};
        const double gap =
            smallest_gap(points(block(u.x(), u.y(), u.z()), pose_a, block(v.x(), v.y(), v.z()), pose_b));
        ASSERT_NEAR(
            gap, closest_points(box(u.x(), u.y(), u.z()), pose_a, box(v.x(), v.y(), v.z()), pose_b).gap, 1e-9)
            << trial;
        overlapping += gap < 0;
    }
    EXPECT_GT(overlapping, 1000);
}

TEST_F(PolyhedraManifold, LaterCallsAllocateNothing)
{
    std::vector<Hull> hulls;
    std::vector<Placed> placed;
    for (int i = 0; i < 200; ++i) hulls.push_back(random_hull(1));
    for (int i = 0; i + 1 < 200; ++i)
        placed.push_back(place(hulls[i], hulls[i + 1], random_separation(i), 1, i));
    Points out;
    const auto all = [&] {
        out.clear();
        for (int i = 0; i + 1 < 200; ++i)
            polyhedra_manifold(hulls[i], placed[i].a, hulls[i + 1], placed[i].b, infinity, out);
    };
    all();
    const long before = allocations;
    all();
    EXPECT_EQ(allocations, before);
}
