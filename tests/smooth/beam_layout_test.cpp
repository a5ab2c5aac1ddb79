// Beams laid into a smooth system: frequencies, and motion by the solver.
#include "tamis/smooth/beam_layout.hpp"

#include "smooth/damper.hpp"
#include "tamis/smooth/smooth_solver.hpp"

namespace beam_layout_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

// Frequency equation of a uniform Timoshenko cantilever with mass m and inertia J on the tip. Harmonic in
// time, y = (w, theta, V, M) obeys y' = A y:
//     w' = theta + V / GA,  theta' = M / EI,  V' = -rho A omega^2 w,  M' = -V - rho I omega^2 theta;
// w = theta = 0 at the clamp, V = m omega^2 w and M = J omega^2 theta at the tip.
double frequency_equation(double f)
{
    const BeamSection s = damper_section();
    const double GA = s.stiffness(1, 1), EI = s.stiffness(5, 5), omega2 = std::pow(2 * pi * f, 2);
    const double L = damper_length;
    Eigen::Matrix4d A; // with lengths in L, forces in EI / L^2
    const double a = s.mass * omega2 * std::pow(L, 4) / EI, b = s.inertia[2] * omega2 * L * L / EI;
    A << 0, 1, EI / (GA * L * L), 0, 0, 0, 0, 1, -a, 0, 0, 0, 0, -b, -1, 0;
    Eigen::Matrix4d term = Eigen::Matrix4d::Identity(), Y = term;
    for (int n = 1; n < 60; ++n) Y += term = (A * term / n).eval();
    const double m = tip_mass * omega2 * std::pow(L, 3) / EI, J = tip_inertia * omega2 * L / EI;
    const Eigen::Matrix2d end{{Y(2, 2) - m * Y(0, 2), Y(2, 3) - m * Y(0, 3)},
                              {Y(3, 2) - J * Y(1, 2), Y(3, 3) - J * Y(1, 3)}};
    return end.determinant();
}

std::vector<double> timoshenko_frequencies(int count)
{
    std::vector<double> roots;
    for (double f = 1; static_cast<int>(roots.size()) < count; f += 1) {
        double low = f, high = f + 1, sign = frequency_equation(low);
        if (sign * frequency_equation(high) > 0) continue;
        for (int k = 0; k < 60; ++k) {
            const double middle = (low + high) / 2;
            (sign * frequency_equation(middle) > 0 ? low : high) = middle;
        }
        roots.push_back(low);
    }
    return roots;
}

} // namespace

// Published for this beam: 15.619, 127.460, 381.082 Hz (Zhang et al. 2020), which is 0.08, 0.38 and 0.85 %
// less than the exact values for what is known of the bodies on the tip.
TEST(Beam, FrequenciesOfTheDamperConvergeToTimoshenkosWithOrderFour)
{
    const std::vector<double> exact = timoshenko_frequencies(3);
    const std::vector<double> ten = Damper(10).frequencies(), twenty = Damper(20).frequencies();
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(ten[k] / exact[k], 1, 1e-3);
        EXPECT_NEAR(std::log2((ten[k] - exact[k]) / (twenty[k] - exact[k])), 4, 0.1);
    }
}

// Computed independently with MBDyn, for the same beam and masses spread in the same way.
TEST(Beam, FrequenciesWithMassInPortionsAndInNodesAreThoseOfMbdyn)
{
    const double portions[] = {15.631145, 127.860656, 383.522125},
                 nodes[] = {15.623856, 127.914888, 384.839709};
    const std::vector<double> of_portions = Damper(10, BeamInertia::portions).frequencies();
    const std::vector<double> of_nodes = Damper(10, BeamInertia::nodes).frequencies();
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(of_portions[k] / portions[k], 1, 1e-7); // digits given
        EXPECT_NEAR(of_nodes[k] / nodes[k], 1, 1e-7);
    }
}

