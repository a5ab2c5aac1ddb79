// Two coupled oscillators, each advanced by a solver of its own. Benchmark "Linear oscillator" of the
// Laboratorio de Ingenieria Mecanica, Universidade da Coruna (2021).
//
//   |--k1,c1--[ m1 ]--kc,cc--[ m2 ]--k2,c2--|      case 1: no damping, case 2: all c = 0.01 Ns/m
//   |           -> x1          -> x2        |      start: x = 0, v1 = 100 m/s, v2 = -100 m/s
//
// The masses are peers of a coupling (docs/cosimulation.md). They exchange force and motion (fs: mass 1 gives
// the coupling force), motions (ss) or forces (ff: the coupling computes them). Both use semi-implicit Euler,
// as the benchmark does for the whole system; motions are positions and velocities, none is differentiated.
// With several rates the fast mass takes --substeps micro steps in a macro step, the other takes one.
//
// Sample runs:  lim_oscillator
//               lim_oscillator --case 2 --variables ss --scheme jacobi --substeps 5 --extrapolation 1
//               lim_oscillator --iterate quasi-newton --variables ff --H 2e-3
//               lim_oscillator --H 0.07 --scheme jacobi
//               lim_oscillator --all --t-end 0.1
#include "support/linear_oscillator.hpp"
#include <tamis.hpp>
#include <tamis/app/study.hpp>

#include <cmath>
using namespace tamis;

// How a run of one scheme came out
struct Outcome {
    double error = 0, error_at_end = 0, energy_drift = 0, radius = 0;
    double energy = 0, exact_energy = 0; // at the end
    long iterations = 0, not_converged = 0;
    std::string divergence; // why it did not come to the end

    bool stable() const { return radius <= 1 + 1e-12; } // beyond the round-off of eigenvalues
};

using Observer = std::function<void(long n, const Eigen::Vector4d& z)>;

static Outcome outcome_of(const LinearOscillator& system, const OscillatorScheme& scheme, long steps,
                          const Observer& observe = {})
{
    Outcome outcome;
    OscillatorErrors errors(system, scheme.coupling.H, steps);
    CoupledOscillator pair(system, scheme);
    if (observe) observe(0, system.start);
    try {
        for (long n = 1; n <= steps; ++n) {
            pair.step();
            errors.add(pair.state());
            if (observe) observe(n, pair.state());
        }
        outcome.error = errors.mean();
        outcome.error_at_end = errors.last();
        outcome.energy_drift = errors.energy_drift();
    } catch (const Error& error) {
        outcome.divergence = error.what();
        outcome.error = outcome.error_at_end = outcome.energy_drift = INFINITY;
    }
    outcome.energy = system.energy(pair.state());
    outcome.exact_energy = system.energy(errors.exact());
    outcome.iterations = pair.coupling().statistics().iterations;
    outcome.not_converged = pair.coupling().statistics().not_converged;
    outcome.radius = CoupledOscillator::spectral_radius(system, scheme);
    return outcome;
}

static OscillatorErrors monolithic(const LinearOscillator& system, double H, long steps)
{
    OscillatorErrors errors(system, H, steps);
    Eigen::Vector4d z = system.start;
    for (long n = 0; n < steps; ++n) errors.add(z = system.step(z, H));
    return errors;
}

static constexpr const char* variable_names[] = {"fs", "ss", "ff"};
static constexpr int rates[] = {1, 2, 5, 10};

// All schemes of the benchmark, with what `like` says of the rest
static void run_all(Study& s, const OscillatorScheme& like, long steps)
{
    const double H = like.coupling.H;
    std::string csv = "case,variables,scheme,iterated,substeps,extrapolation,error,error_at_end,energy_drift,"
                      "radius,stable,iterations,not_converged\n";
    std::string page;
    long done = 0, unstable = 0, diverged = 0;
    for (const int number : {1, 2}) {
        const LinearOscillator system = LinearOscillator::benchmark_case(number);
        const OscillatorErrors whole = monolithic(system, H, steps);
        csv += fmt::format("{},monolithic,,,1,,{},{},{},,,,\n", number, whole.mean(), whole.last(),
                           whole.energy_drift());
        page += fmt::format("Case {}, H = {} s. Monolithic: error {:.3g} %, energy {:+.3g} %.\n\n", number, H,
                            100 * whole.mean(), 100 * whole.energy_drift());
        page +=
            "| | | | | error [%] | | | energy [%] | | | growth [1/s] | | |\n|---|---|---|---|---|---|---|---|"
            "---|---|---|---|---|\n| variables | scheme | | rates | 0 | 1 | 2 | 0 | 1 | 2 | 0 | 1 | 2 |\n";
        for (const CouplingVariables variables :
             {CouplingVariables::fs, CouplingVariables::ss, CouplingVariables::ff})
            for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
                for (const Repetition repeat : {Repetition::none, Repetition::plain})
                    for (const int substeps : rates) {
                        const char* name = variable_names[static_cast<int>(variables)];
                        const char* scheme_name = sweep == Sweep::jacobi ? "jacobi" : "gauss-seidel";
                        const bool iterated = repeat != Repetition::none;
                        std::string errors, drifts, growths;
                        for (const int k : {0, 1, 2}) {
                            OscillatorScheme scheme = like;
                            scheme.variables = variables;
                            scheme.substeps = substeps;
                            scheme.coupling.sweep = sweep;
                            scheme.coupling.repeat = repeat;
                            scheme.coupling.extrapolation = scheme.coupling.signal = k;
                            const Outcome o = outcome_of(system, scheme, steps);
                            unstable += !o.stable();
                            diverged += !o.divergence.empty();
                            csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", number, name,
                                               scheme_name, iterated ? "yes" : "no", substeps, k, o.error,
                                               o.error_at_end, o.energy_drift, o.radius,
                                               o.stable() ? "yes" : "no", o.iterations, o.not_converged);
                            errors += fmt::format(" {:.3g} |", 100 * o.error);
                            drifts += fmt::format(" {:+.2g} |", 100 * o.energy_drift);
                            growths += o.stable() ? " – |" : fmt::format(" {:.2g} |", std::log(o.radius) / H);
                            s.progress(++done, 288);
                        }
                        page += fmt::format("| {} | {} | {} | 1:{} |{}{}{}\n", name, scheme_name,
                                            iterated ? "iterated" : "explicit", substeps, errors, drifts,
                                            growths);
                    }
        page += "\n";
    }
    s.write("table.csv", csv);
    s.write("table.md", page);
    s.results["runs"] = done;
    s.results["unstable"] = unstable;
    s.results["diverged"] = diverged;
    s.say(fmt::format("{} schemes, {} of them unstable, {} diverged", done, unstable, diverged));
}

