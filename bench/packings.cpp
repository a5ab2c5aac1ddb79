// Random packings: solid fraction and coordination number, away from the walls, of spheres and stones that
// fell into a box, by their friction, and of spheres shaken in it.
//
// Touching are grains whose contact carries load. The coordination number counts touching neighbours of the
// grains in the inner region; rattlers are left out one after the other: grains with fewer contacts than
// carry a grain, four without friction, two with.
#include "tamis/packing/deposit.hpp"
#include "tamis/packing/grading.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/measures.hpp"
#include "tamis/packing/stones.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/core.h>

using namespace tamis;

namespace {

Walls container(double width)
{
    Walls walls;
    walls.shapes.emplace_back(wall({0, 0, 1}, 0), Pose{});
    for (double sign : {1.0, -1.0}) {
        walls.shapes.emplace_back(wall({sign, 0, 0}, -width / 2), Pose{});
        walls.shapes.emplace_back(wall({0, sign, 0}, -width / 2), Pose{});
    }
    return walls;
}

Packing in_the_air(const std::vector<Shape>& shapes, double width, std::uint64_t seed)
{
    std::vector<double> radii;
    for (const Shape& s : shapes) radii.push_back(bounding_radius(s));
    const auto centres = drop_lattice(box(width, width, width), radii, {.seed = seed});
    Packing loose;
    Random random(seed);
    for (std::size_t i = 0; i < shapes.size(); ++i) loose.add(shapes[i], {random.rotation(), centres[i]});
    return loose;
}

} // namespace

int main(int argc, char** argv)
{
    int n = 1200, threads = 1;
    std::uint64_t seed = 1;
    std::string only;
    Deposit how{.step = 0.02};
    CLI::App app("Solid fraction and coordination number of random packings");
    app.add_option("--grains", n, "number of grains")->check(CLI::Range(800, 1000000))->capture_default_str();
    app.add_option("--seed", seed, "of start positions and shapes")->capture_default_str();
    app.add_option("--only", only, "rows whose name begins like this");
    app.add_option("--tolerance", how.tolerance, "of the contact solver while grains fall")
        ->capture_default_str();
    app.add_option("--step", how.step, "of spheres, of sqrt(d / g); that of stones is a quarter of it")
        ->capture_default_str();
    app.add_option("--max-sweeps", how.max_sweeps, "of the contact solver")->capture_default_str();
    app.add_option("--threads", threads, "of the contact solver")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    how.threads = threads;

    // A box about as high as wide.
    const double d = 0.01, width = d * std::cbrt(0.9 * n);
    std::vector<Shape> equal(n, sphere(d / 2)), various = equal, stones = equal;
    Random random(seed);
    for (Shape& s : various) s = sphere(d / 2 * random.uniform(0.85, 1.15));
    // Stones of the sieve curve of ballast, scaled to a mean size of about d.
    const double scale = d / 0.04;
    std::vector<double> sizes = draw_sizes(ballast_31_50(), n, seed);
    for (double& size : sizes) size *= scale;
    std::ranges::copy(make_stones({}, sizes, seed), stones.begin());

    fmt::print("{} grains in a box of {:.1f} d, seed {}\n", n, width / d, seed);
    fmt::print("{:<28} {:>9} {:>9} {:>7} {:>7} {:>9} {:>12} {:>11} {:>7}\n", "packing", "friction",
               "fraction", "z", "z all", "rattlers", "rms speed", "penetration", "CPU s");
    auto print = [&](const std::string& name, double mu, const Deposited& made, std::clock_t start) {
        // Two and a half sizes away from walls and surface.
        const double top = bounds(made.packing).high.z(), in = width / 2 - 2.5 * d;
        const Bounds inner{{-in, -in, 2.5 * d}, {in, in, top - 2.5 * d}};
        const Coordination z = coordination(inner, made.packing.poses, made.touching, mu > 0 ? 2 : 4);
        fmt::print("{:<28} {:>9g} {:>9.3f} {:>7.2f} {:>7.2f} {:>8.1f}% {:>12.1e} {:>9.1e} d {:>7.0f}\n", name,
                   mu, solid_fraction(inner, made.packing.shapes, made.packing.poses), z.without_rattlers,
                   z.mean, 100.0 * z.rattlers / std::max(z.grains, 1), made.rms_speed / std::sqrt(9.81 * d),
                   made.penetration / d, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        std::fflush(stdout);
    };
    auto wanted = [&](const std::string& name) { return name.starts_with(only); };
    auto drop = [&](const std::string& name, const std::vector<Shape>& shapes, const Deposit& deposition) {
        if (!wanted(name)) return;
        const std::clock_t start = std::clock();
        print(name, deposition.friction.back(),
              deposit(in_the_air(shapes, width, seed), container(width), deposition), start);
    };
    auto with = [](Deposit deposition, std::vector<double> friction) {
        deposition.friction = std::move(friction);
        return deposition;
    };

    for (double mu : {0.0, 0.1, 0.3, 0.5, 1.0}) drop("equal spheres", equal, with(how, {mu}));
    for (double mu : {0.0, 0.5}) drop("spheres of d +- 15 %", various, with(how, {mu}));
    Deposit fine = how;
    fine.step /= 4; // stones overlap more in longer steps
    for (double mu : {0.3, 0.7}) drop("stones", stones, with(fine, {mu}));
    drop("stones, first 0.1", stones, with(fine, {0.1, 0.7}));
    if (wanted("shaken")) {
        // Peak acceleration 4 g with an amplitude of 0.2 d.
        const std::clock_t start = std::clock();
        how.friction = {0.5};
        const Packing rest = deposit(in_the_air(equal, width, seed), container(width), how).packing;
        const Shake cycle{.amplitude = 0.2 * d, .frequency = std::sqrt(4 * 9.81 / (0.2 * d)) / (2 * M_PI)};
        print("shaken equal spheres", 0.5,
              shake(
                  rest, [&](double height) { return box(width, width, height); },
                  bounds(rest).high.z() + 0.1 * d, cycle, how),
              start);
    }
}
