#include "tamis/packing/lattices.hpp"

#include "error_of.hpp"
#include "packing/distances.hpp"
#include "tamis/packing/measures.hpp"
#include "tamis/packing/random.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>

namespace lattices_test {

using namespace tamis;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double scales[] = {1e-3, 1, 1e3};

std::vector<double> equal(std::size_t n, double r)
{
    return std::vector<double>(n, r);
}

// Number of centres that have each number of neighbours at distance d.
std::map<int, int> neighbours(const std::vector<Vector3d>& x, double d)
{
    std::map<int, int> count;
    for (const Vector3d& a : x) {
        int n = 0;
        for (const Vector3d& b : x) n += std::abs((a - b).norm() - d) < 1e-9 * d;
        ++count[n];
    }
    return count;
}

} // namespace

TEST(Lattices, CubicFillsTheBoxWithDensityPiOverSix)
{
    for (double scale : scales) {
        const double d = 0.1 * scale;
        const Bounds box{scale * Vector3d(-1, 2, 3), scale * Vector3d(-0.3, 2.5, 4.1)};
        const auto x = cubic_lattice(box, d);
        ASSERT_EQ(x.size(), 7u * 5 * 11);
        EXPECT_NEAR(closest(x, equal(x.size(), d / 2)), 1, 1e-12);
        EXPECT_NEAR(solid_fraction(box, x, equal(x.size(), d / 2)), pi / 6, 1e-12);
        for (const Vector3d& c : x) {
            EXPECT_GE((c - box.low).minCoeff(), d / 2 * (1 - 1e-12));
            EXPECT_GE((box.high - c).minCoeff(), d / 2 * (1 - 1e-9));
        }
    }
}

TEST(Lattices, JitterIsBoundedAndComesFromTheSeed)
{
    const Bounds box{{0, 0, 0}, {8, 8, 8}};
    const auto x = cubic_lattice(box, 1, 0.2, 5), y = cubic_lattice(box, 1, 0.2, 5),
               z = cubic_lattice(box, 1, 0.2, 6), regular = cubic_lattice(box, 1);
    EXPECT_EQ(x, y);
    EXPECT_NE(x, z);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        largest = std::max(largest, (x[i] - regular[i]).cwiseAbs().maxCoeff());
    EXPECT_LE(largest, 0.2);
    EXPECT_GT(largest, 0.195);
    EXPECT_GE(closest(x, equal(x.size(), 0.3)), 1);
}

// A period of the layers, d x d sqrt(3) x (3 or 2) d sqrt(2/3), holds 6 or 4 balls.
TEST(Lattices, ClosePackingsHaveDensityPiOverRootEighteenAndTwelveNeighbours)
{
    for (double scale : scales)
        for (const Stacking stacking : {Stacking::abc, Stacking::ab}) {
            const double d = 0.7 * scale;
            const Bounds box{scale * Vector3d(1, 1, 1), scale * Vector3d(8, 8, 8)};
            const auto x = close_packed_lattice(box, d, stacking);
            EXPECT_NEAR(closest(x, equal(x.size(), d / 2)), 1, 1e-12);
            EXPECT_EQ(neighbours(x, d).rbegin()->first, 12);
            for (const Vector3d& c : x) {
                EXPECT_GE((c - box.low).minCoeff(), d / 2 * (1 - 1e-9));
                EXPECT_GE((box.high - c).minCoeff(), d / 2 * (1 - 1e-9));
            }
            const Vector3d period(d, d * std::sqrt(3.0),
                                  (stacking == Stacking::abc ? 3 : 2) * d * std::sqrt(2. / 3));
            const Vector3d low = box.low + scale * Vector3d(1.23, 1.41, 1.37);
            const Bounds inner{low, low + Vector3d(4, 2, 1).cwiseProduct(period)};
            EXPECT_NEAR(solid_fraction(inner, x, equal(x.size(), d / 2)), pi / std::sqrt(18.0), 1e-12);
        }
}

// In fcc each second neighbour is at d sqrt(2), six of them, as in hcp; only hcp has two at d sqrt(8/3).
TEST(Lattices, StackingsDifferInTheirThirdNeighbours)
{
    const Bounds box{{0, 0, 0}, {7, 7, 7}};
    EXPECT_EQ(neighbours(close_packed_lattice(box, 1, Stacking::abc), std::sqrt(8. / 3)).rbegin()->first, 0);
    EXPECT_EQ(neighbours(close_packed_lattice(box, 1, Stacking::ab), std::sqrt(8. / 3)).rbegin()->first, 2);
}

