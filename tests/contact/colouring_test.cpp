#include "tamis/contact/colouring.hpp"

#include "contact/beds.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace colouring_test {

using namespace tamis;

namespace {

std::vector<int> bodies_of(const Colouring& colouring, int batch, int lanes)
{
    std::vector<int> rows;
    for (int l = 0; l < lanes; ++l) {
        const int m = colouring.lane[batch * lanes + l];
        if (m < 0) continue;
        for (const int row : colouring.manifolds[m].row)
            if (row < colouring.moving) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

// Every contact once, in a batch or in the overflow.
void expect_complete(const ContactProblem& problem, const Colouring& colouring)
{
    std::vector<int> seen(problem.contacts.size(), 0);
    for (const int m : colouring.lane)
        if (m >= 0)
            for (int c = 0; c < colouring.manifolds[m].count; ++c) ++seen[colouring.manifolds[m].first + c];
    for (const int c : colouring.overflow) ++seen[c];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(seen.size()));
}

void expect_valid(const ContactProblem& problem, int lanes)
{
    Colouring colouring;
    colouring.arrange(problem, lanes);
    expect_complete(problem, colouring);

    // No two manifolds of a batch share a moving body; nor do regions that run side by side.
    ASSERT_EQ(static_cast<int>(colouring.region.size()), 2 * colouring.slabs);
    EXPECT_EQ(colouring.region.back() * lanes, static_cast<int>(colouring.lane.size()));
    const int slabs = colouring.slabs;
    std::vector<std::set<int>> phase(3);
    for (int r = 0; r < 2 * slabs - 1; ++r) {
        std::set<int> rows;
        for (int b = colouring.region[r]; b < colouring.region[r + 1]; ++b) {
            const std::vector<int> batch = bodies_of(colouring, b, lanes);
            EXPECT_EQ(std::adjacent_find(batch.begin(), batch.end()), batch.end());
            rows.insert(batch.begin(), batch.end());
        }
        std::set<int>& others = phase[r < slabs ? 0 : 1 + (r - slabs) % 2];
        for (const int row : rows) EXPECT_TRUE(others.insert(row).second) << row;
    }
}

} // namespace

TEST(Colouring, NoTwoManifoldsWorkedOnAtOnceShareAMovingBody)
{
    for (const int lanes : {8, 16}) {
        expect_valid(beds::bed({.cells = {3, 2, 2}}), lanes);
        expect_valid(beds::bed({.cells = {40, 9, 9}}), lanes);
        expect_valid(beds::bed({.cells = {5, 7, 40}, .spheres = true, .rolling = 0.1}), lanes);
    }
}

TEST(Colouring, ManifoldsOfOneColourShareNoMovingBody)
{
    for (const auto& problem : {beds::bed({.cells = {3, 2, 2}}), beds::bed({.cells = {40, 9, 9}}),
                                beds::bed({.cells = {5, 7, 40}, .spheres = true, .rolling = 0.1})}) {
        constexpr int lanes = 32;
        Colouring colouring;
        colouring.arrange_in_colours(problem, lanes);
        EXPECT_TRUE(colouring.overflow.empty());
        expect_complete(problem, colouring);
        ASSERT_EQ(colouring.region.back() * lanes, static_cast<int>(colouring.lane.size()));
        const int colours = static_cast<int>(colouring.region.size()) - 1;
        for (int c = 0; c < colours; ++c) {
            std::set<int> rows;
            for (int b = colouring.region[c]; b < colouring.region[c + 1]; ++b)
                for (const int row : bodies_of(colouring, b, lanes)) EXPECT_TRUE(rows.insert(row).second);
        }
        // First fit needs at most the neighbours of both bodies, and one more.
        std::vector<int> degree(colouring.moving, 0);
        for (const Colouring::Manifold& manifold : colouring.manifolds)
            for (const int row : manifold.row)
                if (row < colouring.moving) ++degree[row];
        EXPECT_LT(colours, 2 * *std::max_element(degree.begin(), degree.end()));
    }
}

TEST(Colouring, BodyWithMoreManifoldsThanColoursOverflows)
{
    ContactProblem problem;
    const Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();
    for (int k = 0; k <= 100; ++k)
        beds::add_grain(problem, {1.0 * k, 0, 0}, 1, inertia, {0, 0, 0}, {0, 0, 0});
    for (int k = 1; k <= 100; ++k)
        beds::add_manifold(problem, 0, k, {1.0 * k, 0, 0}, {1, 0, 0}, 2, 0.1, 0.3, 0.1, 0);
    Colouring colouring;
    colouring.arrange_in_colours(problem, 32);
    EXPECT_EQ(colouring.region.size(), 65u);
    EXPECT_EQ(colouring.overflow.size(), 36 * 4u);
    expect_complete(problem, colouring);
}

TEST(Colouring, ContactsThatFitNowhereOverflow)
{
    ContactProblem problem = beds::bed({.cells = {30, 8, 8}});
    beds::Random random(1);
    for (int k = 0; k < 300; ++k) { // between grains far apart
        const int a = static_cast<int>(random(0, 900)), b = static_cast<int>(random(950, 1900));
        beds::add_manifold(problem, a, b, problem.rigid[a].centre, {0, 0, 1}, 2, 0.1, 0.3, 0, 0);
    }
    problem.contacts[7].law = Law::bilateral;
    problem.contacts[90].drift = {0, 1e-3, 0};
    expect_valid(problem, 8);
    Colouring colouring;
    colouring.arrange(problem, 8);
    EXPECT_GT(colouring.overflow.size(), 2u);
    EXPECT_EQ(std::count(colouring.overflow.begin(), colouring.overflow.end(), 7), 1);
    EXPECT_EQ(std::count(colouring.overflow.begin(), colouring.overflow.end(), 90), 1);
}

TEST(Colouring, SlabsShareTheWork)
{
    // One grain far away does not spoil the slabs, nor does taking the box from a sample of many grains.
    for (const int across : {8, 16}) {
        ContactProblem problem = beds::bed({.cells = {60, across, 8}});
        problem.rigid[5].centre = {1e5, 0, 0};
        Colouring colouring;
        colouring.arrange(problem, 8);
        ASSERT_EQ(colouring.slabs, 8);
        int least = colouring.region.back(), most = 0;
        for (int s = 0; s < 8; ++s) {
            const int batches = colouring.region[s + 1] - colouring.region[s];
            least = std::min(least, batches);
            most = std::max(most, batches);
        }
        EXPECT_LT(most, 1.5 * least);
    }
}

} // namespace colouring_test
