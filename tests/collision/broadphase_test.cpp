#include "tamis/collision/broadphase.hpp"

#include "allocations.hpp"
#include "collision/random_poses.hpp"
#include "error_of.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>

namespace broadphase_test {

using namespace tamis;
using Eigen::Vector3d;

namespace {

using Boxes = std::vector<Bounds>;
using Pairs = std::vector<std::pair<int, int>>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Every shape is a body of its own and touches all.
PairFilter all_pairs(std::size_t n)
{
    PairFilter filter{std::vector<int>(n), std::vector(n, 1u), std::vector(n, 1u), {}};
    std::iota(filter.body.begin(), filter.body.end(), 0);
    return filter;
}

// By the definition: all pairs of all boxes.
Pairs brute_force(const Boxes& boxes, const PairFilter& filter)
{
    Pairs pairs;
    auto empty = [](const Bounds& b) { return (b.low.array() > b.high.array()).any(); };
    for (int a = 0; a < static_cast<int>(boxes.size()); ++a)
        for (int b = a + 1; b < static_cast<int>(boxes.size()); ++b)
            if (!empty(boxes[a]) && !empty(boxes[b]) &&
                (boxes[a].low.array() <= boxes[b].high.array()).all() &&
                (boxes[b].low.array() <= boxes[a].high.array()).all() && filter(a, b))
                pairs.emplace_back(a, b);
    return pairs;
}

Bounds around(const Vector3d& centre, const Vector3d& half)
{
    return {centre - half, centre + half};
}

// Cubes with sizes from `scale` to `scale * ratio`, any interval of the logarithm as likely as another, in a
// cube that they would fill to the given part.
Boxes cubes(int n, double scale, double ratio, double fill)
{
    std::vector<double> size(n);
    double volume = 0;
    for (double& d : size) {
        d = scale * std::pow(ratio, uniform(0, 1));
        volume += std::pow(d / scale, 3);
    }
    const double reach = scale * std::cbrt(volume / fill) / 2;
    Boxes boxes;
    for (const double d : size) boxes.push_back(around(random_vector(reach), Vector3d::Constant(d / 2)));
    return boxes;
}

void expect_exact(const Boxes& boxes)
{
    const PairFilter filter = all_pairs(boxes.size());
    const Pairs expected = brute_force(boxes, filter);
    EXPECT_EQ(Broadphase(filter).pairs(boxes), expected);
}

} // namespace

TEST(Broadphase, FindsThePairsOfBruteForceAtEveryScale)
{
    for (double scale : scales)
        for (double ratio : {1.0, 2.0, 10.0, 100.0})
            for (double fill : {0.01, 0.6, 3.0}) expect_exact(cubes(1000, scale, ratio, fill));
}

TEST(Broadphase, FindsThePairsOfBruteForceWhereverTheSceneIs)
{
    for (double scale : scales)
        for (double distance : {1e4, 1e8, 1e13})
            for (double ratio : {1.0, 30.0}) {
                Boxes boxes = cubes(500, scale, ratio, 0.6);
                const Vector3d shift = distance * scale * Vector3d(-1, 0.3, uniform(-1, 1));
                for (Bounds& b : boxes) b.low += shift, b.high += shift;
                expect_exact(boxes);
            }
}

// Two scenes far apart, and one box that has escaped from them.
TEST(Broadphase, FindsThePairsOfBruteForceInScenesFarApart)
{
    Boxes boxes = cubes(300, 1, 2, 0.6);
    Boxes far = cubes(300, 1, 2, 0.6);
    for (Bounds& b : far) b.low.array() += 1e9, b.high.array() += 1e9;
    boxes.insert(boxes.begin(), around({1e30, -1e200, 5}, {1, 1, 1}));
    boxes.insert(boxes.end(), far.begin(), far.end());
    expect_exact(boxes);
}

TEST(Broadphase, CountsBoxesThatTouchInAFaceAnEdgeOrACorner)
{
    // Of n^3 unit cubes that fill a cube, each touches its 26 neighbours.
    for (double scale : {0x1p-10, 1.0, 0x1p10}) {
        Boxes boxes;
        const int n = 9;
        for (int i = 0; i < n * n * n; ++i) {
            const Vector3d low = scale * Vector3d(i % n - 4, i / n % n - 4, i / n / n - 4);
            boxes.push_back({low, low.array() + scale});
        }
        std::shuffle(boxes.begin(), boxes.end(), random_engine);
        // Ordered pairs of neighbours along one axis, each cube with itself included.
        const int along = 3 * n - 2;
        EXPECT_EQ(Broadphase(all_pairs(boxes.size())).pairs(boxes).size(),
                  static_cast<std::size_t>(along * along * along - n * n * n) / 2);
        expect_exact(boxes);
        // A last bit of distance parts them.
        for (Bounds& b : boxes)
            for (int k = 0; k < 3; ++k) b.high[k] = std::nextafter(b.high[k], -infinity);
        EXPECT_TRUE(Broadphase(all_pairs(boxes.size())).pairs(boxes).empty());
    }
}

TEST(Broadphase, AcceptsBoxesWithoutEnd)
{
    Boxes boxes = cubes(400, 1, 5, 0.5);
    for (int directions = 1; directions < 8; ++directions)
        for (int ends = 1; ends < 4; ++ends) {
            Bounds b = around(random_vector(5), {1, 1, 1});
            for (int k = 0; k < 3; ++k) {
                if (!(directions >> k & 1)) continue;
                if (ends & 1) b.low[k] = -infinity;
                if (ends & 2) b.high[k] = infinity;
            }
            boxes.insert(boxes.begin() + directions * 37 % boxes.size(), b);
        }
    expect_exact(boxes);
    boxes.push_back({Vector3d::Constant(infinity), Vector3d::Constant(infinity)});
    boxes.push_back({Vector3d(-infinity, 0, 0), Vector3d(-infinity, 1, 1)});
    boxes.push_back({Vector3d::Constant(-1.7e308), Vector3d::Constant(1.7e308)});
    expect_exact(boxes);
}

TEST(Broadphase, AcceptsPointsSegmentsAndRectangles)
{
    for (double scale : scales) {
        Boxes boxes;
        for (int i = 0; i < 600; ++i) {
            Vector3d half = scale * Vector3d(uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1));
            for (int k = 0; k < 3; ++k)
                if (i >> k & 1) half[k] = 0;
            // On a lattice, so that flat boxes meet.
            boxes.push_back(around(scale * (random_vector(4).array().round() / 2).matrix(), half));
        }
        expect_exact(boxes);
        for (Bounds& b : boxes) b.high = b.low = b.low.array().round(); // points only
        expect_exact(boxes);
    }
    for (double size : {1e-310, 1e-300, 1e-150, 1e150, 1e299, 1e305}) expect_exact(cubes(100, size, 2, 0.5));
}

