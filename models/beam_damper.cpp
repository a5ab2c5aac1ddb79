// A cantilever with a particle damper near its free end, shaken sideways: damping against the level of acceleration.
// Biondani et al. (2022), Sect. 2.4, Table 1, and Sect. 3.5, Figs 11 and 12.
//
//   |                                   .---.          from above:  y: to and fro
//   |====[1]====[L]===[2]=====[3]====[4]| o |==        x along the beam, z up
//   |             ^ F                   |ooo|
//                shaker                 '---'          the axis of the cylinder is along y
//
// [1]-[4]: accelerometers; [L]: the load cell of the shaker. 120 steel balls of 3 mm lie in the cylinder, across whose
// axis gravity acts. A run has a given force F sin 2 pi f t, after the balls have settled. `--stepped-sine` is the
// experiment: at each frequency the force is changed until the fourth accelerometer shows the rms of --acceleration,
// which gives a transfer function, and its half-power points a damping ratio. (The acceleration is omega times the
// first harmonic of the velocity.)
//
// Assumed where the paper says nothing: sizes of the bodies on the beam, for their inertias; the beam's damping is
// proportional to its stiffness, with the ratio of Table 1 at the first frequency; what is beyond the damper's axis is
// part of the damper. Contacts as in Sect. 3.5.2: e = 0.9, mu = 0.6, rolling 0.01, stiffness by the sizing rule with
// beta = 3, eta = 0.1, at the largest speed of the experiment.
//
// `--method dem --coupling loose` is how the paper computed it; without --coupling the beam is inside the scheme that
// steps the balls. `--particles lumped` is the beam with a mass instead of the balls.
//
// Sample runs:  beam_damper --balls 10 --elements 1 --settle 0.01 --t-end 0.02
//               beam_damper --balls 10 --elements 1 --settle 0.01 --t-end 0.02 --method dem --coupling loose
//               beam_damper --particles lumped --elements 1 --stepped-sine --points 1 --steady 2 --longest 3 --h 1e-3
#include "support/damper_results.hpp"
#include "support/sine_sweep.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/dem/penalty_law.hpp"

#include <tamis.hpp>

#include <numbers>
using namespace tamis;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double g = 9.81;

struct BeamDamper {
    int balls = 120, elements = 1;
    double diameter = 3e-3, friction = 0.6, restitution = 0.9, rolling = 0.01, stiffness = 0;
    double structural_damping = 0.005;
    bool lumped = false;

    // Table 1.
    static constexpr double length = 0.543, width = 0.05, height = 3e-3, rho = 2695, E = 72e9, G = 27e9;
    static constexpr double shaker = 0.16, sensors[4] = {0.075, 0.241, 0.382, 0.519}, axis = 0.533;
    static constexpr double sensor_mass = 5e-3, cell_mass = 0.03, damper_mass = 23.8e-3;
    static constexpr double radius = 9.5e-3, depth = 25e-3, bottom = 10e-3, density = 7800;

    double ball_mass() const { return pi / 6 * density * diameter * diameter * diameter; }
    double first_frequency() const // of a mass on the spring 3 E I / l^3, for the beam's damping
    {
        const double K = 3 * E * width * height * height * height / 12 / std::pow(axis, 3);
        const double M =
            0.24 * rho * width * height * length + damper_mass + balls * ball_mass() + sensor_mass;
        return std::sqrt(K / M) / (2 * pi);
    }

    struct Parts {
        Body damper, sensor;
        ShapeId cavity;
    };
    Parts build(ModelDescription& model, const std::shared_ptr<const Sine>& excitation) const;
};

