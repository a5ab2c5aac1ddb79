#include "tamis/collision/hull.hpp"

#include "collision/random_poses.hpp"
#include "error_of.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numbers>
#include <set>

namespace hull_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

using Points = std::vector<Vector3d>;

Points box_corners(const Vector3d& half)
{
    Points points;
    for (double x : {-1, 1})
        for (double y : {-1, 1})
            for (double z : {-1, 1}) points.push_back(half.cwiseProduct(Vector3d(x, y, z)));
    return points;
}

Points octahedron()
{
    return {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
}

Points dodecahedron()
{
    const double g = std::numbers::phi;
    Points points = box_corners({1, 1, 1});
    for (double a : {-1 / g, 1 / g})
        for (double b : {-g, g}) {
            points.emplace_back(0, a, b);
            points.emplace_back(a, b, 0);
            points.emplace_back(b, 0, a);
        }
    return points;
}

Points random_points(int count, double reach = 1)
{
    Points points(count);
    for (Vector3d& x : points) x = random_vector(reach);
    return points;
}

Points sphere_points(int count)
{
    Points points = random_points(count);
    for (Vector3d& x : points) x.normalize();
    return points;
}

// Points between the corners of each face of a hull: on the edges, and inside the faces.
Points with_points_on_faces(const Points& corners, int count)
{
    const Hull hull = make_hull(corners);
    Points points;
    for (int i = 0; i < count; ++i)
        for (int f = 0; f < hull.faces(); ++f) {
            const int begin = hull.face_start[f], n = hull.face_start[f + 1] - begin, from = i % n;
            Vector3d x = hull.vertices[hull.face_vertex[begin + from]];
            x += uniform(0, 1) * (hull.vertices[hull.face_vertex[begin + (from + 1) % n]] - x);
            if (i % 2) x += uniform(0, 1) * (hull.vertices[hull.face_vertex[begin + (from + 2) % n]] - x);
            points.push_back(x);
        }
    points.insert(points.end(), corners.begin(), corners.end());
    return points;
}

double size_of(const Points& points)
{
    Vector3d low = points[0], high = points[0];
    for (const Vector3d& x : points) low = low.cwiseMin(x), high = high.cwiseMax(x);
    return (high - low).maxCoeff();
}

Points moved(Points points, const Matrix3d& R, const Vector3d& p)
{
    for (Vector3d& x : points) x = R * x + p;
    return points;
}

// Everything that the header says of a hull, for the points that it was made of.
void expect_valid(const Hull& h, const Points& points, double inside)
{
    const double size = size_of(points);
    const int vertices = static_cast<int>(h.vertices.size());
    ASSERT_EQ(h.offset.size(), h.normal.size());
    ASSERT_EQ(h.face_start.size(), h.normal.size() + 1);
    ASSERT_EQ(h.face_start.front(), 0);
    ASSERT_EQ(h.face_start.back(), static_cast<int>(h.face_vertex.size()));
    EXPECT_EQ(vertices - static_cast<int>(h.edges.size()) + h.faces(), 2);

    double worst = 0, radius = 0;
    for (int f = 0; f < h.faces(); ++f) {
        EXPECT_NEAR(h.normal[f].norm(), 1, 1e-15);
        for (const Vector3d& x : points) worst = std::max(worst, h.normal[f].dot(x) - h.offset[f]);
        for (int i = h.face_start[f]; i < h.face_start[f + 1]; ++i)
            EXPECT_NEAR(h.normal[f].dot(h.vertices[h.face_vertex[i]]), h.offset[f], 1e-9 * size);
    }
    EXPECT_LE(worst, inside * size);
    for (const Vector3d& x : h.vertices) radius = std::max(radius, x.norm());
    EXPECT_EQ(h.radius, radius);

    // Each directed edge of the polygons belongs to one face, its reverse to another; they are the edges.
    std::map<std::pair<int, int>, int> left;
    for (int f = 0; f < h.faces(); ++f) {
        const int begin = h.face_start[f], n = h.face_start[f + 1] - begin;
        ASSERT_GE(n, 3);
        Vector3d area = Vector3d::Zero();
        for (int i = 0; i < n; ++i) {
            const int a = h.face_vertex[begin + i], b = h.face_vertex[begin + (i + 1) % n];
            area += h.vertices[a].cross(h.vertices[b] - h.vertices[a]);
            EXPECT_TRUE(left.emplace(std::pair(a, b), f).second);
        }
        EXPECT_GT(area.dot(h.normal[f]), 0);
    }
    ASSERT_EQ(left.size(), 2 * h.edges.size());
    for (const Hull::Edge& e : h.edges) {
        ASSERT_TRUE(left.count({e.a, e.b}) && left.count({e.b, e.a}));
        EXPECT_EQ((left[{e.a, e.b}]), e.left);
        EXPECT_EQ((left[{e.b, e.a}]), e.right);
        EXPECT_NE(e.left, e.right);
    }

    ASSERT_EQ(h.vertex_start.size(), h.vertices.size() + 1);
    ASSERT_EQ(h.vertex_edge.size(), 2 * h.edges.size());
    ASSERT_EQ(h.vertex_neighbour.size(), 2 * h.edges.size());
    ASSERT_EQ(h.vertex_start.back(), static_cast<int>(h.vertex_edge.size()));
    std::set<std::pair<int, int>> seen;
    for (int v = 0; v < vertices; ++v) {
        EXPECT_GE(h.vertex_start[v + 1] - h.vertex_start[v], 3);
        for (int i = h.vertex_start[v]; i < h.vertex_start[v + 1]; ++i) {
            const Hull::Edge& e = h.edges[h.vertex_edge[i]];
            EXPECT_TRUE((e.a == v && e.b == h.vertex_neighbour[i]) ||
                        (e.b == v && e.a == h.vertex_neighbour[i]));
            EXPECT_TRUE(seen.emplace(v, h.vertex_edge[i]).second);
        }
    }

    // The vertices are points of the input, in its order.
    auto from = points.begin();
    for (const Vector3d& x : h.vertices) {
        from = std::find(from, points.end(), x);
        ASSERT_NE(from, points.end());
        ++from;
    }
}

void expect_faces(const Hull& h, int vertices, int faces, int sides)
{
    EXPECT_EQ(static_cast<int>(h.vertices.size()), vertices);
    EXPECT_EQ(h.faces(), faces);
    for (int f = 0; f < h.faces(); ++f) EXPECT_EQ(h.face_start[f + 1] - h.face_start[f], sides);
}

bool same_faces(const Hull& a, const Hull& b)
{
    return a.face_start == b.face_start && a.face_vertex == b.face_vertex;
}

// Corners of the triangles that have all points on one side.
Points brute_force(const Points& points)
{
    const int n = static_cast<int>(points.size());
    std::set<int> on_hull;
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            for (int k = j + 1; k < n; ++k) {
                const Vector3d normal = (points[j] - points[i]).cross(points[k] - points[i]);
                double low = 0, high = 0;
                for (int l = 0; l < n; ++l) {
                    if (l == i || l == j || l == k) continue;
                    const double h = normal.dot(points[l] - points[i]);
                    low = std::min(low, h), high = std::max(high, h);
                }
                if (low == 0 || high == 0) on_hull.insert({i, j, k});
            }
    Points result;
    for (int i : on_hull) result.push_back(points[i]);
    return result;
}

void expect_near(const MassProperties& a, const MassProperties& b, double size, double relative)
{
    EXPECT_NEAR(a.volume, b.volume, relative * std::pow(size, 3));
    EXPECT_LT((a.com - b.com).norm(), relative * size);
    EXPECT_LT((a.inertia - b.inertia).norm(), relative * std::pow(size, 5));
}

} // namespace

