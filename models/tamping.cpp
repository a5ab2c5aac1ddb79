// A railway tamping machine dives into ballast on both sides of a sleeper and squeezes the stones under it.
// Docquier et al. (2020), Sect. 6, Figs 8-11, Table 2.
//
//              =======            support: moves up and down, pushed by F_s
//              |  z  |            springs
//     B [======|=====|====] A     actuator, F_a, between the upper ends of the arms
//       |   .--------.   |
//       O---|   (*)  |---O        chassis with the unbalanced flywheel; the arms turn about O
//       | \ '--------' / |        (a crossed connecting rod makes them turn oppositely)
//       |    ________    |
//    oooVoooo|sleeper|oooVooo     tines
//    oooooooooooooooooooooooo     stones
//
// What the paper prints are the masses, control laws and their parameters, friction, box, sleeper, step. The
// rest is ours: dimensions, inertias, spring damping, the motor, the times of the phases and L(t).
//
// Sample runs:  tamping --grains 500 --quick
//               tamping --grains 60 --quick --drive imposed --frequency 15 --motor angle
#include <tamis.hpp>
using namespace tamis;

// A bar or block of this mass: lengths of its sides along x, y, z.
static Inertia block(double mass, double x, double y, double z)
{
    const double m = mass / 12;
    return {m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y)};
}

// A block with other sides below than above: the cross-sections x, y at the heights low and high.
static Shape tapered(double low, double x_low, double y_low, double high, double x_high, double y_high)
{
    std::vector<Eigen::Vector3d> corners;
    for (double sx : {-0.5, 0.5})
        for (double sy : {-0.5, 0.5}) {
            corners.emplace_back(sx * x_low, sy * y_low, low);
            corners.emplace_back(sx * x_high, sy * y_high, high);
        }
    return polyhedron(corners);
}

// The box of ballast and the sleeper in it.
struct Track {
    double length = 1.3, width = 0.6;
    Eigen::Vector3d sleeper{0.25, 0.6, 0.215};
    double sleeper_bottom = 0.22;

    std::vector<Shape> walls() const
    {
        std::vector<Shape> planes{wall({0, 0, 1}, 0)};
        for (double side : {1.0, -1.0}) {
            planes.push_back(wall({side, 0, 0}, -length / 2));
            planes.push_back(wall({0, side, 0}, -width / 2));
        }
        return planes;
    }
    Pose sleeper_at() const { return {.p = {0, 0, sleeper_bottom + sleeper.z() / 2}}; }
};

// Railway ballast 31.5/50, category A of EN 13450, at its coarse limit (3 % below 31.5 mm): 5500 stones fill
// the box to the sleeper's top.
static const Grading coarse_ballast{{0.0224, 0.0315, 0.04, 0.05, 0.063}, {0, 0.03, 0.30, 0.70, 1}};

