#include "tamis/contact/contact_law.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace contact_law_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// Distance of r to the law, |r - P_K(r - rho u^)| with rho = 3 / tr W, relative to |r| + rho |u|.
double violation(const Matrix3d& W, const Vector3d& q, double mu, const Vector3d& r)
{
    const double rho = 3 / W.trace();
    const Vector3d u = W * r + q;
    Vector3d z = r - rho * u;
    z[0] -= rho * mu * u.tail<2>().norm();
    const double scale = r.norm() + rho * u.norm();
    return scale > 0 ? (r - project_cone(z, mu)).norm() / scale : 0;
}

struct Random {
    std::mt19937_64 generator{20240607};
    double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); }
    double normal() { return std::normal_distribution<double>()(generator); }
    Vector3d vector() { return {normal(), normal(), normal()}; }
    // Symmetric positive definite with the given decades between its eigenvalues.
    Matrix3d block(double decades)
    {
        const Matrix3d Q =
            Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized().toRotationMatrix();
        const Vector3d d(1, std::pow(10, -uniform(0, decades)), std::pow(10, -decades));
        const Matrix3d W = Q * d.asDiagonal() * Q.transpose();
        return (W + W.transpose()) / 2;
    }
};

const double gravity_impulse = 9.81 * 1e-3; // m g h of a unit mass

Vector3d on_incline(double angle)
{
    return gravity_impulse * Vector3d(-std::cos(angle), std::sin(angle), 0);
}

} // namespace

TEST(ContactLaw, BallOfAFadedLimitIsItsCentre)
{
    const Vector3d r(3, -4, 12);
    EXPECT_EQ(project_ball(r, 13), r);
    EXPECT_LT((project_ball(r, 6.5) - r / 2).norm(), 1e-15);
    EXPECT_EQ(project_ball(r, 0).norm(), 0);
    EXPECT_EQ(project_ball(r, -1e-187).norm(), 0);
    EXPECT_EQ(project_ball(1e-168 * r, -1e-187), 1e-168 * r); // its square is not a number above zero
}

TEST(ContactLaw, BlockSticksBelowAtanMu)
{
    const double mu = 0.3, angle = std::atan(mu) - 1e-9, mass = 2;
    ContactStatus status;
    const Vector3d q = on_incline(angle);
    const Vector3d r = solve_contact(Matrix3d::Identity() / mass, q, mu, &status);
    EXPECT_EQ(status, ContactStatus::sticking);
    EXPECT_NEAR((r + mass * q).norm(), 0, 1e-17);
}

TEST(ContactLaw, BlockSlidesBeyondAtanMu)
{
    const double mu = 0.3, mass = 2;
    for (const double excess : {1e-9, 1e-3, 0.5}) {
        const double angle = std::atan(mu) + excess;
        ContactStatus status;
        const Vector3d r = solve_contact(Matrix3d::Identity() / mass, on_incline(angle), mu, &status);
        EXPECT_EQ(status, ContactStatus::sliding);
        const double weight = mass * gravity_impulse * std::cos(angle);
        EXPECT_NEAR(r[0], weight, 1e-15 * weight);
        EXPECT_NEAR(r[1], -mu * weight, 1e-15 * weight);
        EXPECT_EQ(r[2], 0);
    }
}

TEST(ContactLaw, ImpulseOnTheConeSticks)
{
    ContactStatus status;
    const Vector3d r = solve_contact(Matrix3d::Identity(), {-1, 0.375, -0.5}, 0.625, &status);
    EXPECT_EQ(status, ContactStatus::sticking);
    EXPECT_EQ(r, Vector3d(1, -0.375, 0.5));
}