TEST(Hull, RegularSolidsHaveTheirFaces)
{
    const Points tetrahedron{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    for (double scale : scales)
        for (int turn = 0; turn < 20; ++turn) {
            const Matrix3d A = scale * (turn == 0 ? Matrix3d::Identity() : random_rotation());
            const auto check = [&](const Points& solid, int vertices, int faces, int sides) {
                const Points points = moved(solid, A, {0, 0, 0});
                const Hull h = make_hull(points);
                expect_faces(h, vertices, faces, sides);
                expect_valid(h, points, 1e-14);
            };
            check(tetrahedron, 4, 4, 3);
            check(box_corners({1, 1, 1}), 8, 6, 4);
            check(octahedron(), 6, 8, 3);
            check(dodecahedron(), 20, 12, 5);
        }
}

TEST(Hull, PointsOnFacesOnEdgesInsideAndTwiceAreLeftOut)
{
    for (double scale : scales)
        for (int turn = 0; turn < 20; ++turn) {
            const Matrix3d A = scale * (turn == 0 ? Matrix3d::Identity() : random_rotation());
            const auto check = [&](const Points& solid, int vertices, int faces, int sides) {
                Points points = with_points_on_faces(solid, 20);
                const Points inside = random_points(20, 0.3);
                points.insert(points.end(), inside.begin(), inside.end());
                points.insert(points.end(), solid.rbegin(), solid.rend());
                points = moved(points, A, {0, 0, 0});
                const Hull h = make_hull(points);
                expect_faces(h, vertices, faces, sides);
                expect_valid(h, points, 1e-14);
            };
            check(box_corners({1, 1, 1}), 8, 6, 4);
            check(octahedron(), 6, 8, 3);
            check(dodecahedron(), 20, 12, 5);
        }
}

TEST(Hull, AGridOfPointsIsABox)
{
    Points points;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 7; ++j)
            for (int k = 0; k < 5; ++k) points.emplace_back(i, j, k);
    for (int turn = 0; turn < 5; ++turn) {
        const Points turned = moved(points, turn == 0 ? Matrix3d::Identity() : random_rotation(), {0, 0, 0});
        const Hull h = make_hull(turned);
        expect_faces(h, 8, 6, 4);
        expect_valid(h, turned, 1e-14);
    }
}