BeamDamper::Parts BeamDamper::build(ModelDescription& model, const std::shared_ptr<const Sine>& F) const
{
    model.gravity({0, 0, -g});
    struct Station {
        const char* name;
        double x, mass, size;
    };
    const double rest = rho * width * height * (length - axis); // of the beam, beyond the damper's axis
    const Station stations[] = {
        {"accelerometer 1", sensors[0], sensor_mass, 0.01},
        {"load cell", shaker, cell_mass, 0.015},
        {"accelerometer 2", sensors[1], sensor_mass, 0.01},
        {"accelerometer 3", sensors[2], sensor_mass, 0.01},
        {"accelerometer 4", sensors[3], sensor_mass, 0.01},
        {"damper", axis, damper_mass + rest + (lumped ? balls * ball_mass() : 0), 0.03}};
    Parts parts;
    const Vector3d middle(0, height / 2 + bottom + depth / 2, 0); // of the cavity
    Frame before = model.frame("clamp", ground);
    for (const Station& s : stations) {
        const bool damper = s.x == axis;
        const double I = s.mass * s.size * s.size / 6; // of a cube
        const Body body = model.add({.name = s.name,
                                     .joint = free_joint(),
                                     .mass = s.mass,
                                     .com = damper ? Vector(Vector3d(middle)) : Vector{0, 0, 0},
                                     .inertia = {I, I, I}});
        model.start(body, s.x, 0, 0);
        const Frame here = model.frame(std::string("at ") + s.name, body);
        model.beam({.name = std::string("beam to ") + s.name,
                    .a = before,
                    .b = here,
                    .section = beam_section(RectangularSection{
                        .E = E, .nu = E / (2 * G) - 1, .rho = rho, .width = width, .height = height}),
                    .elements = elements,
                    .damping = 2 * structural_damping / (2 * pi * first_frequency())});
        before = here;
        if (s.x == shaker)
            model.wrench(here, [F](const View& v) { return Wrench{.force = {0, F->at(v.time()), 0}}; });
        if (s.x == sensors[3]) parts.sensor = body;
        if (damper) parts.damper = body;
    }
    const double r = diameter / 2;
    const Material steel{.friction = friction,
                         .restitution = restitution,
                         .rolling = rolling * r / 2,
                         .stiffness = stiffness,
                         .form = ContactForm::overlap};
    Material enclosure = steel;
    enclosure.rolling = rolling * r;
    const MaterialId inner = model.add(steel), outer = model.add(enclosure);
    Eigen::Matrix3d along_y;
    along_y = Eigen::AngleAxisd(-pi / 2, Vector3d::UnitX());
    parts.cavity =
        model.attach(parts.damper, hollow(cylinder(radius, depth)), outer, {along_y, middle}, "cavity");
    if (lumped) return parts;

    // Balls on a lattice, from below.
    const double spacing = 1.02 * diameter;
    const int rows = static_cast<int>(depth / spacing), columns = static_cast<int>(2 * radius / spacing);
    int placed = 0;
    for (double z = -radius + r; z <= radius - r && placed < balls; z += spacing)
        for (int i = 0; i < columns; ++i) {
            const double x = (i - (columns - 1) / 2.0) * spacing;
            if (std::hypot(x, z) > radius - 1.01 * r) continue;
            for (int k = 0; k < rows && placed < balls; ++k, ++placed)
                model.grain({.shape = sphere(r),
                             .material = inner,
                             .density = density,
                             .at = {.p = Vector3d(axis, 0, 0) + middle +
                                         Vector3d(x, (k - (rows - 1) / 2.0) * spacing, z)}});
        }
    if (placed < balls)
        refuse("{} balls of {:g} m do not fit into the cylinder, which has room for {}: give fewer --balls.",
               balls, diameter, placed);
    return parts;
}

} // namespace

