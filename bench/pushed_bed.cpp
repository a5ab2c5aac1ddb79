// A dense bed of stones and a blade that pushes through it: how far the force on the blade depends on the
// solver and its tolerance.
//
// Stones are settled around a blade that is held fast (once, then stored). The blade then moves sideways,
// driven at a constant speed (`driven`), or as a mass that a constant force pushes (`pushed`). This is the
// hardest of the everyday problems of machines in grains: the load is carried by few long chains of contacts,
// and a sweep passes it on by one grain.
#include "tamis/app/stored_packing.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/deposit.hpp"
#include "tamis/packing/grading.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/stones.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/core.h>

using namespace tamis;

namespace {

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the bed, with as many stones above each square metre whatever their number.
struct Basin {
    double length, width;
    explicit Basin(int n) : length(1.3 * std::sqrt(n / 5000.0)), width(0.6 * std::sqrt(n / 5000.0)) {}

    std::vector<Shape> walls() const
    {
        std::vector<Shape> planes{wall({0, 0, 1}, 0)};
        for (double sign : {1.0, -1.0}) {
            planes.push_back(wall({sign, 0, 0}, -length / 2));
            planes.push_back(wall({0, sign, 0}, -width / 2));
        }
        return planes;
    }
};

const Shape blade = box(0.025, 0.07, 0.5);
const Pose blade_at{.p = {0, 0, 0.15 + 0.25}};

Packing make_bed(int n)
{
    const Basin basin(n);
    Walls walls{{{blade, blade_at}}};
    for (const Shape& plane : basin.walls()) walls.shapes.emplace_back(plane, Pose{});
    std::vector<double> radii;
    std::vector<Shape> stones;
    for (const Polyhedron& stone : make_stones({}, draw_sizes(ballast_31_50(), n))) {
        stones.push_back(stone);
        radii.push_back(stone.hull->radius);
    }
    // Above the blade there is room for all.
    Packing loose;
    Random random(1);
    const auto centres = drop_lattice(box(basin.length, basin.width, 1), radii);
    for (int i = 0; i < n; ++i)
        loose.add(stones[i], {random.rotation(), centres[i] + Eigen::Vector3d(0, 0, 0.65)});
    Deposit how{.friction = {0.2, 0.7}, .max_sweeps = 100};
    how.tell = [](const std::string& line) { fmt::print(stderr, "bed: {}\n", line); };
    return deposit(loose, walls, how).packing;
}

struct Scene {
    ModelDescription model{"pushed_bed"};
    Body tool;

    Scene(const Packing& bed, bool driven, double friction, double stiffness, double speed, double push)
    {
        model.gravity({0, 0, -9.81});
        const MaterialId stone =
            model.add(Material{.friction = friction, .anticipation = true, .stiffness = stiffness});
        tool = model.add({.name = "blade", .joint = slide_x(), .mass = 30});
        model.attach(tool, blade, stone, blade_at, "blade");
        if (driven)
            model.drive(model.coordinate(tool),
                        {[=](double t) { return speed * t; }, [=](double) { return speed; }});
        else
            model.force(model.coordinate(tool), [=](const View&) { return push; });
        for (const Shape& plane : Basin(bed.size()).walls()) model.attach(ground, plane, stone);
        add_grains(model, bed, stone, 2700);
        model.finish();
    }
};

double penetration(const MoreauJean& run)
{
    double most = 0;
    for (const ContactRecord& c : run.view().contacts()) most = std::max(most, -c.gap);
    return most;
}

} // namespace