TEST(Hull, RandomPointsGiveTheVerticesOfTheBruteForceHull)
{
    for (int i = 0; i < 300; ++i) {
        const Points points = i % 2 ? random_points(4 + i % 20) : sphere_points(4 + i % 20);
        const Hull h = make_hull(points);
        expect_valid(h, points, 1e-12);
        EXPECT_EQ(h.vertices, brute_force(points));
    }
}

TEST(Hull, ManyPointsOnASphereAreAllVertices)
{
    const Points points = sphere_points(10000);
    const Hull h = make_hull(points);
    EXPECT_EQ(h.vertices, points);
    // (Some of so many triangles are so flat towards a neighbour that they merge.)
    EXPECT_LE(h.faces(), 2 * 10000 - 4);
    EXPECT_GE(h.faces(), 2 * 10000 - 14);
    EXPECT_EQ(static_cast<int>(h.vertices.size() - h.edges.size()) + h.faces(), 2);
    const Points few(points.begin(), points.begin() + 1000);
    expect_valid(make_hull(few), few, 1e-12);
}

TEST(Hull, FacesDoNotDependOnPoseOrScale)
{
    for (int i = 0; i < 50; ++i) {
        const Points points = i % 2 ? dodecahedron() : random_points(25);
        const Hull h = make_hull(points);
        for (double scale : scales) {
            EXPECT_TRUE(same_faces(h, make_hull(moved(points, scale * random_rotation(), {0, 0, 0}))));
            const Points far =
                moved(points, scale * random_rotation(), 1e4 * scale * random_vector(1).normalized());
            const Hull g = make_hull(far);
            EXPECT_TRUE(same_faces(h, g));
            expect_valid(g, far, 1e-11); // coordinates of 1e4 sizes are rounded by 1e-12 of the size
        }
    }
}

TEST(Hull, SameInputGivesTheSameBits)
{
    const Points points = with_points_on_faces(dodecahedron(), 10);
    const Hull a = make_hull(points), b = make_hull(points);
    EXPECT_TRUE(same_faces(a, b));
    EXPECT_EQ(a.normal, b.normal);
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.vertex_edge, b.vertex_edge);
}

