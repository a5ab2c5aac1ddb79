#include "tamis/contact/hard_spot.hpp"

#include "contact/beds.hpp"
#include "tamis/contact/nlgs.hpp"

#include <gtest/gtest.h>

namespace hard_spot_test {

using namespace tamis;

namespace {

// A bed at its solution, and one grain whose contacts have lost their impulses, or all have lost half of
// them.
struct Spoiled {
    ContactProblem problem = beds::bed({.cells = {8, 8, 3}, .friction = 0.1, .spheres = true});
    int grain = 0;
    std::vector<int> lost; // its contacts
    double solved = 0;     // residual of the solution

    Spoiled()
    {
        Nlgs sweeps;
        sweeps.stop = {.natural_max = 1e-6, .max_sweeps = 2000};
        sweeps.solve(problem);
        solved = residual(problem).natural_rms;
        grain = problem.general() + static_cast<int>(problem.rigid.size()) / 2;
        for (std::size_t a = 0; a < problem.contacts.size(); ++a) {
            Contact& c = problem.contacts[a];
            if (c.side[0].block != grain && c.side[1].block != grain) continue;
            lost.push_back(static_cast<int>(a));
            c.r.setZero();
        }
        problem.rebuild_velocities();
    }
};

} // namespace

TEST(HardSpot, IsSolvedWhileTheRestHoldsStill)
{
    Spoiled bed;
    ASSERT_LT(bed.solved, 2e-5);
    ASSERT_GE(bed.lost.size(), 3u);
    std::vector<double> each(bed.problem.contacts.size());
    const auto largest = [&] { // of the contacts that lost their impulses
        residual(bed.problem, 1, each.data());
        double found = 0;
        for (const int a : bed.lost) found = std::max(found, each[a]);
        return found;
    };
    const double before = residual(bed.problem).natural_rms, largest_before = largest();
    const ContactProblem spoiled = bed.problem;
    HardSpot spot;
    ASSERT_TRUE(spot.solve(bed.problem, 0.7, 1));
    EXPECT_LT(residual(bed.problem).natural_rms, 0.1 * before);
    EXPECT_LT(largest(), 1e-4 * largest_before);
    int held = 0;
    for (std::size_t a = 0; a < spoiled.contacts.size(); ++a)
        held += bed.problem.contacts[a].r == spoiled.contacts[a].r;
    EXPECT_GE(held, static_cast<int>(spoiled.contacts.size()) - 400);
    EXPECT_GT(held, 0);
    ContactProblem rebuilt = bed.problem;
    rebuilt.rebuild_velocities();
    EXPECT_EQ(rebuilt.v, bed.problem.v);
}

TEST(HardSpot, HasTheSameBitsForAnyNumberOfThreads)
{
    Spoiled bed;
    ContactProblem two = bed.problem;
    HardSpot spot;
    ASSERT_TRUE(spot.solve(bed.problem, 0.7, 1));
    ASSERT_TRUE(spot.solve(two, 0.7, 2));
    EXPECT_EQ(bed.problem.v, two.v);
}

TEST(HardSpot, IsNotSoughtWhereTheResidualIsSpread)
{
    ContactProblem bed = beds::bed({.cells = {8, 8, 4}});
    ASSERT_GT(bed.contacts.size(), 1000u);
    bed.rebuild_velocities();
    const ContactProblem before = bed;
    HardSpot spot;
    EXPECT_FALSE(spot.solve(bed, 0.7, 1));
    EXPECT_EQ(bed.v, before.v);
    for (std::size_t a = 0; a < before.contacts.size(); ++a)
        ASSERT_EQ(bed.contacts[a].r, before.contacts[a].r);
}

TEST(HardSpot, LeavesRollingResistanceToTheSweeps)
{
    ContactProblem problem = beds::bed({.cells = {2, 2, 2}, .spheres = true, .rolling = 0.1});
    problem.rebuild_velocities();
    HardSpot spot;
    EXPECT_FALSE(spot.solve(problem, 0.7, 1));
}

TEST(HardSpot, HasNothingToDoInAnEmptyOrASolvedProblem)
{
    ContactProblem empty;
    empty.v = empty.v_free;
    HardSpot spot;
    EXPECT_FALSE(spot.solve(empty, 0.7, 1));
}

} // namespace hard_spot_test