TEST(Broadphase, LeavesOutEmptyBoxes)
{
    Boxes boxes = cubes(300, 1, 3, 0.6);
    for (int i = 0; i < 300; i += 3) {
        const int k = i % 9 / 3;
        std::swap(boxes[i].low[k], boxes[i].high[k]);
    }
    boxes.push_back({Vector3d::Constant(-infinity), Vector3d::Constant(infinity)});
    boxes.push_back({Vector3d::Constant(infinity), Vector3d::Constant(-infinity)});
    expect_exact(boxes);
    for (Bounds& b : boxes) b = boxes.back();
    expect_exact(boxes);
}

TEST(Broadphase, AcceptsNoneOneAndAllAtOnePlace)
{
    expect_exact({});
    expect_exact({around({0, 0, 0}, {1, 1, 1})});
    for (double half : {0.0, 1.0}) {
        const Boxes boxes(300, around({3, -2, 1}, Vector3d::Constant(half)));
        EXPECT_EQ(Broadphase(all_pairs(300)).pairs(boxes).size(), 300u * 299 / 2);
        expect_exact(boxes);
    }
}

// Also: a run that is restarted at any step gets the same pairs.
TEST(Broadphase, DoesNotDependOnEarlierCalls)
{
    for (double scale : scales)
        for (double step : {0.001, 0.01, 0.3}) {
            Boxes boxes = cubes(200, scale, 10, 0.5);
            boxes.push_back({Vector3d::Constant(-infinity), Vector3d(infinity, infinity, 0)});
            boxes.push_back({Vector3d::Constant(-infinity), Vector3d::Constant(infinity)});
            const PairFilter filter = all_pairs(boxes.size());
            Broadphase broadphase(filter);
            const Boxes start = boxes;
            for (int n = 0; n < 100; ++n) {
                for (Bounds& b : boxes) {
                    const Vector3d d = random_vector(step * scale);
                    b.low += d;
                    b.high += d;
                }
                if (n % 17 == 3)
                    boxes[n] = around(random_vector(5 * scale), Vector3d::Constant(scale)); // jumps
                if (n % 19 == 3) std::swap(boxes[n].low, boxes[n].high);                    // vanishes
                if (n % 19 == 9) boxes[n - 6] = start[n - 6];                               // returns
                if (n % 23 == 3) boxes[n].high.array() += 2 * scale;                        // grows
                if (n == 50) boxes = start;
                const Pairs expected = brute_force(boxes, filter);
                ASSERT_EQ(broadphase.pairs(boxes), expected) << scale << ' ' << step << ' ' << n;
                ASSERT_EQ(Broadphase(filter).pairs(boxes), expected);
            }
        }
}

