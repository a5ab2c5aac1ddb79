// Mechanisms at run time against closed forms of pendulums and turning frames.
#include "tamis/model/multibody.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>

namespace multibody_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// Every kind of joint in one chain: hinge, slide, spherical, hinge.
Mechanism chain()
{
    Mechanism m(0, "chain");
    const Body a = m.add(
        {.name = "a", .joint = hinge({1, 2, -1}), .at = {0.1, 0.2, 0}, .mass = 1, .inertia = {1, 2, 2}});
    const Body b =
        m.add({.name = "b", .parent = a, .joint = slide({0, 1, 1}), .at = {0.4, 0, 0.3}, .mass = 1});
    const Body c = m.add({.name = "c",
                          .parent = b,
                          .joint = spherical(),
                          .at = {0, -0.2, 0.5},
                          .mass = 1,
                          .inertia = {1, 2, 2}});
    m.add(
        {.name = "d", .parent = c, .joint = hinge_x(), .at = {0.3, 0.3, 0}, .mass = 1, .inertia = {1, 2, 2}});
    return m;
}

const Quaterniond turned_frame = Quaterniond(0.3, -0.5, 0.2, 0.7).normalized();
const VectorXd chain_q{
    {0.4, 0.15, turned_frame.w(), turned_frame.x(), turned_frame.y(), turned_frame.z(), -0.8}};
const VectorXd chain_v{{1.2, -0.6, 0.5, 0.9, -1.1, 2.0}};

} // namespace

TEST(Multibody, DoublePendulumHasItsTextbookMassMatrixAndBias)
{
    // Point masses m1, m2 on lengths a, b; q1 from the hanging position, q2 relative to the first arm.
    const double m1 = 1.3, m2 = 0.7, a = 0.5, b = 0.8, g = 9.81;
    Mechanism m(0, "double pendulum");
    m.set_gravity({0, -g, 0});
    const Body first = m.add({.name = "first", .joint = hinge_z(), .mass = m1, .com = {0, -a, 0}});
    m.add({.name = "second",
           .parent = first,
           .joint = hinge_z(),
           .at = {0, -a, 0},
           .mass = m2,
           .com = {0, -b, 0}});
    Multibody body(m);
    const double q[] = {0.6, -1.1}, v[] = {1.5, 2.5};
    body.dynamics(q, v);
    const double cross = m2 * a * b * std::cos(q[1]), s = m2 * a * b * std::sin(q[1]);
    EXPECT_NEAR(body.M(0, 0), (m1 + m2) * a * a + m2 * b * b + 2 * cross, 1e-14);
    EXPECT_NEAR(body.M(0, 1), m2 * b * b + cross, 1e-14);
    EXPECT_NEAR(body.M(1, 0), m2 * b * b + cross, 1e-14);
    EXPECT_NEAR(body.M(1, 1), m2 * b * b, 1e-14);
    const double second = m2 * g * b * std::sin(q[0] + q[1]);
    const double c0 = -s * (2 * v[0] * v[1] + v[1] * v[1]) + (m1 + m2) * g * a * std::sin(q[0]) + second;
    const double c1 = s * v[0] * v[0] + second;
    EXPECT_NEAR(body.c[0], c0, 1e-13);
    EXPECT_NEAR(body.c[1], c1, 1e-13);
    body.bias(q, v);
    EXPECT_NEAR(body.c[0], c0, 1e-13);
    EXPECT_EQ(body.length_scale, b);
}

TEST(Multibody, LoopOfARodIsItsLengthAndTheGradientIsAlongIt)
{
    Mechanism m(0, "rod");
    const Body a = m.add({.name = "a", .joint = slide_x(), .mass = 1});
    const Body b = m.add({.name = "b", .joint = slide_y(), .mass = 1});
    m.close({.name = "ladder", .kind = LoopKind::rod, .a = a, .b = b, .length = 5});
    Multibody body(m);
    ASSERT_EQ(body.rows, 1);
    const double assembled[] = {3, 4}, off[] = {3, 4.001}, v[] = {4, -3};
    body.loops(assembled);
    EXPECT_NEAR(body.h[0], 0, 1e-15);
    EXPECT_NEAR(body.J(0, 0) / body.J(0, 1), 0.75, 1e-14);
    EXPECT_NEAR(body.J(0, 0) * v[0] + body.J(0, 1) * v[1], 0, 1e-14); // the ladder slides down the wall
    body.loops(off);
    EXPECT_GT(std::abs(body.h[0]), 1e-4);
}

