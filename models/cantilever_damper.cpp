// A cantilever that shakes a closed cylinder of lead shot. Zhang et al. (2020), Sect. 5.2, Table 3, Figs 17-24.
//
//   |                 .----.     y, up
//   |=================|    |     |
//   |      beam       |oooo|     +-- x
//                     '----'
//                       ^ A sin 2 pi f t
//
// `force`: 0.25 N at 15.5 Hz, close to the first resonance. `high`: 2 N at 127 Hz, close to the second one; before, in
// the first 0.4 s, a damper that fades away lets the beam come to rest under its weight. `rotating`: as `force`, on a
// hub that turns about y once in a second.
//
// Three ways to run it: all in one theta-scheme with the beam inside (the default); `--coupling tight`, `loose` and so
// on, the beam on the smooth side and a copy of the container with the shot on the other; `--beam reduced`, the
// container and 0.24 beams on the spring 3 E I / l^3. `--particles lumped` is the same without a damper.
//
// Sample runs:  cantilever_damper --spheres 12 --elements 2 --t-end 0.02
//               cantilever_damper --spheres 12 --elements 2 --t-end 0.02 --excitation rotating --coupling tight
//               cantilever_damper --spheres 12 --t-end 0.02 --beam reduced
//               cantilever_damper --particles lumped --elements 2 --excitation high --t-end 0.002
#include "support/damper_results.hpp"
#include "support/lead_damper.hpp"

#include <tamis.hpp>

#include <numbers>
using namespace tamis;
using Eigen::Vector3d;

TAMIS_MODEL(cantilever_damper, "A cantilever with a particle damper at its end (Zhang et al. 2020)")
{
    // 1. The shot, in SI units: shaken until it is dense.
    LeadShot shot;
    shot.count = count("spheres", shot.count, "number of lead spheres", {1, 2000});
    const double mu = opt("friction", 0.52, "Coulomb coefficient", "", not_negative);
    const bool grains = choice("particles", "grains", {"grains", "lumped"},
                               "of the damper: lead shot, or one mass") == "grains";
    const Packing bed = grains ? packing("shot", [&] { return shot.packing(mu); }) : Packing{};
    const double clearance = opt("clearance", 8e-3, "between the shot at rest and the ceiling", "m", {0, 1});
    const double cavity = (grains ? bounds(bed).high.z() : 0) + clearance; // its height

    // 2. What shakes it.
    const std::string excitation = choice("excitation", "force", {"force", "high", "rotating"},
                                          "near the first resonance, the second, or turning");
    const bool high = excitation == "high", rotating = excitation == "rotating";
    const double frequency = opt("frequency", high ? 127 : 15.5, "of the force", "Hz", positive);
    const double amplitude = opt("amplitude", high ? 2 : 0.25, "of the force", "N");
    const double start = high ? 0.4 : 0, w = 2 * std::numbers::pi * frequency;
    const double rate =
        rotating ? opt("rate", 2 * std::numbers::pi, "of the hub", "rad/s", {-1000, 1000}) : 0;
    const bool reduced = choice("beam", "flexible", {"flexible", "reduced"},
                                "three-node elements, or one mass on a spring") == "reduced";
    const int elements = count("elements", 10, "of the beam, three nodes each", {1, 1000});
    if (reduced && excitation != "force")
        refuse("A reduced beam has its first bending mode only, and --excitation {} needs more: give --beam "
               "flexible.",
               excitation);

    // 3. The container, on the beam or on a spring.
    model.gravity({0, -9.81, 0});
    const SteelBeam beam;
    const double container_mass = 48.5e-3;
    const Inertia inertia(2.66e-6, 4.85e-6, 2.66e-6);
    const Vector3d turning(0, rate, 0), end(beam.length, 0, 0);
    Body box;
    if (reduced) {
        box = model.add({.name = "container",
                         .joint = slide_y(),
                         .at = Vector(end),
                         .mass = container_mass + beam.moving_mass(),
                         .inertia = inertia});
        model.spring(model.coordinate(box), {.stiffness = beam.stiffness()});
    } else {
        Body base = ground;
        if (rotating) {
            base = model.add({.name = "hub", .joint = hinge_y(), .mass = 1, .inertia = {1e-3, 1e-3, 1e-3}});
            model.drive(model.coordinate(base), motion([=](Expr t) { return rate * t; }));
        }
        box = model.add(
            {.name = "container", .joint = free_joint(), .mass = container_mass, .inertia = inertia});
        const Vector3d v = turning.cross(end);
        for (int k = 0; k < 3; ++k) model.start(box, end[k], v[k], k);
        model.start(box, Eigen::Quaterniond::Identity(), turning);
        model.beam({.name = "beam",
                    .a = model.frame("clamp", base),
                    .b = model.frame("end", box),
                    .section = beam.section(),
                    .elements = elements});
    }
    const double fade = 10; // N s/m, of the damper at the start
    model.wrench(model.frame("force", box), [=](const View& s) {
        const double t = s.time(), left = std::max(0.0, 1 - t / std::max(start, 1e-9));
        const double force =
            t < start ? -fade * left * left * s.velocity(box).y() : amplitude * std::sin(w * (t - start));
        return Wrench{.force = {0, force, 0}};
    });

    // 4. What is in it.
    if (grains) {
        const MaterialId lead = model.add(Material{.friction = mu, .anticipation = true});
        shot.enclose(model, box, cavity, lead);
        shot.fill(model, bed, lead, end - Vector3d(0, cavity / 2, 0), turning);
        cut(box, CutKind::contacts);
    } else {
        const double m = shot.mass(), ball = 2e-7; // kg m2
        cut(model.add({.name = "particles",
                       .parent = box,
                       .joint = fixed_joint(),
                       .mass = m,
                       .inertia = {ball, ball, ball}}));
    }

    // 5. What to record: the container, the force of the shot on it, and where the shot is in it.
    record(
        {"x", "y", "z"},
        [=](const View& s) {
            const Vector3d p = s.position(box);
            return std::vector{p.x(), p.y(), p.z()};
        },
        "m");
    record(
        "v", [=](const View& s) { return s.velocity(box).y(); }, "m/s");
    if (grains) {
        record(
            {"force_x", "force_y", "force_z"},
            [=](const View& s) {
                const Vector3d f = s.contact_force(box).force;
                return std::vector{f.x(), f.y(), f.z()};
            },
            "N");
        record(
            {"com_x", "com_y", "com_z"}, [=](const View& s) { return centre_of_shot(s, box, cavity); }, "m");
        record(
            "dissipated", [](const View& s) { return s.dissipated().sum(); }, "J");
    }
    // 6. Results, of the second half of the run.
    result(
        {"rms_y_m", "amplitude_y_m"},
        [=](const Columns& c) {
            return late_vibration({c["t"], c["y"]}, frequency);
        },
        "m");
    result(
        {"rms_v_m_per_s", "amplitude_v_m_per_s"},
        [=](const Columns& c) {
            return late_vibration({c["t"], c["v"]}, frequency);
        },
        "m/s");
    for (const Result& r : damper_results({.position = "y",
                           .velocity = "v",
                           .frequency = frequency,
                           .particle_mass = grains ? shot.mass() : 0}))
        result(r.names, r.values, r.unit);

    defaults.h = high ? 1e-5 : 1e-4;
    defaults.record_interval = high ? 1e-4 : 5e-4;
    if (grains) defaults.tolerance = 1e-2; // a tenth of it changes amplitudes by half a per cent
    run_until(2);
}
