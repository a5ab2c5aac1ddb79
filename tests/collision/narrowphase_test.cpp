// Pairs whose points are known in closed form.
#include "collision/narrowphase_cases.hpp"

#include <numbers>
#include <set>

namespace narrowphase_test {

using namespace tamis;
using namespace tamis::narrowphase_cases;
using Eigen::Matrix3d;
using Eigen::Vector3d;

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
    const std::pair<Shape, double> others[] = {{sphere(2), -2.5},       {box(2, 4, 6), -1.5},
                                               {rectangle(2, 4), -0.5}, {cylinder(1, 6), -1.5},
                                               {cylinder(3, 2), -1.5},  {capsule(1, 2), -1.5}};
    for (const auto& [other, gap] : others) {
        const Pose pose{random_rotation(), random_vector(1)};
        const auto found = points(sphere(0.5), pose, other, pose);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0].normal.norm(), 1, 1e-15);
        EXPECT_NEAR(found[0].gap, gap, 1e-15);
        EXPECT_EQ(points(sphere(0.5), pose, other, pose)[0].normal, found[0].normal);
    }
    for (const Shape& shape : {box(1, 2, 3), rectangle(1, 2), cylinder(1, 3), capsule(1, 3), stone(1)}) {
        const auto found = points(shape, {}, shape, {});
        ASSERT_FALSE(found.empty());
        for (const ContactPoint& c : found) {
            EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
            EXPECT_TRUE(c.on_a.allFinite() && c.on_b.allFinite());
        }
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

TEST_F(Narrowphase, NoDirectionNearbySeparatesOverlappingCapsulesMore)
{
    for (const Case& c : all_pairs(1)) {
        if (c.a.index() != 4 && c.b.index() != 4) continue;
        for (int trial = 0; trial < 100; ++trial) {
            const Pose pose_a{random_rotation(), random_vector(0.5)},
                pose_b{random_rotation(), random_vector(0.5)};
            const ContactPoint low = deepest(points(c.a, pose_a, c.b, pose_b));
            if (std::holds_alternative<Plane>(c.b)) continue;
            for (double turned = 1; turned > 1e-6; turned /= 2)
                for (int i = 0; i < 20; ++i) {
                    const Vector3d n = Eigen::AngleAxisd(turned, random_vector(1).normalized()) * low.normal;
                    ASSERT_LE(separation(c, pose_a, pose_b, n), low.gap + 1e-8) << c.name;
                }
        }
    }
}

TEST_F(Narrowphase, SphereMeetsSideAndEndOfACapsule)
{
    for (double s : scales) {
        const Shape ball = sphere(0.5 * s), pill = capsule(s, 4 * s);
        expect_point(ball, at(3 * s, 4 * s, s), pill, at(0, 0, 0), s, 3.5, {-0.6, -0.8, 0});
        expect_point(ball, at(0, 3 * s, 6 * s), pill, at(0, 0, 0), s, 3.5, {0, -0.6, -0.8});
        expect_point(ball, at(0, 0, -3 * s), pill, at(0, 0, 0), s, -0.5, {0, 0, 1});
    }
}

TEST_F(Narrowphase, SphereMeetsFaceEdgeVertexAndInsideOfAPolyhedron)
{
    // The octahedron |x| + |y| + |z| <= 1.
    for (double s : scales) {
        const Shape ball = sphere(0.5 * s);
        const Shape solid = polyhedron({{s, 0, 0}, {-s, 0, 0}, {0, s, 0}, {0, -s, 0}, {0, 0, s}, {0, 0, -s}});
        const Vector3d n = Vector3d(1, 1, 1).normalized(), e = Vector3d(1, 1, 0).normalized();
        expect_point(ball, {Matrix3d::Identity(), 2 * s * n}, solid, {}, s, 1.5 - 1 / std::sqrt(3), -n);
        expect_point(ball, {Matrix3d::Identity(), 2 * s * e}, solid, {}, s, 1.5 - 1 / std::sqrt(2), -e);
        expect_point(ball, at(0, 0, 3 * s), solid, {}, s, 1.5, {0, 0, -1});
        expect_point(ball, at(0.1 * s, 0.1 * s, 0.1 * s), solid, {}, s, -0.5 - 0.7 / std::sqrt(3), -n);
    }
}

TEST_F(Narrowphase, CubeAsAPolyhedronTouchesThePlaneByVertexEdgeOrFace)
{
    const Matrix3d on_vertex =
        Eigen::Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), Vector3d(0, 0, 1)).toRotationMatrix();
    const Matrix3d on_edge = Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitX()).toRotationMatrix();
    for (double s : scales) {
        std::vector<Vector3d> corners8;
        for (int c = 0; c < 8; ++c)
            corners8.push_back(s * Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1));
        const Shape cube = polyhedron(corners8), floor_plane = wall({0, 0, 1}, 0);
        const auto touch = [&](const Matrix3d& R, double height, std::size_t count) {
            const auto found = points(cube, {R, {0, 0, height * s}}, floor_plane, {}, 0.1 * s);
            ASSERT_EQ(found.size(), count);
            for (const ContactPoint& c : found) {
                EXPECT_NEAR(c.gap / s, -0.01, 1e-14);
                EXPECT_LT((c.on_a - (R * corners8[c.feature] + Vector3d(0, 0, height * s))).norm() / s,
                          1e-15);
            }
        };
        touch(on_vertex, std::sqrt(3) - 0.01, 1);
        touch(on_edge, std::sqrt(2) - 0.01, 2);
        touch(Matrix3d::Identity(), 1 - 0.01, 4);
    }
}

