// Contacts that yield: w = u + b + R o r obeys the law in place of u + b_n n. Oracles are closed forms and the
// rigid problem whose matrix is W + R, formed explicitly.
#include "contact/beds.hpp"
#include "contact/local_problems.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/contact/device.hpp"
#include "tamis/contact/infeasible.hpp"
#include "tamis/contact/robust_solver.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace tamis::test::compliance_test {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Named {
    std::string name;
    std::unique_ptr<ContactSolver> solver;
};

// All that a user may name, and what a device does, done by the processor.
std::vector<Named> solvers(double tolerance)
{
    std::vector<Named> all;
    for (const std::string& name : solver_names())
        if (!name.starts_with("cuda")) all.push_back({name, make_solver(name, 1)});
    for (const Acceleration acceleration : {Acceleration::none, Acceleration::anderson})
        all.push_back({"colours", std::make_unique<NlgsColoured>(NlgsColouredOptions{
                                      .acceleration = acceleration, .device = &this_processor})});
    for (const Named& each : all) {
        each.solver->stop.natural_max = tolerance;
        each.solver->stop.max_sweeps = 200000;
    }
    return all;
}

// The problem with W + R and q + b, from products of dense maps: what a rigid problem in local form would be.
LocalProblem dense_form(const ContactProblem& problem)
{
    const int n = static_cast<int>(problem.contacts.size()), size = problem.velocities();
    MatrixXd H = MatrixXd::Zero(3 * n, size), Y = H;
    VectorXd q(3 * n), R(3 * n);
    std::vector<double> mu;
    for (int a = 0; a < n; ++a) {
        const Contact& contact = problem.contacts[a];
        mu.push_back(contact.friction);
        q.segment<3>(3 * a) = contact.drift + contact.bias;
        R.segment<3>(3 * a) << contact.compliance[0], contact.compliance[1], contact.compliance[1];
        for (int s = 0; s < 2; ++s) {
            const int block = contact.side[s].block;
            if (block < 0) continue;
            const int at = problem.offset(block), m = problem.block_size(block);
            for (int i = 0; i < 3; ++i)
                if (problem.is_rigid(block)) {
                    H.block<1, 6>(3 * a + i, at) += problem.rigid_row(contact, s, i).transpose();
                    Y.block<1, 6>(3 * a + i, at) += problem.rigid_response(contact, s, i).transpose();
                } else {
                    const int start = contact.side[s].map + i * m;
                    H.block(3 * a + i, at, 1, m) +=
                        Eigen::Map<const Eigen::RowVectorXd>(&problem.H[start], m);
                    Y.block(3 * a + i, at, 1, m) +=
                        Eigen::Map<const Eigen::RowVectorXd>(&problem.Y[start], m);
                }
        }
    }
    q += H * problem.v_free;
    MatrixXd W = H * Y.transpose() + MatrixXd(R.asDiagonal());
    for (int a = 0; a < n; ++a) {
        if (mu[a] > 0) continue;
        for (int i = 3 * a + 1; i < 3 * a + 3; ++i) {
            W.row(i).setZero();
            W.col(i).setZero();
            q[i] = 0;
        }
    }
    return from_matrix(W, q, mu);
}

// Impulses in units of the scale of W, so that the robust solver compares like with like.
VectorXd oracle_impulses(const ContactProblem& problem)
{
    LocalProblem local = dense_form(problem);
    double trace = 0;
    for (int a = 0; a < local.contacts(); ++a) trace = std::max(trace, local.diagonal(a).trace() / 3);
    for (Matrix3d& W : local.block) W /= trace;
    const LocalReport report = solve_robust(local, {.tolerance = 1e-13});
    EXPECT_LE(report.residual, 1e-12);
    return local.r / trace;
}

void set_impulses(ContactProblem& problem, const VectorXd& r)
{
    for (std::size_t a = 0; a < problem.contacts.size(); ++a)
        problem.contacts[a].r = r.segment<3>(3 * static_cast<int>(a));
    problem.rebuild_velocities();
}