// Stubby elements, in which consistent mass and rigid portions have some.
TEST(Beam, MassInNodesLeavesNoModeThatGrows)
{
    SmoothSystem system;
    NodeMotion end;
    const int clamp = system.add_node("clamp", end);
    end.x = {1, 0, 0};
    const int tip = system.add_node("tip", end);
    const auto nodes = lay_beam(system,
                                {.name = "beam",
                                 .elements = 8,
                                 .section = beam_section(RectangularSection{1e8, 0.3, 1000, 0.05, 0.05}),
                                 .inertia = BeamInertia::nodes},
                                clamp, tip);
    beam_frequencies(system, nodes, {0, 1, 2, 3, 4, 5});
}

// Computed independently with MBDyn: ten beams, rigid portions, the same scheme and step.
TEST(Beam, DamperUnderAForceNearResonanceMovesAsInMbdyn)
{
    Damper damper(10, BeamInertia::portions);
    SmoothSolver solver(damper.system, {.h = 1e-4, .rho_inf = 0.6});
    const double table[][3] = {{0.02, 2.5882149280383616e-04, 1.5602012304301075e-03},
                               {0.06, -8.9598557649126474e-04, -5.2479933918717515e-03},
                               {0.10, 1.3681932037447255e-03, 7.9777408225802614e-03}};
    int step = 0;
    for (const auto& [t, y, theta] : table) {
        for (; step < std::lround(t / 1e-4); solver.accept()) {
            damper.load->set({.force = {0, 0.25 * std::sin(2 * pi * 15.5 * ++step * 1e-4), 0}});
            solver.predict();
            solver.solve();
        }
        const NodeMotion& tip = solver.node(damper.nodes.back());
        // Of amplitudes of 1.4 mm and 0.008 rad; the two have different parameters of rotation.
        EXPECT_NEAR(tip.x[1], y, 1e-11);
        EXPECT_NEAR(std::atan2(tip.R(1, 0), tip.R(0, 0)), theta, 1e-10);
    }
}

namespace {

// A soft cantilever, 1 m long, that is pushed aside in space for 0.2 s and then left alone.
struct Swing {
    Vector3d tip;
    double energy_change; // largest, while left alone, of the energy then
};
Swing swing(int elements, double h, double rho_inf)
{
    SmoothSystem system;
    const int clamp = carried_node(system, "clamp", ground_node, {});
    NodeMotion end;
    end.x = {1, 0, 0};
    const int tip = system.add_node("tip", end);
    lay_beam(system,
             {.name = "beam",
              .elements = elements,
              .section = beam_section(RectangularSection{1e8, 0.3, 1000, 0.05, 0.05})},
             clamp, tip);
    auto& load = system.add<MarkerWrench>("force", tip, Vector3d::Zero());
    SmoothSolver solver(system, {.h = h, .rho_inf = rho_inf});
    double energy = 0, change = 0;
    for (int step = 1; step <= std::lround(0.4 / h); ++step) {
        const double t = step * h, push = t < 0.2 ? std::pow(std::sin(pi * t / 0.2), 4) : 0;
        load.set({.force = {0, 15 * push, 8 * push}});
        solver.predict();
        solver.solve();
        solver.accept();
        if (t < 0.2) energy = solver.energy();
        change = std::max(change, t < 0.2 ? 0 : std::abs(solver.energy() / energy - 1));
    }
    EXPECT_GT(solver.node(tip).x.tail<2>().norm(), 0.1);
    return {solver.node(tip).x, change};
}

} // namespace

TEST(Beam, VibrationConvergesInTimeWithOrderTwo)
{
    const Vector3d coarse = swing(2, 8e-4, 0.6).tip, middle = swing(2, 4e-4, 0.6).tip,
                   fine = swing(2, 2e-4, 0.6).tip;
    EXPECT_NEAR(std::log2((coarse - middle).norm() / (middle - fine).norm()), 2, 0.1);
}

// Without dissipation in the scheme; what is left is the finite-volume form, with the order of the mesh.
TEST(Beam, EnergyIsKeptToTheFourthOrderOfTheMesh)
{
    const double two = swing(2, 8e-4, 1).energy_change, four = swing(4, 8e-4, 1).energy_change;
    EXPECT_LT(four, 2e-4);
    EXPECT_NEAR(std::log2(two / four), 4, 0.2);
}

} // namespace beam_layout_test