TEST_F(Narrowphase, FourPointsOfARoundFaceStayTheSameUnderSmallMotions)
{
    std::vector<Vector3d> corners16;
    for (int i = 0; i < 16; ++i)
        corners16.emplace_back(std::cos(i % 8 * std::numbers::pi / 4), std::sin(i % 8 * std::numbers::pi / 4),
                               i < 8 ? -1 : 1);
    const Shape prism = polyhedron(corners16);
    std::set<int> kept;
    for (int trial = 0; trial < 100; ++trial) {
        const Eigen::AngleAxisd tilt(1e-6 * uniform(-1, 1), random_vector(1).normalized());
        const auto found = points(prism, {tilt.toRotationMatrix(), {0, 0, 1}}, wall({0, 0, 1}, 0), {}, 0.1);
        ASSERT_EQ(found.size(), 4u);
        for (const ContactPoint& c : found) kept.insert(c.feature);
    }
    EXPECT_EQ(kept.size(), 4u);
}

TEST_F(Narrowphase, CornersThatATiltMayBringDownAreKept)
{
    // A prism tilted about one of the axes of symmetry of its base: corner i is off the floor by what its
    // distance from the lowest one gives. Of eight all are kept; of many the deepest five and three that span
    // an area with it.
    const double tilt = 0.02, alert = 0.1;
    for (int sides : {8, 24})
        for (double s : scales) {
            std::vector<Vector3d> corners;
            for (int i = 0; i < 2 * sides; ++i) {
                const double angle = 2 * std::numbers::pi * (i % sides) / sides;
                corners.emplace_back(s * Vector3d(std::cos(angle), std::sin(angle), i < sides ? -1 : 1));
            }
            const Matrix3d R = Eigen::AngleAxisd(tilt, Vector3d::UnitY()).toRotationMatrix();
            const double low = std::cos(tilt) + std::sin(tilt);
            const auto found =
                points(polyhedron(corners), {R, {0, 0, low * s}}, wall({0, 0, 1}, 0), {}, alert * s);
            ASSERT_EQ(found.size(), 8u);
            std::set<int> kept;
            for (const ContactPoint& c : found) {
                const double angle = 2 * std::numbers::pi * c.feature / sides;
                EXPECT_NEAR(c.gap / s, std::sin(tilt) * (1 - std::cos(angle)), 1e-14);
                kept.insert(c.feature);
            }
            ASSERT_EQ(kept.size(), 8u);
            for (int i : {0, 1, 2, sides - 2, sides - 1}) EXPECT_EQ(kept.count(i), 1u) << i;
        }
}

