// Rolling resistance belongs to the contact that it names, wherever both stand in the list.
#include "contact/beds.hpp"
#include "tamis/contact/auto_solver.hpp"

#include <gtest/gtest.h>

namespace tamis::test::rolling_test {

// Balls of mass m and inertia J hit a smooth floor at 1 m/s while they turn at 5 rad/s: the floor gives
// r_n = m and takes away l m / J of the spin.
TEST(Rolling, MomentIsLimitedByTheContactThatItNames)
{
    const double mass[] = {1, 3}, inertia = 0.5, length = 0.25, spin = 5;
    ContactProblem start;
    for (int b = 0; b < 2; ++b) {
        beds::add_grain(start, {4.0 * b, 0, 1}, mass[b], inertia * Eigen::Matrix3d::Identity(), {0, 0, -1},
                        {0, spin, 0});
        beds::add_manifold(start, -1, b, {4.0 * b, 0, 0}, Eigen::Vector3d::UnitZ(), 1, 0, 0, length, 0);
    }
    ASSERT_EQ(start.contacts.size(), 4u); // contact, rolling, contact, rolling
    for (const auto& order : {std::vector{0, 1, 2, 3}, std::vector{0, 2, 3, 1}, std::vector{1, 3, 2, 0}}) {
        ContactProblem problem = start;
        for (int k = 0; k < 4; ++k) {
            problem.contacts[k] = start.contacts[order[k]];
            if (problem.contacts[k].law == Law::rolling)
                problem.contacts[k].normal = static_cast<int>(
                    std::find(order.begin(), order.end(), problem.contacts[k].normal) - order.begin());
        }
        for (const char* name : {"nlgs", "coloured"}) {
            ContactProblem solved = problem;
            EXPECT_EQ(make_solver(name, 1)->solve(solved).status, SolverStatus::converged) << name;
            for (int b = 0; b < 2; ++b) {
                EXPECT_NEAR(solved.v[6 * b + 2], 0, 1e-12) << name;
                EXPECT_NEAR(solved.v[6 * b + 4], spin - length * mass[b] / inertia, 1e-12) << name;
            }
        }
    }
}

} // namespace tamis::test::rolling_test