int main(int argc, char** argv)
{
    int n = 1000, prelude = 200, steps = 10, most = 10000, sweeps = 20000, threads = 2;
    double h = 5e-4, friction = 0.7, stiffness = 0, speed = 0.2, push = 3000;
    std::string kind = "driven", only;
    CLI::App app("A blade pushed through a dense bed of stones: force against solver and tolerance");
    app.add_option("--grains", n, "number of stones")->capture_default_str();
    app.add_option("--blade", kind, "driven or pushed")->check(CLI::IsMember({"driven", "pushed"}));
    app.add_option("--speed", speed, "of the driven blade, m/s")->capture_default_str();
    app.add_option("--push", push, "force on the pushed blade, N")->capture_default_str();
    app.add_option("--friction", friction, "Coulomb coefficient")->capture_default_str();
    app.add_option("--stiffness", stiffness, "of contacts, N/m; 0: rigid")->capture_default_str();
    app.add_option("--prelude", prelude, "steps of the run")->capture_default_str();
    app.add_option("--steps", steps, "of them that are solved anew")->capture_default_str();
    app.add_option("--h", h, "step size, s")->capture_default_str();
    app.add_option("--max-sweeps", sweeps, "of a step")->capture_default_str();
    app.add_option("--most-sweeps", most, "on one problem")->capture_default_str();
    app.add_option("--threads", threads, "of the solver")->capture_default_str();
    app.add_option("--solver", only, "this one only, and on one problem only");
    CLI11_PARSE(app, argc, argv);

    const Packing bed = stored_packing(fmt::format("bed_with_blade_{}", n), [&] { return make_bed(n); });
    Scene scene(bed, kind == "driven", friction, stiffness, speed, push);
    auto stepper = [&](const std::string& solver, double tolerance) {
        MoreauJeanOptions options{.h = h, .force = ForceEvaluation::explicit_};
        options.contacts = {
            .tolerance = tolerance, .max_sweeps = sweeps, .solver = solver, .threads = threads};
        return MoreauJean(scene.model.finish(), options);
    };

    // The states before every so many steps of one run.
    MoreauJean before = stepper("coloured", stiffness > 0 ? 1e-5 : 1e-3);
    std::vector<State> states;
    fmt::print("{} stones, blade {}, mu = {}, k = {:g} N/m, h = {} s\nforce of the run on the blade, N: ", n,
               kind, friction, stiffness, h);
    double all_sweeps = 0;
    long failed = 0, wedged = 0;
    for (int k = 1; k <= prelude; ++k) {
        const bool chosen = k % std::max(prelude / steps, 1) == 0;
        if (chosen) states.push_back(before.state());
        const StepReport report = before.step();
        all_sweeps += report.sweeps;
        failed += !report.converged;
        wedged += report.wedged[0] >= 0;
        if (chosen) fmt::print(" {:.0f}", before.view().contact_force(scene.tool).force.x());
        std::fflush(stdout);
    }
    fmt::print("\n{:.0f} sweeps per step, {} of {} not converged ({} wedged), penetration {:.2g} mm\n",
               all_sweeps / prelude, failed, prelude, wedged, 1e3 * penetration(before));

    // Each of these steps by each solver, from the impulses of the step before and from none.
    fmt::print("\nthese steps anew: force, N; largest difference from the first row\n");
    std::vector<double> reference;
    std::vector<std::pair<std::string, double>> rows{{"coloured", 1e-7}};
    for (const char* solver : {"coloured", "anderson", "nncg"})
        for (const double tolerance : {1e-6, 1e-5, 1e-4, 1e-3}) rows.emplace_back(solver, tolerance);
    rows.emplace_back("coloured-float", 1e-4);
    for (const auto& [solver, tolerance] : rows)
        for (const bool warm : {true, false}) {
            if (!only.empty()) continue;
            MoreauJean run = stepper(solver, tolerance);
            fmt::print("{:<15} {:>6.0e} {} ", solver, tolerance, warm ? "warm" : "cold");
            double total = 0, difference = 0;
            long sweeps_here = 0, failed_here = 0, wedged_here = 0;
            for (std::size_t k = 0; k < states.size(); ++k) {
                State state = states[k];
                if (!warm)
                    for (State::Impulse& impulse : state.impulses) impulse.r.setZero();
                run.restore(state);
                const double start = seconds();
                const StepReport report = run.step();
                total += seconds() - start;
                sweeps_here += report.sweeps;
                failed_here += !report.converged;
                wedged_here += report.wedged[0] >= 0;
                const double found = run.view().contact_force(scene.tool).force.x();
                if (reference.size() < states.size()) reference.push_back(found);
                difference = std::max(difference, std::abs(found / reference[k] - 1));
                fmt::print(" {:>6.0f}", found);
            }
            const double count = static_cast<double>(states.size());
            fmt::print("  {:>8.2g} %  {:>6.0f} sweeps {:>3} not converged, {} wedged {:>6.0f} ms\n",
                       100 * difference, static_cast<double>(sweeps_here) / count, failed_here, wedged_here,
                       1e3 * total / count);
            std::fflush(stdout);
        }

    // One contact problem, from the impulses that the step found, and from none: the force against the
    // sweeps.
    MoreauJean run = stepper("coloured", 1e-4);
    run.restore(states.back());
    run.step();
    const ContactProblem problem = run.problem();
    // The blade is the only block that is not a stone: a mechanism, or a prescribed body.
    const auto force = [&](const ContactProblem& solved) {
        double sum = 0;
        for (const Contact& c : solved.contacts)
            for (int s = 0; s < 2; ++s) {
                const int stone = c.side[s].block - solved.general();
                if (c.side[s].block >= 0 && (stone < 0 || stone >= n))
                    sum += (s == 0 ? -1 : 1) * (c.frame * c.r).x();
            }
        return sum / h;
    };
    fmt::print("\nthe problem of step {}, {} contacts: force on the blade {:.0f} N as the step left it\n",
               prelude, problem.contacts.size(), force(problem));
    for (const auto& [name, warm] : {std::pair{"coloured", true},
                                     {"coloured", false},
                                     {"anderson", false},
                                     {"nncg", false},
                                     {"interior", false}}) {
        if (!only.empty() && only != name) continue;
        for (int limit : {100, 1000, 10000, 100000}) {
            if (limit > (name == std::string("interior") ? 1000 : most)) continue;
            ContactProblem copy = problem;
            if (!warm)
                for (Contact& c : copy.contacts) c.r.setZero();
            const auto solver = make_solver(name, threads);
            solver->stop = {.natural_max = 1e30, .natural_rms = 1e-7, .max_sweeps = limit};
            const double start = seconds();
            const SolverReport report = solver->solve(copy);
            fmt::print(
                "{:<9} {} {:>7} sweeps {:>9.0f} N  residual rms {:.1e} max {:.1e}  violation {:.1e} m/s "
                "{:>7.2f} s{}\n",
                name, warm ? "warm" : "cold", report.sweeps, force(copy), report.residual.natural_rms,
                report.residual.natural_max, report.residual.approach, seconds() - start,
                report.growth ? "  wedged" : "");
            std::fflush(stdout);
        }
    }
}
