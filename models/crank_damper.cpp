// A crank shakes a beam with a sensor and a closed cylinder of lead shot at its end. Zhang et al. (2022), Sect. 4.3,
// Table 2, Figs 14-19, Table 3.
//
//   [slider]=============[sensor].----.     y, up
//      |        beam             |    |     |
//   crank and rod                |oooo|     +-- x
//                                '----'
//
// The crank turns at 15.5 Hz (6.1 Hz for the beam of 1 mm), close to the first resonance. `--coupling` cuts the model
// at the clamp between sensor and container (`--cut joint`), so that the whole damper is on the nonsmooth side, or at
// the contacts of the shot with the container (`--cut contacts`), which then stays with the beam. Without a coupling
// all is in one theta-scheme. `--beam reduced` is a mass on a spring whose foot moves as the slider (eqs 49-51);
// `--particles lumped` is the same without a damper.
//
// Sample runs:  crank_damper --spheres 12 --elements 2 --t-end 0.02
//               crank_damper --spheres 12 --elements 2 --t-end 0.02 --coupling explicit-index1 --rho-inf 0.25
//               crank_damper --spheres 12 --t-end 0.02 --beam reduced --thickness 1e-3
#include "support/damper_results.hpp"
#include "support/lead_damper.hpp"

#include <tamis.hpp>

#include <numbers>
using namespace tamis;
using Eigen::Vector3d;

TAMIS_MODEL(crank_damper, "A crank shakes a beam with a particle damper at its end (Zhang et al. 2022)")
{
    // 1. The shot, in SI units: shaken until it is dense.
    LeadShot shot;
    shot.count = count("spheres", shot.count, "number of lead spheres", {1, 2000});
    const double mu = opt("friction", 0.52, "Coulomb coefficient", "", not_negative);
    const bool grains = choice("particles", "grains", {"grains", "lumped"},
                               "of the damper: lead shot, or one mass") == "grains";
    const Packing bed = grains ? packing("shot", [&] { return shot.packing(mu); }) : Packing{};
    const double cavity = opt("cavity", 11.84e-3, "height inside the container", "m", {2e-3, 1});
    if (grains && bounds(bed).high.z() > cavity)
        fail("{} spheres lie {:.2g} m high, and the container is {} m high: give a larger --cavity or fewer "
             "--spheres.",
             shot.count, bounds(bed).high.z(), cavity);

    // 2. What shakes it.
    SteelBeam beam;
    beam.thickness = opt("thickness", beam.thickness, "of the beam, along the motion", "m", positive);
    const double frequency =
        opt("frequency", beam.thickness < 1.5e-3 ? 6.1 : 15.5, "of the crank", "Hz", positive);
    const CrankDrive crank{.radius = opt("crank-length", 0.25e-3, "radius of the crank", "m", {0, 9e-3}),
                           .w = 2 * std::numbers::pi * frequency};
    const bool reduced = choice("beam", "flexible", {"flexible", "reduced"},
                                "three-node elements, or one mass on a spring") == "reduced";
    const int elements = count("elements", 10, "of the beam, three nodes each", {1, 1000});
    const bool at_joint = choice("cut", "joint", {"joint", "contacts"},
                                 "where --coupling cuts: the whole damper, or the shot alone") == "joint";

    // 3. The sensor at the end of the beam, or on a spring.
    model.gravity({0, -9.81, 0});
    const double sensor_mass = 12.7e-3, container_mass = 35.8e-3;
    const Vector3d end(beam.length, crank.start(), 0);
    Body sensor;
    if (reduced) {
        const Body foot =
            model.add({.name = "foot", .joint = slide_y(), .mass = 1, .inertia = {1e-3, 1e-3, 1e-3}});
        model.drive(model.coordinate(foot), motion([=](Expr t) { return crank.height(t); }));
        sensor = model.add({.name = "sensor",
                            .parent = foot,
                            .joint = slide_y(),
                            .at = {beam.length, 0, 0},
                            .mass = sensor_mass + beam.moving_mass(),
                            .inertia = {1.05833e-6, 1.27e-6, 1.05833e-6}});
        model.spring(model.coordinate(sensor), {.stiffness = beam.stiffness()});
    } else {
        const Body slider = crank.add(model);
        sensor = model.add({.name = "sensor",
                            .joint = free_joint(),
                            .mass = sensor_mass,
                            .inertia = {1.05833e-6, 1.27e-6, 1.05833e-6}});
        for (int k = 0; k < 3; ++k) model.start(sensor, end[k], 0, k);
        model.beam({.name = "beam",
                    .a = model.frame("clamp", slider, {0, crank.rod, 0}),
                    .b = model.frame("end", sensor),
                    .section = beam.section(),
                    .elements = elements});
    }

    // 4. The container and what is in it.
    const Body box = model.add({.name = "container",
                                .parent = sensor,
                                .joint = fixed_joint(),
                                .mass = container_mass + (grains ? 0 : shot.mass()),
                                .inertia = {2.98333e-6, 3.58e-6, 2.98333e-6}});
    if (grains) {
        const MaterialId lead = model.add(Material{.friction = mu, .anticipation = true});
        shot.enclose(model, box, cavity, lead);
        shot.fill(model, bed, lead, end - Vector3d(0, cavity / 2, 0));
    }
    cut(box, at_joint || !grains ? CutKind::joint : CutKind::contacts);

    // 5. What to record: the container, how the beam twists, how far the cut opens, the shot.
    record(
        "y", [=](const View& s) { return s.position(box).y() - end.y(); }, "m");
    record(
        "v", [=](const View& s) { return s.velocity(box).y(); }, "m/s");
    record(
        "opening", [=](const View& s) { return (s.position(box) - s.position(sensor)).norm(); }, "m");
    if (!reduced) {
        const double GJ = beam.section().stiffness(3, 3);
        record(
            "turn_x",
            [=](const View& s) {
                const Eigen::Matrix3d R = s.rotation(sensor);
                return std::atan2(R(2, 1), R(1, 1));
            },
            "rad");
        record(
            "torque_x", [=](const View& s) { return torque_at_end(s, GJ); }, "N m");
    }
    if (grains) {
        record(
            "force_y", [=](const View& s) { return s.contact_force(box).force.y(); }, "N");
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

    defaults.h = 1e-4;
    defaults.record_interval = 5e-4;
    if (grains) defaults.tolerance = 1e-2; // a tenth of it changes amplitudes by half a per cent
    run_until(2);
}
