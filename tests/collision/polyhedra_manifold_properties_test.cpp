// Any pair: brute force, invariance, small motions.
#include "allocations.hpp"
#include "collision/polyhedra_pairs.hpp"
#include "tamis/collision/bullet_adapter.hpp"

#include <numbers>
#include <set>

namespace polyhedra_manifold_properties_test {

using namespace tamis;
using namespace tamis::polyhedra_pairs;
using Eigen::Matrix3d;
using Eigen::Vector3d;

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

} // namespace polyhedra_manifold_properties_test