// A ball of mass m, or three velocities of a mechanism, against the ground along x.
ContactProblem one_contact(bool ball, double m, const Vector3d& v)
{
    ContactProblem problem;
    Contact contact;
    if (ball) {
        problem.rigid.push_back({Vector3d(0, 0, 0), 1 / m, Matrix3d::Identity()});
        problem.v_free = VectorXd::Zero(6);
    } else {
        problem.general_offset = {0, 3};
        problem.v_free = VectorXd::Zero(3);
    }
    contact.side[1].block = 0;
    if (!ball) {
        contact.side[1].map = problem.reserve_map(0);
        for (int i = 0; i < 3; ++i) {
            problem.H[4 * i] = 1;
            problem.Y[4 * i] = 1 / m;
        }
    }
    problem.v_free.head<3>() = v;
    problem.contacts.push_back(contact);
    return problem;
}

// A ball between two walls that move towards each other by V, each inclined by alpha against the way it moves.
ContactProblem wedge(double alpha, double V, double mass, const Vector2d& R, double friction)
{
    ContactProblem problem;
    beds::add_grain(problem, {0, 0, 0}, mass, 0.1 * mass * Matrix3d::Identity(), {0, 0, 0}, {0, 0, 0});
    for (const double side : {-1.0, 1.0}) {
        problem.rigid.push_back({Vector3d(side, 0, 0)});
        problem.v_free.conservativeResize(problem.velocities());
        problem.v_free.tail<6>() << -side * V, 0, 0, 0, 0, 0;
        Contact contact;
        contact.frame = beds::frame_of({-side * std::cos(alpha), 0, std::sin(alpha)});
        contact.side[0].block = static_cast<int>(problem.rigid.size()) - 1;
        contact.side[1].block = 0;
        contact.arm[1] = -0.5 * contact.frame.col(0);
        contact.arm[0] = contact.arm[1] - Vector3d(side, 0, 0);
        contact.friction = friction;
        contact.compliance = R;
        problem.contacts.push_back(contact);
    }
    return problem;
}

} // namespace

TEST(Compliance, OneContactIsItsClosedForm)
{
    const double m = 2;
    for (const bool ball : {true, false})
        for (const double mu : {0.0, 0.1, 0.8})
            for (const double v_n : {-1.0, 0.3})
                for (const Vector2d& R : {Vector2d(0.4, 0.9), Vector2d(0.4, 0), Vector2d(0, 0.9)}) {
                    ContactProblem start = one_contact(ball, m, {v_n, 0.5, -0.2});
                    Contact& contact = start.contacts[0];
                    contact.friction = mu;
                    contact.compliance = R;
                    contact.bias = {-0.1, 0.1, 0.05};
                    contact.r = {0.3, mu > 0 ? 0.01 : 0, 0}; // some guess
                    const Vector3d q = Vector3d(v_n, 0.5, -0.2) + contact.bias;
                    Vector3d r(std::max(0.0, -q[0] / (1 / m + R[0])), 0, 0);
                    r.tail<2>() = -q.tail<2>() / (1 / m + R[1]);
                    const double limit = mu * r[0], size = r.tail<2>().norm();
                    if (size > limit) r.tail<2>() *= limit / size;
                    for (const auto& [name, solver] : solvers(1e-12)) {
                        ContactProblem problem = start;
                        EXPECT_EQ(solver->solve(problem).status, SolverStatus::converged) << name;
                        EXPECT_LT((problem.contacts[0].r - r).norm(), 1e-10) << name << ' ' << mu;
                        EXPECT_LT((problem.v.head<3>() - start.v_free.head<3>() - r / m).norm(), 1e-10)
                            << name;
                    }
                    // The residual knows the solution, and what is none; u_n < 0 is no violation.
                    set_impulses(start, r);
                    EXPECT_LE(residual(start).natural_max, 1e-14);
                    EXPECT_LE(residual(start).approach, 1e-14);
                    EXPECT_EQ(residual(start).stuck, -1);
                    EXPECT_LE(residual(local_form(start)).natural_max, 1e-14);
                    EXPECT_LE(relative_natural_map(local_form(start)), 1e-14);
                    set_impulses(start, r + Vector3d(0.01, 0, 0));
                    EXPECT_GT(residual(start).natural_max, 1e-3);
                    EXPECT_GT(relative_natural_map(local_form(start)), 1e-3);
                }
}

