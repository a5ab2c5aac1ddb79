// A fast shear test of a bed of balls: does friction without memory carry shear? Biondani et al., Efficient discrete
// element modeling of particle dampers, Processes 10 (2022) 1247, Sect. 3.2, Table 4, Fig. 6.
//
//    .---------.        Balls at random under a lifted ceiling fall into a box of two halves. From t1 to t2 the ceiling
//    | o  o    |        comes down to the height of the box, from t3 to t4 floor and ceiling press the bed together,
//    |ooooooooo| -->    and from t5 on the upper half moves sideways. Walls are smooth. The shear force is the mean of
//    |ooooooooo|        the forces on the two halves along the motion, the normal force that of the vertical ones;
//    '---------'        their ratio is taken with the normal force at t5.
//
// The paper does not give the restitution of impacts: 0.5 is assumed. The box keeps its height and gets a base by the
// number of balls, so that fewer balls are a smaller piece of the same bed.
//
// Sample runs:
//     shear_test --particles 60 --width 0.014 --lift 0.05 --pace 0.1
//     shear_test --particles 60 --width 0.014 --lift 0.05 --pace 0.1 --friction-model directional
//     shear_test --particles 40 --width 0.012 --lift .05 --pace .2 --method moreau-jean --contact-stiffness 6e4
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(shear_test,
            "A bed of balls between the halves of a box that is sheared: friction models compared")
{
    // 1. Parameters, in SI units.
    const int n = count("particles", 5000, "number of balls", {1, 1e7});
    const int seed = count("seed", 1, "of the start positions");
    const double d = opt("diameter", 5e-3, "of the balls", "m", positive);
    const double height =
        opt("height", 0.04, "of the box, inside, before it is pressed together", "m", positive);
    const double width = opt("width", 0.12 * std::sqrt(n / 5000.0), "of the box, both ways", "m", positive);
    const double lift = opt("lift", 0.7, "of the ceiling at the start", "m", not_negative);
    const double pressed = opt("compression", 5e-3, "of the box between t3 and t4", "m", not_negative);
    const double shift = opt("shift", 0.01, "of the upper half", "m", positive);
    const double speed = opt("shear-speed", 0.1, "of the upper half", "m/s", positive);
    const double pace =
        opt("pace", 1, "duration of all phases before the shear over the published one", "", positive);
    const double density = opt("density", 2500, "of the balls", "kg/m3", {1e-3, 1e6});
    const double mu = opt("friction", 0.5, "Coulomb coefficient among balls", "", not_negative);
    const double e = opt("restitution", 0.5, "of impacts", "", {0, 1});
    const double g = 9.81;
    const auto solid = [&](double h) { return n * M_PI / 6 * d * d * d / (width * width * h); };
    if (2 * d > std::min(width, height))
        refuse(
            "Balls of {:g} m are too large for a box of {:g} m and {:g} m height: give a smaller --diameter.",
            d, width, height);
    if (pressed >= height)
        refuse("A box of {:g} m height cannot be pressed together by {:g} m: give a smaller --compression.",
               height, pressed);
    if (solid(height - pressed) > 0.7)
        refuse("{} balls of {:g} m fill {:.2g} of the box when it is pressed together, beyond all packings: "
               "give a smaller --compression or --diameter.",
               n, d, solid(height - pressed));
    if (solid(height + lift) > 0.3)
        refuse("{} balls of {:g} m fill {:.2g} of the room under the ceiling, and 0.3 can be placed at "
               "random: give a higher --lift.",
               n, d, solid(height + lift));
    method(Method::dem);
    const double t1 = 1.0 * pace, t2 = 1.2 * pace, t3 = 1.5 * pace, t4 = 1.8 * pace, t5 = 2.5 * pace;

    // 2. The box: plates that are thicker than the shift, so that no ball falls through where the halves have
    // moved apart; walls touch balls only. From 0 to 1 between two times:
    const auto part = [](double t, double a, double b) { return std::clamp((t - a) / (b - a), 0.0, 1.0); };
    const auto rate = [](double t, double a, double b) { return t >= a && t < b ? 1 / (b - a) : 0.0; };
    model.gravity({0, 0, -g});
    const double thick = shift + 2 * d, tall = height / 2 + lift + d;
    const BallSprings k = ball_springs({.diameter = d,
                                        .density = density,
                                        .young = 1.456e9, // E' = 8e8 Pa of Table 4
                                        .poisson = 0.3,
                                        .impact_speed = 0.12076, // gives the 62 950 N/m of Table 4
                                        .speed = std::max(speed, lift / (t2 - t1)),
                                        .period = 0});
    if (k.balls == 0 && solid(height - pressed) > 0.6)
        refuse("{} rigid balls of {:g} m fill {:.2g} of the box when it is pressed together, and cannot give "
               "way: give a --stiffness-from material, or a smaller --compression.",
               n, d, solid(height - pressed));
    const MaterialId ball = model.add(Material{.friction = mu,
                                               .restitution = e,
                                               .stiffness = k.balls,
                                               .young = k.young,
                                               .poisson = k.poisson}),
                     smooth = model.add(Material{.stiffness = k.walls});
    model.contact(ball, smooth,
                  Material{.restitution = e, .stiffness = k.walls, .young = k.young, .poisson = k.poisson});
    const double light = 1e-6; // kg: walls start and stop at once, and their own energy is of no interest
    const Body lower = model.add({.name = "lower half", .joint = fixed_joint(), .mass = light});
    const Body upper = model.add({.name = "upper half", .joint = slide_x(), .mass = light});
    const Body floor = model.add({.name = "floor", .joint = slide_z(), .mass = light});
    const Body ceiling = model.add({.name = "ceiling", .joint = slide_z(), .mass = light});
    const auto touches_balls = [&](ShapeId shape) { model.groups(shape, 2, 1); };
    for (const double side : {-1.0, 1.0}) {
        const double at = side * (width + thick) / 2, all = width + 2 * thick, low = height / 2 + thick;
        for (const auto& [half, z, high] :
             {std::tuple(lower, -low / 2, low), std::tuple(upper, tall / 2, tall)}) {
            touches_balls(model.attach(half, box(thick, all, high), smooth, {.p = {at, 0, z}}));
            touches_balls(model.attach(half, box(all, thick, high), smooth, {.p = {0, at, z}}));
        }
    }
    touches_balls(model.attach(floor, wall({0, 0, 1}, -height / 2), smooth, {}, "floor"));
    touches_balls(model.attach(ceiling, wall({0, 0, -1}, -height / 2), smooth, {}, "ceiling"));
    const Coordinate x = model.coordinate(upper);
    model.drive(x, {[=](double t) { return shift * part(t, t5, t5 + shift / speed); },
                    [=](double t) { return shift * rate(t, t5, t5 + shift / speed); }});
    model.drive(model.coordinate(floor), {[=](double t) { return pressed / 2 * part(t, t3, t4); },
                                          [=](double t) { return pressed / 2 * rate(t, t3, t4); }});
    model.drive(model.coordinate(ceiling),
                {[=](double t) { return lift * (1 - part(t, t1, t2)) - pressed / 2 * part(t, t3, t4); },
                 [=](double t) { return -lift * rate(t, t1, t2) - pressed / 2 * rate(t, t3, t4); }});

    // 3. The balls, at random below the lifted ceiling.
    const std::vector<double> radii(n, d / 2);
    for (const Eigen::Vector3d& at : random_sequential(box(width, width, height + lift), radii,
                                                       {.seed = static_cast<std::uint64_t>(seed)}))
        model.grain({.shape = sphere(d / 2),
                     .material = ball,
                     .density = density,
                     .at = {.p = at + Eigen::Vector3d(0, 0, lift / 2)}});

    // 4. What to record: the shift, the shear and the normal force, and the forces on both halves that these
    // are means of.
    record(
        "shift", [=](const View& s) { return s.q(x); }, "m");
    record(
        {"shear", "normal", "shear_lower", "shear_upper", "normal_lower", "normal_upper"},
        [=](const View& s) {
            const Eigen::Vector3d low = s.contact_force(lower).force + s.contact_force(floor).force,
                                  high = s.contact_force(upper).force + s.contact_force(ceiling).force;
            return std::vector{(std::abs(low.x()) + std::abs(high.x())) / 2,
                               (std::abs(low.z()) + std::abs(high.z())) / 2,
                               low.x(),
                               high.x(),
                               low.z(),
                               high.z()};
        },
        "N");
    record(
        "dissipated", [](const View& s) { return s.dissipated().sum(); }, "J");
    result({"normal_N", "shear_over_normal", "largest_shear_over_normal"}, [=](const Columns& c) {
        // The normal force in the last two milliseconds before the shear; means over the second half of the
        // shift, and over a tenth of a millimetre.
        const double end = t5 + shift / speed, normal = mean({c["t"], c["normal"]}, {t5 - 2e-3 * pace, t5});
        const TimeSeries shear{c["t"], c["shear"]};
        double largest = 0;
        const double width_of_mean = std::min(1e-4, shift) / speed;
        for (double t = t5; t + width_of_mean < end * (1 + 1e-9); t += width_of_mean)
            largest = std::max(largest, mean(shear, {t, t + width_of_mean}));
        return std::vector{normal, mean(shear, {(t5 + end) / 2, end}) / normal, largest / normal};
    });
    defaults.h = 1e-4;
    defaults.record_interval = 2e-4;
    run_until(t5 + shift / speed);
}
