// Solves frictional contact problems from files (text `fc3d` or FCLIB) and prints a line for each.
#include "tamis/base/error.hpp"
#include "tamis/contact/robust_solver.hpp"
#include "tamis/io/contact_file.hpp"
#include "tamis/io/fclib.hpp"
#include "tamis/io/file.hpp"

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
    if (choice.solver == "none") {
        const double error = relative_natural_map(problem);
        return {"none",
                {.status = is_solution(problem, problem.r, choice.tolerance) ? SolverStatus::converged
                                                                             : SolverStatus::iteration_limit,
                 .residual_before = error,
                 .residual = error}};
    }
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

// The layout follows from the name.
void write(const std::string& file, const LocalProblem& problem, bool solved)
{
    const std::string kind = std::filesystem::path(file).extension().string();
    if (kind == ".h5" || kind == ".hdf5")
        write_fclib(file, problem, solved);
    else
        write_file(file, to_text(problem));
}

struct Places {
    std::string csv, copy; // files to write, or none
};

int run(const std::vector<std::string>& files, const Choice& choice, bool warm, const Places& places)
{
    std::string table = "file,contacts,solver,sweeps,newton_steps,interior_steps,ms,before,after,natural_max,"
                        "natural_rms,approach,status\n";
    fmt::print("{:<42} {:>8} {:<11} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {}\n", "file",
               "contacts", "solver", "sweeps", "newton", "interior", "ms", "before", "after", "nat. max",
               "nat. rms", "approach", "status");
    bool all = true;
    for (const std::string& file : files) {
        LocalProblem problem = read_contact_problem(file);
        if (!warm && choice.solver != "none") problem.r.setZero();
        const auto start = std::chrono::steady_clock::now();
        const auto [solver, report] = solve(problem, choice);
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        const bool converged = report.status == SolverStatus::converged;
        const char* status = converged                                    ? "converged"
                             : choice.solver == "none"                    ? "not solved"
                             : report.status == SolverStatus::no_solution ? "no solution"
                                                                          : "not converged";
        const Residual natural = residual(problem);
        all = all && (converged || choice.solver == "none");
        fmt::print("{:<42} {:>8} {:<11} {:>6} {:>6} {:>8} {:>9.2f} {:>9.2e} {:>9.2e} {:>9.2e} {:>9.2e} "
                   "{:>9.2e} {}\n",
                   std::filesystem::path(file).stem().string(), problem.contacts(), solver, report.sweeps,
                   report.newton_steps, report.interior_steps, ms, report.residual_before, report.residual,
                   natural.natural_max, natural.natural_rms, natural.approach, status);
        table +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", file, problem.contacts(), solver,
                        report.sweeps, report.newton_steps, report.interior_steps, ms, report.residual_before,
                        report.residual, natural.natural_max, natural.natural_rms, natural.approach, status);
        if (!places.copy.empty()) write(places.copy, problem, converged);
    }
    if (!places.csv.empty()) {
        std::ofstream out(places.csv);
        if (!(out << table) || !out.flush())
            fail("Cannot write '{}': choose another --csv file.", places.csv);
    }
    return all ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    Choice choice;
    std::vector<std::string> files;
    Places places;
    bool warm = false;
    CLI::App app("Solve frictional contact problems from files, each from r = 0", "contact");
    app.add_option("FILE", files, "problems: text in the layout fc3d, or HDF5 files of FCLIB")->required();
    app.add_option("--solver", choice.solver,
                   "nlgs, robust, auto: nlgs and, if it stagnates, robust; or none")
        ->check(CLI::IsMember({"nlgs", "robust", "auto", "none"}))
        ->capture_default_str();
    app.add_option("--tol", choice.tolerance, "relative natural map to reach")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--max-sweeps", choice.max_sweeps, "of nlgs")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--warm", warm, "start from the r of the file");
    app.add_option("--csv", places.csv, "write the table to this file, too");
    app.add_option(
        "--write", places.copy,
        "write the problem with the r found to this file: FCLIB if it ends in .h5 or .hdf5, else text");
    try {
        app.parse(argc, argv);
        if (!places.copy.empty() && files.size() > 1)
            throw CLI::ValidationError("--write", "writes one problem: name one FILE");
        return run(files, choice, warm, places);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "contact: {}\n", error.what());
        return 1;
    }
}