TEST_F(Narrowphase, ACapsuleLyingHasTwoPointsUnderItsEnds)
{
    const Matrix3d lying = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
    for (double s : scales)
        for (double gap : {0.01, -0.01}) {
            const Shape pill = capsule(0.2 * s, s);
            const auto two = [&](const Shape& under, const Pose& pose, double left, double right) {
                for (int frame = 0; frame < 3; ++frame) {
                    const Pose world = frame == 0 ? Pose{} : Pose{random_rotation(), random_vector(s)};
                    const auto found = points(pill, world * pose, under, world, 0.1 * s);
                    ASSERT_EQ(found.size(), 2u);
                    std::vector<double> x;
                    for (const ContactPoint& c : found) {
                        EXPECT_NEAR(c.gap / s, gap, 1e-8);
                        EXPECT_LT((c.normal + world.R.col(2)).norm(), 1e-4);
                        x.push_back((world.R.transpose() * (c.on_b - world.p)).x() / s);
                    }
                    EXPECT_NEAR(std::min(x[0], x[1]), left, 1e-3);
                    EXPECT_NEAR(std::max(x[0], x[1]), right, 1e-3);
                }
            };
            const Shape slab = box(2 * s, 2 * s, s);
            const std::vector<Vector3d> corners8 = corners(std::get<Box>(slab));
            const double top = 0.5 + 0.2 + gap;
            two(wall({0, 0, 1}, 0), {lying, {0.3 * s, 0, (0.2 + gap) * s}}, -0.2, 0.8);
            for (const Shape& under : {slab, polyhedron(corners8)}) {
                two(under, {lying, {0.3 * s, 0.1 * s, top * s}}, -0.2, 0.8);
                two(under, {lying, {0.8 * s, 0.1 * s, top * s}}, 0.3, 1); // beyond the edge
                two(under, {lying, {0.3 * s, s, top * s}}, -0.2, 0.8);    // on the edge, along it
            }
            two(rectangle(2 * s, 2 * s), {lying, {0.3 * s, 0.1 * s, (0.2 + gap) * s}}, -0.2, 0.8);
            two(cylinder(2 * s, s), {lying, {0.3 * s, 0.1 * s, top * s}}, -0.2, 0.8);
            const Pose rod{lying, {0, 0, 0}};
            for (const Shape& under : {capsule(0.4 * s, s), cylinder(0.4 * s, s)}) {
                const auto found = points(pill, {lying, {0.6 * s, 0, (0.6 + gap) * s}}, under, rod, 0.1 * s);
                ASSERT_EQ(found.size(), 2u);
                for (const ContactPoint& c : found) {
                    EXPECT_NEAR(c.gap / s, gap, 1e-12);
                    EXPECT_NEAR(std::abs(c.on_b.x() / s - 0.3), 0.2, 1e-9);
                }
            }
        }
}

TEST_F(Narrowphase, CrossedCapsulesTouchOnceBetweenTheirAxes)
{
    const Matrix3d along_x = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
    for (double s : scales)
        expect_point(capsule(0.5 * s, 4 * s), {along_x, {0.3 * s, 0, 0}}, capsule(s, 3 * s),
                     at(0.5 * s, 2 * s, 0.7 * s), s, 0.5, {0, 1, 0});
}

TEST_F(Narrowphase, ACylinderRestsOnFacesOnEnoughPoints)
{
    const Matrix3d lying = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
    for (double s : scales)
        for (double gap : {0.01, -0.01}) {
            const Shape rod = cylinder(0.3 * s, s), slab = box(2 * s, 2 * s, s), disc = cylinder(s, s);
            const auto rests = [&](const Shape& under, const Pose& pose_b, const Pose& pose,
                                   std::size_t count, double left, double right) {
                const auto found = points(rod, pose, under, pose_b, 0.1 * s);
                ASSERT_EQ(found.size(), count) << under.index();
                double least = everything, most = -everything;
                for (const ContactPoint& c : found) {
                    EXPECT_NEAR(c.gap / s, gap, 1e-7);
                    EXPECT_LT((c.normal + Vector3d::UnitZ()).norm(), 1e-6);
                    least = std::min(least, c.on_b.x() / s);
                    most = std::max(most, c.on_b.x() / s);
                }
                EXPECT_NEAR(least, left, 1e-6);
                EXPECT_NEAR(most, right, 1e-6);
            };
            for (const Shape& under : {slab, polyhedron(corners(std::get<Box>(slab))), disc}) {
                rests(under, {}, {Matrix3d::Identity(), {0.1 * s, 0.2 * s, (1 + gap) * s}}, 4, -0.2, 0.4);
                if (under.index() == disc.index()) continue;
                rests(under, {}, {lying, {0.1 * s, 0.2 * s, (0.8 + gap) * s}}, 2, -0.4, 0.6);
                rests(under, {}, {lying, {0.8 * s, 0.2 * s, (0.8 + gap) * s}}, 2, 0.3, 1);
                // Beyond the edge.
                rests(under, {}, {Matrix3d::Identity(), {0.9 * s, 0.2 * s, (1 + gap) * s}}, 4, 0.6, 1);
            }
            rests(box(0.2 * s, 0.2 * s, s), {}, at(0.05 * s, 0, (1 + gap) * s), 4, -0.1, 0.1);
            rests(cylinder(0.3 * s, s), {lying, {0.4 * s, 0, 0}}, {lying, {0, 0, (0.6 + gap) * s}}, 2, -0.1,
                  0.5);
        }
}

TEST_F(Narrowphase, BoxesFaceToFaceHaveFourPoints)
{
    for (double s : scales) {
        const auto found =
            points(box(s, s, s), {}, box(2 * s, 2 * s, 2 * s), at(0.1 * s, 0, 1.51 * s), 0.1 * s);
        ASSERT_EQ(found.size(), 4u);
        for (const ContactPoint& c : found) EXPECT_NEAR(c.gap / s, 0.01, 1e-13);
    }
}

} // namespace narrowphase_test
