#include "tamis/contact/robust_solver.hpp"

#include "contact/heaps.hpp"
#include "contact/local_problems.hpp"
#include "tamis/contact/contact_law.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace robust_solver_test {

using namespace tamis;
using namespace tamis::test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// Rigid bodies with contacts between them and to the ground: W = H M^-1 H^T, q = H v_free.
struct Bodies {
    VectorXd inverse_mass, v_free;
    std::vector<MatrixXd> rows;
    std::vector<double> mu;

    explicit Bodies(int count) : inverse_mass(VectorXd::Ones(6 * count)), v_free(VectorXd::Zero(6 * count)) {}
    void set_mass(int body, double m, double inertia)
    {
        inverse_mass.segment<3>(6 * body).setConstant(1 / m);
        inverse_mass.segment<3>(6 * body + 3).setConstant(1 / inertia);
    }
    // Normal towards `body`; arms from the centres of mass; other < 0 is the ground.
    void touch(int body, const Vector3d& arm, int other, const Vector3d& other_arm, const Vector3d& normal,
               double friction)
    {
        const Vector3d n = normal.normalized(), t = n.unitOrthogonal(), b = n.cross(t);
        MatrixXd H = MatrixXd::Zero(3, v_free.size());
        const Vector3d axes[] = {n, t, b};
        for (int i = 0; i < 3; ++i) {
            H.row(i).segment<3>(6 * body) = axes[i].transpose();
            H.row(i).segment<3>(6 * body + 3) = arm.cross(axes[i]).transpose();
            if (other < 0) continue;
            H.row(i).segment<3>(6 * other) = -axes[i].transpose();
            H.row(i).segment<3>(6 * other + 3) = -other_arm.cross(axes[i]).transpose();
        }
        rows.push_back(H);
        mu.push_back(friction);
    }
    MatrixXd maps() const
    {
        MatrixXd H(3 * rows.size(), v_free.size());
        for (std::size_t a = 0; a < rows.size(); ++a) H.middleRows(3 * a, 3) = rows[a];
        return H;
    }
    LocalProblem problem() const
    {
        const MatrixXd H = maps();
        return from_matrix(H * inverse_mass.asDiagonal() * H.transpose(), H * v_free, mu);
    }
    VectorXd velocities(const LocalProblem& solved) const
    {
        return v_free + inverse_mass.asDiagonal() * maps().transpose() * solved.r;
    }
};

const Vector3d up = Vector3d::UnitZ();
const Vector3d corners[] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}};

// Unit cubes on each other, a mass of `top` kilograms on top, all falling at 1 m/s.
Bodies column(int count, double top)
{
    Bodies bodies(count);
    for (int b = 0; b < count; ++b) {
        const double mass = b == count - 1 ? top : 1;
        bodies.set_mass(b, mass, mass / 6);
        bodies.v_free[6 * b + 2] = -1;
        for (const Vector3d& corner : corners)
            bodies.touch(b, corner - 0.5 * up, b - 1, corner + 0.5 * up, up, 0.6);
    }
    return bodies;
}

Bodies random_bodies(RandomMatrices& random, int count, int contacts)
{
    Bodies bodies(count);
    for (int b = 0; b < count; ++b)
        bodies.set_mass(b, std::pow(10, random.uniform()), std::pow(10, random.uniform()));
    bodies.v_free = random.matrix(6 * count, 1);
    for (int a = 0; a < contacts; ++a) {
        const int body = a % count, other = a % 3 == 0 || count == 1 ? -1 : (body + 1) % count;
        bodies.touch(body, random.vector(), other, random.vector(), random.vector(), random.uniform(0, 1));
    }
    return bodies;
}

LocalReport expect_solved(LocalProblem& problem, const std::string& what)
{
    const double before = relative_natural_map(problem);
    const LocalReport report = solve_robust(problem);
    EXPECT_EQ(report.status, SolverStatus::converged) << what << ": " << report.residual;
    EXPECT_EQ(report.residual_before, before) << what;
    EXPECT_EQ(report.residual, relative_natural_map(problem)) << what;
    EXPECT_LE(report.residual, 1e-8) << what;
    return report;
}

} // namespace

TEST(RobustSolver, OneContactAgreesWithTheExactLaw)
{
    RandomMatrices random{std::mt19937(1)};
    for (int k = 0; k < 200; ++k) {
        const Matrix3d root = random.matrix(3, 3);
        const Matrix3d W = root * root.transpose() + 0.1 * Matrix3d::Identity();
        const Vector3d q = random.vector();
        const double mu = random.uniform(0, 0.5);
        LocalProblem problem = from_matrix(W, q, {mu});
        // Without sweeps, so that the law is not used.
        const LocalReport report = solve_robust(problem, {.tolerance = 1e-12, .sweeps = 0});
        ASSERT_EQ(report.status, SolverStatus::converged) << k;
        ASSERT_LT((problem.r - solve_contact(W, q, mu)).norm(), 1e-9) << k;
    }
}

