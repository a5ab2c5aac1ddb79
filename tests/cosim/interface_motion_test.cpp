// Kinematics of markers against differences of a frame whose motion is a formula.
#include "tamis/cosim/interface_motion.hpp"

#include <gtest/gtest.h>

namespace interface_motion_test {

using namespace tamis;
using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

// A frame that moves: turned about z, then about its own x.
Quaterniond turn(double t)
{
    return Quaterniond(AngleAxisd(2 * t, Vector3d::UnitZ())) *
           Quaterniond(AngleAxisd(0.3 + t * t, Vector3d::UnitX()));
}
Vector3d place(double t)
{
    return {std::sin(3 * t), t * t * t, 1 - 2 * t};
}
// By hand: omega = 2 e_z + 2 t e_1, e_1 the own x axis, which turns at 2 e_z.
InterfaceMotion moving(double t)
{
    const Vector3d e_1 = turn(t) * Vector3d::UnitX(), e_1_rate = 2 * Vector3d::UnitZ().cross(e_1);
    InterfaceMotion m;
    m.x = place(t);
    m.turn = turn(t);
    m.v = {3 * std::cos(3 * t), 3 * t * t, -2};
    m.omega = 2 * Vector3d::UnitZ() + 2 * t * e_1;
    m.a = {-9 * std::sin(3 * t), 6 * t, 0};
    m.alpha = 2 * e_1 + 2 * t * e_1_rate;
    return m;
}

// Rates of a marker's motion by central differences of its frame.
void expect_rates(const std::function<InterfaceMotion(double)>& marker, double t)
{
    const double d = 1e-5;
    const InterfaceMotion m = marker(t), after = marker(t + d), before = marker(t - d);
    EXPECT_LT((m.v - (after.x - before.x) / (2 * d)).norm(), 1e-8);
    EXPECT_LT((m.a - (after.v - before.v) / (2 * d)).norm(), 1e-8);
    EXPECT_LT((m.alpha - (after.omega - before.omega) / (2 * d)).norm(), 1e-8);
    const AngleAxisd step(after.turn * before.turn.conjugate());
    EXPECT_LT((m.omega - step.angle() / (2 * d) * step.axis()).norm(), 1e-8);
}

Pose pose(double angle, const Vector3d& axis, const Vector3d& p)
{
    return {AngleAxisd(angle, axis.normalized()).toRotationMatrix(), p};
}

const Pose offset = pose(0.8, {1, 2, -1}, {0.3, -0.5, 0.7});
const Pose frame = pose(-2.1, {0, 1, 3}, {4, 5, -6});

} // namespace

TEST(InterfaceMotion, CarriedMarkerHasTheRatesOfItsFrame)
{
    for (const double t : {0.0, 0.4, 1.3}) {
        expect_rates(moving, t); // the formulas by hand
        expect_rates([](double s) { return moving(s).carried(offset); }, t);
        const InterfaceMotion m = moving(t).carried(offset);
        EXPECT_LT((m.x - (place(t) + turn(t) * offset.p)).norm(), 1e-15);
        EXPECT_LT((m.turn.toRotationMatrix() - turn(t).toRotationMatrix() * offset.R).norm(), 1e-14);
    }
}

TEST(InterfaceMotion, SeenFromAnotherWorldHasItsRatesThere)
{
    expect_rates([](double s) { return moving(s).carried(offset).seen_from(frame); }, 0.7);
    const InterfaceMotion there = moving(0.7).seen_from(frame);
    EXPECT_LT((there.x - frame * place(0.7)).norm(), 1e-14);
    // What is carried is carried in any world.
    const InterfaceMotion a = moving(0.7).carried(offset).seen_from(frame), b = there.carried(offset);
    EXPECT_LT((a.x - b.x).norm() + (a.v - b.v).norm() + (a.a - b.a).norm(), 1e-13);
    EXPECT_LT(a.turn.angularDistance(b.turn), 1e-7); // round-off of an arc cosine at 1
}

TEST(InterfaceMotion, BetweenTurnsEvenlyAboutOneAxis)
{
    InterfaceMotion from = moving(0.2), to = moving(0.2);
    const Vector3d axis = Vector3d(2, -1, 2) / 3;
    to.turn = Quaterniond(AngleAxisd(2.4, axis)) * from.turn;
    to.x += Vector3d(1, 2, 3);
    to.omega += Vector3d(4, 0, 0);
    for (const bool other_sign : {false, true}) { // the same orientation, and the same way
        if (other_sign) to.turn.coeffs() *= -1;
        const InterfaceMotion m = between(from, to, 0.25);
        const Quaterniond expected = Quaterniond(AngleAxisd(0.6, axis)) * from.turn;
        EXPECT_LT((m.turn.toRotationMatrix() - expected.toRotationMatrix()).norm(), 1e-14);
        EXPECT_LT((m.x - from.x - Vector3d(0.25, 0.5, 0.75)).norm(), 1e-15);
        EXPECT_LT((m.omega - from.omega - Vector3d(1, 0, 0)).norm(), 1e-15);
    }
    EXPECT_LT((between(from, to, 1).x - to.x).norm(), 1e-15);
}

TEST(InterfaceMotion, WireBringsBackWhatItWasGiven)
{
    std::array<double, InterfaceMotion::size> wire;
    const InterfaceMotion m = moving(0.9);
    m.write(wire);
    for (int k = 3; k < 7; ++k) wire[k] *= 3; // an orientation need not come normalised
    const InterfaceMotion back = InterfaceMotion::read(wire);
    EXPECT_EQ(back.x, m.x);
    EXPECT_EQ(back.v, m.v);
    EXPECT_EQ(back.omega, m.omega);
    EXPECT_EQ(back.a, m.a);
    EXPECT_EQ(back.alpha, m.alpha);
    EXPECT_LT((back.turn.coeffs() - m.turn.coeffs()).norm(), 1e-15);
    std::array<double, wrench_size> six;
    write_wrench({{1, 2, 3}, {4, 5, 6}}, six);
    EXPECT_EQ(read_wrench(six).force, Vector3d(1, 2, 3));
    EXPECT_EQ(read_wrench(six).moment, Vector3d(4, 5, 6));
}

} // namespace interface_motion_test