// Of any law, by either kind of sweeps: a contact with R is a rigid one on W + R.
TEST(Compliance, OfOneContactAddsToItsMatrix)
{
    beds::Random random(3);
    for (const Law law : {Law::contact, Law::associated, Law::bilateral})
        for (int trial = 0; trial < 20; ++trial) {
            ContactProblem soft = one_contact(false, 1, random.vector(1) - Vector3d(0.5, 0, 0));
            const Matrix3d root = Matrix3d::NullaryExpr([&] { return random(-1, 1); });
            Matrix3d W = root * root.transpose() + 0.1 * Matrix3d::Identity();
            Contact& contact = soft.contacts[0];
            contact.law = law;
            contact.friction = 0.4;
            contact.compliance = {random(0, 1), random(0, 1)};
            contact.bias = random.vector(0.3);
            ContactProblem rigid = soft;
            rigid.contacts[0].compliance.setZero();
            rigid.contacts[0].bias.setZero();
            rigid.contacts[0].drift = contact.bias;
            Eigen::Map<Matrix3d>(soft.Y.data()) = W;
            W.diagonal() += Vector3d(contact.compliance[0], contact.compliance[1], contact.compliance[1]);
            Eigen::Map<Matrix3d>(rigid.Y.data()) = W;
            for (const char* name : {"nlgs", "coloured"}) {
                const auto solver = make_solver(name, 1);
                solver->stop.natural_max = 1e-13;
                ContactProblem a = soft, b = rigid;
                EXPECT_EQ(solver->solve(a).status, SolverStatus::converged);
                EXPECT_EQ(solver->solve(b).status, SolverStatus::converged);
                EXPECT_LT((a.contacts[0].r - b.contacts[0].r).norm(), 1e-11) << name << ' ' << trial;
            }
        }
}

TEST(Compliance, RollingResistanceIsWithoutIt)
{
    ContactProblem problem =
        beds::bed({.cells = {3, 2, 2}, .spheres = true, .rolling = 0.02, .walls = false});
    ContactProblem other = problem;
    for (Contact& contact : other.contacts)
        if (contact.law == Law::rolling) {
            contact.bias = {1, 2, 3};
            contact.compliance = {4, 5};
        }
    for (const char* name : {"nlgs", "coloured"}) {
        ContactProblem a = problem, b = other;
        const auto solver = make_solver(name, 1);
        solver->stop.natural_max = 1e-8;
        EXPECT_EQ(solver->solve(a).sweeps, solver->solve(b).sweeps);
        EXPECT_EQ(a.v, b.v);
    }
}

// Beds of single points and of manifolds, rigid and compliant contacts side by side, some with a mechanism.
TEST(Compliance, EverySolverAgreesWithTheRigidProblemOfTheAugmentedMatrix)
{
    for (const double friction : {0.0, 0.3})
        for (const bool spheres : {true, false})
            for (const int n : {0, 4}) {
                ContactProblem start = beds::bed({.cells = {3, 2, spheres ? 2 : 1},
                                                  .friction = friction,
                                                  .most_points = 3,
                                                  .spheres = spheres,
                                                  .walls = false});
                beds::Random random(5);
                if (n > 0) { // n velocities that touch some of the grains by random maps
                    start.general_offset.push_back(n);
                    for (Contact& contact : start.contacts)
                        for (Contact::Side& side : contact.side) side.block += side.block >= 0;
                    VectorXd v(n + start.v_free.size());
                    v << VectorXd::Constant(n, -0.01), start.v_free;
                    start.v_free = v;
                    for (const int grain : {0, 2, 5}) {
                        Contact contact;
                        contact.frame = beds::frame_of({0.1, -0.2, -1});
                        contact.friction = friction;
                        contact.side[0] = {1 + grain};
                        contact.arm[0] = {0, 0.1, 0.5};
                        contact.side[1] = {0, start.reserve_map(0)};
                        for (int k = 0; k < 3 * n; ++k) {
                            start.H[contact.side[1].map + k] = random(-1, 1);
                            start.Y[contact.side[1].map + k] = start.H[contact.side[1].map + k] / 500;
                        }
                        start.contacts.push_back(contact);
                    }
                }
                beds::soften(start, 0.2, 2e-3);
                const VectorXd r = oracle_impulses(start);
                ContactProblem expected = start;
                set_impulses(expected, r);
                EXPECT_LT(residual(expected).natural_max, 1e-10);
                const double speed = start.v_free.lpNorm<Eigen::Infinity>();
                for (const auto& [name, solver] : solvers(1e-11)) {
                    ContactProblem problem = start;
                    const SolverReport report = solver->solve(problem);
                    EXPECT_EQ(report.status, SolverStatus::converged) << name << report.residual.natural_max;
                    EXPECT_LT((problem.v - expected.v).lpNorm<Eigen::Infinity>(), 1e-7 * speed)
                        << name << ' ' << friction << ' ' << spheres << ' ' << n;
                }
                NlgsColoured single({.precision = Precision::float_, .threads = 1});
                single.stop.natural_max = 1e-4;
                ContactProblem problem = start;
                EXPECT_EQ(single.solve(problem).status, SolverStatus::converged);
                EXPECT_LT((problem.v - expected.v).lpNorm<Eigen::Infinity>(), 1e-2 * speed);
            }
}