TEST(ContactLaw, SlidingImpulseOpposesVelocity)
{
    const double mu = 0.5;
    for (int k = 0; k < 16; ++k) {
        const double angle = 0.1 + k * 2 * M_PI / 16;
        const Vector3d direction(0, std::cos(angle), std::sin(angle));
        const Vector3d r = solve_contact(Matrix3d::Identity() * 4, Vector3d(-8, 0, 0) + 3e3 * direction, mu);
        EXPECT_NEAR((r - Vector3d(2, 0, 0) + mu * 2 * direction).norm(), 0, 4e-15);
    }
}

TEST(ContactLaw, SeparatesWhenNothingApproaches)
{
    Random random;
    for (int k = 0; k < 100; ++k) {
        Vector3d q = random.vector();
        q[0] = k == 0 ? 0 : std::abs(q[0]);
        ContactStatus status;
        EXPECT_EQ(solve_contact(random.block(4), q, 0.7, &status), Vector3d::Zero());
        EXPECT_EQ(status, ContactStatus::separation);
    }
}

TEST(ContactLaw, FrictionlessImpulseIsNormalAndReadsNoTangentialBlock)
{
    Matrix3d W = Matrix3d::Zero();
    W(0, 0) = 4;
    EXPECT_EQ(solve_contact(W, {-2, 7, -7}, 0), Vector3d(0.5, 0, 0));
    EXPECT_EQ(solve_contact(W, {2, 7, -7}, 0), Vector3d::Zero());
}

// A planar mechanism seen in tangent axes turned about n: one tangential direction cannot move.
TEST(ContactLaw, PlanarContactHasNoImpulseOutOfItsPlane)
{
    const double w_nn = 2, w_nt = 0.5, w_tt = 3, mu = 0.4;
    for (const double angle : {0.0, 0.3, 1.2, M_PI / 2}) {
        const Vector3d t(0, std::cos(angle), std::sin(angle)), n(1, 0, 0);
        const Matrix3d W = w_nn * n * n.transpose() + w_nt * (n * t.transpose() + t * n.transpose()) +
                           w_tt * t * t.transpose();
        // Sliding along +t: r_t = -mu r_n, w_nn r_n + w_nt r_t + q_n = 0.
        ContactStatus status;
        const Vector3d slide = solve_contact(W, -n + 5 * t, mu, &status);
        const double r_n = 1 / (w_nn - mu * w_nt);
        EXPECT_EQ(status, ContactStatus::sliding);
        EXPECT_NEAR((slide - r_n * (n - mu * t)).norm(), 0, 1e-15);
        // Sticking: W r = -q within the plane.
        const Vector3d stick = solve_contact(W, -n - 0.3 * t, mu, &status);
        const double determinant = w_nn * w_tt - w_nt * w_nt;
        const Vector3d expected = ((w_tt + 0.3 * w_nt * -1) * n + (0.3 * w_nn - w_nt) * t) / determinant;
        EXPECT_EQ(status, ContactStatus::sticking);
        EXPECT_NEAR((stick - expected).norm(), 0, 1e-15);
    }
}

TEST(ContactLaw, MillionRandomBlocksObeyTheLawToRoundOff)
{
    Random random;
    double worst = 0;
    int count[3] = {};
    for (int k = 0; k < 1000000; ++k) {
        const double mu = k % 10 == 0 ? 0 : random.uniform(0, 2);
        const Matrix3d W = random.block(random.uniform(0, 12)) * std::pow(10, random.uniform(-12, 12));
        Vector3d q = random.vector();
        // A given impulse near the cone, plus a given velocity: nearly sticking and nearly sliding contacts.
        if (k % 3 == 0) {
            const double angle = random.uniform(0, 2 * M_PI);
            const double reach = mu * (1 + random.normal() * std::pow(10, -random.uniform(0, 16)));
            q = -W * Vector3d(1, reach * std::cos(angle), reach * std::sin(angle));
        }
        if (k % 3 == 1) q.tail<2>() *= std::pow(10, random.uniform(-6, 6));
        q *= std::pow(10, random.uniform(-12, 12));
        ContactStatus status;
        const Vector3d r = solve_contact(W, q, mu, &status);
        ++count[static_cast<int>(status)];
        ASSERT_TRUE(r.allFinite());
        const double error = violation(W, q, mu, r);
        if (error > worst) worst = error;
    }
    EXPECT_LE(worst, 1e-13);
    for (const int n : count) EXPECT_GT(n, 50000);
}