TEST(Hull, PointsWithinTheToleranceAreLeftOutAndOthersKept)
{
    for (double scale : scales) {
        const auto cube_with = [&](const Vector3d& extra) {
            Points points = box_corners({0.5, 0.5, 0.5});
            points.push_back(extra);
            return make_hull(moved(points, scale * Matrix3d::Identity(), {0, 0, 0}));
        };
        expect_faces(cube_with({0.5 + 5e-10, 0.1, 0.2}), 8, 6, 4);
        expect_faces(cube_with({0.5 + 2e-10, 0.5 + 2e-10, 0.2}), 8, 6, 4);
        expect_faces(cube_with({0.5 + 2e-10, 0.5 + 2e-10, 0.5 + 2e-10}), 8, 6, 4);
        EXPECT_EQ(cube_with({0.5 + 5e-9, 0.1, 0.2}).vertices.size(), 9u);
        EXPECT_EQ(cube_with({0.5 + 5e-9, 0.1, 0.2}).faces(), 9);
        // Four faces meet at the top of an octahedron: two points there would separate them.
        Points top = octahedron();
        for (int i = 0; i < 10; ++i) top.push_back(Vector3d(0, 0, 1) + random_vector(2e-10));
        const Hull h = make_hull(moved(top, scale * Matrix3d::Identity(), {0, 0, 0}));
        EXPECT_EQ(h.vertices.size(), 6u);
        EXPECT_EQ(h.faces(), 8);
    }
}

// Noise of any size on the points of a grid: whatever merges, the result is a polyhedron around the points.
TEST(Hull, NoiseAroundTheToleranceLeavesAValidPolyhedron)
{
    for (int i = 0; i < 400; ++i) {
        const double noise = std::pow(10, uniform(-13, -5));
        Points points;
        for (int j = 0; j < 60; ++j) {
            Vector3d x = random_vector(1);
            for (int k = 0; k < 3; ++k) x[k] = std::round(2 * x[k]) / 2;
            points.push_back(x + random_vector(noise));
        }
        const Hull h = make_hull(moved(points, random_rotation(), {0, 0, 0}));
        EXPECT_EQ(static_cast<int>(h.vertices.size() - h.edges.size()) + h.faces(), 2);
        double worst = 0;
        for (const Vector3d& x : h.vertices)
            for (int f = 0; f < h.faces(); ++f) worst = std::max(worst, h.normal[f].dot(x) - h.offset[f]);
        EXPECT_LE(worst, 1e-7) << noise;
    }
}

// Thin as the tolerance, a hull is refused or it is a polyhedron; doubles alone cannot tell its faces.
TEST(Hull, NeedlesAndPlatesOfAnyThicknessAreValidOrRefused)
{
    int made = 0;
    for (int i = 0; i < 4000; ++i) {
        const bool needle = i % 2;
        const double thin = std::pow(10, uniform(-10, needle ? -5 : -7));
        const Vector3d lengths(1, needle ? thin : 1, thin);
        Points points = moved(random_points(4 + i % 9), random_rotation() * lengths.asDiagonal(), {0, 0, 0});
        const std::string text = error_of([&] {
            const Hull h = make_hull(points);
            EXPECT_EQ(static_cast<int>(h.vertices.size() - h.edges.size()) + h.faces(), 2);
            EXPECT_GE(h.vertices.size(), 4u);
            const MassProperties of = mass_properties(h);
            EXPECT_GT(of.volume, 0);
            EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix3d>(of.inertia).eigenvalues()[0], 0);
            ++made;
        });
        EXPECT_TRUE(text.empty() || contains(text, "plane") || contains(text, "line") ||
                    (needle && contains(text, "inertia")))
            << text;
    }
    EXPECT_GT(made, 2000);
}

TEST(Hull, SetsWithoutVolumeAreRefusedByName)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto sentence = [](const Points& points) {
        return error_of([&] { make_hull(points, "grain 7"); });
    };
    for (double scale : scales) {
        const Matrix3d A = scale * random_rotation();
        const Vector3d p = scale * random_vector(100);
        const auto refuses = [&](const Points& points, const char* reason) {
            const std::string text = sentence(moved(points, A, p));
            EXPECT_TRUE(contains(text, "grain 7") && contains(text, reason) && contains(text, "give it"))
                << text;
        };
        refuses({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "3 points");
        refuses({}, "0 points");
        refuses(Points(9, Vector3d(1, 2, 3)), "coincide");
        Points line, plane;
        for (int i = 0; i < 30; ++i) line.push_back(uniform(-1, 1) * Vector3d(1, 2, 3));
        for (int i = 0; i < 30; ++i)
            plane.push_back(uniform(-1, 1) * Vector3d(1, 2, 3) + uniform(-1, 1) * Vector3d(1, 0, 1));
        refuses(line, "line");
        refuses(plane, "plane");
    }
    Points points = octahedron();
    points[3].y() = nan;
    EXPECT_TRUE(contains(sentence(points), "Point 3 of grain 7"));
    points[3].y() = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(contains(sentence(points), "finite"));
}

