// A column of grains, released at once, spreads on a rough floor. Its run-out depends on the aspect ratio a =
// H / R alone: (R_end - R) / R = 1.24 a for a < 1.7 and 1.6 sqrt(a) above (G. Lube, H. E. Huppert, R. S. J.
// Sparks, M. A. Hallworth, J. Fluid Mech. 508 (2004), doi 10.1017/S0022112004009036).
//
//    |oo|
//    |oo|    ->    _.-oo-._
//
// Sample runs:  column_collapse --grains 200 --t-end 0.15
#include <tamis.hpp>
using namespace tamis;

TAMIS_MODEL(column_collapse, "A column of grains collapses: run-out against published scaling")
{
    // 1. Parameters, in SI units.
    const int n = count("grains", 4000, "number of grains", {1, 1e7});
    const double d = opt("size", 0.004, "mean diameter of the grains", "m", positive);
    const double mu = opt("friction", 0.5, "Coulomb coefficient", "", not_negative);
    const double rolling =
        opt("rolling", 2e-4, "rolling resistance: arm of the normal force", "m", not_negative);
    const double radius = opt("radius", 0.03, "of the column", "m", positive);
    const double density = 2500, g = 9.81;
    if (d > radius || d < radius / 1000)
        fail("Grains of {} m do not suit a column of radius {} m: give a --size from {} to {} m, or another "
             "--radius.",
             d, radius, radius / 1000, radius);

    // 2. The column, settled in a cylinder that is gone when the run starts.
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .rolling = rolling, .anticipation = true});
    const double tall = 8 * n * d * d * d / (radius * radius) + 10 * d;
    const Packing column = packing(fmt::format("column_{}_{}_{}_{}", n, d, radius, mu), [&] {
        Random random(1);
        std::vector<double> radii;
        for (int i = 0; i < n; ++i) radii.push_back(d / 2 * random.uniform(0.85, 1.15));
        const auto centres = drop_lattice(cylinder(radius, tall), radii);
        Packing loose;
        for (int i = 0; i < n; ++i) loose.add(sphere(radii[i]), {.p = centres[i]});
        return deposit(loose, {{{hollow(cylinder(radius, tall)), {.p = {0, 0, tall / 2}}}}},
                       {.friction = {mu}})
            .packing;
    });
    add_grains(model, column, stone, density);
    model.attach(ground, wall({0, 0, 1}, 0), stone, {}, "floor");

    // 3. What to record: height, and the radius within which 98 % of the mass lies; single grains roll far.
    const double height = column.size() > 0 ? bounds(column).high.z() : 1, a = height / radius;
    record("aspect_ratio", [=](const View&) { return a; });
    record("height", [](const View& s) {
        double z = 0;
        for (std::size_t i = 0; i < s.grains().size(); ++i)
            z = std::max(z, s.grains()[i].x.z() + s.model().grains()[i].radius);
        return z;
    });
    record("runout", [=](const View& s) {
        std::vector<double> r;
        for (const GrainState& grain : s.grains()) r.push_back(std::hypot(grain.x.x(), grain.x.y()));
        const auto edge = r.begin() + static_cast<long>(0.98 * static_cast<double>(r.size()));
        if (edge == r.end()) return 0.0;
        std::nth_element(r.begin(), edge, r.end());
        return (*edge + d / 2 - radius) / radius;
    });
    record("lube", [=](const View&) { return a < 1.7 ? 1.24 * a : 1.6 * std::sqrt(a); });
    defaults.h = 2e-4;
    run_until(0.8);
}