TEST(Broadphase, KnowsTheEarlierNumbersOfItsCandidates)
{
    Boxes boxes = cubes(300, 1, 3, 0.5);
    Broadphase broadphase(all_pairs(boxes.size()));
    std::map<std::pair<int, int>, int> before; // pair -> number
    int known = 0;
    for (int n = 0; n < 60; ++n) {
        const long searches = broadphase.searches();
        const Pairs pairs = broadphase.pairs(boxes);
        const bool searched = broadphase.searches() != searches;
        std::map<std::pair<int, int>, int> now;
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const int number = now[pairs[k]] = broadphase.candidate_numbers()[k];
            const auto found = before.find(pairs[k]);
            if (!searched || found == before.end()) continue;
            EXPECT_EQ(broadphase.earlier_numbers()[number], found->second);
            ++known;
        }
        for (const int number : broadphase.earlier_numbers()) EXPECT_TRUE(n > 0 || number == -1);
        // Pairs keep their numbers until the next search.
        if (searched) before.clear();
        before.insert(now.begin(), now.end());
        for (Bounds& b : boxes) {
            const Vector3d d = random_vector(0.02);
            b.low += d;
            b.high += d;
        }
    }
    EXPECT_GT(known, 1000);
    EXPECT_GT(broadphase.searches(), 5);
}

// Nothing else moves that could cause a new search.
TEST(Broadphase, NoticesOneBoxThatMovesOrGrowsInAnyDirection)
{
    for (int axis = 0; axis < 3; ++axis)
        for (double sign : {-1.0, 1.0})
            for (bool grows : {false, true}) {
                const Vector3d step = 0.01 * sign * Vector3d::Unit(axis);
                Boxes boxes(2, around({0, 0, 0}, {0.5, 0.5, 0.5}));
                boxes[1].low -= 150 * step;
                boxes[1].high -= 150 * step;
                const PairFilter filter = all_pairs(2);
                Broadphase broadphase(filter);
                for (int n = 0; n < 300; ++n) {
                    ASSERT_EQ(broadphase.pairs(boxes), brute_force(boxes, filter)) << axis << sign << n;
                    if (!grows || sign < 0) boxes[1].low += step;
                    if (!grows || sign > 0) boxes[1].high += step;
                }
            }
}

TEST(Broadphase, GivesAscendingPairsWithoutRepetition)
{
    const Boxes boxes = cubes(20000, 1, 20, 0.6);
    Broadphase broadphase(all_pairs(boxes.size()));
    const Pairs& pairs = broadphase.pairs(boxes);
    EXPECT_GT(pairs.size(), boxes.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        ASSERT_LT(pairs[k].first, pairs[k].second);
        if (k) {
            ASSERT_LT(pairs[k - 1], pairs[k]);
        }
    }
}

