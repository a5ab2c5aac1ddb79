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
    const double radius = opt("radius", 0.03, "of the column", "m", positive);
    const double density = 2500, g = 9.81;
    if (d > radius || d < radius / 1000)
        refuse(
            "Grains of {} m do not suit a column of radius {} m: give a --size from {} to {} m, or another "
            "--radius.",
            d, radius, radius / 1000, radius);

    // 2. The column, settled in a cylinder that is gone when the run starts. What it does not depend on is
    // read after it.
    const double tall = 8 * n * d * d * d / (radius * radius) + 10 * d;
    const Packing column = packing("column", [&] {
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
    const double rolling =
        opt("rolling", 2e-4, "rolling resistance: arm of the normal force", "m", not_negative);
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .rolling = rolling, .anticipation = true});
    add_grains(model, column, stone, density);
    model.attach(ground, wall({0, 0, 1}, 0), stone, {}, "floor");

    // 3. What to record: the height of the top, and two measures of the run-out, since single grains roll
    // far: the radius within which 98 % of the mass lies, and the edge, where the deposit, spread evenly
    // around the axis, is half a grain high. The flank is fitted between 20 % and 80 % of the top.
    double solid = 0, centre = 0; // a column of even density is twice as high as its centre of mass
    for (const GrainRecord& grain : model.grains()) {
        solid += grain.mass / density;
        centre += grain.mass / density * grain.at.p.z();
    }
    const double height = column.size() > 0 ? 2 * centre / solid : 1, a = height / radius;
    const double fraction = solid / (M_PI * radius * radius * height);
    // Heights of the deposit in rings of width d.
    auto profile = [=](const View& s) {
        std::vector<double> z;
        for (std::size_t i = 0; i < s.grains().size(); ++i) {
            const double r = std::hypot(s.grains()[i].x.x(), s.grains()[i].x.y());
            const auto ring = static_cast<std::size_t>(std::min(r, 100 * radius) / d);
            if (ring >= z.size()) z.resize(ring + 1, 0);
            z[ring] += s.model().grains()[i].mass / density;
        }
        for (std::size_t ring = 0; ring < z.size(); ++ring)
            z[ring] /= fraction * M_PI * d * d * static_cast<double>(2 * ring + 1);
        return z;
    };
    record("aspect_ratio", [=](const View&) { return a; });
    record("height", [](const View& s) {
        double z = 0;
        for (std::size_t i = 0; i < s.grains().size(); ++i)
            z = std::max(z, s.grains()[i].x.z() + s.model().grains()[i].radius);
        return z;
    });
    record("runout_98", [=](const View& s) {
        std::vector<double> r;
        for (const GrainState& grain : s.grains()) r.push_back(std::hypot(grain.x.x(), grain.x.y()));
        const auto edge = r.begin() + static_cast<long>(0.98 * static_cast<double>(r.size()));
        if (edge == r.end()) return 0.0;
        std::nth_element(r.begin(), edge, r.end());
        return (*edge + d / 2 - radius) / radius;
    });
    record("runout", [=](const View& s) {
        const std::vector<double> z = profile(s);
        std::size_t k = z.size();
        while (k > 0 && z[k - 1] < d / 2) --k;
        if (k == 0) return 0.0;
        // Between the middles of the last ring that is high enough and the next one.
        const double next = k < z.size() ? z[k] : 0, part = (z[k - 1] - d / 2) / (z[k - 1] - next);
        return ((static_cast<double>(k) - 0.5 + part) * d - radius) / radius;
    });
    record("flank_deg", [=](const View& s) {
        const std::vector<double> z = profile(s);
        const double top = z.empty() ? 0 : *std::max_element(z.begin(), z.end());
        double one = 0, r1 = 0, z1 = 0, rr = 0, rz = 0;
        for (std::size_t k = 0; k < z.size(); ++k) {
            if (z[k] < 0.2 * top || z[k] > 0.8 * top) continue;
            const double r = (static_cast<double>(k) + 0.5) * d;
            one += 1, r1 += r, z1 += z[k], rr += r * r, rz += r * z[k];
        }
        const double spread = one * rr - r1 * r1;
        return spread > 0 ? std::atan((r1 * z1 - one * rz) / spread) * 180 / M_PI : 90.0;
    });
    record("lube", [=](const View&) { return a < 1.7 ? 1.24 * a : 1.6 * std::sqrt(a); });
    defaults.h = 2e-4;
    run_until(0.8);
}
