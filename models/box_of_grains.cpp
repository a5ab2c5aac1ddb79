// Grains fall into a box and come to rest: the smallest granular model.
//
//   | o  o  |     Grains start on a loose lattice above the floor, fall, and settle under
//   |  o o o|     gravity. The force on the floor ends at the weight of all of them less
//   |o_oo_oo|     what friction lets the walls carry.
//
// Sample runs:  box_of_grains --grains 150 --t-end 0.3
//               box_of_grains --shape stones --grains 40 --t-end 0.25 --h 5e-4
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(box_of_grains, "Spheres or stones fall into a box and come to rest")
{
    // 1. Parameters, in SI units.
    const int n = count("grains", 1000, "number of grains", {1, 1e7});
    const std::string kind = choice("shape", "spheres", {"spheres", "stones"}, "of the grains");
    const double d = opt("size", 0.02, "diameter of spheres, sieve size of stones", "m", positive);
    const double mu = opt("friction", 0.5, "Coulomb coefficient", "", not_negative);
    const double rolling =
        opt("rolling", 0, "rolling resistance: arm of the normal force", "m", not_negative);
    const double density = opt("density", 2600, "of the grains", "kg/m3", {1e-3, 1e6});
    const double width = opt("width", 0.2, "of the box, both ways", "m", positive);
    const int seed = count("seed", 1, "of shapes and start positions");
    const double g = 9.81;
    if (d > width / 2 || d < width / 1000)
        refuse("Grains of {} m do not suit a box of {} m: give a --size from {} to {} m, or another --width.",
               d, width, width / 1000, width / 2);

    // 2. The box, open above: its cavity is taller than the lattice that the grains start on.
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .rolling = rolling, .anticipation = true});
    const ShapeId floor = model.attach(ground, wall({0, 0, 1}, 0), stone, {}, "floor");
    for (const Eigen::Vector3d& side : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 1, 0)}) {
        model.attach(ground, wall(side, -width / 2), stone);
        model.attach(ground, wall(-side, -width / 2), stone);
    }

    // 3. The grains.
    std::vector<Shape> shapes(n, sphere(d / 2));
    Random random(seed);
    if (kind == "stones")
        for (Shape& s : shapes) s = Polyhedron{std::make_shared<Hull>(make_stone({}, d, random))};
    std::vector<double> radii;
    for (const Shape& s : shapes) radii.push_back(bounding_radius(s));
    const auto centres =
        drop_lattice(box(width, width, width), radii, {.seed = static_cast<std::uint64_t>(seed)});
    for (int i = 0; i < n; ++i)
        model.grain({.shape = shapes[i],
                     .material = stone,
                     .density = density,
                     .at = {random.rotation(), centres[i]}});

    // 4. What to record, and for how long.
    double weight = 0;
    for (const GrainRecord& grain : model.grains()) weight += grain.mass * g;
    record("force_on_floor", [=](const View& s) { return -s.contact_force(floor).force.z() / weight; });
    record("top", [](const View& s) {
        double z = 0;
        for (const GrainState& grain : s.grains()) z = std::max(z, grain.x.z());
        return z;
    });
    defaults.h = 1e-3;
    run_until(1.5);
}
