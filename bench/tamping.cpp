// What a step of the tamping machine costs, phase by phase, by several solvers and tolerances, on one and two threads.
//
// The model is that of models/tamping.cpp. The machine dives at once; after a prelude the tines are in the
// bed, and every row starts from the same state there.
#include "tamis/app/script.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fstream>

using namespace tamis;

namespace {

// Resident memory of this process, MB.
double memory_mb()
{
    std::ifstream status("/proc/self/statm");
    long pages = 0;
    status >> pages >> pages;
    return static_cast<double>(pages) * 4096 / (1024 * 1024);
}

} // namespace

int main(int argc, char** argv)
try {
    int grains = 5500, prelude = 200, steps = 20, most = 5000;
    double frequency = 45, stiffness = 0;
    CLI::App app("What a step of the tamping machine costs");
    app.add_option("--grains", grains, "number of stones")->capture_default_str();
    app.add_option("--frequency", frequency, "of the flywheel, Hz")->capture_default_str();
    app.add_option("--stiffness", stiffness, "of contacts, N/m; 0: rigid")->capture_default_str();
    app.add_option("--prelude", prelude, "steps before the comparison")->capture_default_str();
    app.add_option("--steps", steps, "of each row")->capture_default_str();
    app.add_option("--max-sweeps", most, "of a step")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const auto script = make_script("tamping", {"--grains", std::to_string(grains), "--frequency",
                                                fmt::format("{}", frequency), "--dive-at", "0",
                                                "--contact-stiffness", fmt::format("{}", stiffness)});
    script->prepare();
    auto stepper = [&](const char* solver, double tolerance, int threads) {
        MoreauJeanOptions options{.h = script->settings().h, .force = ForceEvaluation::explicit_};
        options.contacts = {.tolerance = tolerance, .max_sweeps = most, .solver = solver, .threads = threads};
        return MoreauJean(script->finished(), options);
    };
    MoreauJean before = stepper("coloured", 1e-3, 2);
    for (int k = 0; k < prelude; ++k) {
        const StepReport report = before.step();
        if ((k + 1) % 20 == 0)
            fmt::print(stderr, "prelude: step {}, {} contacts, {} sweeps\n", k + 1, report.contacts,
                       report.sweeps);
    }
    fmt::print(
        "{} stones, {} Hz, t = {:.3f} s and {} steps after it; ms per step\n{:<14} {:<9} {:>7} {:>8} {:>7} "
        "{:>8} {:>7} {:>9} {:>8} {:>8} {:>9} {:>9} {:>6}\n",
        grains, frequency, before.state().t, steps, "solver", "tolerance", "threads", "contacts", "sweeps",
        "detect", "lineari", "contacts", "update", "all", "residual", "penetr.", "missed");
    struct Row {
        const char* solver;
        double tolerance;
        int threads;
    };
    for (const auto& [solver, tolerance, threads] : {Row{"coloured", 1e-3, 2},
                                                     {"coloured", 1e-4, 2},
                                                     {"coloured", 1e-4, 1},
                                                     {"coloured-float", 1e-4, 2},
                                                     {"coloured-float", 1e-4, 1},
                                                     {"anderson", 1e-4, 2},
                                                     {"coloured", 1e-6, 2}}) {
        MoreauJean run = stepper(solver, tolerance, threads);
        run.restore(before.state());
        long sweeps = 0, missed = 0;
        double residual = 0, penetration = 0;
        int contacts = 0;
        for (int k = 0; k < steps; ++k) {
            const StepReport report = run.step();
            sweeps += report.sweeps;
            missed += !report.converged;
            contacts = report.contacts;
            residual = std::max(residual, report.residual_rms);
            penetration = std::max(penetration, report.penetration);
        }
        double all = 0;
        for (double seconds : run.clock().seconds()) all += 1e3 * seconds / steps;
        auto ms = [&](Phase phase) { return 1e3 * run.clock().seconds()[static_cast<int>(phase)] / steps; };
        fmt::print("{:<14} {:<9.0e} {:>7} {:>8} {:>7} {:>8.1f} {:>7.1f} {:>9.1f} {:>8.1f} {:>8.1f} {:>9.1e} "
                   "{:>9.1e} {:>6}\n",
                   solver, tolerance, threads, contacts, sweeps / steps, ms(Phase::detect),
                   ms(Phase::linearise), ms(Phase::contacts), ms(Phase::predict) + ms(Phase::update), all,
                   residual, penetration, missed);
    }
    fmt::print("memory {:.0f} MB with two steppers\n", memory_mb());
} catch (const std::exception& error) {
    fmt::print(stderr, "tamping: {}\n", error.what());
    return 1;
}
