// Positions, orientations and joint axes against finite displacements and closed forms.
#include "tamis/mbs_symbolic/kinematics.hpp"

#include "mbs_symbolic/gallery.hpp"

#include <gtest/gtest.h>

namespace tamis::gallery::kinematics_test {
namespace {

using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct LinkPose {
    Eigen::Vector3d p;
    Eigen::Matrix3d R;
};
LinkPose pose(const Eigen::VectorXd& kinematics, int link)
{
    return {kinematics.segment<3>(12 * link), Eigen::Map<const Rows>(&kinematics[12 * link + 3])};
}

bool carries(const Mechanism& m, int ancestor, int link)
{
    while (link > ancestor) link = m.links()[link].parent;
    return link == ancestor;
}

// Column j of the Jacobian of a link: z x (p - o) and z for a turn, z and 0 for a slide.
TEST(Kinematics, JointAxesAndOriginsGiveTheJacobianOfEveryLink)
{
    const double t = 1e-5;
    for (const Mechanism& m : all()) {
        NumericEquations numeric(m);
        const Sample x = random_sample(m, 11);
        const int links = static_cast<int>(m.links().size());
        const Eigen::VectorXd k = value(numeric, m, Quantity::kinematics, x);
        for (int a = 0; a < links; ++a)
            for (int j = m.links()[a].v; j < m.links()[a].v + m.links()[a].nv(); ++j) {
                const Eigen::VectorXd unit = Eigen::VectorXd::Unit(m.nv(), j);
                const Eigen::VectorXd ahead =
                    value(numeric, m, Quantity::kinematics, {moved(m, x.q, unit, t), x.v, x.w});
                const Eigen::VectorXd behind =
                    value(numeric, m, Quantity::kinematics, {moved(m, x.q, unit, -t), x.v, x.w});
                const Eigen::VectorXd rate = (ahead - behind) / (2 * t);
                const Eigen::Vector3d z = k.segment<3>(12 * links + 3 * j);
                const bool slides = m.links()[a].joint.kind == ElementaryJoint::prismatic;
                EXPECT_NEAR(z.norm(), 1, 1e-13);
                for (int b = 0; b < links; ++b) {
                    const LinkPose there = pose(k, b);
                    Eigen::Vector3d velocity(0, 0, 0), omega(0, 0, 0);
                    if (carries(m, a, b)) {
                        velocity = slides ? z : z.cross(there.p - pose(k, a).p).eval();
                        if (!slides) omega = z;
                    }
                    const Eigen::Matrix3d S = pose(rate, b).R * there.R.transpose();
                    EXPECT_LT((pose(rate, b).p - velocity).norm(), 1e-9)
                        << m.name() << ", " << m.links()[b].name;
                    EXPECT_LT((Eigen::Vector3d(S(2, 1), S(0, 2), S(1, 0)) - omega).norm(), 1e-9)
                        << m.name() << ", " << m.links()[b].name;
                }
            }
    }
}

TEST(Kinematics, OrientationsAreRotations)
{
    for (const Mechanism& m : all()) {
        NumericEquations numeric(m);
        const Eigen::VectorXd k = value(numeric, m, Quantity::kinematics, random_sample(m, 5));
        for (int i = 0; i < static_cast<int>(m.links().size()); ++i) {
            const Eigen::Matrix3d R = pose(k, i).R;
            EXPECT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-13) << m.name();
            EXPECT_NEAR(R.determinant(), 1, 1e-13) << m.name();
        }
    }
}

// p_i = p_p + R_p (at + slide), R_i = R_p orientation Rot(axis, q): the definition of a link, frame by frame.
TEST(Kinematics, PosesFollowFromTheDescriptionLinkByLink)
{
    for (const Mechanism& m : all()) {
        NumericEquations numeric(m);
        const Sample x = random_sample(m, 8);
        const Eigen::VectorXd k = value(numeric, m, Quantity::kinematics, x);
        for (int i = 0; i < static_cast<int>(m.links().size()); ++i) {
            const Mechanism::Link& l = m.links()[i];
            const LinkPose parent =
                l.parent < 0 ? LinkPose{{0, 0, 0}, Eigen::Matrix3d::Identity()} : pose(k, l.parent);
            Eigen::Vector3d offset(m.value(l.at[0]), m.value(l.at[1]), m.value(l.at[2]));
            Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
            if (l.joint.kind == ElementaryJoint::prismatic) offset += l.orientation * l.joint.axis * x.q[l.q];
            if (l.joint.kind == ElementaryJoint::revolute) turn = Eigen::AngleAxisd(x.q[l.q], l.joint.axis);
            if (l.joint.kind == ElementaryJoint::spherical)
                turn = Eigen::Quaterniond(x.q[l.q], x.q[l.q + 1], x.q[l.q + 2], x.q[l.q + 3]);
            EXPECT_LT((pose(k, i).p - parent.p - parent.R * offset).norm(), 1e-13)
                << m.name() << ", " << l.name;
            EXPECT_LT((pose(k, i).R - parent.R * l.orientation * turn).norm(), 1e-13)
                << m.name() << ", " << l.name;
        }
    }
}

TEST(Kinematics, TipOfTheDoublePendulumIsWhereTrigonometryPutsIt)
{
    const Mechanism m = double_pendulum(1, 0.8, 0.4, 0.1, 1, 0.25, 0.1, 9.81);
    NumericEquations numeric(m);
    const Sample x = random_sample(m, 4);
    const double a = x.q[0], b = a + x.q[1], va = x.v[0], vb = va + x.v[1];
    const Eigen::VectorXd f = value(numeric, m, Quantity::frames, x);
    const Eigen::Vector3d p(0.8 * std::cos(a) + 0.5 * std::cos(b), 0.8 * std::sin(a) + 0.5 * std::sin(b), 0);
    const Eigen::Vector3d v(-0.8 * std::sin(a) * va - 0.5 * std::sin(b) * vb,
                            0.8 * std::cos(a) * va + 0.5 * std::cos(b) * vb, 0);
    EXPECT_LT((f.segment<3>(0) - p).norm(), 1e-15);
    EXPECT_LT((f.segment<3>(12) - v).norm(), 1e-14);
    EXPECT_LT((f.segment<3>(15) - Eigen::Vector3d(0, 0, vb)).norm(), 1e-15);
}

// A hinge loop is five equations: three distances and two products of directions, these times the length
// scale.
TEST(Kinematics, HingeLoopVanishesExactlyWhereTheTwoHalvesMeet)
{
    Mechanism m(0, "pair");
    const Body left = m.add({.name = "left", .joint = hinge_z(), .mass = 1});
    const Body right = m.add({.name = "right", .joint = hinge_z(), .at = {2, 0, 0}, .mass = 1});
    m.close({.kind = LoopKind::hinge,
             .a = left,
             .point_a = {1, 0, 0},
             .b = right,
             .point_b = {-1, 0, 0},
             .axis_b = {0, 0, 1}});
    m.close({.kind = LoopKind::rod, .a = left, .b = right, .length = 2});
    NumericEquations numeric(m);
    const Sample closed{Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 0), {}};
    EXPECT_LT(value(numeric, m, Quantity::loops, closed).head(6).norm(), 1e-15);
    const Sample open{Eigen::Vector2d(0.1, 0), Eigen::Vector2d(1, 0), {}};
    EXPECT_NEAR(value(numeric, m, Quantity::loops, open).head(6).norm(), 2 * std::sin(0.05), 1e-15);
    EXPECT_EQ(value(numeric, m, Quantity::loops, open).size(), 6 + 6 * 2);
}

} // namespace
} // namespace tamis::gallery::kinematics_test
