// Every solver has an end, what it calls converged is, and a problem that nothing can solve is named as such.
#include "contact/local_problems.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/contact/contact_law.hpp"
#include "tamis/contact/robust_solver.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tamis::test::unsolvable_test {

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Parts {
    MatrixXd B; // W = B B^T
    VectorXd q;
    std::vector<double> mu;
    LocalProblem problem() const { return from_matrix(B * B.transpose(), q, mu); }
};

// Five to eight contacts on fewer degrees of freedom than they have rows, in units that differ by decades.
Parts random_parts(int seed)
{
    RandomMatrices random{std::mt19937(seed)};
    const int n = 5 + seed % 4, freedom = 1 + static_cast<int>(random.uniform(0, 3 * n - 1));
    Parts parts;
    parts.B = std::pow(10, random.uniform(-2, 2)) * random.matrix(3 * n, freedom);
    for (int a = 0; a < n; ++a) parts.mu.push_back(random.uniform(0, 1));
    parts.q = random.matrix(3 * n, 1);
    return parts;
}

double approach(const LocalProblem& problem)
{
    return residual(problem).approach;
}
double largest_free_velocity(const LocalProblem& problem)
{
    double largest = 0;
    for (int a = 0; a < problem.contacts(); ++a)
        largest = std::max(largest, problem.q.segment<3>(3 * a).norm());
    return largest;
}

} // namespace

TEST(Unsolvable, RandomProblemsOutsideTheRangeOfWEndAndAreNotCalledConvergedWhileContactsApproach)
{
    int converged = 0, none = 0;
    for (int seed = 0; seed < 1500; ++seed) {
        LocalProblem problem = random_parts(seed).problem();
        const LocalReport report = solve_robust(problem);
        converged += report.status == SolverStatus::converged;
        none += report.status == SolverStatus::no_solution;
        if (report.status == SolverStatus::converged) {
            ASSERT_LE(approach(problem), 1e-4 * largest_free_velocity(problem)) << seed;
        }
        ASSERT_TRUE(problem.r.allFinite()) << seed;
    }
    EXPECT_GT(converged, 0);
    EXPECT_GT(none, 0);
}

// d.u_n = d.q_n < 0 whatever r, with N d taken out of the range of W: u_n >= 0 is impossible.
TEST(Unsolvable, ContactsThatCannotAllPartAreNamed)
{
    for (int seed = 0; seed < 200; ++seed) {
        Parts parts = random_parts(seed);
        RandomMatrices random{std::mt19937(1000 + seed)};
        VectorXd d = VectorXd::Zero(parts.q.size());
        for (int a = 0; a < d.size() / 3; ++a) d[3 * a] = std::max(random.uniform(-0.5, 1), 0.0);
        d[0] = 1;
        d.normalize();
        parts.B -= d * (d.transpose() * parts.B);
        parts.q -= d * (d.dot(parts.q) + 0.1);
        LocalProblem problem = parts.problem();
        EXPECT_EQ(solve_robust(problem).status, SolverStatus::no_solution) << seed;
        problem.r.setZero();
        EXPECT_EQ(solve_local_nlgs(problem, {.max_sweeps = 50}).status, SolverStatus::no_solution) << seed;
    }
}

// q = u - W r from r and u that obey the law: sticking, sliding and open contacts.
TEST(Unsolvable, NoProblemThatHasASolutionIsNamed)
{
    for (int seed = 0; seed < 200; ++seed) {
        Parts parts = random_parts(seed);
        RandomMatrices random{std::mt19937(2000 + seed)};
        VectorXd r = VectorXd::Zero(parts.q.size()), u = r;
        for (int a = 0; a < r.size() / 3; ++a) {
            const double kind = random.uniform();
            Vector3d way = random.vector();
            way[0] = 0;
            way.normalize();
            if (kind > 0.3) {
                u.segment<3>(3 * a) = random.vector().cwiseAbs();
                continue;
            }
            r[3 * a] = random.uniform(0, 1);
            const double part = kind > -0.3 ? 1 : random.uniform(0, 1);
            r.segment<3>(3 * a) += part * parts.mu[a] * r[3 * a] * way;
            if (part == 1) u.segment<3>(3 * a) = -random.uniform(0, 1) * way;
        }
        parts.q = u - parts.B * (parts.B.transpose() * r);
        LocalProblem problem = parts.problem();
        EXPECT_LE(relative_natural_map(problem, r), 1e-12) << seed;
        EXPECT_NE(solve_local_nlgs(problem, {.max_sweeps = 0}).status, SolverStatus::no_solution) << seed;
    }
}

