// A mass on a spring with a box of particles, shaken by its base: impact damping. Zhang et al. (2020), Sect. 5.1,
// Table 2, Figs 13 and 14, after the experiments of Saeki (2002).
//
//        +--------------+
//   base |   o o o      |      base: X sin(2 pi f t), horizontal
//   #]~k~|o o o o o o   |      container and mass: 0.293 kg on k, c: 11.77 Hz, zeta = 0.27 %
//   #]-c-|o o o o o o o |-> x  200 or 250 acrylic balls of 6 mm: mass ratio 0.092, 0.115
//        +--------------+
//
// Without particles the resonance is sharp; these are thrown against the ends of the box in every period and take
// the energy out. By --coupling loose or tight the oscillator is on the smooth side and the particles with a copy of
// the container on the nonsmooth side, as published; by default all is one system.
// `--stepped-sine` measures the resonance curve in one go, at a given amplitude of the base or a given rms of x.
//
// Sample runs:  particle_damper --particles 20 --t-end 0.3
//               particle_damper --particles 20 --t-end 0.1 --method dem
//               particle_damper --particles 20 --t-end 0.1 --coupling tight
//               particle_damper --particles 20 --t-end 0.1 --coupling loose
//               particle_damper --particles 0 --frequency 10 --t-end 20
//               particle_damper --particles 20 --stepped-sine --from 12 --points 1 --steady 2 --longest 3
#include "support/damper_results.hpp"
#include "support/sine_sweep.hpp"
#include "tamis/cosim/coupled.hpp"

#include <tamis.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
using namespace tamis;

