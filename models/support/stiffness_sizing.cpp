// Runs behind Table 5 and Figs 2, 7, 8 of Biondani et al. (2022); see stiffness_sizing.hpp. The structure is that of
// Saeki (2002), as in Zhang et al. (2020), Table 2: 0.293 kg on 1602.7 N/m and 0.116 N s/m. Balls start in close-packed
// layers on the floor of the cavity.
#include "support/stiffness_sizing.hpp"

#include "tamis/base/error.hpp"
#include "tamis/dem/dem.hpp"
#include "tamis/model/description.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/region.hpp"

#include <numbers>

namespace tamis {

using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double g = 9.81;

double ball_mass(double diameter, double density)
{
    return pi / 6 * diameter * diameter * diameter * density;
}

} // namespace

Speedup sizing_speedup(double frequency, double acceleration)
{
    constexpr double d = 3e-3, k_material = 1.182e6; // Table 3
    const double m = ball_mass(d, 7800), v = acceleration * g / (2 * pi * frequency);
    const double overlap = stiffness_for_overlap(m, d / 2, v, 3, 0.05),
                 duration = stiffness_for_duration(m, 1 / frequency, 0.01);
    return {std::sqrt(k_material / std::max(overlap, duration)), duration > overlap};
}

const std::vector<SizingCase>& sizing_cases()
{
    static const std::vector<SizingCase> all{
        {.name = "original", .eta = 0.11, .beta = 2.7},
        {.name = "bigger-particles", .diameter = 12e-3, .balls = 25, .eta = 0.3, .beta = 3.0},
        {.name = "smaller-particles", .diameter = 4e-3, .balls = 625, .eta = 0.1, .beta = 2.8},
        {.name = "capsule", .capsule = true, .eta = 0.1, .beta = 3.0},
        {.name = "double-amplitude", .amplitude = 2e-3, .eta = 0.4, .beta = 2.5},
        {.name = "half-friction", .friction = 0.26, .eta = 0.25, .beta = 2.8},
        {.name = "quarter-friction", .length = 0.038, .friction = 0.13, .eta = 0.2, .beta = 3.0},
        {.name = "heavier-particles", .density = 4760, .eta = 0.1, .beta = 2.3},
        {.name = "longer-cavity", .length = 0.078, .eta = 0.3, .beta = 2.3},
        {.name = "shorter-cavity", .length = 0.038, .eta = 0.8, .beta = 2.6},
        {.name = "gravity-45", .tilt = pi / 4, .eta = 0.11, .beta = 2.8},
        {.name = "gravity-parallel", .tilt = pi / 2, .eta = 0.11, .beta = 2.8},
    };
    return all;
}

double sizing_material(const SizingCase& c)
{
    // The impact speed of Table 3, and E' by the published stiffness.
    return stiffness_of_material(0.01987, ball_mass(c.diameter, c.density) / 2, c.diameter / 4, 2.980e9);
}

SizingResponse sizing_response(const SizingCase& c, const SizingRun& run)
{
    const double omega = 2 * pi * run.frequency;
    ModelDescription model("stiffness_sizing");
    model.gravity({-g * std::sin(c.tilt), 0, -g * std::cos(c.tilt)});
    const Body base = model.add({.name = "base", .joint = slide_x(), .mass = 1});
    model.drive(model.coordinate(base),
                {[=](double t) { return c.amplitude * std::sin(omega * t); },
                 [=](double t) { return c.amplitude * omega * std::cos(omega * t); }});
    const Body mass = model.add({.name = "mass", .parent = base, .joint = slide_x(), .mass = 0.293});
    model.spring(model.coordinate(mass), {.stiffness = 1602.7, .damping = 0.116});
    model.start(mass, 0, -c.amplitude * omega); // at rest in the world

    Material material{.friction = c.friction, .restitution = 0.896, .stiffness = run.stiffness};
    const MaterialId ball = model.add(material);
    material.stiffness *= std::pow(2, 0.6);
    const MaterialId wall = model.add(material);
    model.contact(ball, wall, material);
    const Shape cavity =
        c.capsule ? capsule(c.height / 2, c.length - c.height) : box(c.length, c.height, c.height);
    const Pose lying{c.capsule ? Eigen::AngleAxisd(pi / 2, Vector3d::UnitY()).toRotationMatrix()
                               : Eigen::Matrix3d::Identity(),
                     {0, 0, 0}};
    model.attach(mass, hollow(cavity), wall, lying, "cavity");
    const Vector3d half = Vector3d(c.length, c.height, c.height) / 2;
    int placed = 0;
    for (const Vector3d& x : close_packed_lattice({-half, half}, c.diameter)) {
        if (placed == c.balls) break;
        if (!holds(cavity, lying.R.transpose() * x, c.diameter / 2 * (1 - 1e-9))) continue;
        model.grain(
            {.shape = sphere(c.diameter / 2), .material = ball, .density = c.density, .at = {.p = x}});
        ++placed;
    }
    if (placed < c.balls)
        fail("Only {} of {} balls of {:g} m fit into the cavity of '{}': take fewer or smaller ones.", placed,
             c.balls, c.diameter, c.name);

    const Model& finished = model.finish();
    const double h = hart_step(finished, run.alpha);
    Dem dem(finished, {.h = h, .friction = run.friction, .threads = 1});
    const long steps = std::lround(run.cycles / run.frequency / h), half_way = steps / 2;
    double sum = 0, squares = 0;
    SizingResponse out{};
    for (long n = 0; n < steps; ++n) {
        out.overlap = std::max(out.overlap, dem.step().penetration);
        const Vector3d v = dem.view().velocity(mass);
        out.speed = std::max(out.speed, std::abs(v.x()));
        if (n < half_way) continue;
        const double x = dem.view().position(mass).x();
        sum += x;
        squares += x * x;
    }
    const double mean = sum / static_cast<double>(steps - half_way);
    out.rms = std::sqrt(std::max(squares / static_cast<double>(steps - half_way) - mean * mean, 0.0));
    return out;
}

} // namespace tamis
