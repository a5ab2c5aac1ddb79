#include "tamis/collision/shapes.hpp"

#include "collision/random_poses.hpp"
#include "io/scratch.hpp"
#include "tamis/base/error.hpp"
#include "tamis/io/mesh_file.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace shapes_test {

using namespace tamis;
using Eigen::Matrix3d;
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

// A path of a .obj file with the surface, removed at the end.
struct ObjFile {
    explicit ObjFile(const Surface& s) { write_obj(s, path()); }
    std::filesystem::path path() const { return folder / "shape.obj"; }

    test::ScratchFolder folder;
};

std::vector<Vector3d> random_points(int count)
{
    std::vector<Vector3d> points(count);
    for (Vector3d& x : points) x = random_vector(1);
    return points;
}

Shape mesh_of(const Shape& shape)
{
    return mesh(ObjFile(surface(shape, 1)).path());
}

Pose random_pose(double reach)
{
    return {random_rotation(), random_vector(reach)};
}

// The point of the shape that is farthest in a direction of its frame, by its definition.
struct Support {
    Vector3d d;
    Vector3d operator()(const Sphere& s) const { return s.radius * d.normalized(); }
    Vector3d operator()(const Box& s) const
    {
        return s.half.cwiseProduct(d.unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; }));
    }
    Vector3d operator()(const Cylinder& s) const
    {
        const Vector3d disc = s.radius * Vector3d(d.x(), d.y(), 0).normalized();
        return disc + Vector3d(0, 0, std::copysign(s.half_length, d.z()));
    }
    Vector3d operator()(const Capsule& s) const
    {
        return s.radius * d.normalized() + Vector3d(0, 0, std::copysign(s.half_length, d.z()));
    }
    Vector3d operator()(const Polyhedron& s) const { return of(s.hull->vertices); }
    Vector3d operator()(const Mesh& s) const { return of(s.mesh->vertices); }
    Vector3d operator()(const Plane&) const { std::abort(); }
    Vector3d operator()(const Hollow&) const { std::abort(); }
    Vector3d of(const std::vector<Vector3d>& points) const
    {
        Vector3d best = points[0];
        for (const Vector3d& x : points)
            if (x.dot(d) > best.dot(d)) best = x;
        return best;
    }
};

MassProperties shifted(MassProperties mass, const Pose& pose)
{
    return {mass.volume, pose * mass.com, pose.R * mass.inertia * pose.R.transpose()};
}

void expect_near(const MassProperties& a, const MassProperties& b, double relative)
{
    EXPECT_NEAR(a.volume, b.volume, relative * b.volume);
    EXPECT_LT((a.com - b.com).norm(), relative * std::cbrt(b.volume));
    EXPECT_LT((a.inertia - b.inertia).norm(), relative * b.inertia.norm());
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
        expect_refused("capsule", [&] { capsule(bad, 1); });
        expect_refused("capsule", [&] { capsule(1, bad); });
        expect_refused("mesh", [&] { mesh("x.obj", bad); });
        expect_refused("polyhedron", [&] { polyhedron("x.obj", bad); });
    }
    expect_refused("sphere", [] { sphere(0); });
    expect_refused("box", [] { box(0, 0, 1); });
    expect_refused("rectangle", [] { rectangle(0, 1); });
    expect_refused("cylinder", [] { cylinder(1, 0); });
    expect_refused("capsule", [] { capsule(1, 0); });
    expect_refused("polyhedron", [] { polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}); });
    expect_refused("flat box", [] { hollow(rectangle(1, 1)); });
    expect_refused("plane", [] { hollow(wall({0, 0, 1}, 0)); });
    expect_refused("polyhedron", [] { hollow(polyhedron(random_points(9))); });
    expect_refused("hollow", [] { hollow(hollow(sphere(1))); });
    const ObjFile flat(surface(rectangle(1, 2), 1)), no_faces(Surface{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}});
    expect_refused("shape.obj", [&] { polyhedron(flat.path()); });
    expect_refused("shape.obj", [&] { mesh(no_faces.path()); });
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
    EXPECT_EQ(std::get<Capsule>(capsule(2, 6)).half_length, 3);
    EXPECT_EQ(std::get<Box>(std::get<Hollow>(hollow(box(2, 4, 6))).cavity).half, Vector3d(1, 2, 3));
    const Plane plane = std::get<Plane>(wall({0, 3, 4}, 7));
    EXPECT_LT((plane.normal - Vector3d(0, 0.6, 0.8)).norm(), 1e-15);
    EXPECT_DOUBLE_EQ(plane.offset, 1.4); // 3 y + 4 z = 7
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
    EXPECT_DOUBLE_EQ(bounding_radius(capsule(3, 8)), 7);
    EXPECT_DOUBLE_EQ(bounding_radius(hollow(box(2, 4, 4))), 3);
    EXPECT_DOUBLE_EQ(bounding_radius(polyhedron({{3, 4, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0, 1}})), 5);
    EXPECT_DOUBLE_EQ(bounding_radius(mesh_of(box(2, 4, 4))), 3);
    EXPECT_TRUE(std::isinf(bounding_radius(wall({0, 0, 1}, 0))));
}