TEST(RobustSolver, PushedBoxSlidesOnEightPoints)
{
    Bodies bodies(1);
    bodies.set_mass(0, 2, 1);
    bodies.v_free << 0.5, 0, -1, 0, 0, 0;
    for (const Vector3d& corner : corners)
        for (const double scale : {1.0, 0.6}) bodies.touch(0, scale * corner - 0.2 * up, -1, up, up, 0.3);
    LocalProblem problem = bodies.problem();
    const LocalReport report = solve_robust(problem, {.tolerance = 1e-13, .sweeps = 0});
    EXPECT_EQ(report.status, SolverStatus::converged);
    const VectorXd v = bodies.velocities(problem);
    EXPECT_NEAR(v[0], 0.5 - 0.3 * 1, 1e-11); // friction takes mu times the normal impulse
    EXPECT_LT(v.tail<5>().norm(), 1e-11);
}

TEST(RobustSolver, WedgeBetweenWallsStops)
{
    for (const double angle : {0.02, 0.1, 0.5})
        for (const double mu : {0.0, 0.05, 1.0}) {
            Bodies bodies(1);
            bodies.set_mass(0, 1, 0.1);
            bodies.v_free[2] = -1;
            for (const double side : {-0.5, 0.5})
                for (const double y : {-0.5, 0.5})
                    bodies.touch(0, {side, y, 0}, -1, up,
                                 {-std::copysign(std::cos(angle), side), 0, std::sin(angle)}, mu);
            LocalProblem problem = bodies.problem();
            const LocalReport report = solve_robust(problem, {.tolerance = 1e-12});
            EXPECT_EQ(report.status, SolverStatus::converged) << angle << " " << mu;
            EXPECT_LT(bodies.velocities(problem).norm(), 1e-9) << angle << " " << mu;
        }
}

TEST(RobustSolver, HeavyMassOnLightColumnIsCarriedWhereSweepsAreSlow)
{
    const Bodies bodies = column(8, 1e4);
    LocalProblem slow = bodies.problem(), problem = slow;
    EXPECT_EQ(solve_local_nlgs(slow, {.tolerance = 1e-6, .max_sweeps = 2000}).status,
              SolverStatus::iteration_limit);
    const LocalReport report = solve_robust(problem, {.tolerance = 1e-12});
    EXPECT_EQ(report.status, SolverStatus::converged);
    EXPECT_GT(report.newton_steps + report.interior_steps, 0);
    for (int level = 0; level < 8; ++level) {
        double carried = 0;
        for (int k = 0; k < 4; ++k) carried += problem.r[3 * (4 * level + k)];
        EXPECT_NEAR(carried, 1e4 + 7 - level, 1e-4) << level; // the momentum of all above
    }
}

TEST(RobustSolver, RandomMatricesAreSolvedUpToConditionOneHundredMillion)
{
    RandomMatrices random{std::mt19937(2)};
    for (int k = 0; k < 60; ++k) {
        const int contacts = 1 + k % 20, n = 3 * contacts;
        const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(random.matrix(n, n)).householderQ();
        VectorXd eigenvalues(n);
        for (int i = 0; i < n; ++i) eigenvalues[i] = std::pow(10, -(k % 9) * i / (n - 1.0));
        std::vector<double> mu(contacts);
        for (double& x : mu) x = random.uniform(0, 1);
        LocalProblem problem =
            from_matrix(Q * eigenvalues.asDiagonal() * Q.transpose(), random.matrix(n, 1), mu);
        expect_solved(problem, "matrix " + std::to_string(k));
    }
}

TEST(RobustSolver, ManyMoreContactsThanDegreesOfFreedomAreSolved)
{
    RandomMatrices random{std::mt19937(3)};
    int newton_steps = 0, interior_steps = 0;
    for (int k = 0; k < 40; ++k) {
        const int count = 1 + k % 4;
        LocalProblem problem = random_bodies(random, count, 10 * count + k % 7).problem();
        const LocalReport report = expect_solved(problem, "bodies " + std::to_string(k));
        newton_steps += report.newton_steps;
        interior_steps += report.interior_steps;
    }
    EXPECT_GT(newton_steps, 0);
    EXPECT_GT(interior_steps, 0); // neither method alone has solved all
}

// Light spheres carry heavy ones. Heap 2 needs the late proximal method.
TEST(RobustSolver, HeapsOfMassesOfFourDecadesAreSolved)
{
    for (const int number : {2, 4}) {
        LocalProblem problem = local_form(beds::heap(beds::numbered_heap(number)));
        expect_solved(problem, "heap " + std::to_string(number));
    }
}

