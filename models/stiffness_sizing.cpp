// How soft may contacts be before a particle damper damps differently? Biondani et al., Efficient discrete element
// modeling of particle dampers, Processes 10 (2022) 1247, Sects 2.2 and 3.3, Table 5, Figs 2, 7 and 8.
//
//     --> x_base         A mass of 0.293 kg on a spring, excited by its base, carries a cavity with balls (Saeki
//     |-k,c-[ o oo ]     2002). Its frequency response is computed with contacts of the material and with softer
//                        ones. The error of a stiffness is the mean of the relative differences to the response of
//                        the material. Of those with an error that is accepted, the largest overlap is eta r, and
//                        the largest ratio of an overlap to that of a single ball at the largest speed of the
//                        cavity is beta.
//
// Writes speedup.csv, what softer contacts save by the closed form (Fig. 2); responses.csv (Fig. 7), a row for each
// run; sizing.csv (Fig. 8), a row for each stiffness. summary.json has eta and beta of each configuration, and the
// published ones.
//
// Sample runs:  stiffness_sizing --configuration bigger-particles --frequencies 2 --stiffnesses 2 --cycles 4
//               stiffness_sizing --configuration none
#include "support/stiffness_sizing.hpp"
#include <tamis.hpp>
#include <tamis/app/study.hpp>
using namespace tamis;

TAMIS_MODEL(stiffness_sizing,
            "How soft contacts of a particle damper may be: overlap, duration, frequency response")
{
    // 1. Which configurations, stiffnesses and frequencies.
    std::vector<std::string> names{"none", "all"};
    for (const SizingCase& c : sizing_cases()) names.push_back(c.name);
    const std::string which = choice("configuration", "original", names, "of Table 5");
    const int levels =
        count("stiffnesses", 7, "that of the material and softer ones, evenly spaced on a logarithmic scale",
              {2, 100});
    const double softest =
        opt("softest", 1e-3, "least stiffness over that of the material", "", {1e-6, 0.999});
    const int points = count("frequencies", 8, "evenly spaced", {2, 1000});
    const double low = opt("from", 8, "lowest frequency", "Hz", positive);
    const double high = opt("to", 15, "highest frequency", "Hz", positive);
    const double accepted = opt("accept", 0.05, "largest error of a response", "", positive);
    SizingRun run;
    run.cycles =
        count("cycles", run.cycles, "of the base at each frequency; the second half counts", {2, 1e6});
    run.alpha = opt("alpha", run.alpha, "of Hart's step", "", {1e-3, 0.2});
    run.friction =
        choice("friction-model", "elastic", {"elastic", "directional"}, "along contacts") == "elastic"
            ? FrictionModel::elastic
            : FrictionModel::directional;
    if (!(low < high)) refuse("The frequencies go from {:g} to {:g} Hz: give a larger --to.", low, high);

    study([=](Study& s) {
        // 2. The closed form.
        Study::Table& speedups =
            s.table("speedup.csv", {"frequency", "acceleration_g", "speedup", "by_duration"});
        for (int i = 0; i <= 60; ++i)
            for (int j = 0; j <= 60; ++j) {
                const double f = std::pow(10, i / 20.0), a = std::pow(10, j / 20.0 - 1);
                const Speedup x = sizing_speedup(f, a);
                speedups.row({f, a, x.ratio, x.by_duration ? 1.0 : 0.0});
            }

        // 3. The responses, a run for each row. Configurations are numbered from 1, as in Table 5.
        std::vector<int> chosen;
        for (int n = 0; n < static_cast<int>(sizing_cases().size()); ++n) {
            s.results["configurations"].push_back(sizing_cases()[n].name);
            if (which == "all" || which == sizing_cases()[n].name) chosen.push_back(n);
        }
        Study::Table& responses =
            s.resumed_table("responses.csv", {"configuration", "relative_stiffness", "stiffness", "frequency",
                                              "rms", "speed", "overlap", "eta", "beta"});
        s.fill(responses, static_cast<long>(chosen.size()) * levels * points, [=](long row) {
            const int number = chosen[row / (levels * points)];
            const SizingCase& c = sizing_cases()[number];
            const double relative = std::pow(softest, (row / points % levels) / (levels - 1.0));
            SizingRun one = run;
            one.stiffness = relative * sizing_material(c);
            one.frequency = low + (high - low) * static_cast<double>(row % points) / (points - 1.0);
            const SizingResponse x = sizing_response(c, one);
            const double mass = M_PI / 6 * c.diameter * c.diameter * c.diameter * c.density;
            return std::vector{number + 1.0,
                               relative,
                               one.stiffness,
                               one.frequency,
                               x.rms,
                               x.speed,
                               x.overlap,
                               x.overlap / (c.diameter / 2),
                               x.overlap / (std::sqrt(mass / one.stiffness) * x.speed)};
        });

        // 4. Error, eta and beta of each stiffness, and of each configuration.
        Study::Table& sizing = s.table(
            "sizing.csv", {"configuration", "relative_stiffness", "stiffness", "error", "eta", "beta"});
        const Columns& all = responses.columns();
        for (std::size_t first = 0; first < all.rows(); first += levels * points) {
            const int number = static_cast<int>(all["configuration"][first]);
            const SizingCase& c = sizing_cases()[number - 1];
            double eta = 0, beta = 0;
            for (int level = 0; level < levels; ++level) {
                double error = 0, deepest = 0, largest = 0;
                const std::size_t begin = first + level * points;
                for (int k = 0; k < points; ++k) {
                    error += std::abs(all["rms"][begin + k] / all["rms"][first + k] - 1) / points;
                    deepest = std::max(deepest, all["eta"][begin + k]);
                    largest = std::max(largest, all["beta"][begin + k]);
                }
                sizing.row({1.0 * number, all["relative_stiffness"][begin], all["stiffness"][begin], error,
                            deepest, largest});
                if (error > accepted) continue;
                eta = std::max(eta, deepest);
                beta = std::max(beta, largest);
            }
            s.results["sizing"][c.name] = {
                {"eta", eta}, {"beta", beta}, {"published_eta", c.eta}, {"published_beta", c.beta}};
            s.say(fmt::format("  {:18} eta {:.3f} (published {:.2f}), beta {:.2f} (published {:.1f})", c.name,
                              eta, c.eta, beta, c.beta));
        }
    });
}
