#include "nscd/hard_spot.hpp"

#include "nscd/beds.hpp"
#include "nscd/nlgs.hpp"

#include <gtest/gtest.h>

using namespace tamis;

namespace {

// A bed at its solution, and one grain whose contacts have lost their impulses.
struct Spoiled {
    ContactProblem problem = beds::bed({.cells = {8, 8, 4}});
    int grain = 0;
    std::vector<int> lost; // its contacts
    double solved = 0;     // residual of the solution

    explicit Spoiled(bool all = false)
    {
        Nlgs sweeps;
        sweeps.stop = {.natural_max = 1e-9, .max_sweeps = 20000};
        sweeps.solve(problem);
        solved = residual(problem).natural_rms;
        grain = problem.general() + static_cast<int>(problem.rigid.size()) / 2;
        for (std::size_t a = 0; a < problem.contacts.size(); ++a) {
            Contact& c = problem.contacts[a];
            if (!all && c.side[0].block != grain && c.side[1].block != grain) continue;
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
    ASSERT_LT(bed.solved, 1e-7);
    ASSERT_GE(bed.lost.size(), 4u);
    const double before = residual(bed.problem).natural_rms;
    const ContactProblem spoiled = bed.problem;
    HardSpot spot;
    ASSERT_TRUE(spot.solve(bed.problem, 0.7, 1));
    EXPECT_LT(residual(bed.problem).natural_rms, 1e-3 * before);
    int held = 0;
    for (std::size_t a = 0; a < spoiled.contacts.size(); ++a)
        held += bed.problem.contacts[a].r == spoiled.contacts[a].r;
    EXPECT_GT(held, static_cast<int>(spoiled.contacts.size()) - 400 - 1);
    ContactProblem rebuilt = bed.problem;
    rebuilt.rebuild_velocities();
    EXPECT_EQ(rebuilt.v, bed.problem.v);
}

TEST(HardSpot, HasTheSameBitsForAnyNumberOfThreads)
{
    Spoiled one, two;
    HardSpot spot;
    ASSERT_TRUE(spot.solve(one.problem, 0.7, 1));
    ASSERT_TRUE(spot.solve(two.problem, 0.7, 2));
    EXPECT_EQ(one.problem.v, two.problem.v);
}

TEST(HardSpot, IsNotSoughtWhereTheResidualIsSpread)
{
    Spoiled bed(true);
    ASSERT_GT(bed.lost.size(), 400u);
    const ContactProblem before = bed.problem;
    HardSpot spot;
    EXPECT_FALSE(spot.solve(bed.problem, 0.7, 1));
    EXPECT_EQ(bed.problem.v, before.v);
    for (std::size_t a = 0; a < before.contacts.size(); ++a)
        ASSERT_EQ(bed.problem.contacts[a].r, before.contacts[a].r);
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
