// Solves frictional contact problems from files in the layout `fc3d 1` and prints a line for each.
#include "error.hpp"
#include "nscd/robust_solver.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/core.h>
#include <fstream>

namespace {

using namespace tamis;

struct Choice {
    std::string solver = "auto";
    double tolerance = 1e-8;
    int max_sweeps = 10000;
};

// Sweeps that have to halve the residual before `auto` calls for the robust solver.
constexpr int auto_patience = 200;

struct Result {
    std::string solver;
    LocalReport report;
};

Result solve(LocalProblem& problem, const Choice& choice)
{
    const RobustOptions robust{.tolerance = choice.tolerance};
    if (choice.solver == "robust") return {"robust", solve_robust(problem, robust)};
    const bool automatic = choice.solver == "auto";
    const LocalReport first = solve_local_nlgs(problem, {.tolerance = choice.tolerance,
                                                         .max_sweeps = choice.max_sweeps,
                                                         .patience = automatic ? auto_patience : 0});
    if (first.status == SolverStatus::converged || !automatic) return {"nlgs", first};
    LocalReport second = solve_robust(problem, robust);
    second.sweeps += first.sweeps;
    second.residual_before = first.residual_before;
    return {"nlgs+robust", second};
}

int run(const std::vector<std::string>& files, const Choice& choice, bool warm, const std::string& csv)
{
    std::string table = "file,contacts,solver,sweeps,newton_steps,interior_steps,ms,before,after,status\n";
    fmt::print("{:<42} {:>8} {:<11} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9} {}\n", "file", "contacts", "solver",
               "sweeps", "newton", "interior", "ms", "before", "after", "status");
    bool all = true;
    for (const std::string& file : files) {
        LocalProblem problem = read_local_problem(file);
        if (!warm) problem.r.setZero();
        const auto start = std::chrono::steady_clock::now();
        const auto [solver, report] = solve(problem, choice);
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        const bool converged = report.status == SolverStatus::converged;
        const char* status = converged ? "converged" : "not converged";
        all = all && converged;
        fmt::print("{:<42} {:>8} {:<11} {:>6} {:>6} {:>8} {:>9.2f} {:>9.2e} {:>9.2e} {}\n",
                   std::filesystem::path(file).stem().string(), problem.contacts(), solver, report.sweeps,
                   report.newton_steps, report.interior_steps, ms, report.residual_before, report.residual,
                   status);
        table += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", file, problem.contacts(), solver,
                             report.sweeps, report.newton_steps, report.interior_steps, ms,
                             report.residual_before, report.residual, status);
    }
    if (!csv.empty()) {
        std::ofstream out(csv);
        if (!(out << table) || !out.flush()) fail("Cannot write '{}': choose another --csv file.", csv);
    }
    return all ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    Choice choice;
    std::vector<std::string> files;
    std::string csv;
    bool warm = false;
    CLI::App app("Solve frictional contact problems from files, each from r = 0", "contact");
    app.add_option("FILE", files, "problems in the layout fc3d 1")->required();
    app.add_option("--solver", choice.solver, "nlgs, robust, or auto: nlgs and, if it stagnates, robust")
        ->check(CLI::IsMember({"nlgs", "robust", "auto"}))
        ->capture_default_str();
    app.add_option("--tol", choice.tolerance, "relative natural map to reach")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--max-sweeps", choice.max_sweeps, "of nlgs")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--warm", warm, "start from the r of the file");
    app.add_option("--csv", csv, "write the table to this file, too");
    try {
        app.parse(argc, argv);
        return run(files, choice, warm, csv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "contact: {}\n", error.what());
        return 1;
    }
}
