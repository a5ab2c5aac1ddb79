// A rotating drum partly filled with grains: the free surface climbs to the dynamic angle of repose and
// grains flow down it.
//
//     .---.        The drum turns about the y axis, driven at a constant rate. Between its end plates lies
//    / ooo \       a slice of grains. The slope of the bed is measured twice: by the line from the axis to
//   | ooooo |      the grains' centre of mass against the vertical, which is normal to a flat surface, and by
//    \_ooo_/       a straight line fitted to the surface.
//
// Sample runs:  drum --grains 200 --t-end 0.3
//               drum --shape stones --grains 60 --length 0.03 --t-end 0.1
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(drum, "A rotating drum, driven by its joint: dynamic angle of repose")
{
    // 1. Parameters, in SI units.
    const int n = count("grains", 2500, "number of grains", {1, 1e7});
    const std::string kind = choice("shape", "spheres", {"spheres", "stones"}, "of the grains");
    const double d = opt("size", 0.006, "mean diameter of spheres, mean sieve size of stones", "m", positive);
    const double mu = opt("friction", 0.5, "Coulomb coefficient", "", not_negative);
    const double radius = opt("radius", 0.1, "of the drum", "m", positive);
    const double length = opt("length", 0.04, "of the drum", "m", positive);
    const double g = 9.81;
    const double solid = n * d * d * d / (6 * radius * radius * length);
    if (1.15 * d >= std::min(2 * radius, length) || d < std::max(2 * radius, length) / 1000)
        refuse("Grains of {} m do not suit a drum of radius {} m and length {} m: give another --size, "
               "--radius or --length.",
               d, radius, length);
    if (solid > 0.3)
        refuse("{} grains of {} m fill {:.2g} of the drum, and there is room for 0.3: reduce "
               "--grains or --size.",
               n, d, solid);

    // 2. The grains: spheres or stones of slightly different size, settled in a box that fits into the lower
    // part of the drum; they fall towards its sides in the first moments. What they do not depend on is read
    // after them.
    const double width = 1.4 * radius, low = -0.7 * radius;
    const Packing bed = packing("bed", [&] {
        Random random(1);
        std::vector<Shape> shapes;
        std::vector<double> radii;
        for (int i = 0; i < n; ++i) {
            const double size = d * random.uniform(0.85, 1.15);
            if (kind == "spheres")
                shapes.push_back(sphere(size / 2));
            else
                shapes.push_back(Polyhedron{std::make_shared<Hull>(make_stone({}, size, random))});
            radii.push_back(bounding_radius(shapes.back()));
        }
        const auto centres = drop_lattice(box(width, length, 1), radii);
        Packing loose;
        for (int i = 0; i < n; ++i) loose.add(shapes[i], {random.rotation(), centres[i]});
        Walls walls;
        walls.shapes.emplace_back(wall({0, 0, 1}, 0), Pose{});
        for (double side : {1.0, -1.0}) {
            walls.shapes.emplace_back(wall({side, 0, 0}, -width / 2), Pose{});
            walls.shapes.emplace_back(wall({0, side, 0}, -length / 2), Pose{});
        }
        Packing settled = deposit(loose, walls, {.friction = {mu}}).packing;
        for (Pose& pose : settled.poses) pose.p.z() += low;
        return settled;
    });
    if (bed.size() > 0 && bounds(bed).high.z() > 0.7 * radius)
        fail("{} grains of {} m do not fit into the drum of radius {} m: reduce --grains or --size.", n, d,
             radius);

    // 3. The drum: a hollow cylinder on a driven hinge, and its end plates, which turn with it. Rough plates
    // carry a part of the bed; smooth ones stand for a slice of a long drum.
    const double plates =
        opt("plate-friction", 0.5, "Coulomb coefficient at the end plates", "", not_negative);
    const double rolling =
        opt("rolling", 0, "rolling resistance: arm of the normal force", "m", not_negative);
    const double rate = opt("rate", 1.5, "of turning", "rad/s", {-1000, 1000});
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .rolling = rolling, .anticipation = true});
    const MaterialId plate = model.add(Material{});
    model.contact(stone, plate, Material{.friction = plates, .rolling = rolling, .anticipation = true});
    const Body drum =
        model.add({.name = "drum", .joint = hinge_y(), .mass = 1, .inertia = {1e-2, 1e-2, 1e-2}});
    const Eigen::Matrix3d lying = Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX()).toRotationMatrix();
    model.attach(drum, hollow(cylinder(radius, 2 * length)), stone, {.R = lying}, "drum");
    for (double side : {1.0, -1.0})
        model.attach(drum, wall({0, side, 0}, -length / 2), plate, {}, "end plate");
    model.drive(model.coordinate(drum), {[=](double t) { return rate * t; }, [=](double) { return rate; }});
    add_grains(model, bed, stone, 2500);

    // 4. What to record, and for how long.
    record("slope_deg", [](const View& s) {
        Eigen::Vector3d sum(0, 0, 0);
        for (std::size_t i = 0; i < s.grains().size(); ++i)
            sum += s.model().grains()[i].mass * s.grains()[i].x;
        return std::atan2(-sum.x(), -sum.z()) * 180 / M_PI;
    });
    record("surface_deg", [=](const View& s) {
        // The highest point of the grains in each of sixteen bins across the middle of the drum.
        constexpr int bins = 16;
        std::array<double, bins> top;
        top.fill(-radius);
        for (std::size_t i = 0; i < s.grains().size(); ++i) {
            const Eigen::Vector3d& x = s.grains()[i].x;
            const double bin = (x.x() / (0.6 * radius) + 1) / 2 * bins;
            if (bin < 0 || bin >= bins) continue;
            double& z = top[static_cast<int>(bin)];
            z = std::max(z, x.z() + s.model().grains()[i].radius);
        }
        double one = 0, x1 = 0, z1 = 0, xx = 0, xz = 0;
        for (int k = 0; k < bins; ++k) {
            if (top[k] == -radius) continue; // no grains
            const double x = 0.6 * radius * ((2 * k + 1.0) / bins - 1);
            one += 1, x1 += x, z1 += top[k], xx += x * x, xz += x * top[k];
        }
        const double spread = one * xx - x1 * x1;
        return spread > 0 ? std::atan((x1 * z1 - one * xz) / spread) * 180 / M_PI : 0.0;
    });
    record("torque", [=](const View& s) { return s.contact_force(drum).moment.y(); });
    defaults.h = kind == "stones" ? 2e-4 : 5e-4; // in longer steps corners turn into other stones
    run_until(4);
}
