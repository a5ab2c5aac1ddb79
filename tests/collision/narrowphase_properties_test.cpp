// What holds for every pair of shapes.
#include "collision/narrowphase_cases.hpp"

#include <numbers>
#include <set>

namespace narrowphase_properties_test {

using namespace tamis;
using namespace tamis::narrowphase_cases;
using Eigen::Matrix3d;
using Eigen::Vector3d;

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
                if (by_search(c)) {
                    if (deepest(ab).gap < -0.1 * s) continue;
                    ASSERT_NEAR(deepest(ab).gap / s, deepest(ba).gap / s, by_bullet(c) ? 1e-7 : 1e-12)
                        << c.name;
                    continue;
                }
                ASSERT_EQ(ab.size(), ba.size());
                for (std::size_t i = 0; i < ab.size(); ++i) {
                    EXPECT_EQ(ab[i].feature, ba[i].feature);
                    ASSERT_NEAR(ab[i].gap / s, ba[i].gap / s, 1e-14);
                    EXPECT_LT((ab[i].normal + ba[i].normal).norm(), 1e-14);
                    EXPECT_LT((ab[i].on_a - ba[i].on_b).norm() / s, 1e-14);
                    EXPECT_LT((ab[i].on_b - ba[i].on_a).norm() / s, 1e-14);
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
                if (by_search(c)) {
                    if (deepest(here).gap < -0.1 * s) continue;
                    EXPECT_NEAR(deepest(here).gap / s, deepest(there).gap / s, by_bullet(c) ? 1e-7 : 1e-12);
                    continue;
                }
                ASSERT_EQ(here.size(), there.size());
                for (std::size_t i = 0; i < here.size(); ++i) {
                    EXPECT_NEAR(here[i].gap / s, there[i].gap / s, 1e-12);
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
                pose_b.p += 1e-4 * s * deepest(before).normal;
                const auto after = points(c.a, pose_a, c.b, pose_b);
                if (by_search(c)) {
                    // In a deep overlap, another normal may come to separate more.
                    if (deepest(before).gap < -0.1 * s) continue;
                    EXPECT_NEAR((deepest(after).gap - deepest(before).gap) / s, 1e-4,
                                by_bullet(c) ? 1e-7 : 1e-12)
                        << c.name << c.a.index() << c.b.index();
                    continue;
                }
                ASSERT_EQ(before.size(), after.size());
                for (std::size_t i = 0; i < before.size(); ++i)
                    EXPECT_NEAR((after[i].gap - before[i].gap) / s, 1e-4, 1e-13);
            }
}

// The normal n of the deepest point proves that no gap is smaller; on the surfaces, it is attained.
TEST_F(Narrowphase, TheNormalProvesTheGapAndThePointsLieOnTheSurfaces)
{
    for (double s : scales)
        for (const Case& c : all_pairs(s))
            for (int trial = 0; trial < 300; ++trial) {
                const Pose pose_a{random_rotation(), random_vector(1.2 * s)},
                    pose_b{random_rotation(), random_vector(1.2 * s)};
                const auto found = points(c.a, pose_a, c.b, pose_b);
                ASSERT_FALSE(found.empty()) << c.name;
                const ContactPoint& low = deepest(found);
                const double tolerance = by_bullet(c) ? 1e-7 : 1e-12;
                if (low.gap > -0.1 * s || !by_bullet(c)) {
                    ASSERT_NEAR(separation(c, pose_a, pose_b, low.normal) / s, low.gap / s, tolerance)
                        << c.name << c.a.index() << c.b.index();
                }
                for (const ContactPoint& p : found) {
                    ASSERT_NEAR(p.normal.norm(), 1, 1e-13);
                    ASSERT_LT((p.on_b - p.on_a - p.gap * p.normal).norm() / s, 1e-12);
                }
                // Where they overlap deeply, Bullet's points may be astray on cylinders.
                const double astray = by_bullet(c)   ? (low.gap > -0.1 * s ? 1e-4 : 2e-3)
                                      : by_search(c) ? 2e-9
                                                     : 1e-12;
                ASSERT_LT(outside(c.a, pose_a, low.on_a) / s, astray) << c.name << c.b.index();
                ASSERT_LT(outside(c.b, pose_b, low.on_b) / s, astray) << c.name << c.b.index();
            }
}

} // namespace narrowphase_properties_test