TEST(RobustSolver, SparseAndDenseFactorisationsSolveTheSame)
{
    // Fifteen separate copies of a problem leave the dense factorisation.
    RandomMatrices random{std::mt19937(4)};
    const Bodies one = random_bodies(random, 1, 12);
    LocalProblem single = one.problem();
    const int copies = 15, n = static_cast<int>(single.q.size());
    MatrixXd W = MatrixXd::Zero(copies * n, copies * n);
    std::vector<double> mu;
    for (int k = 0; k < copies; ++k) {
        const MatrixXd H = one.maps();
        W.block(k * n, k * n, n, n) = H * one.inverse_mass.asDiagonal() * H.transpose();
        mu.insert(mu.end(), one.mu.begin(), one.mu.end());
    }
    LocalProblem many = from_matrix(W, single.q.replicate(copies, 1), mu);
    ASSERT_EQ(solve_robust(single, {.tolerance = 1e-12, .sweeps = 0}).status, SolverStatus::converged);
    ASSERT_EQ(solve_robust(many, {.tolerance = 1e-12, .sweeps = 0}).status, SolverStatus::converged);
    const VectorXd u = single.velocity(single.r), u_many = many.velocity(many.r);
    for (int k = 0; k < copies; ++k) EXPECT_LT((u_many.segment(k * n, n) - u).norm(), 1e-9) << k;
}

TEST(RobustSolver, SlightlyUnsymmetricMatrixIsSolved)
{
    RandomMatrices random{std::mt19937(5)};
    for (int k = 0; k < 20; ++k) {
        LocalProblem problem = random_bodies(random, 2, 12).problem();
        for (Matrix3d& block : problem.block) block += 1e-6 * random.matrix(3, 3);
        for (int a = 0; a < problem.contacts(); ++a) // keeps the diagonal dominant
            for (int j = problem.row[a]; j < problem.row[a + 1]; ++j)
                if (problem.column[j] == a) problem.block[j] += 1e-3 * Matrix3d::Identity();
        expect_solved(problem, "unsymmetric " + std::to_string(k));
    }
}

TEST(RobustSolver, SameProblemGivesSameBits)
{
    RandomMatrices random{std::mt19937(6)};
    LocalProblem first = random_bodies(random, 3, 30).problem(), second = first;
    const LocalReport a = solve_robust(first), b = solve_robust(second);
    EXPECT_GT(a.newton_steps, 0);
    EXPECT_EQ(a.newton_steps, b.newton_steps);
    EXPECT_EQ(std::memcmp(first.r.data(), second.r.data(), sizeof(double) * first.r.size()), 0);
}

TEST(RobustSolver, ResultIsNeverWorseThanTheStart)
{
    // Pressed into an immovable contact: u = q < 0 whatever r, so that no r solves it, however large.
    LocalProblem problem = from_matrix(MatrixXd::Zero(6, 6), VectorXd::Constant(6, -1), {0.5, 0.5});
    problem.r << 1, 0.1, 0, 1, 0, 0.1;
    const double before = relative_natural_map(problem);
    for (const bool robust : {false, true}) {
        const LocalReport report = robust ? solve_robust(problem) : solve_local_nlgs(problem);
        EXPECT_EQ(report.status, SolverStatus::no_solution);
        EXPECT_LE(report.residual, before);
        EXPECT_EQ(report.residual, relative_natural_map(problem));
        EXPECT_TRUE(problem.r.allFinite());
    }
}

TEST(RobustSolver, NumbersThatAreNoneEndAtOnce)
{
    LocalProblem problem = column(2, 1).problem();
    problem.r[4] = std::numeric_limits<double>::quiet_NaN(); // a bad guess is dropped
    EXPECT_EQ(solve_robust(problem).status, SolverStatus::converged);
    problem.q[0] = std::numeric_limits<double>::quiet_NaN();
    const LocalReport report = solve_robust(problem);
    EXPECT_EQ(report.status, SolverStatus::iteration_limit);
    EXPECT_EQ(report.newton_steps, 0);
    EXPECT_TRUE(problem.r.allFinite());
}

TEST(RobustSolver, ProblemWithoutContactsIsSolved)
{
    LocalProblem problem;
    EXPECT_EQ(solve_robust(problem).status, SolverStatus::converged);
    EXPECT_EQ(solve_local_nlgs(problem).status, SolverStatus::converged);
}

TEST(LocalNlgs, PatienceEndsSweepsThatStagnate)
{
    LocalProblem problem = column(8, 1e4).problem();
    const LocalReport report = solve_local_nlgs(problem, {.max_sweeps = 100000, .patience = 100});
    EXPECT_EQ(report.status, SolverStatus::iteration_limit);
    EXPECT_LT(report.sweeps, 100000);
    LocalProblem easy = column(2, 1).problem();
    EXPECT_EQ(solve_local_nlgs(easy, {.patience = 100}).status, SolverStatus::converged);
}

} // namespace robust_solver_test