TAMIS_MODEL(lim_oscillator, "Two coupled oscillators, each with a solver of its own (LIM benchmark)")
{
    // 1. The system.
    const std::string number = choice("case", "1", {"1", "2"}, "1: conservative, 2: damped");
    const double t_end = opt("t-end", 10, "end of the run", "s", positive);

    // 2. The scheme.
    OscillatorScheme scheme;
    const std::string variables =
        choice("variables", "fs", {"fs", "ss", "ff"}, "what is exchanged: force-motion, motions, forces");
    const std::string sweep =
        choice("scheme", "gauss-seidel", {"jacobi", "gauss-seidel"}, "both masses at once, or in turn");
    const int first = count("first", 1, "the mass that goes first", {1, 2});
    const std::string iterate = choice("iterate", "no", {"no", "yes", "aitken", "quasi-newton"},
                                       "repeat macro steps until the inputs change no more");
    const double H = opt("H", 1e-3, "macro step", "s", positive);
    scheme.substeps = count("substeps", 1, "micro steps of the fast mass in a macro step", {1, 1000000});
    scheme.fast = count("fast", 2, "the mass that takes them", {1, 2});
    const int order = count("extrapolation", 0, "order of the inputs in time", {0, 2});
    const bool all = flag("all", "run all schemes of both cases, with H, first and fast as given");

    scheme.variables = variables == "fs"   ? CouplingVariables::fs
                       : variables == "ss" ? CouplingVariables::ss
                                           : CouplingVariables::ff;
    scheme.coupling = {.H = H,
                       .sweep = sweep == "jacobi" ? Sweep::jacobi : Sweep::gauss_seidel,
                       .first = first - 1,
                       .extrapolation = order,
                       .signal = order,
                       .repeat = iterate == "no"       ? Repetition::none
                                 : iterate == "yes"    ? Repetition::plain
                                 : iterate == "aitken" ? Repetition::aitken
                                                       : Repetition::quasi_newton,
                       .relative = 1e-12};
    if (!(t_end / H >= 1) || t_end / H > 1e9)
        refuse("--H is {} s, which makes {:.3g} steps until {} s: give one that makes 1 to 1e9.", H,
               t_end / H, t_end);
    const long steps = std::lround(t_end / H);

    // 3. The runs.
    study([=](Study& s) {
        if (all) return run_all(s, scheme, steps);
        const LinearOscillator system = LinearOscillator::benchmark_case(number == "1" ? 1 : 2);
        Study::Table& histories = s.table("histories.csv", {"t", "x1", "x2", "v1", "v2", "energy"});
        const Outcome o = outcome_of(system, scheme, steps, [&](long n, const Eigen::Vector4d& z) {
            histories.row({static_cast<double>(n) * H, z[0], z[1], z[2], z[3], system.energy(z)});
            if (n % 1000 == 0) s.progress(n, steps);
        });
        s.results = {{"stable", o.stable()},       {"spectral_radius", o.radius},
                     {"energy_at_end", o.energy},  {"exact_energy_at_end", o.exact_energy},
                     {"iterations", o.iterations}, {"not_converged", o.not_converged}};
        if (o.divergence.empty()) {
            s.results["error"] = o.error;
            s.results["error_at_end"] = o.error_at_end;
            s.results["energy_drift"] = o.energy_drift;
            s.say(fmt::format(
                "error {:.3g} % (at the end {:.3g} %), energy {:+.3g} %, {}", 100 * o.error,
                100 * o.error_at_end, 100 * o.energy_drift,
                o.stable() ? "stable" : fmt::format("unstable: grows by {:.2g}/s", std::log(o.radius) / H)));
        } else {
            s.results["divergence"] = o.divergence;
            s.say(o.divergence);
        }
    });
}
