// Many spheres in a box: what a step costs at a fixed number of sweeps, phase by phase, and how memory
// behaves. They fall once, and where they lie is stored.
#include "tamis/app/stored_packing.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/packing.hpp"
#include "tamis/packing/random.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/core.h>
#include <fstream>
#include <unistd.h>

using namespace tamis;

namespace {

double resident_mb()
{
    std::ifstream statm("/proc/self/statm");
    double total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

constexpr double d = 0.01; // largest diameter

// The box with these grains in it.
ModelDescription box_of(const Packing& packing, double side)
{
    ModelDescription model("spheres");
    model.gravity({0, 0, -9.81});
    const MaterialId stone = model.add(Material{.friction = 0.5, .anticipation = true});
    add_grains(model, packing, stone, 2500);
    model.attach(ground, wall({0, 0, 1}, 0), stone);
    for (int axis : {0, 1}) {
        const Eigen::Vector3d e = Eigen::Vector3d::Unit(axis);
        model.attach(ground, wall(e, 0), stone);
        model.attach(ground, wall(-e, -side), stone);
    }
    model.finish();
    return model;
}

// They fall from a lattice on which each has been moved at random as far as its neighbours let it: from a
// regular one they would come to rest in columns.
Packing loose(int n, double side)
{
    Random random(1);
    std::vector<Eigen::Vector3d> centres;
    const double spacing = 1.04 * d;
    const int across = static_cast<int>(side / spacing);
    for (int k = 0; static_cast<int>(centres.size()) < n; ++k)
        for (int j = 0; j < across; ++j)
            for (int i = 0; i < across && static_cast<int>(centres.size()) < n; ++i)
                centres.emplace_back((i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing);
    Packing packing;
    for (const Eigen::Vector3d& x : centres) {
        const double r = d / 2 * random.uniform(0.8, 1.0), room = spacing / 2 - r;
        const Eigen::Vector3d move(random.uniform(-room, room), random.uniform(-room, room),
                                   random.uniform(-room, room));
        packing.add(sphere(r), {.p = x + move});
    }
    return packing;
}

} // namespace

int main(int argc, char** argv)
{
    int n = 100000, settle = 400, steps = 20, warm = 10, sweeps = 50, threads = 2;
    std::string solver = "coloured";
    CLI::App app("Spheres in a box");
    app.add_option("--grains", n, "number of spheres")->capture_default_str();
    app.add_option("--settle", settle, "steps of the fall, made once and stored")->capture_default_str();
    app.add_option("--warm", warm, "steps from rest before the measurement")->capture_default_str();
    app.add_option("--steps", steps, "measured")->capture_default_str();
    app.add_option("--sweeps", sweeps, "in every step")->capture_default_str();
    app.add_option("--threads", threads, "of the contact solver")->capture_default_str();
    app.add_option("--solver", solver, "contact solver")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const double side = d * std::cbrt(2.2 * n);
    MoreauJeanOptions options{.h = 5e-4, .force = ForceEvaluation::explicit_};
    options.contacts = {.tolerance = 1e-300, .max_sweeps = 50, .solver = "coloured", .threads = threads};
    const Packing settled = stored_packing(fmt::format("spheres_{}_{}", n, settle), [&] {
        ModelDescription model = box_of(loose(n, side), side);
        MoreauJean run(model.finish(), options);
        for (int k = 0; k < settle; ++k) run.step();
        return packing_of(run.view());
    });
    ModelDescription model = box_of(settled, side);
    options.contacts.max_sweeps = sweeps;
    options.contacts.solver = solver;
    MoreauJean run(model.finish(), options);
    for (int k = 0; k < warm; ++k) run.step();
    const auto before = run.clock().seconds();
    const double memory = resident_mb();
    StepReport report;
    for (int k = 0; k < steps; ++k) report = run.step();
    fmt::print("{} spheres, {} contacts, {} sweeps per step, {} thread(s), solver {}\n", n, report.contacts,
               report.sweeps, threads, solver);
    double total = 0;
    for (std::size_t k = 0; k < phase_names.size(); ++k) {
        const double ms = 1e3 * (run.clock().seconds()[k] - before[k]) / steps;
        fmt::print("  {:<10} {:>7.1f} ms\n", phase_names[k], ms);
        total += ms;
    }
    fmt::print("  {:<10} {:>7.1f} ms per step; residual rms {:.1e}\n", "total", total, report.residual_rms);
    fmt::print("memory {:.0f} MB, {:.2f} kB for each grain and contact; growth over {} steps {:.1f} MB\n",
               resident_mb(), 1024 * resident_mb() / (n + report.contacts), steps, resident_mb() - memory);
    fmt::print("state hash {:016x}\n", run.state_hash());
}