TEST(Multibody, AdvanceTurnsASphericalJointByTheRotationVectorInBodyAxes)
{
    Mechanism m(0, "ball");
    m.add({.name = "ball", .joint = free_joint(), .mass = 1, .inertia = {1, 1, 1}});
    Multibody body(m);
    const Vector3d axis = Vector3d(1, -2, 0.5).normalized();
    for (double angle : {0.0, 1e-12, 1e-5, 0.3, 3.0, 9.0}) {
        VectorXd q(7), delta(6), out(7);
        q << 1, 2, 3, turned_frame.w(), turned_frame.x(), turned_frame.y(), turned_frame.z();
        delta << 0.1, 0.2, 0.3, angle * axis;
        body.advance(q.data(), delta.data(), out.data());
        const Quaterniond expected = turned_frame * Quaterniond(Eigen::AngleAxisd(angle, axis));
        EXPECT_NEAR((out.head<3>() - Vector3d(1.1, 2.2, 3.3)).norm(), 0, 1e-15);
        EXPECT_NEAR(
            (out.tail<4>() - Eigen::Vector4d(expected.w(), expected.x(), expected.y(), expected.z())).norm(),
            0, 1e-15)
            << angle;
    }
}

TEST(Multibody, OnlySlidesDoNotTurn)
{
    const Mechanism m = chain();
    Multibody body(m);
    for (int j = 0; j < body.nv; ++j) EXPECT_EQ(body.turns(j), j != 1) << j;
}

TEST(Placement, LinkVelocitiesAreTheRatesOfLinkPoses)
{
    const Mechanism m = chain();
    Multibody body(m);
    Placement now(body), before(body), after(body);
    now.update(chain_q.data());
    std::vector<Eigen::Matrix<double, 6, 1>> velocity;
    now.velocities(chain_v.data(), velocity);
    const double dt = 1e-5;
    VectorXd q(body.nq), delta = dt * chain_v;
    body.advance(chain_q.data(), delta.data(), q.data());
    after.update(q.data());
    delta = -delta;
    body.advance(chain_q.data(), delta.data(), q.data());
    before.update(q.data());
    for (int i = 0; i < 4; ++i) {
        const Vector3d rate = (after.link(i).p - before.link(i).p) / (2 * dt);
        EXPECT_NEAR((velocity[i].head<3>() - rate).norm(), 0, 1e-9) << i;
        const Matrix3d spin = (after.link(i).R - before.link(i).R) / (2 * dt) * now.link(i).R.transpose();
        EXPECT_NEAR((velocity[i].tail<3>() - Vector3d(spin(2, 1), spin(0, 2), spin(1, 0))).norm(), 0, 1e-9)
            << i;
    }
}

TEST(Placement, PointMapGivesTheVelocityOfAPointInTheContactFrame)
{
    const Mechanism m = chain();
    Multibody body(m);
    Placement placement(body);
    placement.update(chain_q.data());
    std::vector<Eigen::Matrix<double, 6, 1>> velocity;
    placement.velocities(chain_v.data(), velocity);
    const Matrix3d frame = turned_frame.toRotationMatrix();
    const Vector3d point(0.7, -0.3, 1.1);
    for (int i = 0; i < 4; ++i) {
        Multibody::RowMatrix H = Multibody::RowMatrix::Zero(3, body.nv);
        placement.add_point_map(i, point, frame, -1, H);
        const Vector3d expected =
            -frame.transpose() *
            (velocity[i].head<3>() + velocity[i].tail<3>().cross(point - placement.link(i).p));
        EXPECT_NEAR((H * chain_v - expected).norm(), 0, 1e-14) << i;
    }
}

} // namespace multibody_test