TAMIS_MODEL(particle_damper, "A mass on a spring, damped by particles (Zhang et al. 2020, Saeki 2002)")
{
    // 1. Parameters, in SI units. The packing depends on the first ones.
    const int n = count("particles", 200, "number of particles; 0: none", {0, 1e6});
    const double radius = opt("radius", 3e-3, "of the particles", "m", positive);
    const double length = opt("length", 58e-3, "of the container, along the motion", "m", positive);
    const double width = opt("width", 38e-3, "of the container", "m", positive);
    const double height = opt("height", 38e-3, "of the container", "m", positive);
    const double mu = opt("friction", 0.52, "Coulomb coefficient", "", not_negative);
    const double g = 9.8;
    if (n > 0 && 2 * radius > std::min({length, width, height}))
        refuse("Particles of {} m do not fit a container of {} m x {} m x {} m: give a smaller --radius.",
               2 * radius, length, width, height);
    const double part = n * 4 / 3.0 * std::numbers::pi * std::pow(radius, 3) / (length * width * height);
    if (part > 0.74) // of close-packed balls; before hours are spent on shaking them
        refuse(
            "--particles {} would fill {:.0f} % of the container, and balls fill 74 % at most: give fewer.",
            n, 100 * part);

    // 2. The particles: dropped into a box that is high enough, then shaken, with the lid lowered each time (Sect.
    //    3.2.1).
    Packing bed;
    if (n > 0)
        bed = packing("bed", [&] {
            const auto cavity = [&](double h) { return box(length, width, h); };
            Packing loose;
            for (const Eigen::Vector3d& centre : drop_lattice(cavity(height), std::vector<double>(n, radius)))
                loose.add(sphere(radius), {.p = centre});
            const double high = std::max(height, bounds(loose).high.z() + radius);
            return shake(loose, cavity, high, {.amplitude = radius, .frequency = 15},
                         {.gravity = {0, 0, -g}, .friction = {mu}})
                .packing;
        });
    if (bed.size() > 1 && bounds(bed).high.z() > height + 0.02 * radius)
        fail("{} particles fill the container to {:.3g} m, beyond its height of {} m: give fewer --particles "
             "or a greater --height.",
             n, bounds(bed).high.z(), height);

    // 3. The oscillator on its base. The container begins at rest; the base does not.
    const double density = opt("density", 1190, "of the particles", "kg/m3", positive);
    const double restitution = opt("restitution", 0.05, "Newton's coefficient", "", {0, 1});
    const double mass = opt("mass", 0.293, "of the oscillator, with the container", "kg", positive);
    const double k = opt("stiffness", 1602.7, "of its spring", "N/m", positive);
    const double c = opt("damping", 0.116, "of its damper", "N s/m", not_negative);
    const double X = opt("amplitude", 1e-3, "of the base", "m", positive);
    const bool stepped =
        flag("stepped-sine", "one frequency after the other, each until it is steady, instead of one run");
    const double f = stepped ? opt("from", 8, "lowest frequency", "Hz", positive)
                             : opt("frequency", 12, "of the base", "Hz", positive);
    const double w = 2 * std::numbers::pi * f;
    struct Parts {
        Body base, container;
    };
    const auto build = [=](ModelDescription& to, const Motion& of_base) {
        to.gravity({0, 0, -g});
        const Body base = to.add({.name = "base", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}});
        to.drive(to.coordinate(base), of_base);
        const Body container = to.add({.name = "container",
                                       .parent = base,
                                       .joint = slide_x(),
                                       .mass = mass,
                                       .com = {0, 0, height / 2},
                                       .inertia = {1e-4, 1e-4, 1e-4}}); // it does not turn
        to.start(container, 0, -X * (2 * std::numbers::pi * f));
        to.spring(to.coordinate(container), {.stiffness = k, .damping = c});
        to.show(base, box(length / 10, width, height / 4), {.p = {-length, 0, height / 2}}, "base");
        return Parts{base, container};
    };

    // 4. What touches.
    const BallSprings springs = ball_springs({.diameter = 2 * radius,
                                              .density = density,
                                              .young = 3e9,
                                              .poisson = 0.37,
                                              .impact_speed = 0.1,
                                              .speed = X * w,
                                              .period = 1 / f});
    const bool rigid = springs.balls == 0;
    const Material acrylic{.friction = mu,
                           .restitution = restitution,
                           .anticipation = rigid && restitution == 0,
                           .stiffness = springs.balls,
                           .young = springs.young,
                           .poisson = springs.poisson};
    Material on_wall = acrylic;
    on_wall.stiffness = springs.walls;
    const auto fill = [=](ModelDescription& to, const Parts& parts) {
        const MaterialId ball = to.add(acrylic), wall = to.add(on_wall);
        to.contact(ball, wall, on_wall);
        const Pose middle{.p = {0, 0, height / 2}};
        if (n == 0) return to.show(parts.container, box(length, width, height), middle, "box");
        add_grains(to, bed, ball, density);
        to.attach(parts.container, hollow(box(length, width, height)), wall, middle, "box");
    };

    // 5. The stepped sine: a study that steps a model of its own.
    if (stepped) {
        SineSweep sweep{.from = f, .excitation = "amplitude"};
        sweep.to = opt("to", 15, "highest frequency", "Hz", positive);
        sweep.points = count("points", 29, "frequencies", {1, 10000});
        sweep.amplitude = X;
        sweep.how.target = opt(
            "response", 0, "rms of x that the base's amplitude is changed for; 0: none, it is --amplitude",
            "m", not_negative);
        sweep.how.steady.periods = count("steady", 10, "periods that must be alike", {2, 1000});
        sweep.how.longest = count("longest", 100, "periods at one amplitude", {2, 100000});
        const Method by = asked_method();
        const NormalLaw law = asked_normal_law();
        const std::string coupling =
            choice("coupling", "monolithic", {"monolithic", "loose", "tight"}, "of oscillator and particles");
        const bool dem = by == Method::dem; // alone, by Hart's step
        const double h = dem && coupling == "monolithic" ? 0 : opt("h", 1e-4, "step", "s", positive);
        const double tolerance = dem ? 1 : opt("tolerance", 5e-2, "of the contact solver", "", positive);
        if (sweep.to < f) refuse("--to is {} Hz, below --from: give a higher frequency.", sweep.to);
        if (by != Method::moreau_jean && (by != Method::dem || n == 0))
            refuse("--stepped-sine steps particles by --method moreau-jean or dem: take one of these.");
        if (coupling != "monolithic" && n == 0)
            refuse("--coupling cuts at the particles: leave it out, or give --particles.");
        study([=](Study& s) {
            const auto sine = std::make_shared<Sine>();
            ModelDescription shaken("particle_damper");
            const Parts parts = build(shaken, {[sine](double t) { return sine->at(t); },
                                               [sine](double t) { return sine->rate(t); }});
            fill(shaken, parts);
            shaken.normal_law(law);
            const Model& finished = shaken.finish();
            MoreauJeanOptions nonsmooth{
                .h = h, .force = n > 0 ? ForceEvaluation::explicit_ : ForceEvaluation::midpoint};
            nonsmooth.contacts = {.tolerance = tolerance, .threads = 1};
            std::unique_ptr<Stepper> stepper;
            if (coupling != "monolithic") {
                CoupledOptions o{.H = h, .nonsmooth_substeps = dem ? 0 : 1};
                o.scheme = coupling == "loose" ? CouplingScheme::loose : CouplingScheme::tight;
                o.smooth.rho_inf = 0.6;
                o.nonsmooth = nonsmooth;
                if (dem) o.dem = DemOptions{};
                stepper = std::make_unique<Coupled>(finished, Cut{parts.container, CutKind::contacts}, o);
            } else if (dem) {
                stepper = std::make_unique<Dem>(finished, DemOptions{.h = hart_step(finished)});
            } else {
                stepper = std::make_unique<MoreauJean>(finished, nonsmooth);
            }
            ShakenModel experiment(
                std::move(stepper), sine, [=](const View& v) { return v.position(parts.container).x(); },
                Response::measured);
            sine_sweep(s, sweep, experiment, fmt::format("{} particles", n));
        });
        return;
    }

    // 6. One run.
    const auto [base, container] = build(model, motion([=](Expr t) { return X * sin(w * t); }));
    fill(model, {base, container});
    if (n > 0) cut(container, CutKind::contacts);

    // 7. What to record: motion of the container in the world, force of the particles on it along x.
    record(
        "x", [=](const View& s) { return s.position(container).x(); }, "m");
    record(
        "v", [=](const View& s) { return s.velocity(container).x(); }, "m/s");
    record(
        "force", [=](const View& s) { return s.contact_force(container).force.x(); }, "N");
    if (n > 0)
        record(
            "dissipated", [](const View& s) { return s.dissipated().sum(); }, "J");

    // 8. What to tell of it: of the last five seconds, or the second half of a shorter run, in whole periods.
    const auto judged = [=](const Columns& all) {
        const double end = all["t"].back();
        return last_periods(all["t"], 1 / f, std::max(1, static_cast<int>(std::min(5.0, end / 2) * f)));
    };
    result(
        "rms_x_m",
        [=](const Columns& all) {
            return rms({all["t"], all["x"]}, judged(all));
        },
        "m");
    result(
        "peak_x_m",
        [=](const Columns& all) {
            return peak({all["t"], all["x"]}, judged(all));
        },
        "m");
    result({"amplitude_x_m", "phase_x_rad"}, [=](const Columns& all) {
        const Harmonic h = harmonic({all["t"], all["x"]}, f, judged(all));
        return std::vector{h.amplitude, h.phase};
    });
    // By what a damper to the world would have to be that takes as much energy from the steady vibration as the
    // particles do: what the base puts into the mass, Re((k + i w c) (X - x) conj(i w x)) / 2, over that of c = 2 m w.
    result("zeta_particles", [=](const Columns& all) {
        const Harmonic h = harmonic({all["t"], all["x"]}, f, judged(all));
        const std::complex<double> x = std::polar(h.amplitude, h.phase),
                                   pull = std::complex(k, w * c) * (X - x);
        return std::imag(pull * std::conj(x)) / (2 * mass * w * w * std::norm(x));
    });
    // Steady if small: change of the rms from the first half of that time to the second.
    result("drift", [=](const Columns& all) {
        const TimeSeries x{all["t"], all["x"]};
        const Window w2 = judged(all);
        const double middle = (w2.from + w2.to) / 2;
        return rms(x, {middle, w2.to}) / rms(x, {w2.from, middle}) - 1;
    });
    for (const Result& r : damper_results({.position = "x",
                           .velocity = "v",
                           .frequency = f,
                           .particle_mass = n * density * 4 / 3.0 * std::numbers::pi * std::pow(radius, 3)}))
        result(r.names, r.values, r.unit);
    defaults.fmu_map = "position=x; velocity=v; force=f"; // examples/fmu/oscillator.c
    compared({"x", "v"});
    defaults.record_interval = 1e-3;
    // With 1e-2 the rms at resonance is the same but for chance (0.1 and 1.6 % with 200 and 250 particles), for twice
    // the time; with 2e-1 balls overlap twice as much.
    defaults.tolerance = 5e-2;
    run_until(n > 0 ? 20 : 60); // without particles transients live longer: e-fold in 5 s
}
