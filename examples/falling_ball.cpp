// A ball that falls on a floor, as a grain.
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(falling_ball, "A ball falls on a floor and bounces")
{
    const double height = opt("height", 1, "of the ball's lowest point at the start", "m", positive);
    const double e = opt("restitution", 0.5, "Newton's coefficient", "", {0, 1});
    model.gravity({0, 0, -9.81});
    const MaterialId rubber = model.add(Material{.restitution = e});
    const GrainId ball = model.grain({.name = "ball",
                                      .shape = sphere(0.1),
                                      .material = rubber,
                                      .density = 1000,
                                      .at = {.p = {0, 0, height + 0.1}}});
    model.attach(ground, wall({0, 0, 1}, 0), rubber, {}, "floor");
    record("height", [=](const View& s) { return s.position(ball)[2] - 0.1; });
    run_until(1);
}
