#include "collision/shapes.hpp"

#include "error.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

using namespace tamis;
using Eigen::Vector3d;

namespace {

void expect_refused(const char* name, const std::function<void()>& make)
{
    try {
        make();
        ADD_FAILURE() << "accepted an impossible " << name;
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
}

// Volume enclosed by polygons whose faces turn counter-clockwise seen from outside (divergence theorem).
double volume(const Surface& s)
{
    double six_volumes = 0;
    for (const auto& face : s.faces)
        for (std::size_t i = 2; i < face.size(); ++i)
            six_volumes += s.vertices[face[0]].dot(s.vertices[face[i - 1]].cross(s.vertices[face[i]]));
    return six_volumes / 6;
}

// Area of the regular polygon of n sides inscribed in a circle.
double polygon_area(int n, double radius)
{
    return n / 2.0 * radius * radius * std::sin(2 * std::numbers::pi / n);
}

} // namespace

TEST(Shapes, ImpossibleSizesAreRefusedByName)
{
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    for (double bad : {-1.0, nan, inf}) {
        expect_refused("sphere", [&] { sphere(bad); });
        expect_refused("box", [&] { box(bad, 1, 1); });
        expect_refused("box", [&] { box(1, bad, 1); });
        expect_refused("box", [&] { box(1, 1, bad); });
        expect_refused("rectangle", [&] { rectangle(bad, 1); });
        expect_refused("rectangle", [&] { rectangle(1, bad); });
        expect_refused("cylinder", [&] { cylinder(bad, 1); });
        expect_refused("cylinder", [&] { cylinder(1, bad); });
    }
    expect_refused("sphere", [] { sphere(0); });
    expect_refused("box", [] { box(0, 0, 1); });
    expect_refused("rectangle", [] { rectangle(0, 1); });
    expect_refused("cylinder", [] { cylinder(1, 0); });
    expect_refused("wall", [] { wall({0, 0, 0}, 1); });
    expect_refused("wall", [&] { wall({0, nan, 1}, 1); });
    expect_refused("wall", [&] { wall({0, 0, 1}, inf); });
}

TEST(Shapes, FactoriesTakeFullLengthsAndNormalise)
{
    EXPECT_EQ(std::get<Sphere>(sphere(2)).radius, 2);
    EXPECT_EQ(std::get<Box>(box(2, 4, 6)).half, Vector3d(1, 2, 3));
    EXPECT_EQ(std::get<Box>(rectangle(2, 4)).half, Vector3d(1, 2, 0));
    EXPECT_EQ(std::get<Cylinder>(cylinder(2, 6)).half_length, 3);
    const Plane plane = std::get<Plane>(wall({0, 3, 4}, 7));
    EXPECT_LT((plane.normal - Vector3d(0, 0.6, 0.8)).norm(), 1e-15);
    EXPECT_EQ(plane.offset, 7);
}

TEST(Shapes, CornersAreNumberedAsDocumented)
{
    const auto rect = corners(std::get<Box>(rectangle(2, 4)));
    ASSERT_EQ(rect.size(), 4u);
    EXPECT_EQ(rect[0], Vector3d(1, 2, 0));
    EXPECT_EQ(rect[1], Vector3d(-1, 2, 0));
    EXPECT_EQ(rect[2], Vector3d(-1, -2, 0));
    EXPECT_EQ(rect[3], Vector3d(1, -2, 0));

    const auto full = corners(std::get<Box>(box(2, 4, 6)));
    ASSERT_EQ(full.size(), 8u);
    for (int c = 0; c < 8; ++c) EXPECT_EQ(full[c], rect[c % 4] + Vector3d(0, 0, c < 4 ? -3 : 3));

    const auto flat_x = corners(std::get<Box>(box(0, 4, 6)));
    ASSERT_EQ(flat_x.size(), 4u);
    EXPECT_EQ(flat_x[0], Vector3d(0, 2, 3));
    EXPECT_EQ(flat_x[1], Vector3d(0, -2, 3));
}

TEST(Shapes, BoundingRadiusReachesTheFarthestPoint)
{
    EXPECT_EQ(bounding_radius(sphere(2)), 2);
    EXPECT_DOUBLE_EQ(bounding_radius(box(2, 4, 4)), 3);
    EXPECT_DOUBLE_EQ(bounding_radius(cylinder(3, 8)), 5);
    EXPECT_TRUE(std::isinf(bounding_radius(wall({0, 0, 1}, 0))));
}

TEST(Shapes, DrawnSurfacesAreClosedAndFaceOutwards)
{
    EXPECT_NEAR(volume(surface(box(2, 3, 4), 1)), 24, 1e-12);
    EXPECT_NEAR(volume(surface(cylinder(0.5, 2), 1)), 2 * polygon_area(32, 0.5), 1e-12);
    // Between rings of radius r1 and r2, a band is a frustum of a polygonal pyramid.
    double expected = 0;
    for (int band = 0; band < 12; ++band) {
        const double t1 = std::numbers::pi * band / 12, t2 = std::numbers::pi * (band + 1) / 12;
        const double r1 = std::sin(t1), r2 = std::sin(t2), height = std::cos(t1) - std::cos(t2);
        expected += polygon_area(24, 1) * height * (r1 * r1 + r1 * r2 + r2 * r2) / 3;
    }
    EXPECT_NEAR(volume(surface(sphere(1), 1)), expected, 1e-12);
    for (const Vector3d& x : surface(sphere(3), 1).vertices) EXPECT_NEAR(x.norm(), 3, 1e-14);
}

TEST(Shapes, EveryEdgeOfAClosedSurfaceIsSharedInOppositeSenses)
{
    for (const Shape& shape : {sphere(1), box(1, 2, 3), cylinder(1, 2)}) {
        const Surface s = surface(shape, 1);
        std::vector<std::vector<int>> count(s.vertices.size(), std::vector<int>(s.vertices.size()));
        for (const auto& face : s.faces)
            for (std::size_t i = 0; i < face.size(); ++i) ++count[face[i]][face[(i + 1) % face.size()]];
        for (std::size_t i = 0; i < count.size(); ++i)
            for (std::size_t j = 0; j < count.size(); ++j) {
                ASSERT_LE(count[i][j], 1);
                ASSERT_EQ(count[i][j], count[j][i]);
            }
    }
}

TEST(Shapes, FlatSurfacesAreOneFaceAlongTheirNormal)
{
    const auto normal = [](const Surface& s) {
        return Vector3d((s.vertices[1] - s.vertices[0]).cross(s.vertices[2] - s.vertices[1]));
    };
    const Surface rect = surface(rectangle(2, 4), 1);
    ASSERT_EQ(rect.faces.size(), 1u);
    EXPECT_EQ(normal(rect), Vector3d(0, 0, 8));

    const Surface plane = surface(wall({1, 2, 2}, 5), 3);
    ASSERT_EQ(plane.faces.size(), 1u);
    EXPECT_LT((normal(plane) - 9 * Vector3d(1, 2, 2) / 3).norm(), 1e-14);
    Vector3d centre = Vector3d::Zero();
    for (const Vector3d& x : plane.vertices) centre += x / 4;
    EXPECT_LT((centre - 5 * Vector3d(1, 2, 2) / 3).norm(), 1e-14);
}