// Strong coupling and large friction (Painleve): several solutions exist, one is returned.
TEST(ContactLaw, OneSolutionIsFoundWhereItIsNotUnique)
{
    Matrix3d W;
    W << 1, 1.9, 0, 1.9, 4, 0, 0, 0, 1;
    Random random;
    for (int k = 0; k < 20000; ++k) {
        Vector3d q = random.vector();
        q[0] = -std::abs(q[0]);
        const double mu = random.uniform(0.5, 50);
        const Vector3d r = solve_contact(W, q, mu);
        EXPECT_LE(violation(W, q, mu, r), 1e-13);
        EXPECT_EQ(r, solve_contact(W, q, mu));
    }
}

TEST(ContactLaw, PowersOfTwoScaleTheSolutionExactly)
{
    Random random;
    for (int k = 0; k < 1000; ++k) {
        const Matrix3d W = random.block(3);
        const Vector3d q = random.vector();
        const Vector3d r = solve_contact(W, q, 0.6);
        EXPECT_EQ(solve_contact(std::ldexp(1, -40) * W, std::ldexp(1, 40) * q, 0.6), std::ldexp(1, 80) * r);
    }
}

TEST(ContactLaw, GrazingContactsStayFinite)
{
    Random random;
    for (const double q_n : {-1e-20, -1e-100, -1e-300, -5e-324})
        for (const double mu : {1e-12, 1e-3, 1.0}) {
            const Matrix3d W = random.block(6);
            const Vector3d q(q_n, 1, -2), r = solve_contact(W, q, mu);
            EXPECT_TRUE(r.allFinite());
            EXPECT_GE(r[0], 0);
            EXPECT_LE(violation(W, q, mu, r), 1e-13);
        }
}

TEST(ContactLaw, ConeProjectionIsTheNearestPoint)
{
    const double mu = 0.75;
    EXPECT_EQ(project_cone({1, 0.3, -0.4}, mu), Vector3d(1, 0.3, -0.4));
    EXPECT_EQ(project_cone({-2, 0.3, -0.4}, mu), Vector3d::Zero());
    // (0, 3, 4): the nearest ray (1, mu d)/sqrt(1 + mu^2) with d = (3, 4)/5.
    const double n = mu * 5 / (1 + mu * mu);
    EXPECT_NEAR((project_cone({0, 3, 4}, mu) - n * Vector3d(1, mu * 0.6, mu * 0.8)).norm(), 0, 1e-15);
    EXPECT_EQ(project_cone({2, 3, 4}, 0), Vector3d(2, 0, 0));
}

TEST(ContactLaw, SolutionsAreFixedPointsOfTheProjection)
{
    Random random;
    for (int k = 0; k < 1000; ++k) {
        const Matrix3d W = random.block(2);
        const Vector3d q = random.vector();
        const double mu = random.uniform(0, 1);
        const Vector3d r = solve_contact(W, q, mu), u = W * r + q;
        EXPECT_NEAR((project_contact(r, u, mu, 3 / W.trace()) - r).norm(), 0, 1e-14 * (r.norm() + q.norm()));
    }
}

// The impulse of a light contact that slides fast is not lost in round-off of its velocity.
TEST(ContactLaw, ProjectionIsExactAtHighSlidingSpeed)
{
    const double mu = 0.5;
    for (const double speed : {1.0, 1e6, 1e12}) {
        const Vector3d r(1, -0.3, -0.4), u(0, 0.6 * speed, 0.8 * speed);
        EXPECT_NEAR((project_contact(r, u, mu, 1) - r).norm(), 0, 1e-15);
    }
}