// Stones up to the sleeper's bottom; those that stick out there are taken away and fall, with the others, on
// both sides of it. `scale` is of their sizes.
static Packing make_bed(const Track& track, int n, double scale, std::uint64_t seed, const Deposit& how)
{
    std::vector<double> sizes = draw_sizes(coarse_ballast, n, seed);
    for (double& size : sizes) size *= scale;
    std::vector<Polyhedron> stones = make_stones({}, sizes, seed);
    Random random(seed);
    Walls walls;
    for (const Shape& plane : track.walls()) walls.shapes.emplace_back(plane, Pose{});
    auto drop = [&](Packing& onto, double left, double right, double above,
                    std::span<const Polyhedron> falling) {
        std::vector<double> radii;
        for (const Polyhedron& stone : falling) radii.push_back(stone.hull->radius);
        const auto centres = drop_lattice(box(right - left, track.width, 1), radii);
        for (std::size_t i = 0; i < falling.size(); ++i)
            onto.add(falling[i],
                     {random.rotation(), centres[i] + Eigen::Vector3d((left + right) / 2, 0, above)});
    };

    double volume = 0;
    for (const Polyhedron& stone : stones) volume += mass_properties(*stone.hull).volume;
    const double level = track.sleeper_bottom + 0.5 * scale * 0.04; // half a stone more
    const double share = level * track.length * track.width * 0.6 / volume;
    const int below = std::min(n, static_cast<int>(std::lround(share * n)));
    Packing bed;
    const std::span<const Polyhedron> all(stones);
    drop(bed, -track.length / 2, track.length / 2, 0, all.first(below));
    bed = deposit(bed, walls, how).packing;

    std::vector<Polyhedron> above(stones.begin() + below, stones.end());
    Packing kept;
    for (int i = 0; i < bed.size(); ++i) {
        const Bounds b = bounds(bed.shapes[i], bed.poses[i]);
        const double half = track.sleeper.x() / 2;
        if (b.high.z() > track.sleeper_bottom && b.high.x() > -half && b.low.x() < half)
            above.push_back(std::get<Polyhedron>(bed.shapes[i]));
        else
            kept.add(bed.shapes[i], bed.poses[i]);
    }
    if (above.empty()) return kept;
    // A sleeper as high as the sky, so that nothing comes to lie on it.
    const double high = 100 * track.sleeper_bottom;
    walls.shapes.emplace_back(box(track.sleeper.x(), track.sleeper.y(), high),
                              Pose{.p = {0, 0, track.sleeper_bottom + high / 2}});
    const double top = bounds(kept).high.z();
    const std::span<const Polyhedron> rest(above);
    drop(kept, -track.length / 2, -track.sleeper.x() / 2, top, rest.first(rest.size() / 2));
    drop(kept, track.sleeper.x() / 2, track.length / 2, top, rest.subspan(rest.size() / 2));
    return deposit(kept, walls, how).packing;
}