TAMIS_MODEL(beam_damper, "A cantilever with a particle damper, shaken sideways (Biondani et al. 2022)")
{
    // 1. Parameters, in SI units.
    BeamDamper p;
    p.lumped = choice("particles", "grains", {"grains", "lumped"},
                      "of the damper: steel balls, or one mass") == "lumped";
    p.balls = count("balls", p.balls, "number of balls", {1, 1000});
    p.elements = count("elements", p.elements, "of the beam between two bodies, three nodes each", {1, 100});
    p.friction = opt("friction", p.friction, "Coulomb coefficient", "", not_negative);
    p.restitution = opt("restitution", p.restitution, "of impacts", "", {0, 1});
    p.rolling =
        opt("rolling", p.rolling, "friction coefficient of rolling, of the reduced radius", "", not_negative);
    p.structural_damping =
        opt("structural-damping", p.structural_damping, "ratio, of the first mode", "", {0, 1});
    const double settle =
        opt("settle", 0.3, "time for the balls to come to rest, before the force", "s", not_negative);
    const double force =
        opt("amplitude", 0.3, "of the force; with --stepped-sine the first one to be tried", "N", positive);
    const double speed =
        2.5 * std::sqrt(2.0) * g / (2 * pi * p.first_frequency()); // the largest of the experiment
    p.stiffness = stiffness_for_overlap(p.ball_mass(), p.diameter / 2, speed, 3, 0.1);

    // 2. The experiment: a study that steps models of its own.
    if (flag("stepped-sine",
             "one frequency after the other at a controlled acceleration, instead of one run")) {
        const double level = opt("acceleration", 1, "rms at the fourth accelerometer, over g", "", positive);
        const double from = opt("from", 5.5, "lowest frequency", "Hz", positive);
        const double to = opt("to", 8, "highest frequency", "Hz", positive);
        const int points = count("points", 26, "frequencies", {1, 10000});
        SteppedSine how;
        how.target = level * g;
        how.steady.periods = count("steady", 10, "periods that must be alike", {2, 1000});
        how.longest = count("longest", 100, "periods at one amplitude", {2, 100000});
        const bool dem = choice("method", p.lumped ? "moreau-jean" : "dem", {"dem", "moreau-jean"},
                                "that steps the balls") == "dem";
        const std::string coupling =
            choice("coupling", "loose", {"monolithic", "loose", "tight"}, "of beam and balls");
        const bool by_hart = dem && coupling == "monolithic"; // the step of the method dem alone
        const double h = by_hart ? 0 : opt("h", 2e-4, "step", "s", positive);
        const double stiffness =
            opt("contact-stiffness", p.stiffness, "of all contacts", "N/m", not_negative);
        if (to < from) refuse("--to is {} Hz, below --from: give a higher frequency.", to);
        if (dem && p.lumped)
            refuse("--method dem is for balls: give --method moreau-jean with --particles lumped.");
        study([=](Study& s) {
            BeamDamper damper = p;
            damper.stiffness = stiffness;
            const auto excitation = std::make_shared<Sine>();
            ModelDescription shaken("beam_damper");
            const BeamDamper::Parts parts = damper.build(shaken, excitation);
            const Model& finished = shaken.finish();
            const FrictionModel friction = FrictionModel::directional;
            std::unique_ptr<Stepper> stepper;
            MoreauJeanOptions nonsmooth{.h = h, .force = ForceEvaluation::explicit_};
            nonsmooth.contacts = {.tolerance = 1e-4, .threads = 1};
            if (coupling != "monolithic") {
                CoupledOptions o{.H = h, .nonsmooth_substeps = dem ? 0 : 1};
                o.scheme = coupling == "loose" ? CouplingScheme::loose : CouplingScheme::tight;
                o.smooth.rho_inf = 0.6;
                o.nonsmooth = nonsmooth;
                if (dem) o.dem = DemOptions{.friction = friction};
                stepper = std::make_unique<Coupled>(finished, Cut{parts.damper, CutKind::contacts}, o);
            } else if (dem) {
                stepper = std::make_unique<Dem>(finished,
                                                DemOptions{.h = hart_step(finished), .friction = friction});
            } else {
                stepper = std::make_unique<MoreauJean>(finished, nonsmooth);
            }
            ShakenModel experiment(
                std::move(stepper), excitation, [=](const View& v) { return v.velocity(parts.sensor).y(); },
                Response::rate_of_it);
            s.results["level_g"] = level;
            sine_sweep(s,
                       {.from = from,
                        .to = to,
                        .points = points,
                        .amplitude = force,
                        .excitation = "force",
                        .settle = settle,
                        .how = how},
                       experiment, fmt::format("{:.2f} g", level));
        });
        return;
    }

    // 3. One run, as a whole or cut at the contacts of the damper.
    const double frequency = opt("frequency", 6.4, "of the force", "Hz", positive);
    auto excitation = std::make_shared<Sine>();
    *excitation = {.frequency = frequency, .amplitude = force, .start = settle};
    const BeamDamper::Parts parts = p.build(model, excitation);
    if (!p.lumped) cut(parts.damper, CutKind::contacts);

    // 4. What to record.
    record(
        "y", [=](const View& s) { return s.position(parts.damper).y(); }, "m");
    record(
        "v", [=](const View& s) { return s.velocity(parts.sensor).y(); }, "m/s");
    record(
        "force", [=](const View& s) { return excitation->at(s.time()); }, "N");
    record(
        "push", [=](const View& s) { return s.contact_force(parts.cavity).force.y(); }, "N");
    record(
        "dissipated", [](const View& s) { return s.dissipated().sum(); }, "J");
    for (const Result& r : damper_results({.position = "y",
                           .velocity = "v",
                           .frequency = frequency,
                           .particle_mass = p.lumped ? 0 : p.balls * p.ball_mass()}))
        result(r.names, r.values, r.unit);
    defaults.h = 2e-4;
    defaults.frames = 100;
    run_until(settle + 20 / frequency);
}
