// A pendulum whose ball swings into a bed of grains: the smallest true coupling of a mechanism with grains,
// solved in one step.
//
//        O
//       /          The pendulum starts level and swings down. Its ball meets the bed that fills the
//      /           trough below the hinge, throws grains about, and comes to rest in them.
//     ( )
//   o|oooooo|
//   o|oooooo|
//
// Sample runs:  pendulum_in_grains --t-end 0.35 --grains 150
//               pendulum_in_grains --t-end 0.1 --grains 150 --coupling tight
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(pendulum_in_grains, "A pendulum whose ball swings into a bed of grains")
{
    // 1. Parameters, in SI units.
    const int n = count("grains", 1500, "number of grains", {1, 1e7});
    const double d = opt("size", 0.012, "mean diameter of the grains", "m", positive);
    const double mu = opt("friction", 0.5, "Coulomb coefficient", "", not_negative);
    const double width = 0.24, depth = 0.12, g = 9.81;
    if (d > depth / 2 || d < depth / 1000)
        refuse("Grains of {} m do not suit a trough of {} m: give a --size from {} to {} m.", d, depth,
               depth / 1000, depth / 2);

    // 2. The trough and the bed: spheres of slightly different size (no crystals), settled in a run of their
    // own.
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .anticipation = true});
    Walls walls;
    walls.shapes.emplace_back(wall({0, 0, 1}, 0), Pose{});
    for (const Eigen::Vector3d& side : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(-1, 0, 0)})
        walls.shapes.emplace_back(wall(side, -width / 2), Pose{});
    for (const Eigen::Vector3d& side : {Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(0, -1, 0)})
        walls.shapes.emplace_back(wall(side, -depth / 2), Pose{});
    const Packing bed = packing("bed", [&] {
        std::vector<double> radii;
        Random random(1);
        for (int i = 0; i < n; ++i) radii.push_back(d / 2 * random.uniform(0.85, 1.15));
        const auto centres = drop_lattice(box(width, depth, 1), radii);
        Packing loose;
        for (int i = 0; i < n; ++i) loose.add(sphere(radii[i]), {.p = centres[i]});
        return deposit(loose, walls, {.friction = {mu}}).packing;
    });
    add_grains(model, bed, stone, 2600);
    std::vector<ShapeId> trough;
    for (const auto& [shape, pose] : walls.shapes) trough.push_back(model.attach(ground, shape, stone, pose));

    // 3. The pendulum, which the bed knows nothing of: at its lowest point the ball is half in the bed.
    const double length = opt("length", 0.3, "from the hinge to the centre of the ball", "m", {1e-3, 1e3});
    const double radius = opt("radius", 0.04, "of the ball", "m", {1e-3, 1});
    const double start = opt("start", 1.4, "start angle from the vertical", "rad");
    const double top = bed.size() > 0 ? bounds(bed).high.z() : 0;
    const double mass = 7800 * 4.0 / 3 * M_PI * radius * radius * radius,
                 inertia = 0.4 * mass * radius * radius;
    const Body arm = model.add({.name = "pendulum",
                                .joint = hinge_y(),
                                .at = {0, 0, top + length},
                                .mass = mass,
                                .com = {0, 0, -length},
                                .inertia = {inertia, inertia, inertia}});
    const ShapeId ball = model.attach(arm, sphere(radius), stone, {.p = {0, 0, -length}}, "ball");
    for (ShapeId side : trough)
        model.ignore(ball, side); // planes have no end: the ball swings over the trough's sides
    model.show(arm, box(0.01, 0.01, length), {.p = {0, 0, -length / 2}}, "rod");
    model.start(arm, start, 0);
    cut(arm, CutKind::contacts);

    // 4. What to record, and for how long.
    const Coordinate angle = model.coordinate(arm);
    record("angle", [=](const View& s) { return s.q(angle); });
    record("rate", [=](const View& s) { return s.v(angle); });
    record({"force_x", "force_y", "force_z"}, [=](const View& s) {
        const Eigen::Vector3d f = s.contact_force(ball).force;
        return std::vector{f.x(), f.y(), f.z()};
    });
    compared({"angle", "rate"});
    defaults.h = 5e-4;
    run_until(1.5);
}
