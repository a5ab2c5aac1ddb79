// When are a smooth and a nonsmooth solver that step together stable? Zhang et al. (2020) and Zhang et al.
// (2022) ask two masses, each on a spring and a damper of its own, clamped together and cut at the clamp:
//
//   |-k1,c1-[m1]==[m2]-k2,c2-|    m1 is stepped by the linear two-step scheme of the smooth solver under the
//                                 force of the clamp, m2 by the nonsmooth solver, whose clamp follows the
//                                 motion of m1.
//
// Writes the spectral radius of one step over rho_inf, the damping of the two-step scheme, and omega_01 h:
// from the recurrence matrices, and measured on the co-simulation by the solvers of this library. See
// docs/cosimulation.md.
//
// (R. Zhang, H. Zhang, A. Zanoni, Q. Wang, P. Masarati 2020: tight coupling; the same and others 2022:
// explicit co-simulation.)
//
// Sample runs:  stability --scheme loose --rho-steps 5 --w-steps 8
//               stability --scheme index1 --alpha 0.2 --beta 0.2 --rm 0.5 --rho-steps 5 --w-steps 8
//               stability --figure all --rho-steps 4 --w-steps 4
#include "support/stability_map.hpp"
#include "support/two_masses.hpp"
#include <tamis.hpp>
#include <tamis/app/study.hpp>
using namespace tamis;

namespace {

struct Panel {
    std::string figure, name, title;
    StabilityParameters p;
};

// Values between the first and the last of a figure's caption are assumed to be evenly spaced.
std::vector<Panel> published_panels()
{
    using enum CouplingScheme;
    std::vector<Panel> panels{{"z20_fig6", "a", "loose", {.scheme = loose}},
                              {"z20_fig6", "b", "tight", {.scheme = tight}}};
    const auto four = [&](const std::string& figure, const std::string& symbol,
                          const std::vector<double>& values,
                          const std::function<StabilityParameters(double)>& with) {
        for (std::size_t k = 0; k < values.size(); ++k)
            panels.push_back(
                {figure, {"abcd"[k]}, fmt::format("tight, {} = {}", symbol, values[k]), with(values[k])});
    };
    const std::vector<double> odd{0.1, 0.3, 0.5, 0.7}, even{0, 0.2, 0.4, 0.6};
    four("z20_fig7", "r_k", odd, [](double x) { return StabilityParameters{.r_k = x}; });
    four("z20_fig8", "r_c", odd,
         [](double x) { return StabilityParameters{.r_k = 1, .r_c = x, .xi1 = 0.6}; });
    four("z20_fig9", "xi_1", even,
         [](double x) { return StabilityParameters{.r_k = 1, .r_c = 1, .xi1 = x}; });
    four("z20_fig10", "r_m", odd, [](double x) { return StabilityParameters{.r_m = x, .r_k = 0.7}; });
    const auto inputs = [](const BaumgarteWeights& w, double r_m = 1) {
        return StabilityParameters{.scheme = modified, .r_m = r_m, .weights = w};
    };
    panels.insert(panels.end(),
                  {{"z22_fig5", "a", "original inputs", {.scheme = original}},
                   {"z22_fig5", "b", "index 3", inputs(index_3)},
                   {"z22_fig5", "c", "index 2", inputs(index_2)},
                   {"z22_fig5", "d", "index 1", inputs(index_1)},
                   {"z22_fig6", "a", "alpha h^2 = beta h = 0.2, gamma = 1", inputs({0.2, 0.2, 1})},
                   {"z22_fig6", "b", "alpha h^2 = beta h = 20, gamma = 1", inputs({20, 20, 1})},
                   {"z22_fig6", "c", "alpha h^2 = beta h = 200, gamma = 1", inputs({200, 200, 1})},
                   {"z22_fig6", "d", "implicit", {.scheme = tight}},
                   {"z22_fig7", "a", "original inputs, r_m = 0.5", {.scheme = original, .r_m = 0.5}},
                   {"z22_fig7", "b", "index 1, r_m = 0.5", inputs(index_1, 0.5)},
                   {"z22_fig7", "c", "original inputs, r_m = 2", {.scheme = original, .r_m = 2}},
                   {"z22_fig7", "d", "index 1, r_m = 2", inputs(index_1, 2)}});
    return panels;
}

} // namespace

