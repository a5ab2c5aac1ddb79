// The contact solvers by Google Benchmark: bench_solvers [--benchmark_filter=...]
// [--benchmark_repetitions=...]
//                                     bench_solvers --heaps N [FIRST]
//                                     bench_solvers --solvable N
//
// Each line is the solution of one bed of grains (39 833 contacts of 5488 grains) by exactly 100 sweeps, with
// all that belongs to it: arranging the contacts, checks of the residual. `ns` is the time per contact and
// sweep, `speedup` against the first line, the serial reference in double, of the same run.
//
// --heaps: N heaps of spheres with masses of four decades (tests/contact/heaps.hpp), from number FIRST on, by the
// robust solver from r = 0 to 1e-8.
//
// --solvable: N small random problems made to have a solution (tests/contact/solvable.hpp), in at most 2000 sweeps:
// how many each solver solves, and of how many it says that there is no solution.
#include "contact/heaps.hpp"
#include "contact/solvable.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/contact/robust_solver.hpp"

#include <array>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tamis;

namespace {

const ContactProblem& bed()
{
    static const ContactProblem problem = beds::bed({.cells = {28, 14, 14}});
    return problem;
}

void solve(benchmark::State& state, const std::string& name, int threads, const char* instructions)
{
    constexpr int sweeps = 100;
    static double reference = 0;
    if (*instructions)
        setenv("TAMIS_SIMD", instructions, 1);
    else
        unsetenv("TAMIS_SIMD");
    std::unique_ptr<ContactSolver> solver;
    try {
        solver = make_solver(name, threads);
    } catch (const std::exception& e) {
        state.SkipWithError(e.what());
        return;
    }
    solver->stop = {.natural_max = 0, .natural_rms = 0, .max_sweeps = sweeps};
    ContactProblem problem;
    double seconds = 0;
    for (auto _ : state) {
        problem = bed(); // copied in less than a thousandth of the time
        const auto start = std::chrono::steady_clock::now();
        solver->solve(problem);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        state.SetIterationTime(time.count());
        seconds += time.count();
    }
    const double ns = 1e9 * seconds / static_cast<double>(state.iterations()) / sweeps /
                      static_cast<double>(bed().contacts.size());
    if (reference == 0) reference = ns;
    state.counters["ns"] = ns;
    state.counters["speedup"] = reference / ns;
}

void add(const std::string& solver, int threads, const char* instructions = "")
{
    std::string name = solver + "/" + std::to_string(threads) + (threads > 1 ? " threads" : " thread");
    if (*instructions) name += std::string("/") + instructions;
    benchmark::RegisterBenchmark(name.c_str(), solve, solver, threads, instructions)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

void solve_heaps(int count, int first)
{
    std::printf("%5s %8s %9s %5s %7s %7s %9s %9s\n", "heap", "spheres", "contacts", "mu", "sweeps", "Newton",
                "error", "s");
    int solved = 0;
    double worst = 0, seconds = 0;
    for (int k = first; k < first + count; ++k) {
        const beds::HeapOptions options = beds::numbered_heap(k);
        LocalProblem problem = local_form(beds::heap(options));
        const auto start = std::chrono::steady_clock::now();
        const LocalReport report = solve_robust(problem);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        const double error = relative_natural_map(problem);
        solved += report.status == SolverStatus::converged && is_solution(problem, problem.r, 1e-8);
        worst = std::max(worst, error);
        seconds += time.count();
        std::printf("%5d %8d %9d %5.2f %7d %7d %9.1e %9.2f\n", k, options.spheres, problem.contacts(),
                    options.friction, report.sweeps, report.newton_steps, error, time.count());
        std::fflush(stdout);
    }
    std::printf("solved %d of %d, worst error %.1e, %.1f s\n", solved, count, worst, seconds);
}

void solve_solvable(unsigned count)
{
    std::printf("%-16s %7s %12s %12s\n", "solver", "solved", "at the limit", "no solution");
    for (const char* name : {"nlgs", "coloured", "coloured-float", "anderson", "auto"}) {
        std::array<int, 3> ended{};
        for (unsigned seed = 0; seed < count; ++seed) {
            ContactProblem problem = beds::solvable(seed);
            const std::unique_ptr<ContactSolver> solver = make_solver(name, 1);
            solver->stop.max_sweeps = 2000;
            ++ended[static_cast<int>(solver->solve(problem).status)];
        }
        std::printf("%-16s %7d %12d %12d\n", name, ended[static_cast<int>(SolverStatus::converged)],
                    ended[static_cast<int>(SolverStatus::iteration_limit)],
                    ended[static_cast<int>(SolverStatus::no_solution)]);
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 2 && std::strcmp(argv[1], "--heaps") == 0) {
        solve_heaps(std::atoi(argv[2]), argc > 3 ? std::atoi(argv[3]) : 0);
        return 0;
    }
    if (argc > 2 && std::strcmp(argv[1], "--solvable") == 0) {
        solve_solvable(static_cast<unsigned>(std::atoi(argv[2])));
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    add("nlgs", 1);
    for (const char* solver : {"coloured", "coloured-float"}) {
        for (const char* instructions : {"scalar", "sse2", "avx2", "avx512"}) add(solver, 1, instructions);
        add(solver, 2);
    }
    for (const char* solver : {"anderson", "nncg"}) add(solver, 1);
    benchmark::RunSpecifiedBenchmarks();
}