TAMIS_MODEL(tamping, "A railway tamping machine in ballast (Docquier et al. 2020)")
{
    // 1. The ballast, at rest, and what it depends on, in SI units.
    const bool quick = flag("quick", "all phases in 0.2 s: for tests");
    const int n = count("grains", 5500, "number of stones; fewer are larger, so that the bed stays as it is",
                        {50, 1e6});
    const int seed = count("seed", 1, "of the ballast", {1, 1e9});
    const double mu = opt("friction", 0.7, "Coulomb coefficient of stones", "", not_negative);
    const Track track;
    const double scale = std::cbrt(5500.0 / n);
    Deposit how{.friction = {0.2, mu}, .max_sweeps = 100};
    if (quick) how = {.friction = {mu}, .rest = 0.05, .step = 0.03, .max_sweeps = 30};
    const Packing bed = packing("ballast", [&] { return make_bed(track, n, scale, seed, how); });
    const double surface = bed.size() > 0 ? bounds(bed).high.z() : 0.5;

    // 2. Parameters of the machine and of what it does.
    const double frequency = opt("frequency", 45, "of the flywheel", "Hz", positive);
    const std::string drive = choice("drive", "dynamic", {"dynamic", "imposed"},
                                     "the chassis vibrates freely, or follows the vibration that it has in "
                                     "air");
    const std::string motor = choice("motor", "torque", {"torque", "angle"},
                                     "the flywheel: a torque regulates its speed, or its angle is "
                                     "prescribed");
    const double mu_tine =
        opt("tine-friction", 0.7, "Coulomb coefficient between tines and stones", "", not_negative);
    const double push = opt("diving-force", 10e3, "F_s,1", "N", not_negative);
    const double c_push = opt("diving-damping", 3e3, "C_s,1", "N s/m", not_negative);
    const double k_hold = opt("holding-stiffness", 1e6, "K_s,2", "N/m", not_negative);
    const double c_hold = opt("holding-damping", 1e3, "C_s,2", "N s/m", not_negative);
    const double k_a = opt("actuator-stiffness", 500e3, "K_a", "N/m", not_negative);
    const double c_a = opt("actuator-damping", 10e3, "C_a", "N s/m", not_negative);
    const double eccentricity = opt("eccentricity", 0.02, "of the flywheel's centre of mass", "m", positive);
    const double k_spring =
        opt("spring-stiffness", 50e3, "of support to chassis, in x and in z", "N/m", not_negative);
    const double c_spring =
        opt("spring-damping", 200, "of support to chassis, in x and in z", "N s/m", not_negative);
    const double spring_arm =
        opt("spring-arm", 0.3, "of the springs about the chassis' centre", "m", not_negative);
    const double gain = opt("motor-gain", 10, "torque for a lack of speed", "N m s", not_negative);
    const double stroke = opt("stroke", 0.10, "by which the actuator is to extend", "m", {-0.2, 0.2});
    const double dive_at = opt("dive-at", quick ? 0.01 : 0.1, "start of the dive", "s", not_negative);
    const double squeeze_at =
        opt("squeeze-at", quick ? 0.12 : 1.0, "end of the dive at the latest, and start of the squeeze", "s",
            not_negative);
    const double squeeze_time =
        opt("squeeze-time", quick ? 0.06 : 0.8, "of the actuator's extension", "s", positive);
    const double clearance =
        opt("start-height", 0.03, "of the tips over the highest stone at the start", "m");
    const double depth = opt("depth", 0.02, "of the tines' top under the sleeper, to dive to", "m");
    if (squeeze_at < dive_at)
        refuse("The squeeze begins at {} s, before the dive at {} s: give a later --squeeze-at.", squeeze_at,
               dive_at);
    const double omega = 2 * M_PI * frequency, g = 9.81;

    // 3. The machine. All frames are upright at the start; x along the track, z up.
    const double reach = 0.60, pin = 0.35, half = 0.25, cross = 0.10; // of an arm: tip, pin; pivots; rod
    const double m_support = 50, m_chassis = 20, m_flywheel = 15, m_arm = 15, m_barrel = 3, m_piston = 2,
                 m_rod = 3;
    const double hung = m_chassis + m_flywheel + 2 * m_arm + m_barrel + m_piston + m_rod;
    model.gravity({0, 0, -g});
    const double start = surface + clearance + reach;
    const Body support = model.add({.name = "support",
                                    .joint = slide_z(),
                                    .mass = m_support,
                                    .com = {0, 0, 0.9},
                                    .inertia = block(m_support, 0.8, 0.3, 0.2)});
    const Body chassis = model.add({.name = "chassis",
                                    .parent = support,
                                    .joint = planar_y(),
                                    .mass = m_chassis,
                                    .com = {0, 0, 0.15},
                                    .inertia = block(m_chassis, 0.6, 0.2, 0.3)});
    const Body flywheel = model.add({.name = "flywheel",
                                     .parent = chassis,
                                     .joint = hinge_y(),
                                     .mass = m_flywheel,
                                     .com = {eccentricity, 0, 0},
                                     .inertia = block(m_flywheel, 0.2, 0.1, 0.2)});
    Body arm[2];
    for (int k : {0, 1})
        arm[k] = model.add({.name = fmt::format("arm {}", k + 1),
                            .parent = chassis,
                            .joint = hinge_y(),
                            .at = {k == 0 ? -half : half, 0, 0},
                            .mass = m_arm,
                            .com = {0, 0, (pin - reach) / 2},
                            .inertia = block(m_arm, 0.06, 0.06, pin + reach)});
    const Body barrel = model.add({.name = "actuator barrel",
                                   .parent = arm[0],
                                   .joint = hinge_y(),
                                   .at = {0, 0, pin},
                                   .mass = m_barrel,
                                   .com = {0.15, 0, 0},
                                   .inertia = block(m_barrel, 0.3, 0.06, 0.06)});
    const Body piston = model.add({.name = "actuator rod",
                                   .parent = barrel,
                                   .joint = slide_x(),
                                   .mass = m_piston,
                                   .com = {0.35, 0, 0},
                                   .inertia = block(m_piston, 0.3, 0.03, 0.03)});
    const double rod_length = 2 * std::hypot(half, cross);
    const Body rod = model.add({.name = "connecting rod",
                                .parent = arm[0],
                                .joint = hinge_y(),
                                .at = {0, 0, cross},
                                .mass = m_rod,
                                .com = {rod_length / 2, 0, 0},
                                .inertia = block(m_rod, rod_length, 0.03, 0.03)});
    model.close({.name = "actuator pin",
                 .kind = LoopKind::point_plane,
                 .a = piston,
                 .point_a = {2 * half, 0, 0},
                 .b = arm[1],
                 .point_b = {0, 0, pin},
                 .axis = {0, 1, 0}});
    model.close({.name = "rod pin",
                 .kind = LoopKind::point_plane,
                 .a = rod,
                 .point_a = {rod_length, 0, 0},
                 .b = arm[1],
                 .point_b = {0, 0, -cross},
                 .axis = {0, 1, 0}});
    const Coordinate height = model.coordinate(support), elongation = model.coordinate(piston);
    const Coordinate shake_x = model.coordinate(chassis, 0), shake_z = model.coordinate(chassis, 1);

    // The chassis on its springs, carried at zero; the flywheel shakes it by `amplitude` in both directions.
    model.spring(shake_x, {.stiffness = k_spring, .damping = c_spring});
    model.spring(shake_z, {.stiffness = k_spring, .damping = c_spring, .rest = hung * g / k_spring});
    model.spring(model.coordinate(chassis, 2), {.stiffness = k_spring * spring_arm * spring_arm,
                                                .damping = c_spring * spring_arm * spring_arm});
    const double amplitude = m_flywheel * eccentricity * omega * omega / (hung * omega * omega - k_spring);
    model.start(support, start, 0);
    model.start(chassis, -amplitude, 0, 0);
    model.start(chassis, 0, amplitude * omega, 1);
    model.start(flywheel, 0, omega);
    model.start(rod, std::atan2(cross, half), 0);
    if (motor == "torque")
        model.force(model.coordinate(flywheel),
                    [=, c = model.coordinate(flywheel)](const View& s) { return gain * (omega - s.v(c)); });
    else
        model.drive(model.coordinate(flywheel),
                    {[=](double t) { return omega * t; }, [=](double) { return omega; }});
    if (drive == "imposed") {
        // The vibration above the bed. In z the support, held by K_s,2, gives way by `share` of it.
        const double share = k_spring / (k_hold - m_support * omega * omega);
        const double amplitude_z =
            m_flywheel * eccentricity * omega * omega / (hung * omega * omega * (1 + share) - k_spring);
        model.drive(shake_x, motion([=](Expr t) { return -amplitude * cos(omega * t); }));
        model.drive(shake_z, motion([=](Expr t) { return amplitude_z * sin(omega * t); }));
        model.drive(model.coordinate(chassis, 2), {[](double) { return 0.0; }, [](double) { return 0.0; }});
    }

    // 4. Control (34-36). The support is held above the bed, then pushed down to its target, or until it is
    //    time to squeeze; there it is held.
    const double above = 0, diving = 1, squeezing = 2;
    const double blade = 0.08, target = track.sleeper_bottom - depth - blade + reach;
    const Memory stage = model.memory("stage", dive_at > 0 ? above : diving, [=](const View& s, double now) {
        if (s.time() < dive_at) return above;
        return now == squeezing || s.time() >= squeeze_at || s.q(height) <= target ? squeezing : diving;
    });
    const Memory held = model.memory("height held", start, [=](const View& s, double now) {
        return s.memory(stage) == diving ? std::max(s.q(height), target) : now;
    });
    const auto support_force = [=](const View& s) {
        const double z = s.q(height), v = s.v(height);
        return s.memory(stage) == diving ? -push - c_push * v : -k_hold * (z - s.memory(held)) - c_hold * v;
    };
    model.force(height, support_force);
    const auto target_elongation = [=](double t) {
        return stroke * std::clamp((t - squeeze_at) / squeeze_time, 0.0, 1.0);
    };
    const auto actuator_force = [=](const View& s) {
        return -k_a * (s.q(elongation) - target_elongation(s.time())) - c_a * s.v(elongation);
    };
    model.force(elongation, actuator_force);

    // 5. What touches: stones, walls, sleeper, and the tines, of shank and blade.
    //    Stones yield at their edges as granite does at 300 N: 1.7e7 N/m.
    const double stiffness = hertz_stiffness(50e9, 0.25, 300, 4e-3);
    const MaterialId stone =
        model.add(Material{.friction = mu, .anticipation = true, .stiffness = stiffness});
    const MaterialId steel = model.add(Material{});
    model.contact(stone, steel, Material{.friction = mu_tine, .anticipation = true, .stiffness = stiffness});
    add_grains(model, bed, stone, 2700);
    for (const Shape& plane : track.walls()) model.attach(ground, plane, stone, {}, "wall of the box");
    model.attach(ground, box(track.sleeper.x(), track.sleeper.y(), track.sleeper.z()), stone,
                 track.sleeper_at(), "sleeper");
    for (int k : {0, 1}) {
        model.attach(arm[k], tapered(blade - reach, 0.04, 0.04, -0.10, 0.04, 0.04), steel, {},
                     fmt::format("tine {} shank", k + 1));
        model.attach(arm[k], tapered(-reach, 0.012, 0.06, blade - reach, 0.025, 0.07), steel, {},
                     fmt::format("tine {} blade", k + 1));
        model.show(arm[k], box(0.06, 0.06, pin + 0.10), {.p = {0, 0, (pin - 0.10) / 2}},
                   fmt::format("arm {}", k + 1));
    }
    model.show(support, box(0.8, 0.3, 0.1), {.p = {0, 0, 0.9}}, "support");
    model.show(chassis, box(2 * half, 0.12, 0.12), {}, "chassis");
    model.show(flywheel, cylinder(0.09, 0.16),
               {.R = Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX()).toRotationMatrix(),
                .p = {eccentricity, 0, 0}},
               "flywheel");
    model.show(barrel, box(0.3, 0.06, 0.06), {.p = {0.15, 0, 0}}, "barrel");
    model.show(piston, box(0.3, 0.03, 0.03), {.p = {0.35, 0, 0}}, "rod");
    model.show(rod, box(rod_length, 0.02, 0.02), {.p = {rod_length / 2, 0.08, 0}}, "connecting rod");

    // 6. What to record, and for how long.
    record("chassis_z", [=](const View& s) { return s.position(chassis).z(); });
    record("chassis_x", [=](const View& s) { return s.position(chassis).x(); });
    record("support_z", [=](const View& s) { return s.q(height); });
    record("elongation", [=](const View& s) { return s.q(elongation); });
    record("target_elongation", [=](const View& s) { return target_elongation(s.time()); });
    record("actuator_force", actuator_force);
    record("support_force", support_force);
    for (int k : {0, 1})
        record({fmt::format("tip{}_x", k + 1), fmt::format("tip{}_z", k + 1)}, [=](const View& s) {
            const Eigen::Vector3d tip = s.position(arm[k], {0, 0, -reach});
            return std::vector{tip.x(), tip.z()};
        });
    record("flywheel_speed", [=, c = model.coordinate(flywheel)](const View& s) { return s.v(c); });
    record("stage", [=](const View& s) { return s.memory(stage); });
    for (int k : {0, 1})
        record({fmt::format("tine{}_force_x", k + 1), fmt::format("tine{}_force_z", k + 1)},
               [=](const View& s) {
                   const Eigen::Vector3d force = s.contact_force(arm[k]).force;
                   return std::vector{force.x(), force.z()};
               });
    record("loop_error", [=](const View& s) {
        return std::max((s.position(piston, {2 * half, 0, 0}) - s.position(arm[1], {0, 0, pin})).norm(),
                        (s.position(rod, {rod_length, 0, 0}) - s.position(arm[1], {0, 0, -cross})).norm());
    });
    compared({"chassis_z", "chassis_x", "support_z", "elongation", "actuator_force", "tip1_z", "tip2_z"});
    defaults.h = 5e-4;
    defaults.solver = "coloured-float"; // falls back to double where single precision does not get there
    defaults.tolerance = 1e-4;
    defaults.max_sweeps = quick ? 10000 : 32000;
    run_until(quick ? 0.2 : 2);
}
