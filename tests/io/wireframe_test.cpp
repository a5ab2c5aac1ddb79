#include "tamis/io/wireframe.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace tamis::test::wireframe_test {

using Eigen::Vector3d;

TEST(Wireframe, EveryEdgeOfASolidIsDrawnOnce)
{
    const auto count = [](const Shape& shape) { return edges(surface(shape, 0)).size(); };
    EXPECT_EQ(count(box(1, 2, 3)), 12u);
    EXPECT_EQ(count(hollow(cylinder(1, 2))), 3u * 32); // two rings and the lines between them
    EXPECT_EQ(count(polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), 6u);
}

TEST(Wireframe, GridLiesInItsPlaneAndCoversTheBoxByNoMoreThanACell)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
    for (int k = 0; k < 200; ++k) {
        const double size = std::pow(10, 4 * uniform(random));
        const Plane plane = std::get<Plane>(wall(vector(), size * uniform(random)));
        const Pose pose{Eigen::AngleAxisd(3 * uniform(random), vector().normalized()).toRotationMatrix(),
                        size * vector()};
        const Vector3d centre = 5 * size * vector(), half = size * vector().cwiseAbs();
        const Grid g = grid(plane, pose, {centre - half, centre + half});
        ASSERT_FALSE(g.lines.empty());
        ASSERT_LE(g.lines.size(), 42u);
        for (const Vector3d& x : g.vertices)
            ASSERT_NEAR(plane.normal.dot(x), plane.offset, 1e-13 * 10 * size);
        // Along either axis, which a line has the direction of: the box reaches to the last cell at both
        // ends.
        for (const auto& line : {g.lines.front(), g.lines.back()}) {
            const Vector3d axis = (g.vertices[line[1]] - g.vertices[line[0]]).normalized();
            double low = 1e300, high = -1e300, box_low = 1e300, box_high = -1e300;
            for (const Vector3d& x : g.vertices) {
                low = std::min(low, axis.dot(x));
                high = std::max(high, axis.dot(x));
            }
            for (int c = 0; c < 8; ++c) {
                const Vector3d sign(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1);
                const Vector3d corner = pose.R.transpose() * (centre + sign.cwiseProduct(half) - pose.p);
                box_low = std::min(box_low, axis.dot(corner));
                box_high = std::max(box_high, axis.dot(corner));
            }
            const double cell = half.maxCoeff() / 2; // at most: 2.5 of the least, a fifth of the half
            EXPECT_LE(low, box_low + 0.05 * cell);
            EXPECT_GE(low, box_low - cell);
            EXPECT_GE(high, box_high - 0.05 * cell);
            EXPECT_LE(high, box_high + cell);
        }
    }
}

TEST(Wireframe, LinesStandStillWhileTheBoxMoves)
{
    const Plane floor = std::get<Plane>(wall({0, 0, 1}, 0.5));
    std::set<long> places; // in millimetres
    for (double x = 0; x < 0.3; x += 0.0123)
        for (const Vector3d& v : grid(floor, {}, {{x, 0, 0}, {x + 1, 0.2, 1}}).vertices) {
            EXPECT_NEAR(1e3 * v.y(), std::lround(1e3 * v.y()), 1e-9);
            EXPECT_EQ(std::lround(1e3 * v.y()) % 100, 0);
            places.insert(std::lround(1e3 * v.x()));
        }
    for (long x : places) EXPECT_EQ(x % 100, 0) << x;
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), 1300);
}

} // namespace tamis::test::wireframe_test