// The associated law, without mu |u_t|: r in K, u in K*, r _|_ u.

TEST(AssociatedLaw, SlidingBlockLiftsByMuTimesItsSpeedAndStickingIsCoulombs)
{
    const double mu = 0.3, mass = 2, weight = 9.81e-3; // m/s
    for (const double v : {1e-2, 1.0, 1e3}) {
        ContactStatus status;
        const Vector3d q(-weight, 0.6 * v, -0.8 * v);
        const Vector3d r = solve_associated(Matrix3d::Identity() / mass, q, mu, &status), u = r / mass + q;
        EXPECT_EQ(status, ContactStatus::sliding);
        // u_n = r_n / m - w and |u_t| = v - mu r_n / m with u_n = mu |u_t|.
        const double r_n = mass * (mu * v + weight) / (1 + mu * mu);
        EXPECT_NEAR((r - r_n * Vector3d(1, -0.6 * mu, 0.8 * mu)).norm(), 0, 1e-14 * r_n);
        EXPECT_NEAR(u[0], mu * u.tail<2>().norm(), 1e-14 * v);
    }
    Random random;
    for (int k = 0; k < 1000; ++k) {
        const Matrix3d W = random.block(2);
        const double angle = random.uniform(0, 2 * M_PI), part = random.uniform(0, 0.999) * mu;
        const Vector3d r(1, part * std::cos(angle), part * std::sin(angle));
        ContactStatus status;
        EXPECT_NEAR((solve_associated(W, -W * r, mu, &status) - r).norm(), 0, 1e-12);
        EXPECT_EQ(status, ContactStatus::sticking);
    }
}

TEST(AssociatedLaw, SolutionsAreThoseOfTheConvexProblem)
{
    Random random;
    int count[3] = {};
    for (int k = 0; k < 100000; ++k) {
        const Matrix3d W = random.block(random.uniform(0, 4));
        Vector3d q = random.vector() * std::pow(10, random.uniform(-12, 12));
        if (k % 3 == 0) q.tail<2>() *= std::pow(10, random.uniform(-3, 3));
        const double mu = std::pow(10, random.uniform(-3, 1));
        ContactStatus status;
        const Vector3d r = solve_associated(W, q, mu, &status), u = W * r + q;
        ++count[static_cast<int>(status)];
        ASSERT_TRUE(r.allFinite());
        const double rho = 3 / W.trace(), scale = r.norm() + rho * u.norm();
        // Round-off of the inverse of W in the axes of the cone, Z W Z.
        const Vector3d Z(1, mu, mu);
        const Matrix3d in_cone = Z.asDiagonal() * W * Z.asDiagonal();
        const Vector3d values = Eigen::SelfAdjointEigenSolver<Matrix3d>(in_cone).eigenvalues();
        const double tolerance = 1e-15 * values[2] / values[0];
        ASSERT_LE((r - project_cone(r - rho * u, mu)).norm(), tolerance * scale) << k;
    }
    for (const int n : count) EXPECT_GT(n, 5000);
}

// In a planar mechanism nothing moves along t2.
TEST(AssociatedLaw, NoImpulseWhereNothingMoves)
{
    const Matrix3d W = Vector3d(2, 3, 0).asDiagonal();
    const Vector3d sticks = solve_associated(W, {-2, 0.3, 0}, 0.5),
                   slides = solve_associated(W, {-2, 6, 0}, 0.5);
    EXPECT_NEAR((sticks - Vector3d(1, -0.1, 0)).norm(), 0, 1e-14);
    // 2 r_n - 2 = mu (6 - 3 mu r_n) with r_t = -mu r_n.
    EXPECT_NEAR((slides - 5 / 2.75 * Vector3d(1, -0.5, 0)).norm(), 0, 1e-14);
    EXPECT_EQ(solve_associated(W, {3.01, 6, 0}, 0.5), Vector3d::Zero());
}

} // namespace contact_law_test
