// A flexible beam with a mass at its end, near its first resonance. Zhang et al. (2020), Sect. 5.2, Table 3
// and Fig. 17; Zhang et al. (2022), Sect. 4.3, Table 2 and Fig. 14.
//
//   force                                    crank
//   |=============[container]                [slider]=============[sensor][container]
//   |  beam          ^ A sin 2 pi f t           |       beam
//                                             crank and rod, y
//
// `force`: one end of the beam is clamped, a force acts on the container at the other. `crank`: a crank and a
// rod move the beam's one end to and fro, the container with a sensor is at the other. The particles of the
// damper are a lumped mass here. Cut: they (with `crank`: and the container) are on the nonsmooth side.
//
// The reduced model is a mass of 0.24 beams and all that is attached, on the spring 3 E I / l^3; it is
// integrated beside the beam.
//
// Sample runs:  cantilever --elements 2 --t-end 0.02
//               cantilever --elements 2 --t-end 0.02 --excitation crank --coupling tight
#include "support/lead_damper.hpp"

#include <tamis.hpp>

#include <cmath>
#include <memory>
#include <numbers>
using namespace tamis;

TAMIS_MODEL(cantilever, "A beam with a mass at its end near resonance (Zhang et al. 2020, 2022)")
{
    // 1. Parameters, in SI units.
    const bool crank =
        choice("excitation", "force", {"force", "crank"}, "what makes the beam swing") == "crank";
    const double E = opt("modulus", 210e9, "Young's", "Pa", positive);
    const double nu = opt("poisson", 0.33, "Poisson's ratio", "", {-0.99, 0.5});
    const double rho = opt("density", 7845, "of the beam", "kg/m3", positive);
    const double l = opt("length", 0.25, "of the beam", "m", positive);
    const double width = opt("width", 0.03, "of the beam, across the motion", "m", positive);
    const double height = opt("height", 0.002, "of the beam, along the motion", "m", positive);
    const int elements = count("elements", 10, "of the beam, three nodes each", {1, 1000});
    const double particles = opt("particles", 7e-3, "mass of the particles, lumped", "kg", positive);
    const double frequency = opt("frequency", 15.5, "of the excitation", "Hz", positive);
    const double amplitude = opt("amplitude", 0.25, "of the force", "N");
    const double r = opt("crank-length", 0.25e-3, "radius of the crank", "m", positive);
    const double w = 2 * std::numbers::pi * frequency;

    // 2. What holds the beam: the ground, or a slider that crank and rod move along y. The crank starts at
    //    its upper dead point, so that nothing jerks.
    const CrankDrive drive{.radius = r, .w = w};
    const double rod = drive.rod;
    const Body base = crank ? drive.add(model) : ground;
    const double y0 = crank ? drive.start() : 0; // of the beam

    // 3. The beam and what is at its end.
    const double tip_mass = crank ? 12.7e-3 : 48.5e-3, box_mass = crank ? 35.8e-3 : 0;
    const Body tip = model.add(
        {.name = crank ? "sensor" : "container",
         .joint = free_joint(),
         .mass = tip_mass,
         .inertia = crank ? Inertia(1.05833e-6, 1.27e-6, 1.05833e-6) : Inertia(2.66e-6, 4.85e-6, 2.66e-6)});
    model.start(tip, l, 0, 0);
    model.start(tip, y0, 0, 1);
    const double ball = 2e-7; // inertia of a lump of particles, kg m2
    const Body damper =
        model.add({.name = crank ? "container with particles" : "particles",
                   .parent = tip,
                   .joint = fixed_joint(),
                   .mass = box_mass + particles,
                   .inertia = crank ? Inertia(2.98333e-6, 3.58e-6, 2.98333e-6) : Inertia(ball, ball, ball)});
    const BeamSection section =
        beam_section(RectangularSection{.E = E, .nu = nu, .rho = rho, .width = width, .height = height});
    model.beam({.name = "beam",
                .a = crank ? model.frame("clamp", base, {0, rod, 0}) : model.frame("clamp", ground),
                .b = model.frame("end", tip),
                .section = section,
                .elements = elements});
    if (!crank)
        model.wrench(model.frame("force", tip), [=](const View& s) {
            return Wrench{.force = {0, amplitude * std::sin(w * s.time()), 0}};
        });
    method(Method::smooth);
    cut(damper);
    model.show(tip, box(0.01, 0.02, 0.02), {}, "container");

    // 4. The reduced model, M x'' = K (Y(t) - x) + F(t), by Runge and Kutta's method in short steps.
    const double M = 0.24 * rho * width * height * l + tip_mass + box_mass + particles;
    const double K = 3 * E * width * std::pow(height, 3) / 12 / std::pow(l, 3);
    const auto base_motion = [=](double t) { // Zhang et al. (2022), eq. 50
        const double c = r * std::cos(w * t + std::numbers::pi / 2);
        return crank ? std::sqrt(rod * rod - c * c) + r * std::sin(w * t + std::numbers::pi / 2) + rod : 0;
    };
    struct Reduced {
        double t = 0, x = 0, v = 0;
    };
    auto reduced = std::make_shared<Reduced>(Reduced{0, y0, 0});
    const auto rate = [=](double t, double x) {
        return (K * (base_motion(t) - x) + (crank ? 0 : amplitude * std::sin(w * t))) / M;
    };
    record({"reduced_y", "reduced_v"}, [=](const View& s) {
        Reduced& o = *reduced;
        while (s.time() - o.t > 1e-12) {
            const double h = std::min(2e-5, s.time() - o.t), k = h / 2;
            const double v1 = o.v, a1 = rate(o.t, o.x), v2 = o.v + k * a1, a2 = rate(o.t + k, o.x + k * v1);
            const double v3 = o.v + k * a2, a3 = rate(o.t + k, o.x + k * v2);
            const double v4 = o.v + h * a3, a4 = rate(o.t + h, o.x + h * v3);
            o.x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
            o.v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
            o.t += h;
        }
        return std::vector{o.x - y0, o.v};
    });

    // 5. What to record beside it: the container.
    record({"y", "v"}, [=](const View& s) {
        return std::vector{s.position(tip)[1] - y0, s.velocity(tip)[1]};
    });
    record("x", [=](const View& s) { return s.position(tip)[0]; });
    record("opening", [=](const View& s) { return (s.position(tip) - s.position(damper)).norm(); });
    defaults.h = 1e-4;
    defaults.frames = 0;
    run_until(2);
}
