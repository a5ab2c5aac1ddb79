// A double pendulum, whole or cut at the hinge between its bodies. Zhang et al. (2022), Sect. 4.2, Figs 10
// and 11.
//
//   O----------o----------    Both bodies start level, to the right, turning. The first one is on the smooth
//     first      second       side of the cut, the second one on the nonsmooth side; the marker at the hinge
//                             passes on motion one way, force and moment the other.
//
// Angles are counted from the hanging position. The published length is that of a body, its centre of mass
// taken in the middle.
//
// Sample runs:  double_pendulum --t-end 0.5
//               double_pendulum --t-end 0.2 --coupling explicit-index1
//               double_pendulum --t-end 0.2 --coupling tight --coupling-relative 1e-8
//               double_pendulum --t-end 0.2 --method smooth
#include <tamis.hpp>

#include <numbers>
using namespace tamis;

TAMIS_MODEL(double_pendulum, "Double pendulum, whole or cut at its hinge (Zhang et al. 2022)")
{
    // 1. Parameters, in SI units.
    const double L = opt("length", 0.4, "of each body", "m", positive);
    const double m = opt("mass", 1, "of each body", "kg", positive);
    const double J =
        opt("inertia", 1, "of each body about each axis through its centre of mass", "kg m2", positive);
    const double g = opt("gravity", 9.81, "acceleration of gravity along -y", "m/s2");
    const double angle = opt("angle", std::numbers::pi / 2, "of both bodies at the start", "rad");
    const double rate = opt("rate", 0.5, "of both bodies at the start", "rad/s");

    // 2. Two hinges; the second body turns with the first at the start.
    model.gravity({0, -g, 0});
    const auto body = [&](const std::string& name, Body parent, double at) {
        return model.add({.name = name,
                          .parent = parent,
                          .joint = hinge_z(),
                          .at = {0, -at, 0},
                          .mass = m,
                          .com = {0, -L / 2, 0},
                          .inertia = {J, J, J}});
    };
    const Body first = body("first", ground, 0), second = body("second", first, L);
    model.start(first, angle, rate);
    model.start(second, 0, 0);
    cut(second);
    for (const Body b : {first, second})
        model.show(b, box(L / 10, L, L / 10), {.p = {0, -L / 2, 0}}, b == first ? "first" : "second");

    // 3. What to record: absolute angles and rates, how far the hinge is open, energy.
    const Coordinate q1 = model.coordinate(first), q2 = model.coordinate(second);
    record({"theta1", "theta2", "rate1", "rate2"}, [=](const View& s) {
        return std::vector{s.q(q1), s.q(q1) + s.q(q2), s.v(q1), s.v(q1) + s.v(q2)};
    });
    record("opening", [=](const View& s) {
        return (s.position(first, {0, -L, 0}) - s.position(second)).norm();
    });
    record("energy", [](const View& s) { return s.energy(); });
    compared({"theta1", "theta2", "rate1", "rate2", "energy"});
    defaults.h = 1e-3;
    run_until(5);
}
