// A settled bed of stones: what a step costs, phase by phase, and what each contact solver needs.
//
// The bed is made once (random convex stones of 25 vertices, ballast 31.5/50, in a box of 1.3 x 0.6 m) and
// stored.
#include "tamis/app/stored_packing.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/deposit.hpp"
#include "tamis/packing/grading.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/measures.hpp"
#include "tamis/packing/stones.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <sys/resource.h>

using namespace tamis;

namespace {

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr double length = 1.3, width = 0.6;

Walls container()
{
    Walls walls;
    walls.shapes.emplace_back(wall({0, 0, 1}, 0), Pose{});
    for (double sign : {1.0, -1.0}) {
        walls.shapes.emplace_back(wall({sign, 0, 0}, -length / 2), Pose{});
        walls.shapes.emplace_back(wall({0, sign, 0}, -width / 2), Pose{});
    }
    return walls;
}

Packing make_bed(int n)
{
    std::vector<double> radii;
    std::vector<Shape> stones;
    for (const Polyhedron& stone : make_stones({}, draw_sizes(ballast_31_50(), n))) {
        stones.push_back(stone);
        radii.push_back(stone.hull->radius);
    }
    const auto centres = drop_lattice(box(length, width, 1), radii);
    Packing loose;
    Random random(1);
    for (int i = 0; i < n; ++i) loose.add(stones[i], {random.rotation(), centres[i]});
    Deposit how{.friction = {0.2, 0.7}, .max_sweeps = 60};
    how.tell = [](const std::string& line) { fmt::print(stderr, "bed: {}\n", line); };
    return deposit(loose, container(), how).packing;
}

double peak_memory_mb()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace

int main(int argc, char** argv)
{
    int n = 5000, steps = 20;
    double h = 5e-4;
    CLI::App app("A settled bed of stones");
    app.add_option("--grains", n, "number of stones")->capture_default_str();
    app.add_option("--steps", steps, "with each solver")->capture_default_str();
    app.add_option("--h", h, "step size, s")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const Packing bed = stored_packing(fmt::format("bed_{}", n), [&] { return make_bed(n); });
    ModelDescription model("bed");
    model.gravity({0, 0, -9.81});
    const MaterialId stone = model.add(Material{.friction = 0.7, .anticipation = true});
    add_grains(model, bed, stone, 2700);
    for (const auto& [shape, pose] : container().shapes) model.attach(ground, shape, stone, pose);
    model.finish();
    const Bounds all = bounds(bed);
    fmt::print("{} stones, height {:.3f} m", n, all.high.z());
    const Bounds middle{{-length / 2 + 0.1, -width / 2 + 0.1, 0.1},
                        {length / 2 - 0.1, width / 2 - 0.1, all.high.z() - 0.15}};
    if (middle.high.z() > middle.low.z())
        fmt::print(", solid fraction away from walls and surface {:.3f}",
                   solid_fraction(middle, bed.shapes, bed.poses));
    fmt::print("\n");

    // 1. Steps: time by phase, sweeps of a warm start.
    auto run = [&](const std::string& solver, double tolerance, int used_threads) {
        MoreauJeanOptions options{.h = h, .force = ForceEvaluation::explicit_};
        options.contacts = {
            .tolerance = tolerance, .max_sweeps = 2000, .solver = solver, .threads = used_threads};
        return MoreauJean(model.finish(), options);
    };
    MoreauJean settled = run("coloured", 1e-4, 2);
    for (int k = 0; k < 30; ++k) settled.step(); // to warm impulses
    fmt::print("\nsteps from the settled state, warm starts\n{:<16} {:>8} {:>9} {:>9} {:>8} {:>8} {:>8} "
               "{:>8} {:>8}\n",
               "solver", "threads", "tolerance", "contacts", "sweeps", "detect", "assemble", "solve",
               "update");
    for (const auto& [solver, tolerance, used_threads] : {std::tuple{"coloured", 1e-3, 1},
                                                          {"coloured", 1e-4, 1},
                                                          {"coloured", 1e-4, 2},
                                                          {"coloured-float", 1e-4, 1},
                                                          {"coloured-float", 1e-4, 2},
                                                          {"anderson", 1e-4, 1},
                                                          {"nncg", 1e-4, 1}}) {
        const auto& names = solver_names();
        if (std::find(names.begin(), names.end(), solver) == names.end()) continue;
        MoreauJean stepper = run(solver, tolerance, used_threads);
        stepper.restore(settled.state());
        double sweeps = 0;
        StepReport report;
        for (int k = 0; k < steps; ++k) {
            report = stepper.step();
            sweeps += report.sweeps;
        }
        const auto& t = stepper.clock().seconds();
        auto ms = [&](Phase phase) { return 1e3 * t[static_cast<int>(phase)] / steps; };
        fmt::print("{:<16} {:>8} {:>9.0e} {:>9} {:>8.0f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f}\n", solver,
                   used_threads, tolerance, report.contacts, sweeps / steps, ms(Phase::detect),
                   ms(Phase::linearise), ms(Phase::contacts), ms(Phase::predict) + ms(Phase::update));
    }

    // 2. The contact problem of one step: cost of a sweep.
    const ContactProblem problem = settled.problem();
    fmt::print("\none contact problem of {} points, from zero: ns per contact and sweep\n",
               problem.contacts.size());
    // Between solutions of 20 and 220 sweeps, so that arranging the contacts and asking the residual do not
    // count.
    auto cost = [&](const std::string& name, int used_threads) {
        const auto solver = make_solver(name, used_threads);
        ContactProblem copy = problem;
        auto time = [&](int sweeps) {
            solver->stop = {.natural_max = 0, .natural_rms = 0, .max_sweeps = sweeps};
            for (Contact& c : copy.contacts) c.r.setZero();
            const double start = seconds();
            solver->solve(copy);
            return seconds() - start;
        };
        std::vector<double> runs;
        time(20);
        for (int k = 0; k < 7; ++k)
            runs.push_back(1e9 * (time(220) - time(20)) / 200 / static_cast<double>(copy.contacts.size()));
        std::sort(runs.begin(), runs.end());
        fmt::print("{:<16} {} thread{}  {:>6.1f}  ({:.1f} .. {:.1f})\n", name, used_threads,
                   used_threads > 1 ? "s" : " ", runs[3], runs[1], runs[5]);
    };
    cost("nlgs", 1);
    for (const char* name : {"coloured", "coloured-float"})
        for (int used_threads : {1, 2}) cost(name, used_threads);
    fmt::print("\npeak memory {:.0f} MB: {:.2f} kB for each grain and contact\n", peak_memory_mb(),
               1024 * peak_memory_mb() / (n + static_cast<double>(problem.contacts.size())));
}
