// Slider-crank whose slider rattles in its guide. Docquier et al. (2020), Sect. 5, Figs 4-7, Table 1.
//
//       crank            rod         =========  upper wall
//   O-----------A------------------[ B ]        clearance c on each side, corners 1, 2 above, 3, 4 below
//                                    =========  lower wall
//
// Formulations: `chain` (Fig. 5a) is a chain of three hinges. The others cut the chain at B: the slider moves
// by x, y and an angle of its own, and a loop closes the hinge. `cut-xy` takes x and y of the slider as
// dependent (Fig. 5b), `cut-y` x of the slider and the crank angle (Fig. 5c), `auto` leaves the choice to the
// solver. `absolute` and `generalized-alpha` are the two other methods of Fig. 6.
//
// Sample runs:  slider_crank
//               slider_crank --formulation cut-y --force explicit
//               slider_crank --clearance 5e-4 --friction 0.1
//               slider_crank --formulation absolute --h 2e-6 --record-every 5
//               slider_crank --formulation generalized-alpha
#include <tamis.hpp>

#include <cmath>
using namespace tamis;

TAMIS_MODEL(slider_crank, "Slider-crank with clearance in its guide (Docquier et al. 2020)")
{
    // 1. Parameters, in SI units. Those of the mechanism stay symbols in the generated equations.
    const std::string formulation =
        choice("formulation", "chain", {"chain", "cut-xy", "cut-y", "auto", "absolute", "generalized-alpha"},
               "how the mechanism is described, and which method steps it");
    auto symbol = [&](const std::string& name, double value, const std::string& help, const std::string& unit,
                      const Range& range = positive) {
        return model.parameter(name, opt(name, value, help, unit, range));
    };
    const Expr l1 = symbol("crank-length", 0.153, "length of the crank", "m");
    const Expr l2 = symbol("rod-length", 0.306, "length of the connecting rod", "m");
    const Expr m1 = symbol("crank-mass", 0.038, "mass of the crank", "kg");
    const Expr m2 = symbol("rod-mass", 0.038, "mass of the connecting rod", "kg");
    const Expr m3 = symbol("slider-mass", 0.076, "mass of the slider", "kg");
    const Expr I1 = symbol("crank-inertia", 7.5e-5, "inertia of the crank about its centre of mass", "kg m2",
                           not_negative);
    const Expr I2 = symbol("rod-inertia", 5.9e-4, "inertia of the connecting rod about its centre of mass",
                           "kg m2", not_negative);
    const Expr I3 = symbol("slider-inertia", 2.7e-6, "inertia of the slider about its centre of mass",
                           "kg m2", not_negative);
    const Expr g = symbol("gravity", 10, "acceleration of gravity along -y", "m/s2", {});
    const double length = opt("slider-length", 0.10, "length of the slider", "m", positive);
    const double height = opt("slider-height", 0.05, "height of the slider", "m", positive);
    const double c = opt("clearance", 1e-3, "gap on each side of the slider", "m", not_negative);
    const double mu = opt("friction", 0.0, "Coulomb coefficient between slider and guide", "", not_negative);
    const double e = opt("restitution", 0.4, "Newton's coefficient between slider and guide", "", {0, 1});
    const double w1 = opt("crank-speed", 150, "initial angular velocity of the crank", "rad/s");
    const double w2 = opt("rod-speed", -75, "initial absolute angular velocity of the rod", "rad/s");
    const double w3 = opt("slider-speed", 0, "initial absolute angular velocity of the slider", "rad/s");
    const double tilt = opt("slider-angle", 0, "initial absolute angle of the slider", "rad");

    // 2. The mechanism, in relative coordinates. The motion is planar: only the inertia about z matters
    // there; the
    //    absolute methods move in space and want a full tensor.
    const bool cut = formulation == "cut-xy" || formulation == "cut-y" || formulation == "auto";
    auto planar_inertia = [](const Expr& zz) { return Inertia(zz / 2, zz / 2, zz); };
    model.gravity({0, -g, 0});
    const Body crank = model.add({.name = "crank",
                                  .joint = hinge_z(),
                                  .mass = m1,
                                  .com = {l1 / 2, 0, 0},
                                  .inertia = planar_inertia(I1)});
    const Body rod = model.add({.name = "rod",
                                .parent = crank,
                                .joint = hinge_z(),
                                .at = {l1, 0, 0},
                                .mass = m2,
                                .com = {l2 / 2, 0, 0},
                                .inertia = planar_inertia(I2)});
    BodySpec slider_spec{.name = "slider", .mass = m3, .inertia = planar_inertia(I3)};
    if (cut) {
        slider_spec.joint = planar_z();
    } else {
        slider_spec.parent = rod;
        slider_spec.joint = hinge_z();
        slider_spec.at = {l2, 0, 0};
    }
    const Body slider = model.add(slider_spec);

    // 3. Start: all angles zero, the slider centred. Joint velocities are relative to the body before.
    model.start(crank, 0, w1);
    model.start(rod, 0, w2 - w1);
    if (cut) {
        model.close({.name = "slider hinge",
                     .kind = LoopKind::point_plane,
                     .a = rod,
                     .point_a = {l2, 0, 0},
                     .b = slider,
                     .axis = {0, 0, 1}});
        model.start(slider, model.value(l1 + l2), 0, 0);
        model.start(slider, tilt, w3, 2);
        const Coordinate theta1 = model.coordinate(crank), theta2 = model.coordinate(rod);
        const Coordinate y = model.coordinate(slider, 1), theta3 = model.coordinate(slider, 2);
        if (formulation == "cut-xy") model.independent({theta1, theta2, theta3});
        if (formulation == "cut-y") model.independent({theta2, y, theta3});
    } else {
        model.start(slider, tilt, w3 - w2);
    }
    if (formulation == "absolute") method(Method::absolute);
    if (formulation == "generalized-alpha") method(Method::generalized_alpha);

    // 4. The guide: two walls, touched by the four corners of the slider (counted from 0 at +x, +y).
    const MaterialId steel = model.add(Material{.friction = mu, .restitution = e});
    const double wall_at = height / 2 + c;
    const ShapeId block = model.attach(slider, rectangle(length, height), steel, {}, "slider");
    const ShapeId upper = model.attach(ground, wall({0, -1, 0}, -wall_at), steel, {}, "upper wall");
    const ShapeId lower = model.attach(ground, wall({0, +1, 0}, -wall_at), steel, {}, "lower wall");
    const double crank_length = model.value(l1), rod_length = model.value(l2), bar = height / 3;
    model.show(crank, box(crank_length, bar, bar), {.p = {crank_length / 2, 0, -bar}}, "crank");
    model.show(rod, box(rod_length, bar, bar), {.p = {rod_length / 2, 0, bar}}, "rod");
    model.show(slider, box(length, height, bar), {}, "slider body");

    // 5. What to record, and for how long: two turns of the crank.
    // Absolute angles are sums of joint angles, which know the whole turns.
    const Coordinate a1 = model.coordinate(crank), a2 = model.coordinate(rod),
                     a3 = model.coordinate(slider, cut ? 2 : 0);
    record(
        "theta1", [=](const View& s) { return s.q(a1); }, "rad");
    record(
        "theta2", [=](const View& s) { return s.q(a1) + s.q(a2); }, "rad");
    record(
        "theta3", [=](const View& s) { return cut ? s.q(a3) : s.q(a1) + s.q(a2) + s.q(a3); }, "rad");
    record({"omega1", "omega2", "omega3"}, [=](const View& s) {
        return std::vector{s.angular_velocity(crank)[2], s.angular_velocity(rod)[2],
                           s.angular_velocity(slider)[2]};
    });
    record({"x", "y"}, [=](const View& s) {
        const Eigen::Vector3d p = s.position(slider);
        return std::vector{p[0], p[1]};
    });
    const ShapeId wall_of[4] = {upper, upper, lower, lower};
    record({"g1", "g2", "g3", "g4"}, [=](const View& s) {
        std::vector<double> gaps;
        for (int k = 0; k < 4; ++k) gaps.push_back(s.gap(block, wall_of[k], k));
        return gaps;
    });
    record({"p1", "p2", "p3", "p4"}, [=](const View& s) {
        std::vector<double> impulses;
        for (int k = 0; k < 4; ++k) impulses.push_back(s.normal_impulse(block, wall_of[k], k));
        return impulses;
    });
    record("energy", [](const View& s) { return s.energy(); });
    record("loop_error", [=](const View& s) {
        return (s.position(rod, {rod_length, 0, 0}) - s.position(slider)).norm();
    });
    alternatives("formulation", {"chain", "cut-xy", "cut-y", "auto"});
    compared({"theta1", "x", "y", "energy"}); // the others tell corners apart, and how they share an impact
    defaults.h = 1e-5;
    defaults.force = "explicit"; // as published; --force midpoint is better
    run_until(0.15);
}
