// A block that slides to rest on a floor, in a plane.
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(sliding_block, "A block slides to rest on a floor")
{
    const double speed = opt("speed", 2, "at the start", "m/s", not_negative);
    const double mu = opt("friction", 0.3, "Coulomb's coefficient", "", not_negative);
    model.gravity({0, -9.81, 0});
    const Body block =
        model.add({.name = "block", .joint = planar_z(), .mass = 1, .inertia = {0.01, 0.01, 0.01}});
    model.start(block, 0, speed); // its first coordinate, x
    const MaterialId wood = model.add(Material{.friction = mu});
    model.attach(block, rectangle(0.2, 0.1), wood, {}, "block");
    model.attach(ground, wall({0, 1, 0}, -0.05), wood, {}, "floor");
    record("x", [=](const View& s) { return s.position(block)[0]; });
    run_until(1);
}
