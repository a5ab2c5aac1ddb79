// A particle damper: a cylinder of 25 x 25 mm with 151 steel spheres of 3 mm, shaken along its axis at 10 Hz
// and 10 mm, in metres (mu = 0.3, e = 1, h = 1e-5 s). CPU seconds per simulated second at residual 1e-6.
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/lattices.hpp"

#include <CLI/CLI.hpp>
#include <ctime>
#include <fmt/core.h>
#include <numbers>

using namespace tamis;

int main(int argc, char** argv)
{
    double t_end = 1, h = 1e-5, tolerance = 1e-6, scale = 1, restitution = 1;
    std::string solver = "auto";
    CLI::App app("151 steel spheres in a shaken cylinder");
    app.add_option("--t-end", t_end, "simulated time, s")->capture_default_str();
    app.add_option("--h", h, "step, s")->capture_default_str();
    app.add_option("--tolerance", tolerance, "on the residual")->capture_default_str();
    app.add_option("--solver", solver, "contact solver")->capture_default_str();
    app.add_option("--scale", scale, "lengths are multiplied by it: the cost must not change")
        ->capture_default_str();
    app.add_option("--restitution", restitution, "Newton's")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const double d = 3e-3 * scale, size = 25e-3 * scale, amplitude = 10e-3 * scale,
                 omega = 2 * std::numbers::pi * 10;
    ModelDescription model("shaken_cylinder");
    model.gravity({0, 0, -9.81 * scale});
    const MaterialId steel = model.add(Material{.friction = 0.3, .restitution = restitution});
    const Body container = model.add({.name = "container", .joint = slide_z(), .mass = 1});
    model.attach(container, hollow(cylinder(size / 2, size)), steel, {.p = {0, 0, size / 2}}, "container");
    model.drive(model.coordinate(container),
                {[=](double t) { return amplitude * std::sin(omega * t); },
                 [=](double t) { return amplitude * omega * std::cos(omega * t); }});
    for (const Eigen::Vector3d& x : layers_in_cylinder(size / 2, d, 3))
        model.grain({.shape = sphere(d / 2), .material = steel, .density = 7800, .at = {.p = x}});

    MoreauJeanOptions options{.h = h, .force = ForceEvaluation::explicit_};
    options.contacts = {.tolerance = tolerance, .solver = solver, .threads = 1};
    MoreauJean run(model.finish(), options);
    long steps = 0, contacts = 0, sweeps = 0, unconverged = 0;
    double worst = 0, penetration = 0;
    const std::clock_t start = std::clock();
    while (run.state().t < t_end - h / 2) {
        const StepReport report = run.step();
        ++steps;
        contacts += report.contacts;
        sweeps += report.sweeps;
        unconverged += !report.converged;
        worst = std::max(worst, report.residual_rms);
        penetration = std::max(penetration, report.penetration);
    }
    const double cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{} spheres, {:g} s in {} steps: {:.2f} CPU s per simulated second, {:.1f} us per step\n",
               model.grains().size(), t_end, steps, cpu / t_end, 1e6 * cpu / static_cast<double>(steps));
    fmt::print("contacts per step {:.1f}, sweeps per step {:.1f}, steps not converged {}, worst rms residual "
               "{:.1e}, penetration {:.2g} of d\n",
               static_cast<double>(contacts) / static_cast<double>(steps),
               static_cast<double>(sweeps) / static_cast<double>(steps), unconverged, worst, penetration / d);
    for (std::size_t k = 0; k < phase_names.size(); ++k)
        fmt::print("  {:<10} {:>6.2f} us per step\n", phase_names[k],
                   1e6 * run.clock().seconds()[k] / static_cast<double>(steps));
    fmt::print("state hash {:016x}\n", run.state_hash());
}