TAMIS_MODEL(stability,
            "Where co-simulation of a smooth and a nonsmooth solver is stable (Zhang et al. 2020, 2022)")
{
    // 1. One map of one's own, or the published ones.
    const std::string figure = choice("figure", "none",
                                      {"none", "all", "z20_fig6", "z20_fig7", "z20_fig8", "z20_fig9",
                                       "z20_fig10", "z22_fig5", "z22_fig6", "z22_fig7"},
                                      "published maps to make instead of one's own, each figure in a folder");
    std::vector<Panel> panels;
    if (figure == "none") {
        const std::string scheme =
            choice("scheme", "tight", {"tight", "loose", "original", "index1", "index2", "index3"},
                   "coupling, or inputs of the nonsmooth solver in explicit coupling");
        StabilityParameters p;
        p.r_m = opt("rm", 1, "m2 / m1", "", not_negative);
        p.r_k = opt("rk", 0, "omega_02 / omega_01", "", not_negative);
        p.r_c = opt("rc", 0, "xi_2 / xi_1", "", not_negative);
        p.xi1 = opt("xi1", 0, "damping ratio of the first mass", "", not_negative);
        p.scheme = scheme == "tight"      ? CouplingScheme::tight
                   : scheme == "loose"    ? CouplingScheme::loose
                   : scheme == "original" ? CouplingScheme::original
                                          : CouplingScheme::modified;
        if (p.scheme == CouplingScheme::modified) {
            const BaumgarteWeights w = scheme == "index1" ? index_1 : scheme == "index2" ? index_2 : index_3;
            p.weights.alpha =
                opt("alpha", w.alpha, "weight of the position at the clamp", "1/h^2", not_negative);
            p.weights.beta = opt("beta", w.beta, "weight of the velocity", "1/h", not_negative);
            p.weights.gamma = opt("gamma", w.gamma, "weight of the acceleration", "", not_negative);
        }
        check(p);
        panels.push_back({"", "map", scheme, p});
    } else
        for (const Panel& panel : published_panels())
            if (figure == "all" || figure == panel.figure) panels.push_back(panel);

    // 2. The grid.
    StabilityGrid grid;
    grid.rho_steps = count("rho-steps", grid.rho_steps, "of rho_inf from 0 to 1", {1, 10000});
    grid.w_steps = count("w-steps", grid.w_steps, "of omega_01 h from 0 to its end", {1, 10000});
    grid.w_end = opt("w-end", grid.w_end, "the largest omega_01 h", "", positive);

    // 3. Both radii at all points.
    study([=](Study& s) {
        const long in_all = static_cast<long>(panels.size()) * grid.points();
        long done = 0;
        for (const Panel& panel : panels) {
            std::vector<StabilityPoint> map(grid.points());
            const std::span points(map);
            for (std::size_t first = 0; first < map.size();) {
                const std::size_t piece = std::min<std::size_t>(2000, map.size() - first);
                compute(points.subspan(first, piece), static_cast<long>(first), panel.p, grid, coupled_map,
                        s.threads());
                first += piece;
                s.progress(done += static_cast<long>(piece), in_all);
            }
            std::string csv = "rho_inf,w01h,radius,radius_measured\n";
            for (const StabilityPoint& point : map)
                csv += fmt::format("{},{},{:.12g},{:.12g}\n", point.rho_inf, point.w01h, point.radius,
                                   point.radius_measured);
            const std::string name = panel.figure.empty() ? panel.name : panel.figure + "/" + panel.name;
            s.write(name + ".csv", csv);
            const StabilityStatistics found = statistics(map);
            s.results[name] = {{"title", panel.title},
                               {"stable_share", found.stable_share},
                               {"stable_for_all_w01h", found.always},
                               {"largest_radius", found.largest_radius},
                               {"largest_difference", found.largest_difference}};
            s.say(fmt::format(
                "{:12} {:36} stable {:5.1f} %, largest radius {:.4f}, measured differs by {:.0e}", name,
                panel.title, 100 * found.stable_share, found.largest_radius, found.largest_difference));
        }
    });
}
