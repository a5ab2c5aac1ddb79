// A pendulum that swings against a wall.
//
//   O              The bob starts almost level with the hinge, swings down and hits a wall
//    \   |         that stands a little beyond the lowest point; it bounces with
//     \  |         restitution e and loses height at each hit.
//      o | wall
//
// Sample runs:  pendulum
//               pendulum --restitution 1 --t-end 2
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(pendulum, "A pendulum that swings against a wall: a first model")
{
    // 1. Parameters, in SI units.
    const double length = opt("length", 0.5, "from the hinge to the centre of the bob", "m", positive);
    const double radius = opt("radius", 0.05, "of the bob", "m", positive);
    const double e = opt("restitution", 0.6, "Newton's coefficient between bob and wall", "", {0, 1});

    // 2. The mechanism: one body on a hinge.
    model.gravity({0, -9.81, 0});
    const Body bob = model.add(
        {.name = "bob", .joint = hinge_z(), .mass = 1, .com = {length, 0, 0}, .inertia = {1e-3, 1e-3, 1e-3}});
    model.start(bob, -3.0, 0); // to the left, almost level; -pi/2 is straight down

    // 3. What touches: the bob and a wall 0.1 m beyond the lowest point.
    const MaterialId steel = model.add(Material{.restitution = e});
    model.attach(bob, sphere(radius), steel, {.p = {length, 0, 0}}, "bob");
    model.attach(ground, wall({-1, 0, 0}, -(0.1 + radius)), steel, {}, "wall");

    // 4. What to record, and for how long.
    record("angle", [=, c = model.coordinate(bob)](const View& s) { return s.q(c); });
    record("energy", [](const View& s) { return s.energy(); });
    run_until(4);
}
