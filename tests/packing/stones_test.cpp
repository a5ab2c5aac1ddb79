#include "tamis/packing/stones.hpp"

#include "error_of.hpp"
#include "tamis/packing/grading.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace stones_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double scales[] = {1e-3, 1, 1e3};

Hull box_hull(const Vector3d& sides, const Matrix3d& R)
{
    std::vector<Vector3d> points = corners(Box{sides / 2});
    for (Vector3d& x : points) x = R * x;
    return make_hull(points);
}

Hull cloud(int n, Random& random)
{
    std::vector<Vector3d> points(n);
    for (Vector3d& x : points) x = Vector3d(1, 0.8, 0.6).cwiseProduct(random.direction());
    return make_hull(points);
}

double extent(const Hull& hull, const Vector3d& n)
{
    double low = 1e300, high = -1e300;
    for (const Vector3d& x : hull.vertices) low = std::min(low, n.dot(x)), high = std::max(high, n.dot(x));
    return high - low;
}

} // namespace

TEST(Calipers, BoxHasItsSides)
{
    Random random(1);
    for (double scale : scales)
        for (int i = 0; i < 20; ++i) {
            const Matrix3d R = i ? random.rotation() : Matrix3d::Identity();
            const Calipers c = calipers(box_hull(scale * Vector3d(2, 5, 3), R));
            EXPECT_NEAR(c.longest, 5 * scale, 1e-13 * scale);
            EXPECT_NEAR(c.intermediate, 3 * scale, 1e-13 * scale);
            EXPECT_NEAR(c.shortest, 2 * scale, 1e-13 * scale);
            EXPECT_NEAR(c.elongation(), 0.6, 1e-13);
            EXPECT_NEAR(c.flatness(), 2.0 / 3, 1e-13);
            EXPECT_NEAR((R.transpose() * c.axes).col(0).cwiseAbs().y(), 1, 1e-13);
            EXPECT_NEAR((R.transpose() * c.axes).col(2).cwiseAbs().x(), 1, 1e-13);
            EXPECT_NEAR(c.axes.determinant(), 1, 1e-13);
        }
}

