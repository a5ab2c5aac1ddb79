// Janssen's silo: of a column of grains between rough walls the floor carries only
//     F = M_s g (1 - exp(-M / M_s)),   M_s = rho phi A lambda,   lambda = D / (4 mu K),
// with M the mass filled in and K the ratio of the pressure on the wall to the vertical stress (H. A.
// Janssen, 1895). The law supposes that friction at the wall is mobilised upwards everywhere: the floor is
// lowered slowly by its drive, as in experiments (L. Vanel, E. Clement, Eur. Phys. J. B 11 (1999)). M_s is
// taken from the tallest column; the law must then hold for all others.
#include "tamis/app/stored_packing.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/deposit.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/random.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <ctime>
#include <fmt/core.h>

using namespace tamis;

namespace {

constexpr double d = 0.005, density = 2500, g = 9.81;

struct Column {
    double mass = 0, height = 0;
    double floor = 0, wall = 0, pressing = 0; // mean forces: on the floor, along the wall, into it, N
};

Packing fill(int n, double diameter, double mu, int threads)
{
    Random random(1);
    std::vector<double> radii;
    for (int i = 0; i < n; ++i) radii.push_back(d / 2 * random.uniform(0.85, 1.15));
    const double tall = 20 * d + 4 * n * d * d * d / (diameter * diameter);
    const auto centres = drop_lattice(cylinder(diameter / 2, tall), radii);
    Packing loose;
    for (int i = 0; i < n; ++i) loose.add(sphere(radii[i]), {.p = centres[i]});
    return deposit(loose, {{{hollow(cylinder(diameter / 2, tall)), {.p = {0, 0, tall / 2}}}}},
                   {.friction = {mu}, .threads = threads})
        .packing;
}

// Lowers the floor by `travel` at `speed`; means over the second half of the way.
Column lower_floor(const Packing& grains, double diameter, double mu, double rolling, double travel,
                   double speed, double h, double tolerance, int threads)
{
    ModelDescription model("silo");
    model.gravity({0, 0, -g});
    const MaterialId stone = model.add(Material{.friction = mu, .rolling = rolling, .anticipation = true});
    add_grains(model, grains, stone, density);
    Column column{.height = bounds(grains).high.z()};
    for (const GrainRecord& grain : model.grains()) column.mass += grain.mass;
    const double tall = 4 * column.height;
    const ShapeId side = model.attach(ground, hollow(cylinder(diameter / 2, tall)), stone);
    const Body plate = model.add({.name = "floor", .joint = slide_z(), .mass = 1});
    const ShapeId floor = model.attach(plate, wall({0, 0, 1}, 0), stone);
    model.ignore(side, floor);
    model.drive(model.coordinate(plate),
                {[=](double t) { return -speed * t; }, [=](double) { return -speed; }});

    MoreauJean run(model.finish(),
                   {.h = h,
                    .force = ForceEvaluation::explicit_,
                    .contacts = {.tolerance = tolerance, .max_sweeps = 1000, .threads = threads}});
    const long steps = std::lround(travel / (speed * h));
    for (long k = 0; k < steps; ++k) {
        run.step();
        if (k < steps / 2) continue;
        const double part = 1 / static_cast<double>(steps - steps / 2);
        column.floor -= part * run.view().contact_force(floor).force.z();
        column.wall -= part * run.view().contact_force(side).force.z();
        for (const ContactRecord& c : run.view().contacts())
            if (c.shape_a == side.index || c.shape_b == side.index)
                column.pressing += part * c.impulse[0] / h;
    }
    return column;
}

} // namespace

int main(int argc, char** argv)
{
    int largest = 3200, smallest = 200, threads = 1;
    double silo = 9, mu = 0.5, rolling = 0, travel = 0.2, speed = 0.01, h = 2e-4, tolerance = 1e-3;
    CLI::App app("The force on the floor of a silo against Janssen's law");
    app.add_option("--grains", largest, "in the tallest column; the others have half as many each")
        ->capture_default_str();
    app.add_option("--least", smallest, "grains of the lowest column")->capture_default_str();
    app.add_option("--silo", silo, "diameter, in grains")->capture_default_str();
    app.add_option("--friction", mu, "of grains and wall")->capture_default_str();
    app.add_option("--rolling", rolling, "resistance while the floor is lowered: arm, in grains")
        ->capture_default_str();
    app.add_option("--travel", travel, "of the floor, in grains")->capture_default_str();
    app.add_option("--speed", speed, "of the floor, of sqrt(g d)")->capture_default_str();
    app.add_option("--h", h, "step, s")->capture_default_str();
    app.add_option("--tolerance", tolerance, "of the contact solver")->capture_default_str();
    app.add_option("--threads", threads, "of the contact solver")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const double diameter = silo * d;
    double saturation = 0;
    fmt::print("{:>7} {:>9} {:>9} {:>9} {:>12} {:>9} {:>7} {:>9} {:>7}\n", "grains", "height/D", "weight N",
               "floor N", "floor/weight", "Janssen", "ratio", "T/(mu N)", "CPU s");
    for (int n = largest; n >= smallest; n /= 2) {
        const std::clock_t start = std::clock();
        const Packing grains = stored_packing(fmt::format("janssen_{}_{}_{}", n, silo, mu),
                                              [&] { return fill(n, diameter, mu, threads); });
        const Column c = lower_floor(grains, diameter, mu, rolling * d, travel * d, speed * std::sqrt(g * d),
                                     h, tolerance, threads);
        // M_s from the first, tallest column: F = M_s g (1 - exp(-M / M_s)), by fixed-point iteration.
        if (n == largest) {
            saturation = c.floor / g;
            for (int k = 0; k < 100; ++k) saturation = c.floor / g / (1 - std::exp(-c.mass / saturation));
            const double lambda = saturation / (c.mass / c.height);
            const double K = diameter / (4 * mu * lambda), mobilised = c.wall / c.pressing;
            fmt::print("M_s = {:.4f} kg, lambda = {:.3f} D; K = {:.3f} with mu = {}, {:.3f} with the wall's "
                       "mobilised {:.3f}\n",
                       saturation, lambda / diameter, K, mu, K * mu / mobilised, mobilised);
        }
        const double janssen = saturation * g * (1 - std::exp(-c.mass / saturation));
        fmt::print("{:>7} {:>9.2f} {:>9.3f} {:>9.3f} {:>12.3f} {:>9.3f} {:>7.3f} {:>9.3f} {:>7.0f}\n", n,
                   c.height / diameter, c.mass * g, c.floor, c.floor / (c.mass * g), janssen / (c.mass * g),
                   c.floor / janssen, c.wall / (mu * c.pressing),
                   static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        std::fflush(stdout);
    }
}