TEST(HullMass, BoxTetrahedronAndOctahedronHaveTheirClosedForms)
{
    const Vector3d half(0.5, 1, 1.5);
    const double volume = 8 * half.prod();
    const Vector3d squares = half.cwiseAbs2();
    const Vector3d diagonal = volume / 3 * (Vector3d::Constant(squares.sum()) - squares);
    expect_near(mass_properties(make_hull(box_corners(half))),
                {volume, Vector3d::Zero(), diagonal.asDiagonal()}, 3, 1e-15);

    // Corner of the unit cube: int x^2 = 1/60, int x y = 1/120 about the corner.
    Matrix3d second = Matrix3d::Constant(1 / 120.0);
    second.diagonal().setConstant(1 / 60.0);
    const Vector3d com = Vector3d::Constant(0.25);
    second -= com * com.transpose() / 6;
    const Points tetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    expect_near(mass_properties(make_hull(tetrahedron)),
                {1 / 6.0, com, second.trace() * Matrix3d::Identity() - second}, 1, 1e-15);

    // |x| + |y| + |z| <= 1: V = 4/3, int x^2 = V / 10.
    expect_near(mass_properties(make_hull(octahedron())),
                {4 / 3.0, Vector3d::Zero(), 4 / 3.0 / 5 * Matrix3d::Identity()}, 1, 1e-15);
}

// Regular prism of n sides, circumradius 1, height 2 h: section A = n/2 sin(2 pi/n) with polar moment
// A (2 + cos(2 pi/n)) / 6, which tends to A/2.
TEST(HullMass, PrismsTendToTheCylinder)
{
    const double h = 0.7;
    for (int n : {5, 100, 1000}) {
        Points points;
        for (int i = 0; i < n; ++i)
            for (double z : {-h, h})
                points.emplace_back(std::cos(2 * std::numbers::pi * i / n),
                                    std::sin(2 * std::numbers::pi * i / n), z);
        const Hull hull = make_hull(points);
        EXPECT_EQ(hull.faces(), n + 2);
        const double area = n / 2.0 * std::sin(2 * std::numbers::pi / n), volume = 2 * h * area;
        const double polar = volume * (2 + std::cos(2 * std::numbers::pi / n)) / 6;
        const Vector3d diagonal(polar / 2 + volume * h * h / 3, polar / 2 + volume * h * h / 3, polar);
        const MassProperties mass = mass_properties(hull);
        expect_near(mass, {volume, Vector3d::Zero(), diagonal.asDiagonal()}, 1, 1e-13);
        EXPECT_NEAR(mass.inertia(2, 2), std::numbers::pi * h, 30.0 / (n * n)); // m r^2 / 2
    }
}

TEST(HullMass, ManyPointsOnASphereTendToTheBall)
{
    const Points points = sphere_points(5000);
    const MassProperties mass = mass_properties(make_hull(points));
    const double volume = 4 / 3.0 * std::numbers::pi;
    EXPECT_NEAR(mass.volume, volume, 5e-3 * volume);
    EXPECT_LT(mass.volume, volume);
    EXPECT_LT((mass.inertia - 0.4 * volume * Matrix3d::Identity()).norm(), 1e-2 * volume);
}

TEST(HullMass, MovesAndScalesWithThePoints)
{
    for (int i = 0; i < 50; ++i) {
        const Points points = random_points(25);
        const MassProperties mass = mass_properties(make_hull(points));
        for (double scale : scales)
            for (double distance : {0.0, 1.0, 1e4}) {
                const Matrix3d R = random_rotation();
                const Vector3d p = scale * distance * random_vector(1);
                const MassProperties expected{std::pow(scale, 3) * mass.volume, scale * (R * mass.com) + p,
                                              std::pow(scale, 5) * R * mass.inertia * R.transpose()};
                expect_near(mass_properties(make_hull(moved(points, scale * R, p))), expected, scale,
                            1e-13 + 1e-14 * distance);
            }
    }
}

} // namespace hull_test
