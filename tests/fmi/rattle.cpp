// A box of balls that is pushed to and fro: options of every kind, names that are no identifiers, no packing.
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(rattle, "Balls in a box, <small> & \"quick\"")
{
    const int n = count("balls", 4, "number of balls", {1, 50});
    const double radius = opt("radius", 0.01, "of a ball", "m", positive);
    const double stiffness = opt("wall-stiffness", 0, "of compliant contacts; 0: rigid", "N/m", not_negative);
    const std::string at = choice("start", "spread", {"spread", "still"}, "motion of the balls");
    const bool light = flag("light", "balls of a tenth of the density");

    model.gravity({0, 0, -9.81});
    const Body box_body =
        model.add({.name = "box", .joint = slide_x(), .mass = 1, .inertia = {1e-2, 1e-2, 1e-2}});
    const MaterialId steel = model.add(Material{.friction = 0.3, .restitution = 0.4, .stiffness = stiffness});
    const ShapeId inside = model.attach(box_body, hollow(box(0.1, 0.1, 0.1)), steel, {}, "inside");
    for (int k = 0; k < n; ++k)
        model.grain(
            {.shape = sphere(radius),
             .material = steel,
             .density = light ? 250.0 : 2500.0,
             .at = {.p = {0.023 * (k % 4) - 0.035, 0.023 * (k / 4 % 4) - 0.035, -0.04 + 0.023 * (k / 16)}},
             .velocity = {at == "spread" ? 0.1 * (k % 3) : 0.0, 0.05, 0}});
    cut(box_body, CutKind::contacts);
    record(
        "energy", [](const View& s) { return s.energy(); }, "J");
    record({"box x", "box v"}, [=](const View& s) {
        return std::vector{s.position(box_body).x(), s.velocity(box_body).x()};
    });
    record(
        "push", [=](const View& s) { return s.contact_force(inside).force.x(); }, "N");
    record(
        "clock", [](const View& s) { return s.time(); }, "s");
    defaults.h = 1e-3;
    run_until(1);
}
