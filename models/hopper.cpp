// A silo discharges through a round hole in its flat floor. The rate does not depend on the height of the
// fill but on the hole alone: Beverloo's law, W = C rho_b sqrt(g) (D - k d)^(5/2) with C = 0.58 and k = 1.4
// (W. A. Beverloo, H. A. Leniger, J. van de Velde, Chem. Eng. Sci. 15 (1961),
// doi 10.1016/0009-2509(61)85030-6).
//
//   |ooooo|
//   |ooooo|
//   |_o o_|   hole of diameter D, made of convex wedges around it
//      o
//
// Sample runs:  hopper --grains 250 --hole 0.03 --silo 0.05 --t-end 0.2
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(hopper, "Discharge of a silo through a round hole, against Beverloo's law")
{
    // 1. Parameters, in SI units.
    const int n = count("grains", 5000, "number of grains", {1, 1e7});
    const double d = opt("size", 0.005, "mean diameter of the grains", "m", positive);
    const double mu = opt("friction", 0.5, "Coulomb coefficient", "", not_negative);
    const double silo = opt("silo", 0.1, "diameter of the silo", "m", positive);
    const double density = 2500, g = 9.81;
    if (d > silo / 2 || d < silo / 1000)
        refuse("Grains of {} m do not suit a silo of {} m: give a --size from {} to {} m, or another --silo.",
               d, silo, silo / 1000, silo / 2);

    // 2. The bed, settled on a closed floor in a run of its own.
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .anticipation = true});
    const double tall = 4 * (silo + n * d * d * d / (silo * silo));
    const Pose upright{.p = {0, 0, tall / 2}};
    const Packing bed = packing("bed", [&] {
        Random random(1);
        std::vector<double> radii;
        for (int i = 0; i < n; ++i) radii.push_back(d / 2 * random.uniform(0.85, 1.15));
        const auto centres = drop_lattice(cylinder(silo / 2, tall), radii);
        Packing loose;
        for (int i = 0; i < n; ++i) loose.add(sphere(radii[i]), {.p = centres[i]});
        return deposit(loose, {{{hollow(cylinder(silo / 2, 2 * tall)), {.p = {0, 0, tall}}}}},
                       {.friction = {mu}})
            .packing;
    });
    add_grains(model, bed, stone, density);

    // 3. The silo, with a hole that the bed knows nothing of: the wall is a hollow cylinder that reaches far
    // below the floor; the floor is a ring of wedges.
    const double hole = opt("hole", 0.035, "diameter of the hole", "m", positive);
    if (hole >= silo)
        refuse("The hole of {} m is not smaller than the silo of {} m: reduce --hole.", hole, silo);
    model.attach(ground, hollow(cylinder(silo / 2, 2 * tall)), stone, upright, "wall");
    constexpr int wedges = 24;
    const double thickness = d, outer = silo / 2 / std::cos(M_PI / wedges) * 1.01;
    for (int k = 0; k < wedges; ++k) {
        std::vector<Eigen::Vector3d> corners;
        for (int side : {0, 1})
            for (double r : {hole / 2, outer})
                for (double z : {-thickness, 0.0}) {
                    const double angle = 2 * M_PI * (k + side) / wedges;
                    corners.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
                }
        model.attach(ground, polyhedron(corners), stone, {}, fmt::format("floor {}", k + 1));
    }

    // 4. What to record: the mass that has left, and Beverloo's rate for the bulk density of the fill.
    const double height = bed.size() > 0 ? bounds(bed).high.z() : 1;
    double mass = 0;
    for (const GrainRecord& grain : model.grains()) mass += grain.mass;
    const double bulk = mass / (M_PI / 4 * silo * silo * height);
    const double beverloo = 0.58 * bulk * std::sqrt(g) * std::pow(std::max(hole - 1.4 * d, 0.0), 2.5);
    record("discharged", [](const View& s) {
        double out = 0;
        for (std::size_t i = 0; i < s.grains().size(); ++i)
            if (s.grains()[i].x.z() < 0) out += s.model().grains()[i].mass;
        return out;
    });
    record("beverloo", [=](const View& s) { return beverloo * s.time(); });
    defaults.h = 2e-4;
    run_until(1);
}
