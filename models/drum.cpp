// A rotating drum half full of grains: the free surface climbs to the dynamic angle of repose and grains flow
// down it.
//
//     .---.        The drum turns about the y axis, driven at a constant rate. Between its end plates lies
//    / ooo \       a slice of grains. The angle of the line from the axis to the grains' centre
//   | ooooo |      of mass, against the vertical, is the slope of the bed.
//    \_ooo_/
//
// Sample runs:  drum --grains 200 --t-end 0.3
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(drum, "A rotating drum, driven by its joint: dynamic angle of repose")
{
    // 1. Parameters, in SI units.
    const int n = count("grains", 2500, "number of grains", {1, 1e7});
    const double d = opt("size", 0.006, "mean diameter of the grains", "m", positive);
    const double mu = opt("friction", 0.5, "Coulomb coefficient", "", not_negative);
    const double rolling =
        opt("rolling", 0, "rolling resistance: arm of the normal force", "m", not_negative);
    const double radius = opt("radius", 0.1, "of the drum", "m", positive);
    const double length = opt("length", 0.04, "of the drum", "m", positive);
    const double rate = opt("rate", 1.5, "of turning", "rad/s", {-1000, 1000});
    const double g = 9.81;
    const double solid = n * d * d * d / (6 * radius * radius * length);
    if (1.15 * d >= std::min(2 * radius, length) || d < std::max(2 * radius, length) / 1000)
        fail("Grains of {} m do not suit a drum of radius {} m and length {} m: give another --size, "
             "--radius or "
             "--length.",
             d, radius, length);
    if (solid > 0.3)
        fail("{} grains of {} m fill {:.2g} of the drum, and are placed in it at random up to 0.3: reduce "
             "--grains or --size.",
             n, d, solid);

    // 2. The drum: a hollow cylinder on a driven hinge; its end plates turn with it.
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .rolling = rolling, .anticipation = true});
    const Body drum =
        model.add({.name = "drum", .joint = hinge_y(), .mass = 1, .inertia = {1e-2, 1e-2, 1e-2}});
    const Eigen::Matrix3d lying = Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX()).toRotationMatrix();
    const ShapeId shell = model.attach(drum, hollow(cylinder(radius, length)), stone, {.R = lying}, "drum");
    model.drive(model.coordinate(drum), {[=](double t) { return rate * t; }, [=](double) { return rate; }});

    // 3. The grains: spheres of slightly different size, anywhere in the drum; they fall in the first
    // moments.
    Random random(1);
    std::vector<double> radii;
    for (int i = 0; i < n; ++i) radii.push_back(d / 2 * random.uniform(0.85, 1.15));
    const auto centres = random_sequential(cylinder(radius, length), radii);
    for (int i = 0; i < n; ++i)
        model.grain(
            {.shape = sphere(radii[i]), .material = stone, .density = 2500, .at = {.p = lying * centres[i]}});

    // 4. What to record, and for how long.
    record("slope_deg", [](const View& s) {
        Eigen::Vector3d sum(0, 0, 0);
        for (std::size_t i = 0; i < s.grains().size(); ++i)
            sum += s.model().grains()[i].mass * s.grains()[i].x;
        return std::atan2(-sum.x(), -sum.z()) * 180 / M_PI;
    });
    record("torque", [=](const View& s) { return s.contact_force(shell).moment.y(); });
    defaults.h = 5e-4;
    run_until(4);
}
