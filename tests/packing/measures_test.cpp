#include "tamis/packing/measures.hpp"

#include "error_of.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/stones.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace measures_test {

using namespace tamis;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double scales[] = {1e-3, 1, 1e3};
const double inf = 1e9;

// Points of low discrepancy in the unit cube: multiples of powers of 1 / g, g^4 = g + 1 (M. Roberts).
Vector3d quasi_random(int i)
{
    const double g = 1.2207440846057596;
    double whole;
    return {std::modf(0.5 + i / g, &whole), std::modf(0.5 + i / (g * g), &whole),
            std::modf(0.5 + i / (g * g * g), &whole)};
}

// Share of the region's points that satisfy `inside`.
template <class Inside>
double monte_carlo(const Bounds& region, int n, Inside inside)
{
    double count = 0;
    for (int i = 0; i < n; ++i)
        count += inside(region.low + quasi_random(i).cwiseProduct(region.high - region.low));
    return count / n * (region.high - region.low).prod();
}

Bounds random_region(Random& random)
{
    Vector3d low, high;
    for (int i = 0; i < 3; ++i) {
        low[i] = random.uniform(-1.2, 0.5);
        high[i] = low[i] + random.uniform(0.2, 2);
    }
    return {low, high};
}

bool inside(const Hull& hull, const Vector3d& x)
{
    for (int f = 0; f < hull.faces(); ++f)
        if (hull.normal[f].dot(x) > hull.offset[f]) return false;
    return true;
}

} // namespace

TEST(BallInBox, HalvesOctantsAndCapsHaveTheirClosedForms)
{
    for (double s : scales) {
        const Vector3d o = s * Vector3d(3, -2, 1);
        const double r = 0.7 * s, ball = 4 * pi / 3 * r * r * r, eps = 1e-14 * s * s * s;
        const Vector3d far = Vector3d::Constant(inf * s);
        EXPECT_NEAR(volume_within({o - far, o + far}, o, r), ball, eps);
        EXPECT_NEAR(volume_within({o, o + far}, o, r), ball / 8, eps);
        EXPECT_NEAR(volume_within({o - far, Vector3d(o.x(), inf * s, inf * s)}, o, r), ball / 2, eps);
        EXPECT_EQ(volume_within({o + Vector3d(r, 0, 0), o + far}, o, r), 0);
        for (double h : {0.1, 0.5, 1.0, 1.5, 1.9}) { // cap of height h r
            Vector3d low = o - far;
            low.z() = o.z() + r - h * r;
            EXPECT_NEAR(volume_within({low, o + far}, o, r), pi * h * h * r * r * r * (1 - h / 3), 10 * eps);
        }
        // A corner that just leaves the ball.
        EXPECT_NEAR(volume_within({o + Vector3d::Constant(r / std::sqrt(3.0)), o + far}, o, r), 0, eps);
    }
}

TEST(BallInBox, PartsOfAnyCutAddUp)
{
    Random random(1);
    for (int i = 0; i < 200; ++i) {
        const Bounds region = random_region(random);
        const double cut = region.low.y() + random.uniform() * (region.high.y() - region.low.y());
        Bounds left = region, right = region;
        left.high.y() = right.low.y() = cut;
        const Vector3d o = Vector3d::Zero();
        EXPECT_NEAR(volume_within(left, o, 1) + volume_within(right, o, 1), volume_within(region, o, 1),
                    1e-13);
    }
}

