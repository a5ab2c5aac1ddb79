// A particle damper on its own: a cylinder partly filled with steel balls, shaken along its axis. Biondani et al.,
// Efficient discrete element modeling of particle dampers, Processes 10 (2022) 1247, Sect. 3.1, Tables 2 and 3, Figs 4
// and 5.
//
//    |       |      The cylinder, 25 mm wide and high, moves as A sin(2 pi f t), 10 mm at 10 Hz, and gravity acts along
//    |       | ^    its axis. The balls start in close-packed layers A B C on the floor, one of layer A on the axis,
//    |ooooooo| |    with the velocity of the cylinder; diameters 3, 2, 1.5, 1, 0.75, 0.5, 0.25 and 0.15 mm give 151,
//    |ooooooo| v    602, 1569, 5200, 12 383, 41 203, 328 435 and 1 543 449 balls. Impacts are elastic, so that all
//    '-------'      energy goes into friction.
//
// Sample runs:  shaken_cylinder --method dem --t-end 0.06
//               shaken_cylinder --method dem --friction-model directional --stiffness-from sized --t-end 0.1
//               shaken_cylinder --method dem --normal-law hertz --t-end 0.01
//               shaken_cylinder --t-end 0.06 --h 1e-4
//               shaken_cylinder --friction-law associated --t-end 0.06 --h 1e-4
//               shaken_cylinder --stiffness-from material --t-end 0.06 --h 1e-5
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(shaken_cylinder,
            "A cylinder with balls, shaken along its axis: methods compared, up to 1.5 million balls")
{
    // 1. Parameters, in SI units.
    const double d = opt("diameter", 3e-3, "of the balls", "m", positive);
    const double width = opt("width", 25e-3, "inner diameter of the cylinder", "m", positive);
    const double height = opt("height", 25e-3, "of the cylinder, inside", "m", positive);
    const double filling = opt("filling", 0.3, "height of the bed over that of the cylinder", "", {0, 1});
    const double f = opt("frequency", 10, "of the motion", "Hz", positive);
    const double amplitude = opt("amplitude", 10e-3, "of the motion", "m", not_negative);
    const double density = opt("density", 7800, "of the balls", "kg/m3", {1e-3, 1e6});
    const double mu = opt("friction", 0.3, "Coulomb coefficient", "", not_negative);
    const double e = opt("restitution", 1, "of impacts", "", {0, 1});
    const double omega = 2 * M_PI * f, rise = std::sqrt(2.0 / 3) * d;
    if (d > std::min(width, height))
        refuse("A ball of {:g} m does not fit into a cylinder {:g} m wide and {:g} m high: give a smaller "
               "--diameter.",
               d, width, height);
    if (d < 1e-3 * width)
        refuse("A cylinder {:g} m wide takes more than a hundred million balls of {:g} m: give a larger "
               "--diameter.",
               width, d);
    // As published: layers up to the filling, but no layer for less than a tenth of its rise.
    const int layers =
        count("layers", std::max(1, static_cast<int>(std::ceil(filling * height / rise - 0.1))), "of balls",
              {1, 1e4});
    if (const double top = d + (layers - 1) * rise; top > height * (1 + 1e-9))
        refuse("{} layers of balls are {:g} m high and do not fit into {:g} m: give fewer --layers.", layers,
               top, height);

    // 2. The cylinder, a cavity on a driven slide. The published springs are those of steel at this impact speed.
    model.gravity({0, 0, -9.81});
    const BallSprings k = ball_springs({.diameter = d,
                                        .density = density,
                                        .young = 200e9,
                                        .poisson = 0.3,
                                        .impact_speed = 0.01987,
                                        .speed = amplitude * omega,
                                        .period = 1 / f});
    const Material steel{
        .friction = mu, .restitution = e, .stiffness = k.balls, .young = k.young, .poisson = k.poisson};
    Material on_wall = steel;
    on_wall.stiffness = k.walls;
    const MaterialId ball = model.add(steel), wall = model.add(on_wall);
    model.contact(ball, wall, on_wall);
    const Body cylinder_ = model.add({.name = "cylinder", .joint = slide_z(), .mass = 1});
    const ShapeId cavity = model.attach(cylinder_, hollow(cylinder(width / 2, height)), wall,
                                        {.p = {0, 0, height / 2}}, "cylinder");
    const Coordinate z = model.coordinate(cylinder_);
    model.drive(z, {[=](double t) { return amplitude * std::sin(omega * t); },
                    [=](double t) { return amplitude * omega * std::cos(omega * t); }});

    // 3. The balls.
    for (const Eigen::Vector3d& x : layers_in_cylinder(width / 2, d, layers))
        model.grain({.shape = sphere(d / 2),
                     .material = ball,
                     .density = density,
                     .at = {.p = x},
                     .velocity = {0, 0, amplitude * omega}});

    // 4. What to record: heights of the balls' centre of mass and of the floor above the ground, force of the balls on
    // the cylinder, upwards, and the energy that contacts took.
    record(
        "z_com",
        [](const View& s) {
            double sum = 0;
            for (const GrainState& grain : s.grains()) sum += grain.x.z();
            return sum / static_cast<double>(s.grains().size());
        },
        "m");
    record(
        "z_wall", [=](const View& s) { return s.q(z); }, "m");
    record(
        "force_z", [=](const View& s) { return s.contact_force(cavity).force.z(); }, "N");
    record(
        "dissipated", [](const View& s) { return s.dissipated().sum(); }, "J");
    result(
        "dissipated_in_a_period_J",
        [=](const Columns& c) { // mean of whole periods, without the first
            const int n = static_cast<int>(c["t"].back() * f * (1 + 1e-6)) - 1;
            if (n < 1) fail("it takes two periods of {:g} s", 1 / f);
            const std::vector<double> all = growth_by_period({c["t"], c["dissipated"]}, 1 / f, n);
            return std::accumulate(all.begin(), all.end(), 0.0) / n;
        },
        "J");
    defaults.h = 1e-5; // as published for the nonsmooth method; the method dem has Hart's
    defaults.record_interval = 1e-4;
    run_until(1);
}