TEST(Compliance, TendsToTheRigidSolution)
{
    const ContactProblem rigid =
        beds::bed({.cells = {3, 2, 2}, .friction = 0.3, .spheres = true, .walls = false});
    const auto velocities = [&](double size) {
        ContactProblem problem = rigid;
        for (Contact& contact : problem.contacts) contact.compliance.setConstant(size / 1300);
        const auto solver = make_solver("nlgs");
        solver->stop.natural_max = 1e-13;
        EXPECT_EQ(solver->solve(problem).status, SolverStatus::converged);
        return problem.v;
    };
    const VectorXd v = velocities(0);
    double before = 0;
    for (const double size : {1e-3, 1e-5, 1e-7}) {
        const double distance = (velocities(size) - v).norm();
        EXPECT_GT(distance, 0);
        EXPECT_LT(distance, 10 * size * v.norm());
        if (before > 0) { // of first order
            EXPECT_NEAR(distance / before, 1e-2, 2e-3);
        }
        before = distance;
    }
}

// With R_n = R_t = R the ball stays where it is: w = 0 gives r = -u / R, u = (-V cos, V sin), inside the cone
// while tan alpha < mu.
TEST(Compliance, WedgeInsideTheFrictionAngleHasASolutionByEverySolver)
{
    const double alpha = std::atan(0.2), V = 0.3, mass = 2, friction = 0.5;
    for (const double tilt : {0.0, alpha}) {
        ContactProblem rigid = wedge(tilt, V, mass, {0, 0}, friction);
        const auto nlgs = make_solver("nlgs");
        EXPECT_NE(nlgs->solve(rigid).status, SolverStatus::converged);
        for (const double size : {1.0, 1e-1, 1e-2}) {
            const double R = size / mass;
            for (const double guess : {0.0, 30.0}) // cold, and far beyond
                for (const auto& [name, solver] : solvers(1e-12)) {
                    ContactProblem problem = wedge(tilt, V, mass, {R, R}, friction);
                    for (Contact& contact : problem.contacts) contact.r = {guess, -0.1 * guess, 0.2 * guess};
                    EXPECT_EQ(solver->solve(problem).status, SolverStatus::converged) << name << ' ' << R;
                    for (const Contact& contact : problem.contacts) {
                        EXPECT_NEAR(contact.r[0] * R, V * std::cos(tilt), 1e-8 * V) << name << ' ' << R;
                        EXPECT_NEAR(contact.r.tail<2>().norm() * R, V * std::sin(tilt), 1e-8 * V) << name;
                    }
                    EXPECT_LT(problem.v.head<6>().norm(), 1e-8 * V) << name;
                }
        }
    }
}

// Without tangential compliance the walls take the ball along: u_t = 0 gives v_z = -V tan alpha and
// u_n = -V / cos alpha.
TEST(Compliance, WedgeThatYieldsAlongItsNormalsSticks)
{
    const double alpha = std::atan(0.2), V = 0.3, mass = 2;
    for (const double R : {1e-1, 1e-2})
        for (const auto& [name, solver] : solvers(1e-12)) {
            ContactProblem problem = wedge(alpha, V, mass, {R, 0}, 0.5);
            EXPECT_EQ(solver->solve(problem).status, SolverStatus::converged) << name;
            EXPECT_NEAR(problem.v[2], -V * std::tan(alpha), 1e-8 * V) << name;
            for (const Contact& contact : problem.contacts)
                EXPECT_NEAR(contact.r[0] * R, V / std::cos(alpha), 1e-8 * V) << name << ' ' << R;
        }
}

