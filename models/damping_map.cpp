// A closed cylinder with 500 balls that is shaken up and down: how much energy the balls take from a motion of given
// frequency and intensity. Biondani et al. (2022), Sect. 3.4, Figs 9 and 10, after Yin et al. (2017).
//
//      +-----+  ^
//      |     |  | A sin(2 pi f t), peak acceleration A (2 pi f)^2 = intensity x g
//      | o o |  v
//      |ooooo|      zeta_PD = mu E / (2 pi m A_V^2), E the energy dissipated in a period, A_V = 2 pi f A, mu = 1 %
//      |ooooo|
//      +-----+
//
// The table of Yin et al. was not available. The clearance of about 30 mm is in the text of Biondani et al.; balls of
// steel of 2 mm, 7850 kg/m3, e = 0.85, mu = 0.3, and a cylinder 20 mm wide and 41 mm high are assumed.
//
// The map has 13 frequencies from 5 to 100 Hz and, at each, 21 intensities in equal ratios from 0.8 to a largest one
// that grows from 10 at 5 Hz to 100 at 100 Hz: --level 0 to 20. All of it, in hours:
//
//   ./tamis run damping_map --method dem --vary frequency=5,6,7.5,10,12.5,15,20,25,35,50,70,90,100 --vary level=0..20
//
// Sample runs:  damping_map --balls 40 --frequency 50 --intensity 6 --cycles 4 --judged 2
//               damping_map --balls 20 --frequency 100 --level 20 --cycles 3 --judged 2 --method dem
#include <tamis.hpp>

#include <cmath>
#include <numbers>
using namespace tamis;

TAMIS_MODEL(damping_map,
            "500 balls in a shaken cylinder: damping against frequency and intensity (Biondani et al. 2022)")
{
    // 1. Parameters, in SI units. The packing depends on the first ones.
    const int n = count("balls", 500, "number of balls", {1, 1e6});
    const double d = opt("diameter", 2e-3, "of the balls", "m", positive);
    const double width = opt("width", 20e-3, "inner diameter of the cylinder", "m", positive);
    const double height = opt("height", 41e-3, "of the cylinder, inside", "m", positive);
    const double mu = opt("friction", 0.3, "Coulomb coefficient", "", not_negative);
    const double g = 9.81;
    if (d > std::min(width, height))
        refuse("A ball of {:g} m does not fit into a cylinder {:g} m wide and {:g} m high: give a smaller "
               "--diameter.",
               d, width, height);
    const double part = n * 2 * d * d * d / (3 * width * width * height);
    if (part > 0.74) // of close-packed balls; before they are dropped
        refuse("--balls {} would fill {:.0f} % of the cylinder, and balls fill 74 % at most: give fewer.", n,
               100 * part);

    // 2. The balls at rest on the floor.
    const Packing bed = packing("bed", [&] {
        Packing loose;
        for (const Eigen::Vector3d& centre :
             drop_lattice(cylinder(width / 2, height), std::vector<double>(n, d / 2)))
            loose.add(sphere(d / 2), {.p = centre});
        Walls walls;
        const double high = std::max(height, bounds(loose).high.z() + d);
        walls.shapes.emplace_back(hollow(cylinder(width / 2, high)), Pose{.p = {0, 0, high / 2}});
        return deposit(loose, walls, {.gravity = {0, 0, -g}, .friction = {mu}}).packing;
    });
    if (bounds(bed).high.z() > height + 0.01 * d)
        fail("{} balls fill the cylinder to {:.3g} m, beyond its height of {} m: give fewer --balls or a "
             "greater --height.",
             n, bounds(bed).high.z(), height);

    // 3. The motion.
    const double f = opt("frequency", 20, "of the motion", "Hz", positive);
    const int level = count("level", -1, "of the map, 0 to 20, instead of an intensity; -1: none", {-1, 20});
    const double most = 10 + 90 * (f - 5) / 95;
    const double of_level = 0.8 * std::pow(std::max(most, 0.8) / 0.8, level / 20.0);
    const double intensity =
        opt("intensity", level < 0 ? 3 : of_level, "peak acceleration over g", "", positive);
    const int cycles = count("cycles", 20, "periods of the motion", {1, 1e6});
    const int judged = count("judged", 10, "periods at the end that damping is the mean of", {1, 1e6});
    if (judged > cycles) refuse("A run of {} periods has no last {}: give fewer --judged.", cycles, judged);
    const double w = 2 * std::numbers::pi * f, A = intensity * g / (w * w);

    // 4. Balls and cylinder.
    const double density = opt("density", 7850, "of the balls", "kg/m3", positive);
    const double e = opt("restitution", 0.85, "of impacts", "", {0, 1});
    model.gravity({0, 0, -g});
    const BallSprings k = ball_springs({.diameter = d,
                                        .density = density,
                                        .young = 200e9,
                                        .poisson = 0.3,
                                        .impact_speed = A * w / 10,
                                        .speed = A * w,
                                        .period = 1 / f});
    const Material steel{
        .friction = mu, .restitution = e, .stiffness = k.balls, .young = k.young, .poisson = k.poisson};
    Material on_wall = steel;
    on_wall.stiffness = k.walls;
    const MaterialId ball = model.add(steel), wall = model.add(on_wall);
    model.contact(ball, wall, on_wall);
    const Body can = model.add({.name = "cylinder", .joint = slide_z(), .mass = 1, .inertia = {1, 1, 1}});
    const Coordinate z = model.coordinate(can);
    model.attach(can, hollow(cylinder(width / 2, height)), wall, {.p = {0, 0, height / 2}}, "cylinder");
    model.drive(z, {[=](double t) { return A * (1 - std::cos(w * t)); },
                    [=](double t) { return A * w * std::sin(w * t); }});
    const int first = add_grains(model, bed, ball, density);
    double mass = 0;
    for (std::size_t i = static_cast<std::size_t>(first); i < model.grains().size(); ++i)
        mass += model.grains()[i].mass;

    // 5. What to record, and the damping that it comes to.
    record(
        "z", [=](const View& s) { return s.q(z); }, "m");
    record(
        "force", [=](const View& s) { return s.contact_force(can).force.z(); }, "N");
    record(
        "dissipated", [](const View& s) { return s.dissipated().sum(); }, "J");
    result({"zeta_mean", "zeta_deviation"}, [=](const Columns& c) {
        std::vector<double> zeta = growth_by_period({c["t"], c["dissipated"]}, 1 / f, judged);
        for (double& x : zeta) x = equivalent_damping(x, mass, A * w);
        const Spread s = spread(zeta);
        return std::vector{s.mean, s.deviation};
    });
    // As other models of dampers name it; the motion is given, and steady from the start.
    result({"energy_per_cycle_J", "energy_deviation", "zeta_PD"}, [=](const Columns& c) {
        const Spread energy = spread(growth_by_period({c["t"], c["dissipated"]}, 1 / f, judged));
        return std::vector{energy.mean, energy.deviation, equivalent_damping(energy.mean, mass, A * w)};
    });
    result("bound", [](const Columns&) { return rigid_bed_bound(); });
    result("intensity", [=](const Columns&) { return intensity; });
    result(
        "amplitude_m", [=](const Columns&) { return A; }, "m");
    defaults.record_interval = 1 / (200 * f);
    defaults.h = std::min(1e-4, 1 / (500 * f));
    run_until(cycles / f);
}
