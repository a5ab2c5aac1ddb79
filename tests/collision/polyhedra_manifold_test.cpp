// Pairs whose points are known in closed form.
#include "collision/polyhedra_pairs.hpp"

#include <numbers>
#include <set>

namespace polyhedra_manifold_test {

using namespace tamis;
using namespace tamis::polyhedra_pairs;
using Eigen::Matrix3d;
using Eigen::Vector3d;

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

// A roof with its ridge down on a narrower block: only one of its slopes is parallel enough to be the patch, but the
// corners of the block are in it on both sides.
TEST_F(PolyhedraManifold, CornersInsideANeighbouringFaceAreKept)
{
    const double slope = std::tan(0.15), wide = 0.2, deep = 0.08;
    for (double s : scales) {
        std::vector<Vector3d> corners;
        for (double y : {-1.0, 1.0})
            for (double x : {-1.0, 0.0, 1.0}) {
                corners.push_back(s * Vector3d(x, y, slope * std::abs(x) - deep));
                corners.push_back(s * Vector3d(x, y, 1));
            }
        const Hull roof = make_hull(corners), short_beam = block(2 * wide * s, 0.6 * s, s);
        const double at_corner = slope * wide - deep; // of the roof below the top of the beam: overlap
        // The ridge over the ends of the beam, and the beam's corners.
        expect_points(short_beam, {Matrix3d::Identity(), s * Vector3d(0, 0, -0.5)}, roof, {}, s, infinity,
                      {0, 0, 1},
                      {{{0, 0.3, 0}, -deep},
                       {{0, -0.3, 0}, -deep},
                       {{wide, 0.3, 0}, at_corner},
                       {{wide, -0.3, 0}, at_corner},
                       {{-wide, 0.3, 0}, at_corner},
                       {{-wide, -0.3, 0}, at_corner}});
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

} // namespace polyhedra_manifold_test