TEST(Shapes, FilesAreScaled)
{
    const ObjFile file(surface(box(1, 2, 3), 1));
    EXPECT_NEAR(volume(surface(polyhedron(file.path(), 2), 1)), 48, 1e-12);
    EXPECT_NEAR(volume(surface(mesh(file.path(), 2), 1)), 48, 1e-12);
    EXPECT_EQ(std::get<Mesh>(mesh(file.path())).mesh->triangles.size(), 12u);
}

// A box around a convex shape is tight if its sides are at the shape's supports along the axes.
TEST(Shapes, BoundsTouchTheShapeOnAllSides)
{
    for (double scale : scales)
        for (const Shape& shape :
             {sphere(scale), box(scale, 2 * scale, 3 * scale), rectangle(scale, 2 * scale),
              cylinder(scale, 3 * scale), cylinder(scale, scale / 10), capsule(scale, 3 * scale),
              polyhedron(surface(capsule(scale, 3 * scale), 1).vertices), mesh_of(cylinder(scale, scale))})
            for (int turn = 0; turn < 30; ++turn) {
                Pose pose = random_pose(5 * scale);
                if (turn == 0) pose.R.setIdentity();
                const Bounds b = bounds(shape, pose);
                for (int k = 0; k < 3; ++k) {
                    const Vector3d axis = pose.R.row(k);
                    EXPECT_NEAR(b.high[k], (pose * std::visit(Support{axis}, shape))[k], 1e-14 * scale);
                    EXPECT_NEAR(b.low[k], (pose * std::visit(Support{-axis}, shape))[k], 1e-14 * scale);
                }
                for (const Vector3d& x : surface(shape, 1).vertices) {
                    EXPECT_LE((b.low - pose * x).maxCoeff(), 1e-14 * scale);
                    EXPECT_LE((pose * x - b.high).maxCoeff(), 1e-14 * scale);
                }
            }
}

TEST(Shapes, ShapesWithoutEndHaveInfiniteBounds)
{
    const double inf = std::numeric_limits<double>::infinity();
    const auto expect_bounds = [](const Bounds& b, const Vector3d& low, const Vector3d& high) {
        EXPECT_EQ(b.low, low);
        EXPECT_EQ(b.high, high);
    };
    const Vector3d none = Vector3d::Constant(-inf), all = Vector3d::Constant(inf);
    const Pose shift{Matrix3d::Identity(), {1, 2, 3}};
    expect_bounds(bounds(hollow(sphere(1)), shift), none, all);
    expect_bounds(bounds(wall({0, 3, 4}, 1), shift), none, all);
    expect_bounds(bounds(wall({0, 0, 2}, 0.5), shift), none, {inf, inf, 3.25}); // 2 z = 0.5
    expect_bounds(bounds(wall({0, -1, 0}, 0.5), shift), {-inf, 1.5, -inf}, all);
    Matrix3d turn; // z to x
    turn << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    expect_bounds(bounds(wall({0, 0, 1}, 0.5), {turn, {1, 2, 3}}), none, {1.5, inf, inf});
}

TEST(Shapes, MassPropertiesAreTheClosedForms)
{
    for (double scale : scales) {
        const auto expect_mass = [&](const Shape& shape, double volume, const Vector3d& per_mass) {
            const double v = volume * std::pow(scale, 3);
            const Vector3d diagonal = v * scale * scale * per_mass;
            expect_near(mass_properties(shape), {v, Vector3d::Zero(), diagonal.asDiagonal()}, 1e-14);
        };
        const double pi = std::numbers::pi;
        expect_mass(sphere(2 * scale), 32 * pi / 3, Vector3d::Constant(1.6));
        expect_mass(box(scale, 2 * scale, 3 * scale), 6, Vector3d(13, 10, 5) / 12);
        expect_mass(cylinder(2 * scale, 3 * scale), 12 * pi, {1.75, 1.75, 2});
    }
    for (const Shape& shape : {wall({0, 0, 1}, 0), hollow(sphere(1)), mesh_of(box(1, 1, 1)), rectangle(1, 1)})
        expect_refused("volume", [&] { mass_properties(shape); });
    expect_refused("cluster", [] { mass_properties(std::vector<std::pair<Shape, Pose>>{}); });
}