TEST(BallInBox, AgreesWithCountedPoints)
{
    Random random(2);
    for (int i = 0; i < 40; ++i) {
        const Bounds region = random_region(random);
        const double counted = monte_carlo(region, 20'000, [](const Vector3d& x) { return x.norm() < 1; });
        EXPECT_NEAR(volume_within(region, Vector3d(0, 0, 0), 1), counted,
                    0.004 * (region.high - region.low).prod());
    }
}

TEST(PolyhedronInBox, AgreesWithCountedPointsAndWithTheWholeVolume)
{
    Random random(3);
    for (double s : scales)
        for (int i = 0; i < 15; ++i) {
            const Hull hull = make_stone({}, 1.2 * s, random);
            const Pose pose{random.rotation(), s * Vector3d(0.1, 0.2, -0.1)};
            const Shape shape = Polyhedron{std::make_shared<const Hull>(hull)};
            Bounds region = random_region(random);
            region.low *= s, region.high *= s;
            const double counted = monte_carlo(region, 10'000, [&](const Vector3d& x) {
                return inside(hull, pose.R.transpose() * (x - pose.p));
            });
            EXPECT_NEAR(volume_within(region, shape, pose), counted,
                        0.006 * (region.high - region.low).prod());
            // Cut in eight at a point.
            const double far = 5 * s;
            double sum = 0;
            for (int k = 0; k < 8; ++k) {
                Bounds part{Vector3d::Constant(-far), Vector3d::Constant(far)};
                for (int d = 0; d < 3; ++d) (k >> d & 1 ? part.low : part.high)[d] = 0.05 * s * (d + 1);
                sum += volume_within(part, shape, pose);
            }
            const double whole = mass_properties(hull).volume;
            EXPECT_NEAR(sum, whole, 1e-11 * s * s * s);
            EXPECT_EQ(volume_within({Vector3d::Constant(-far), Vector3d::Constant(far)}, shape, pose), whole);
        }
}

TEST(PolyhedronInBox, BoxesInBoxesAreBoxes)
{
    const Bounds region{{0, 0, 0}, {1, 1, 1}};
    EXPECT_NEAR(volume_within(region, box(1, 1, 1), Pose{.p = {0.75, 0.75, 0.75}}), 0.75 * 0.75 * 0.75,
                1e-11);
    EXPECT_NEAR(volume_within(region, box(9, 9, 9), Pose{.p = {0.3, 0.4, 0.5}}), 1, 1e-11);
    EXPECT_NEAR(volume_within(region, box(1, 1, 1), Pose{.p = {0.5, 0.5, 1}}), 0.5, 1e-11);
    EXPECT_NEAR(volume_within(region, box(1, 1, 1), Pose{.p = {0.5, 0.5, 1.5}}), 0, 1e-11); // faces touch
    EXPECT_NEAR(volume_within(region, box(1, 1, 1), Pose{.p = {0.5, 0.5, 0.5}}), 1, 1e-11); // and coincide
    EXPECT_NEAR(volume_within(region, cylinder(0.2, 1), Pose{.p = {0.5, 0.5, 1}}), pi * 0.04 / 2, 1e-11);
    EXPECT_NEAR(volume_within(region, sphere(0.2), Pose{.p = {0.5, 0.5, 1}}), 2 * pi / 3 * 0.008, 1e-15);
}

TEST(SolidFraction, OfBoxesThatFillSpaceIsOne)
{
    std::vector<Shape> shapes;
    std::vector<Pose> poses;
    for (const Vector3d& x : cubic_lattice({{0, 0, 0}, {5, 5, 5}}, 1)) {
        shapes.push_back(box(1, 1, 1));
        poses.push_back({.p = x});
    }
    EXPECT_NEAR(solid_fraction({{0.3, 0.4, 0.55}, {4.1, 4.7, 3.9}}, shapes, poses), 1, 1e-11);
    EXPECT_TRUE(contains(error_of([&] {
                             solid_fraction({{1, 1, 1}, {0, 2, 2}}, shapes, poses);
                         }),
                         "length of -1"));
    poses.pop_back();
    EXPECT_TRUE(contains(error_of([&] {
                             solid_fraction({{1, 1, 1}, {2, 2, 2}}, shapes, poses);
                         }),
                         "124 poses"));
}

