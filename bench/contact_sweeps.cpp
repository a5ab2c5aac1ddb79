// What a sweep over the contacts of a granular bed costs, and how many are needed.
//
// Sample runs:  bench_contact_sweeps
//               bench_contact_sweeps --grains 20000
//
// Times are medians of repeated runs; the spread is half the distance between the quartiles. A sweep is timed
// as the difference of solutions of 80 and 40 sweeps, so that building the batches and the residual, asked as
// often in both, do not count.
#include "contact/beds.hpp"
#include "tamis/contact/device.hpp"
#include "tamis/contact/nlgs.hpp"
#include "tamis/contact/nlgs_coloured.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/core.h>
#include <functional>
#include <limits>

using namespace tamis;

namespace {

// The bed that is measured.
ContactProblem make_bed(int grains)
{
    const int side = static_cast<int>(std::lround(std::cbrt(grains / 2.0)));
    return beds::bed({.cells = {2 * side, side, side}});
}

struct Timing {
    double median, spread;
};
Timing statistics(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    const std::size_t n = x.size();
    return {x[n / 2], (x[3 * n / 4] - x[n / 4]) / 2};
}

double seconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double solve_seconds(ContactSolver& solver, const ContactProblem& bed, int sweeps, ContactProblem& problem)
{
    problem = bed;
    solver.stop = {.natural_max = 0, .max_sweeps = sweeps};
    return seconds([&] { solver.solve(problem); });
}

Timing sweep_time(ContactSolver& solver, const ContactProblem& bed, int sweeps, int repeats)
{
    ContactProblem problem;
    std::vector<double> times;
    solve_seconds(solver, bed, sweeps, problem);
    for (int i = 0; i < repeats; ++i) {
        const double few = solve_seconds(solver, bed, sweeps, problem);
        const double many = solve_seconds(solver, bed, 2 * sweeps, problem);
        times.push_back((many - few) / sweeps / static_cast<double>(bed.contacts.size()) * 1e9);
    }
    return statistics(times);
}

void print_sweep_time(const ContactProblem& bed, const NlgsColouredOptions& options, const char* name,
                      const char* isa, int repeats)
{
    NlgsColoured solver(options);
    const Timing time = sweep_time(solver, bed, 40, repeats);
    const auto& s = solver.statistics();
    fmt::print("{:<10} {:<7} {:<7} {:>7}  {:>12.2f} +- {:>6.2f} {:>9.2f} {:>7.3f} {:>7} {:>9}\n", name,
               options.precision == Precision::double_ ? "double" : "float", isa, options.threads,
               time.median, time.spread, s.build_seconds * 1e3, s.lanes_filled, s.slabs, s.overflow);
}

// The problem of the next step: impulses of the last one, other free velocities.
ContactProblem next_step(const ContactProblem& solved)
{
    ContactProblem problem = solved;
    beds::Random random(7);
    for (double& v : problem.v_free) v *= 1 + random(-0.02, 0.02);
    return problem;
}

// Sweeps and milliseconds until the rms residual falls to a tolerance.
void print_convergence(const ContactProblem& cold, const ContactProblem& warm, NlgsColouredOptions options,
                       const char* name)
{
    fmt::print("{:<7} {:<9}", options.precision == Precision::double_ ? "double" : "float", name);
    for (const ContactProblem* start : {&cold, &warm})
        for (const double tolerance : {1e-3, 1e-4, 1e-6}) {
            if (tolerance < 1e-5 && options.precision == Precision::float_) {
                fmt::print(" {:>15}", "");
                continue;
            }
            NlgsColoured solver(options);
            solver.stop = {.natural_max = std::numeric_limits<double>::infinity(),
                           .natural_rms = tolerance,
                           .max_sweeps = 4000};
            ContactProblem problem = *start;
            SolverReport report;
            const double time = seconds([&] { report = solver.solve(problem); });
            fmt::print(" {:>5}{}{:>6.0f} ms", report.sweeps,
                       report.status == SolverStatus::converged ? ' ' : '!', time * 1e3);
        }
    fmt::print("\n");
}

} // namespace

int main(int argc, char** argv)
{
    int grains = 5000, repeats = 7;
    CLI::App app("Cost of sweeps over the contacts of a bed");
    app.add_option("--grains", grains, "about so many grains");
    app.add_option("--repeats", repeats, "of each measurement");
    CLI11_PARSE(app, argc, argv);

    const ContactProblem bed = make_bed(grains);
    fmt::print("{} grains, {} contacts\n\n", bed.rigid.size(), bed.contacts.size());
    fmt::print("{:<10} {:<7} {:<7} {:>7}  {:>22} {:>9} {:>7} {:>7} {:>9}\n", "solver", "number", "isa",
               "threads", "ns/(contact sweep)", "build ms", "filled", "slabs", "overflow");
    Nlgs serial({.direct = 0});
    const Timing reference = sweep_time(serial, bed, 10, std::max(1, repeats / 2));
    fmt::print("{:<10} {:<7} {:<7} {:>7}  {:>12.2f} +- {:>6.2f}\n", "nlgs", "double", "", 1, reference.median,
               reference.spread);
    for (const Precision precision : {Precision::double_, Precision::float_})
        for (const char* isa : {"scalar", "sse2", "avx2", "avx512"})
            for (const int threads : {1, 2}) {
                setenv("TAMIS_SIMD", isa, 1);
                try {
                    print_sweep_time(bed, {.precision = precision, .threads = threads}, "coloured", isa,
                                     repeats);
                } catch (const std::exception&) {
                    fmt::print("coloured   {:<7} this machine has no such instructions\n", isa);
                }
            }
    unsetenv("TAMIS_SIMD");
    try {
        for (const Precision precision : {Precision::double_, Precision::float_})
            print_sweep_time(bed, {.precision = precision, .threads = 1, .device = &cuda_device()}, "cuda",
                             "", repeats);
    } catch (const std::exception& error) {
        fmt::print("cuda       {}\n", error.what());
    }

    ContactProblem settled = bed;
    NlgsColoured solver({.acceleration = Acceleration::anderson});
    solver.stop = {.natural_max = 1, .natural_rms = 1e-4, .max_sweeps = 4000};
    solver.solve(settled);
    const ContactProblem warm = next_step(settled);
    fmt::print("\nSweeps and time, one thread; !: not reached\n{:<17}", "");
    for (const char* start : {"cold", "warm"})
        for (const char* tolerance : {"1e-3", "1e-4", "1e-6"})
            fmt::print(" {:>15}", fmt::format("{} {}", start, tolerance));
    fmt::print("\n");
    for (const Precision precision : {Precision::double_, Precision::float_}) {
        print_convergence(bed, warm, {precision, 1, Acceleration::none}, "plain");
        print_convergence(bed, warm, {precision, 1, Acceleration::anderson}, "anderson");
        print_convergence(bed, warm, {precision, 1, Acceleration::nncg}, "nncg");
        // The order of a device, swept by the processor.
        print_convergence(bed, warm, {precision, 1, Acceleration::none, &this_processor}, "colours");
    }
}