// A capsule is between the hulls of rings inscribed in it, which tend to it with the square of their spacing;
// and a ball if it is short.
TEST(Shapes, CapsuleHasTheMassOfFineHulls)
{
    const auto error = [](int n) {
        std::vector<Vector3d> points;
        for (int ring = 0; ring <= n; ++ring)
            for (int i = 0; i < 2 * n; ++i) {
                const double polar = std::numbers::pi / 2 * ring / n, turn = std::numbers::pi * i / n;
                const Vector3d x(0.6 * std::sin(polar) * std::cos(turn),
                                 0.6 * std::sin(polar) * std::sin(turn), 0.6 * std::cos(polar) + 0.8);
                points.push_back(x);
                points.emplace_back(x.x(), x.y(), -x.z());
            }
        const MassProperties hull = mass_properties(polyhedron(points)),
                             exact = mass_properties(capsule(0.6, 1.6));
        return std::pair(1 - hull.volume / exact.volume,
                         (hull.inertia - exact.inertia).norm() / exact.inertia.norm());
    };
    const auto [volume_coarse, inertia_coarse] = error(20);
    const auto [volume_fine, inertia_fine] = error(40);
    EXPECT_GT(volume_fine, 0);
    EXPECT_LT(std::abs(4 * volume_fine - volume_coarse), 0.02 * volume_coarse);
    EXPECT_LT(std::abs(4 * inertia_fine - inertia_coarse), 0.02 * inertia_coarse);
    expect_near(mass_properties(capsule(2, 1e-12)), mass_properties(sphere(2)), 1e-11);
}

TEST(Shapes, PolyhedraHaveTheMassOfTheirHull)
{
    const Shape a = box(1, 2, 3);
    expect_near(mass_properties(polyhedron(corners(std::get<Box>(a)))), mass_properties(a), 1e-14);
}

TEST(Shapes, PartsOfABoxHaveTheMassOfTheBox)
{
    for (double distance : {0.0, 1.0, 1e4}) {
        // Slices 1/4 and 3/4 of a box, of which one is turned about its own z axis by a quarter.
        const Pose where = random_pose(distance);
        Matrix3d quarter;
        quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
        const std::vector<std::pair<Shape, Pose>> parts{
            {box(1, 2, 3), where * Pose{Matrix3d::Identity(), {-1.5, 0, 0}}},
            {polyhedron(surface(box(2, 3, 3), 1).vertices), where * Pose{quarter, {0.5, 0, 0}}}};
        expect_near(mass_properties(parts), shifted(mass_properties(box(4, 2, 3)), where),
                    1e-14 + 1e-15 * distance);
    }
}

TEST(Shapes, SpheresApartObeyTheParallelAxisTheorem)
{
    const MassProperties pair = mass_properties(
        {{sphere(1), {Matrix3d::Identity(), {7, 0, 0}}}, {sphere(1), {Matrix3d::Identity(), {7, 6, 0}}}});
    const double m = 4 * std::numbers::pi / 3;
    expect_near(pair, {2 * m, {7, 3, 0}, (2 * m * Vector3d(9.4, 0.4, 9.4)).asDiagonal()}, 1e-14);
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
    EXPECT_NEAR(volume(surface(capsule(1, 5), 1)), expected + 5 * polygon_area(24, 1), 1e-12);
    for (const Vector3d& x : surface(capsule(3, 4), 1).vertices)
        EXPECT_NEAR((x - Vector3d(0, 0, std::copysign(2, x.z()))).norm(), 3, 1e-14);
    const Shape hull = polyhedron(random_points(30));
    EXPECT_NEAR(volume(surface(hull, 1)), mass_properties(hull).volume, 1e-14);
    EXPECT_NEAR(volume(surface(mesh_of(box(2, 3, 4)), 1)), 24, 1e-12);
    // The free side of a hollow shape is inside.
    EXPECT_NEAR(volume(surface(hollow(box(2, 3, 4)), 1)), -24, 1e-12);
    EXPECT_NEAR(volume(surface(hollow(sphere(1)), 1)), -expected, 1e-12);
}

TEST(Shapes, EveryEdgeOfAClosedSurfaceIsSharedInOppositeSenses)
{
    for (const Shape& shape :
         {sphere(1), box(1, 2, 3), cylinder(1, 2), capsule(1, 2), polyhedron(random_points(30)),
          mesh_of(capsule(1, 2)), hollow(cylinder(1, 2))}) {
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
    EXPECT_LT((centre - 5 * Vector3d(1, 2, 2) / 9).norm(), 1e-14); // x + 2 y + 2 z = 5
}

} // namespace shapes_test