// Contact 1 cannot move and is pressed on; the large impulses of the other hide it in the relative map.
TEST(Unsolvable, ApproachOfAContactThatCannotMoveIsNotHiddenByLargeImpulses)
{
    MatrixXd W = 1e-10 * MatrixXd::Identity(6, 6);
    W.bottomRightCorner<3, 3>().setZero();
    const VectorXd q = (VectorXd(6) << -1, 0, 0, -0.86, 0, 0).finished();
    for (const bool robust : {false, true}) {
        LocalProblem problem = from_matrix(W, q, {0.5, 0.5});
        const LocalReport report = robust ? solve_robust(problem) : solve_local_nlgs(problem);
        EXPECT_EQ(report.status, SolverStatus::no_solution);
    }
    LocalProblem huge = from_matrix(W, q, {0.5, 0.5});
    huge.r << 1e10, 0, 0, 1e10, 0, 0;
    EXPECT_LT(relative_natural_map(huge), 1e-8); // the measure alone is content
    EXPECT_FALSE(is_solution(huge, huge.r, 1e-8));
    EXPECT_EQ(solve_robust(huge).status, SolverStatus::no_solution);
}

TEST(Unsolvable, ConeAsWideAsAHalfSpaceDoesNotHideTheApproach)
{
    const Vector3d q(-1, 0.5, 0);
    for (const bool robust : {false, true}) {
        LocalProblem problem = from_matrix(MatrixXd::Identity(3, 3), q, {1e9});
        EXPECT_LT(relative_natural_map(problem), 1e-8); // of r = 0
        const LocalReport report = robust ? solve_robust(problem) : solve_local_nlgs(problem);
        EXPECT_EQ(report.status, SolverStatus::converged);
        EXPECT_LT((problem.r + q).norm(), 1e-12); // it sticks
    }
}

TEST(Unsolvable, NumbersThatAreNoneEndEverySolverOfAStep)
{
    ContactProblem problem;
    problem.rigid.resize(1);
    problem.rigid[0].inverse_mass = 1;
    problem.rigid[0].inverse_inertia.setIdentity();
    problem.v_free = problem.v = VectorXd::Constant(6, std::numeric_limits<double>::quiet_NaN());
    Contact contact;
    contact.side[1].block = 0;
    contact.friction = 0.5;
    problem.contacts.assign(3, contact);
    for (const std::string& name : solver_names()) {
        if (name.starts_with("cuda")) continue;
        EXPECT_EQ(make_solver(name, 1)->solve(problem).status, SolverStatus::iteration_limit) << name;
    }
}

// A ball falls on the floor, and a prescribed body is driven into it or along it.
TEST(Unsolvable, PrescribedBodyDrivenIntoAWallIsNamedByEverySolverOfAStep)
{
    for (const double drive : {-0.5, -1e-17, 0.5}) {
        ContactProblem start;
        start.rigid.resize(2);
        start.rigid[0].inverse_mass = 1;
        start.rigid[0].inverse_inertia.setIdentity();
        start.v_free = VectorXd::Zero(12);
        start.v_free[0] = -1;
        start.v_free[6] = drive;
        start.v_free[7] = 1;
        start.v = start.v_free;
        for (int b = 0; b < 2; ++b) {
            Contact contact; // normal x
            contact.side[1].block = b;
            contact.friction = 0.5;
            start.contacts.push_back(contact);
        }
        for (const std::string& name : solver_names()) {
            if (name.starts_with("cuda")) continue;
            ContactProblem problem = start;
            const auto expected = drive == -0.5 ? SolverStatus::no_solution : SolverStatus::converged;
            const SolverReport report = make_solver(name, 1)->solve(problem);
            EXPECT_EQ(report.status, expected) << name << " " << drive;
            EXPECT_EQ(report.residual.stuck, drive == -0.5 ? 1 : -1) << name;
            EXPECT_NEAR(problem.v[0], 0, 1e-9) << name;
        }
    }
}

} // namespace tamis::test::unsolvable_test