// Biondani et al. 2022: a cylinder of 25 mm.
TEST(Lattices, LayersInACylinderHaveThePublishedNumbersOfBalls)
{
    const struct {
        double d;
        int layers;
        std::size_t balls;
    } cases[] = {{3e-3, 3, 151},       {2e-3, 5, 602},      {1.5e-3, 7, 1569},     {1e-3, 10, 5200},
                 {0.75e-3, 13, 12383}, {0.5e-3, 19, 41203}, {0.25e-3, 37, 328435}, {0.15e-3, 62, 1543449}};
    for (const auto& c : cases)
        for (double scale : scales)
            if (c.balls < 50'000 || scale == 1) {
                EXPECT_EQ(layers_in_cylinder(scale * 12.5e-3, scale * c.d, c.layers).size(), c.balls);
            }
}

TEST(Lattices, LayersInACylinderTouchAndStayInside)
{
    const auto x = layers_in_cylinder(1, 0.2, 6);
    EXPECT_NEAR(closest(x, equal(x.size(), 0.1)), 1, 1e-12);
    EXPECT_EQ(neighbours(x, 0.2).rbegin()->first, 12);
    double low = 1, on_axis = 0;
    for (const Vector3d& c : x) {
        EXPECT_LE(c.head<2>().norm(), 0.9 * (1 + 1e-12));
        low = std::min(low, c.z());
        on_axis += c.head<2>().norm() == 0;
    }
    EXPECT_DOUBLE_EQ(low, 0.1);
    EXPECT_EQ(on_axis, 2);
    EXPECT_EQ(layers_in_cylinder(1, 2, 1).size(), 1u);
    EXPECT_TRUE(contains(error_of([] { layers_in_cylinder(1, 2.1, 1); }), "does not fit"));
}

TEST(DropLattice, BodiesNeverOverlapAndFillLayersUpwards)
{
    Random random(1);
    for (double scale : scales)
        for (const Shape& container : {box(scale, 0.7 * scale, scale), cylinder(0.5 * scale, scale)})
            for (const auto order : {Drop::Order::given, Drop::Order::shuffled, Drop::Order::largest_first}) {
                std::vector<double> radii(500);
                for (double& r : radii) r = scale * random.uniform(0.01, 0.05);
                const Drop drop{.bottom = 2 * scale, .order = order};
                const auto x = drop_lattice(container, radii, drop);
                ASSERT_EQ(x.size(), radii.size());
                EXPECT_GT(closest(x, radii), 1);
                EXPECT_EQ(x, drop_lattice(container, radii, drop));
                double top = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    top = std::max(top, x[i].z() + radii[i]);
                    EXPECT_GE(x[i].z() - radii[i], drop.bottom);
                    if (std::holds_alternative<Box>(container)) {
                        EXPECT_LE(std::abs(x[i].x()) + radii[i], 0.5 * scale);
                        EXPECT_LE(std::abs(x[i].y()) + radii[i], 0.35 * scale);
                    } else
                        EXPECT_LE(x[i].head<2>().norm() + radii[i], 0.5 * scale);
                }
                // Cells of 0.11: 9 x 6 in a layer of the box, at least half the square in the circle.
                EXPECT_LE(top, 2 * scale + 0.11 * scale * 13);
                if (order == Drop::Order::largest_first)
                    for (std::size_t i = 0; i < x.size(); ++i)
                        if (radii[i] > 0.045 * scale) {
                            EXPECT_LT(x[i].z(), 2 * scale + 0.11 * scale * 4);
                        }
            }
}

TEST(DropLattice, JitterMovesEqualBodies)
{
    const std::vector<double> radii = equal(100, 0.05);
    const auto still = drop_lattice(box(1, 1, 1), radii, {.jitter = 0}),
               moved = drop_lattice(box(1, 1, 1), radii);
    double largest = 0;
    for (std::size_t i = 0; i < radii.size(); ++i)
        largest = std::max(largest, (still[i] - moved[i]).cwiseAbs().maxCoeff());
    EXPECT_GT(largest, 0.8 * 0.1 * 0.05);
    EXPECT_LE(largest, 0.9 * 0.1 * 0.05 * (1 + 1e-12));
}

TEST(DropLattice, MistakesAreNamed)
{
    const std::vector<double> radii{0.1, 0.6};
    const auto error = [&](const Shape& container, const Drop& drop) {
        return error_of([&] { drop_lattice(container, radii, drop); });
    };
    EXPECT_TRUE(contains(error(box(1, 1, 1), {}), "radius 0.6 does not fit"));
    EXPECT_TRUE(contains(error(box(9, 9, 1), {.gap = 0.9}), "0.9"));
    EXPECT_TRUE(contains(error(wall({0, 0, 1}, 0), {}), "no inside"));
}

} // namespace lattices_test