TEST(Coordination, CubicLatticeHasSixContactsAndWallsCount)
{
    const int n = 6;
    const auto x = cubic_lattice({{0, 0, 0}, {n, n, n}}, 1);
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < static_cast<int>(x.size()); ++i)
        for (int j = 0; j < i; ++j)
            if ((x[i] - x[j]).norm() < 1.01) pairs.emplace_back(i, j);
    const Coordination c = coordination(n * n * n, pairs);
    EXPECT_DOUBLE_EQ(c.mean, 6.0 * (n - 1) / n);
    // Eight corners have three contacts; without them the edges have too few, and in the end nothing is left.
    EXPECT_GT(c.rattlers, 8);
    for (int i = 0; i < static_cast<int>(x.size()); ++i)
        for (int d = 0; d < 3; ++d)
            if (x[i][d] < 1 || x[i][d] > n - 1) pairs.emplace_back(-1, i);
    const Coordination walls = coordination(n * n * n, pairs);
    EXPECT_DOUBLE_EQ(walls.mean, 6);
    EXPECT_DOUBLE_EQ(walls.without_rattlers, 6);
    EXPECT_EQ(walls.rattlers, 0);
    // Of the inner eight alone no contact is missing.
    std::vector<Pose> poses;
    for (const Vector3d& p : x) poses.push_back({.p = p});
    const Coordination inner = coordination({{2, 2, 2}, {4, 4, 4}}, poses, pairs);
    EXPECT_EQ(inner.grains, 8);
    EXPECT_EQ(inner.rattlers, 0);
    EXPECT_DOUBLE_EQ(inner.mean, 6);
    EXPECT_DOUBLE_EQ(inner.without_rattlers, 6);
    // One contact fewer than they have, and all of them rattle.
    EXPECT_EQ(coordination({{2, 2, 2}, {4, 4, 4}}, poses, pairs, 7).rattlers, 8);
    pairs.emplace_back(0, n * n * n);
    EXPECT_TRUE(contains(error_of([&] { coordination({{2, 2, 2}, {4, 4, 4}}, poses, pairs); }), "Grain 216"));
}

TEST(Coordination, RattlersAreTakenAwayOneAfterTheOther)
{
    // A complete graph of five, and a chain hanging on it, and a grain alone.
    std::vector<std::pair<int, int>> pairs{{4, 5}, {5, 6}, {6, 7}};
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < i; ++j) pairs.emplace_back(i, j);
    const Coordination c = coordination(9, pairs);
    EXPECT_DOUBLE_EQ(c.mean, 2.0 * 13 / 9);
    EXPECT_EQ(c.rattlers, 4);
    EXPECT_DOUBLE_EQ(c.without_rattlers, 4);
    // Without one of its contacts the rest falls apart, one after the other.
    pairs.pop_back();
    const Coordination none = coordination(9, pairs);
    EXPECT_EQ(none.rattlers, 9);
    EXPECT_EQ(none.without_rattlers, 0);
    EXPECT_TRUE(contains(error_of([&] { coordination(5, pairs); }), "Grains 4 and 5"));
}

// Nine planes of lattice points along each axis have their quartiles at the third and the seventh: four
// cells.
TEST(MiddleSolidFraction, OfALatticeIsThatOfItsCellWhateverFewGrainsDo)
{
    for (const double s : scales) {
        std::vector<Vector3d> centres;
        for (int i = 0; i < 729; ++i) centres.push_back(s * Vector3d(i % 9, i / 9 % 9, i / 81));
        std::vector<double> radii(centres.size(), 0.5 * s);
        EXPECT_NEAR(middle_solid_fraction(centres, radii), pi / 6, 1e-13);
        centres[0] = s * Vector3d(1e6, -1e6, 1e6);
        centres[728] = s * Vector3d(-1e6, 1e6, -1e6);
        EXPECT_NEAR(middle_solid_fraction(centres, radii), pi / 6, 1e-13);
    }
}

TEST(MiddleSolidFraction, IsNotANumberWhereTheBedIsThinnerThanAGrain)
{
    std::vector<Vector3d> layer;
    for (int i = 0; i < 81; ++i) layer.emplace_back(i % 9, i / 9, 0);
    EXPECT_TRUE(std::isnan(middle_solid_fraction(layer, std::vector<double>(81, 0.5))));
    EXPECT_TRUE(std::isnan(middle_solid_fraction({}, {})));
    EXPECT_TRUE(std::isnan(middle_solid_fraction(std::vector<Vector3d>(1), std::vector<double>(1, 0.5))));
}

} // namespace measures_test
