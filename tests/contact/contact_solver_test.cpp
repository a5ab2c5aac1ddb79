// Criterion (c) of the stop test: what contacts do to mechanisms and driven bodies.
#include "tamis/contact/contact_solver.hpp"

#include "contact/beds.hpp"

#include <gtest/gtest.h>

namespace contact_solver_test {

using namespace tamis;

// A body that moves as prescribed between two balls that press it equally: no force is left, but a change of
// one of them counts by the sum of both.
TEST(ContactWrenches, OpposedContactsOfADrivenBodyAreWeighedByTheirSum)
{
    ContactProblem problem;
    const Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();
    for (const double x : {-1.0, 1.0}) beds::add_grain(problem, {x, 0, 0}, 1, inertia, {-x, 0, 0}, {0, 0, 0});
    problem.rigid.push_back({});
    problem.v_free.conservativeResize(problem.velocities());
    problem.v_free.tail<6>().setZero();
    beds::add_manifold(problem, 0, 2, {-0.5, 0, 0}, {1, 0, 0}, 1, 0, 0.3, 0, 0);
    beds::add_manifold(problem, 2, 1, {0.5, 0, 0}, {1, 0, 0}, 1, 0, 0.3, 0, 0);
    for (Contact& contact : problem.contacts) contact.r[0] = 2;
    ContactWrenches wrenches;
    wrenches.watch(problem);
    EXPECT_EQ(wrenches.change(problem), 0);
    EXPECT_EQ(wrenches.change(problem), 0);
    problem.contacts[1].r[0] = 2.02;
    EXPECT_NEAR(wrenches.change(problem), 0.02 / 4.02, 1e-14);
    EXPECT_EQ(wrenches.change(problem), 0);
    problem.contacts[1].r[0] = 1;
    wrenches.watch(problem);
    EXPECT_EQ(wrenches.change(problem), 0); // what was before is forgotten
}

// Of grains and walls alone nothing is watched.
TEST(ContactWrenches, BedWithoutMachinesHasNone)
{
    ContactProblem problem = beds::bed({.cells = {2, 2, 2}});
    for (Contact& contact : problem.contacts) contact.r[0] = 1;
    ContactWrenches wrenches;
    wrenches.watch(problem);
    EXPECT_EQ(wrenches.change(problem), 0);
    problem.contacts[0].r[0] = 2;
    EXPECT_EQ(wrenches.change(problem), 0);
}

} // namespace contact_solver_test