// Two bodies that move as prescribed, one against the other: r_n = -u_n / R_n; friction slides.
TEST(Compliance, PrescribedBodiesPressOnEachOther)
{
    ContactProblem start = wedge(0, 0.3, 1, {0, 0}, 0);
    start.contacts.resize(1);
    Contact& contact = start.contacts[0];
    contact.frame = beds::frame_of({1, 0, 0});
    contact.side[0].block = 1;
    contact.side[1].block = 2;
    contact.friction = 0.5;
    contact.compliance = {0.1, 0};
    start.v_free.tail<6>() << -0.3, 0.2, 0, 0, 0, 0;
    for (const char* name : {"nlgs", "coloured", "anderson", "nncg", "coloured-float", "auto", "robust"}) {
        ContactProblem problem = start;
        const SolverReport report = make_solver(name, 1)->solve(problem);
        EXPECT_EQ(report.residual.stuck, -1) << name;
        EXPECT_NEAR(problem.contacts[0].r[0], 6, 1e-8) << name;
        EXPECT_NEAR(problem.contacts[0].r.tail<2>().norm(), 3, 1e-8) << name;
        // R_t alone holds nothing apart.
        problem = start;
        problem.contacts[0].compliance = {0, 0.1};
        EXPECT_EQ(make_solver(name, 1)->solve(problem).status, SolverStatus::no_solution) << name;
    }
}

// d.u_n = d.q_n < 0 whatever r, with N d out of the range of W: impossible if those with d > 0 are rigid.
TEST(Compliance, OnlyRigidContactsContradictEachOther)
{
    for (int seed = 0; seed < 50; ++seed) {
        RandomMatrices random{std::mt19937(seed)};
        const int n = 5;
        MatrixXd B = random.matrix(3 * n, 8);
        VectorXd q = random.matrix(3 * n, 1), d = VectorXd::Zero(3 * n);
        d[0] = d[3] = 1 / std::sqrt(2);
        B -= d * (d.transpose() * B);
        q -= d * (d.dot(q) + 0.1);
        const LocalProblem rigid = from_matrix(B * B.transpose(), q, std::vector<double>(n, 0.3));
        const VectorXd scale = VectorXd::Ones(3 * n);
        EXPECT_TRUE(infeasible(rigid, scale, 1e10));
        for (int soft = 0; soft < n; ++soft)
            for (const double R : {1e-3, 1e-14}) {
                LocalProblem problem = rigid;
                problem.R.assign(n, Vector2d::Zero());
                problem.R[soft][0] = R;
                EXPECT_EQ(infeasible(problem, scale, 1e10), soft >= 2) << seed << ' ' << soft;
                problem.R[soft] = {0, R};
                EXPECT_TRUE(infeasible(problem, scale, 1e10)) << seed << ' ' << soft;
            }
    }
}

// Local form, text and back: same solution.
TEST(Compliance, LocalFormHasTheSolutionsOfTheProblem)
{
    ContactProblem problem =
        beds::bed({.cells = {3, 2, 2}, .friction = 0.3, .spheres = true, .walls = false});
    beds::soften(problem, 0.2, 2e-3);
    const LocalProblem dense = dense_form(problem);
    LocalProblem local = local_form(problem);
    for (int a = 0; a < local.contacts(); ++a)
        EXPECT_LT((local.diagonal(a) - dense.diagonal(a)).norm(), 1e-14 * dense.diagonal(a).norm());
    const auto nlgs = make_solver("nlgs");
    nlgs->stop.natural_max = 1e-12;
    ASSERT_EQ(nlgs->solve(problem).status, SolverStatus::converged);
    local = local_form(problem);
    EXPECT_LT(residual(local).natural_max, 1e-11);
    EXPECT_LT((local.velocity(local.r) - dense.velocity(local.r)).norm(), 1e-13 * local.q.norm());
}

} // namespace tamis::test::compliance_test