TEST(Broadphase, AppliesTheFilter)
{
    Boxes boxes = cubes(300, 1, 5, 1);
    PairFilter filter = all_pairs(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        filter.body[i] = static_cast<int>(i) / 2 - 1; // two shapes per body, the first on the ground
        if (i % 7 == 0) filter.body[i] = -1;
        filter.group[i] = random_engine() & 7;
        filter.mask[i] = random_engine() & 7;
    }
    Broadphase with_groups(filter);
    const Pairs pairs = with_groups.pairs(boxes);
    EXPECT_EQ(pairs, brute_force(boxes, filter));
    // Without every third of these.
    for (std::size_t k = 0; k < pairs.size(); k += 3) filter.excluded.push_back(pairs[k]);
    Pairs remaining;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (k % 3) remaining.push_back(pairs[k]);
    EXPECT_EQ(Broadphase(filter).pairs(boxes), remaining);
}

TEST(PairFilter, WantsDifferentBodiesGroupsThatTouchAndNoExclusion)
{
    PairFilter filter{{-1, -1, 0, 0, 1, 2}, {1, 1, 1, 1, 2, 0}, {3, 3, 1, 3, 1, 3}, {{1, 3}, {1, 4}}};
    Pairs accepted;
    for (int a = 0; a < 6; ++a)
        for (int b = a + 1; b < 6; ++b) {
            EXPECT_EQ(filter(a, b), filter(b, a));
            if (filter(a, b)) accepted.emplace_back(a, b);
        }
    // 0-1: both on the ground; 2-3: one body; 1-3, 1-4: excluded; 2-4: 2 does not touch the group of 4,
    // though 4 touches that of 2; 5: in no group.
    EXPECT_EQ(accepted, (Pairs{{0, 2}, {0, 3}, {0, 4}, {1, 2}, {3, 4}}));
}

TEST(Broadphase, NamesTheShapeThatIsNotANumber)
{
    const Boxes good = cubes(50, 1, 2, 0.5);
    const PairFilter filter = all_pairs(good.size());
    Broadphase broadphase(filter);
    for (int k = 0; k < 6; ++k) {
        Boxes boxes = good;
        (k < 3 ? boxes[37].low : boxes[37].high)[k % 3] = not_a_number;
        EXPECT_PRED2(contains, error_of([&] { broadphase.pairs(boxes); }), "shape 37 ");
        boxes[37].low[0] = 1e9; // also if it is empty in another direction
        boxes[37].low[1] = not_a_number;
        EXPECT_PRED2(contains, error_of([&] { broadphase.pairs(boxes); }), "shape 37 ");
    }
    EXPECT_EQ(broadphase.pairs(good), brute_force(good, filter));
}

TEST(Broadphase, RefusesFiltersThatDoNotFit)
{
    const Boxes boxes(3, around({0, 0, 0}, {1, 1, 1}));
    EXPECT_PRED2(contains, error_of([&] { Broadphase(all_pairs(4)).pairs(boxes); }), "3 boxes");
    PairFilter filter = all_pairs(3);
    filter.mask.pop_back();
    EXPECT_PRED2(contains, error_of([&] { Broadphase{filter}; }), "2 masks");
    filter = all_pairs(3);
    filter.excluded = {{2, 1}};
    EXPECT_PRED2(contains, error_of([&] { Broadphase{filter}; }), "(2, 1)");
    filter.excluded = {{1, 2}, {0, 1}};
    EXPECT_PRED2(contains, error_of([&] { Broadphase{filter}; }), "order");
}

TEST(Broadphase, AllocatesNothingOnceWarm)
{
    Boxes boxes = cubes(2000, 1, 10, 0.6);
    boxes.push_back({Vector3d::Constant(1), Vector3d::Constant(-1)});
    Broadphase broadphase(all_pairs(boxes.size()));
    broadphase.pairs(boxes);
    const Boxes start = boxes;
    auto calls_from_start = [&](const Vector3d& step) {
        boxes = start;
        for (int n = 0; n < 50; ++n) {
            for (Bounds& b : boxes) b.low += step, b.high += step;
            broadphase.pairs(boxes);
        }
    };
    for (double step : {1e-6, 0.5}) { // candidates are kept; searched at every call
        calls_from_start({step, -step, step});
        const long before = allocations;
        calls_from_start({step, -step, step});
        EXPECT_EQ(allocations - before, 0) << step;
    }
}

} // namespace broadphase_test
