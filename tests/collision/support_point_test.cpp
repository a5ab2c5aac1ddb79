#include "tamis/collision/support_point.hpp"

#include "collision/random_poses.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace support_point_test {

using namespace tamis;
using Eigen::Vector3d;

namespace {

// Of `count` points on a sphere: all of them are vertices.
Hull round_hull(int count)
{
    std::vector<Vector3d> points;
    for (int i = 0; i < count; ++i) points.push_back(random_vector(1).normalized());
    return make_hull(points);
}

int first_farthest(const Hull& hull, const Vector3d& n)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < hull.vertices.size(); ++i)
        if (n.dot(hull.vertices[i]) > n.dot(hull.vertices[best])) best = i;
    return static_cast<int>(best);
}

// In random directions, and in those in which an edge or a face is farthest up to round-off.
void expect_first_farthest(SupportPoint find, const Hull& hull)
{
    std::vector<Vector3d> directions = hull.normal;
    for (const Hull::Edge& e : hull.edges) directions.push_back(hull.normal[e.left] + hull.normal[e.right]);
    for (int i = 0; i < 200; ++i) directions.push_back(random_vector(1));
    for (const Vector3d& n : directions) {
        ASSERT_EQ(find(hull, n), first_farthest(hull, n)) << hull.vertices.size();
        ASSERT_EQ(find(hull, -n), first_farthest(hull, -n)) << hull.vertices.size();
    }
}

} // namespace

TEST(SupportPoint, IsTheFirstOfTheLargestWithAllInstructions)
{
    random_engine.seed(2026);
    for (const char* instructions : {"scalar", "avx2"}) {
        const SupportPoint find = support_point_with(instructions);
        if (!find) continue; // not on this machine
        for (int count = 4; count < 41; ++count) expect_first_farthest(find, round_hull(count));
    }
    for (int count = 4; count < 41; ++count) expect_first_farthest(support_point, round_hull(count));
}

TEST(SupportPoint, OfEquallyFarVerticesIsTheFirst)
{
    // Of a cube along an axis, four; along a diagonal of a face, two; along no direction, all.
    std::vector<Vector3d> corners;
    for (int i = 0; i < 8; ++i) corners.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    const Hull cube = make_hull(corners);
    for (const char* instructions : {"scalar", "avx2"}) {
        const SupportPoint find = support_point_with(instructions);
        if (!find) continue;
        EXPECT_EQ(find(cube, {1, 0, 0}), 1);
        EXPECT_EQ(find(cube, {-1, 0, 0}), 0);
        EXPECT_EQ(find(cube, {0, 1, 0}), 2);
        EXPECT_EQ(find(cube, {0, 0, 1}), 4);
        EXPECT_EQ(find(cube, {0, 1, 1}), 6);
        EXPECT_EQ(find(cube, {1, 0, 1}), 5);
        EXPECT_EQ(find(cube, {0, 0, 0}), 0);
    }
}

TEST(SupportPoint, KnowsNoOtherInstructions)
{
    EXPECT_EQ(support_point_with("abacus"), nullptr);
}

} // namespace support_point_test