// The smallest width of a regular tetrahedron is that of two opposite edges, edge / sqrt(2), not its height.
TEST(Calipers, TetrahedronIsNarrowestBetweenOppositeEdges)
{
    Random random(2);
    for (int i = 0; i < 20; ++i) {
        const Matrix3d R = random.rotation();
        std::vector<Vector3d> points{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
        for (Vector3d& x : points) x = R * x;
        const Calipers c = calipers(make_hull(points));
        EXPECT_NEAR(c.shortest, 2, 1e-13);
        EXPECT_NEAR(c.intermediate, 2, 1e-13); // the shadow is a square
        EXPECT_NEAR(c.longest, 2, 1e-13);
    }
}

// A polyhedron with n vertices on an ellipsoid falls short of its axes by O(1 / n).
TEST(Calipers, EllipsoidHasItsAxes)
{
    std::vector<Vector3d> points;
    constexpr int n = 1000; // on a spiral
    for (int i = 0; i < n; ++i) {
        const double z = 1 - (2 * i + 1.0) / n, r = std::sqrt(1 - z * z), t = i * pi * (3 - std::sqrt(5.0));
        points.emplace_back(1.5 * r * std::cos(t), 0.8 * z, 1.1 * r * std::sin(t));
    }
    const Calipers c = calipers(make_hull(points));
    EXPECT_NEAR(c.longest, 3, 0.02);
    EXPECT_NEAR(c.intermediate, 2.2, 0.02);
    EXPECT_NEAR(c.shortest, 1.6, 0.02);
}

TEST(Calipers, NoDirectionIsNarrowerAndTheBoxHoldsTheHull)
{
    Random random(3);
    for (int i = 0; i < 30; ++i) {
        const Hull hull = cloud(10 + i, random);
        const Calipers c = calipers(hull);
        EXPECT_NEAR(extent(hull, c.axes.col(0)), c.longest, 1e-14);
        EXPECT_NEAR(extent(hull, c.axes.col(1)), c.intermediate, 1e-14);
        EXPECT_NEAR(extent(hull, c.axes.col(2)), c.shortest, 1e-14);
        EXPECT_LT((c.axes.transpose() * c.axes - Matrix3d::Identity()).norm(), 1e-14);
        EXPECT_GE(c.longest, c.intermediate);
        EXPECT_GE(c.intermediate, c.shortest);
        double narrowest = 9, shadow = 9;
        for (int k = 0; k < 20'000; ++k) {
            narrowest = std::min(narrowest, extent(hull, random.direction()));
            const double t = k * pi / 20'000;
            shadow =
                std::min(shadow, extent(hull, std::cos(t) * c.axes.col(0) + std::sin(t) * c.axes.col(1)));
        }
        EXPECT_GE(narrowest, c.shortest);
        EXPECT_LT(narrowest, c.shortest * 1.02); // directions 0.01 apart
        EXPECT_GE(shadow, c.intermediate * (1 - 1e-14));
        EXPECT_LT(shadow, c.intermediate * 1.001);
    }
}

TEST(Sphericity, CubeAndOctahedronHaveTheirClosedForms)
{
    for (double scale : scales) {
        const Hull cube = box_hull(scale * Vector3d(1, 1, 1), Matrix3d::Identity());
        EXPECT_NEAR(surface_area(cube), 6 * scale * scale, 1e-13 * scale * scale);
        EXPECT_NEAR(sphericity(cube), std::cbrt(pi / 6), 1e-14);
        const double s = scale;
        const Hull octahedron =
            make_hull({{s, 0, 0}, {-s, 0, 0}, {0, s, 0}, {0, -s, 0}, {0, 0, s}, {0, 0, -s}});
        EXPECT_NEAR(sphericity(octahedron), std::cbrt(pi / std::sqrt(27.0)), 1e-14);
    }
}

TEST(Stones, HaveTheirVerticesSizeAndCentre)
{
    Random random(4);
    for (double scale : scales)
        for (int vertices : {12, 25, 60})
            for (int i = 0; i < 10; ++i) {
                const Hull h = make_stone({.vertices = vertices}, 0.04 * scale, random);
                EXPECT_EQ(static_cast<int>(h.vertices.size()), vertices);
                EXPECT_EQ(static_cast<int>(h.vertices.size() - h.edges.size()) + h.faces(), 2);
                EXPECT_NEAR(sieve_size(h), 0.04 * scale, 1e-12 * scale);
                EXPECT_LT(mass_properties(h).com.norm(), 1e-14 * scale);
                for (int f = 0; f < h.faces(); ++f)
                    for (const Vector3d& x : h.vertices)
                        EXPECT_LE(h.normal[f].dot(x), h.offset[f] + 1e-12 * scale);
            }
}

TEST(Stones, HaveNoNeedlesAndNoShortEdges)
{
    Random random(5);
    for (int i = 0; i < 100; ++i) {
        const Hull h = make_stone({}, 1, random);
        double shortest = 9;
        for (const auto& e : h.edges)
            shortest = std::min(shortest, (h.vertices[e.a] - h.vertices[e.b]).norm());
        EXPECT_GT(shortest, 0.05 * (1 - 1e-9));
        for (int f = 0; f < h.faces(); ++f) {
            Vector3d twice = Vector3d::Zero();
            double diameter = 0;
            const int begin = h.face_start[f], n = h.face_start[f + 1] - begin;
            for (int k = 0; k < n; ++k) {
                const Vector3d& x = h.vertices[h.face_vertex[begin + k]];
                twice += x.cross(h.vertices[h.face_vertex[begin + (k + 1) % n]]);
                for (int l = 0; l < k; ++l)
                    diameter = std::max(diameter, (x - h.vertices[h.face_vertex[begin + l]]).norm());
            }
            EXPECT_GT(twice.norm(), 0.1 * diameter * diameter * (1 - 1e-9));
        }
    }
}

TEST(Stones, FollowTheFormAskedFor)
{
    Random random(6);
    const Calipers c = calipers(make_stone({.elongation = 0.6, .flatness = 0.5, .scatter = 0}, 1, random));
    EXPECT_NEAR(c.elongation(), 0.6, 1e-3);
    EXPECT_NEAR(c.flatness(), 0.5, 1e-3);

    constexpr int n = 300;
    double e = 0, f = 0, ee = 0, s = 0;
    const std::vector<double> sizes(n, 0.04);
    for (const Polyhedron& stone : make_stones({}, sizes)) {
        const Calipers m = calipers(*stone.hull);
        e += m.elongation() / n, ee += m.elongation() * m.elongation() / n, f += m.flatness() / n;
        s += sphericity(*stone.hull) / n;
        EXPECT_GT(sphericity(*stone.hull), 0.7);
        EXPECT_LT(sphericity(*stone.hull), 0.95);
    }
    // (Not every form drawn becomes a stone: the means move by a fraction of the scatter.)
    EXPECT_NEAR(e, 0.75, 4 * 0.08 / std::sqrt(n));
    EXPECT_NEAR(f, 0.72, 4 * 0.08 / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(ee - e * e), 0.08, 0.02);
    EXPECT_GT(s, 0.8);
    EXPECT_LT(s, 0.9);
}

static Polyhedron brick(double length, double width, double thickness)
{
    return {std::make_shared<Hull>(box_hull({length, width, thickness}, Matrix3d::Identity()))};
}

TEST(FormIndices, BricksHaveTheirShareOfTheMass)
{
    // 3 of 4 dm^3 in the brick that is longer than three thicknesses.
    const Polyhedron flag = brick(0.3, 0.2, 0.05), cube = brick(0.1, 0.1, 0.1);
    EXPECT_NEAR(shape_index(std::vector{flag, cube}), 0.75, 1e-12);
    EXPECT_EQ(shape_index(std::vector{cube}), 0);
    EXPECT_TRUE(std::isnan(shape_index({})));

    // Between the sieves of 40 and 50 mm the bars are 25 mm apart, between 25 and 31.5 mm they are 16.
    EXPECT_NEAR(flakiness_index(std::vector{brick(0.06, 0.045, 0.0249), brick(0.06, 0.045, 0.0251)}),
                0.0249 / 0.05, 1e-12);
    EXPECT_EQ(flakiness_index(std::vector{brick(0.05, 0.028, 0.0159)}), 1);
    EXPECT_EQ(flakiness_index(std::vector{brick(0.05, 0.028, 0.0161)}), 0);
    EXPECT_EQ(flakiness_index(std::vector{brick(0.02, 0.0041, 0.0024)}), 1);
    EXPECT_EQ(flakiness_index(std::vector{brick(0.2, 0.099, 0.0499)}), 1);
    EXPECT_TRUE(std::isnan(flakiness_index(std::vector{flag}))) << "no sieve holds it";
    EXPECT_TRUE(std::isnan(flakiness_index(std::vector{brick(0.02, 0.0039, 0.001)})));
}

// EN 13450 has categories of 15, 20 and 35 % for the flakiness index of ballast and of 10, 20 and 30 % for
// its shape index.
TEST(FormIndices, BallastIsOfTheStrictestCategories)
{
    const auto stones = make_stones({}, draw_sizes(ballast_31_50(), 500));
    EXPECT_LT(flakiness_index(stones), 0.15);
    EXPECT_GT(flakiness_index(stones), 0.02);
    EXPECT_LT(shape_index(stones), 0.10);
}

TEST(Stones, AreAllDifferentAndComeFromTheSeed)
{
    const std::vector<double> sizes(20, 1.0);
    const auto a = make_stones({}, sizes, 1), b = make_stones({}, sizes, 1), c = make_stones({}, sizes, 2);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(a[i].hull->vertices, b[i].hull->vertices);
        EXPECT_EQ(a[i].hull->face_vertex, b[i].hull->face_vertex);
        EXPECT_NE(a[i].hull->vertices, c[i].hull->vertices);
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_GT(std::abs(mass_properties(*a[i].hull).volume - mass_properties(*a[j].hull).volume),
                      1e-6);
    }
}

TEST(Stones, FormsThatCannotBeAreRefused)
{
    Random random(7);
    const auto error = [&](const StoneForm& form, double size) {
        return error_of([&] { make_stone(form, size, random); });
    };
    EXPECT_TRUE(contains(error({.vertices = 5}, 1), "5 vertices"));
    EXPECT_TRUE(contains(error({.elongation = 1.3}, 1), "elongation 1.3"));
    EXPECT_TRUE(contains(error({}, 0), "A stone has a length of 0"));
}

} // namespace stones_test
