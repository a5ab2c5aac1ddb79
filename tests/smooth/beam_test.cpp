#include "tamis/model/beam.hpp"

#include "allocations.hpp"
#include "error_of.hpp"
#include "smooth/damper.hpp"
#include "smooth/random_motion.hpp"
#include "tamis/model/rigid_body.hpp"
#include "tamis/model/rotation.hpp"
#include "tamis/smooth/beam_layout.hpp"
#include "tamis/smooth/load.hpp"
#include "tamis/smooth/smooth.hpp"
#include "tamis/smooth/smooth_solver.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Matrix3d, Eigen::Vector3d;
using std::numbers::pi;

namespace {

// Everything coupled with everything.
BeamSection coupled_section()
{
    BeamSection section = beam_section({900, 300, 250, 20, 15, 25}, 1.3, {0.02, 0.01, 0.01});
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            if (i != j) section.stiffness(i, j) = 3.0 / (1 + std::abs(i - j));
    return section;
}

class Random {
  public:
    Vector3d vector(double size)
    {
        return size * Vector3d(number_(engine_), number_(engine_), number_(engine_));
    }
    Matrix3d rotation(double size) { return RotationVector(vector(size)).exp(); }

  private:
    std::mt19937 engine_{1};
    std::uniform_real_distribution<double> number_{-1, 1};
};

// Straight along x in its own axes; the nodes have axes of their own.
struct Single {
    Random random;
    Pose place{random.rotation(2), random.vector(3)};
    std::array<Pose, 3> at;
    std::array<NodeMotion, 3> nodes;
    Single()
    {
        for (int k = 0; k < 3; ++k) {
            at[k] = {random.rotation(2), place * Vector3d(0.4 * k, 0, 0)};
            nodes[k].x = at[k].p;
            nodes[k].R = at[k].R;
        }
    }
    Beam beam(const BeamOptions& options = {}) const
    {
        return Beam("beam", {0, 1, 2}, at, place.R, coupled_section(), options);
    }
    void deform(double size)
    {
        for (NodeMotion& n : nodes) {
            n.x += random.vector(0.3 * size);
            n.R = random.rotation(size) * n.R;
        }
    }
    void move()
    {
        for (NodeMotion& n : nodes)
            for (Vector3d* rate : {&n.v, &n.omega, &n.a, &n.alpha}) *rate = random.vector(2);
    }
};

ElementTerms terms_of(const Beam& beam, std::span<const NodeMotion> nodes, bool tangent = true)
{
    ElementTerms terms;
    terms.resize(3, 0);
    beam.add({.nodes = nodes}, terms, tangent);
    return terms;
}

} // namespace

TEST(RotationVector, ExponentialIsThatOfAngleAndAxis)
{
    Random random;
    for (double size : {1e-9, 1e-3, 0.5, 1.7, 3.1}) {
        const Vector3d phi = size * random.vector(1).normalized();
        const RotationVector turn(phi);
        EXPECT_LT((turn.exp() - Eigen::AngleAxisd(size, phi / size).matrix()).norm(), 4e-15) << size;
        EXPECT_LT((RotationVector::log(turn.exp()).phi() - phi).norm(), 1e-14) << size;
    }
    EXPECT_EQ(RotationVector::log(Matrix3d::Identity()).phi(), Vector3d::Zero());
}

TEST(RotationVector, DerivativesAreThoseOfDifferences)
{
    Random random;
    for (double size : {1e-3, 1.0, 3.0}) {
        const Vector3d phi = size * random.vector(1).normalized(), a = random.vector(1), b = random.vector(1);
        const RotationVector turn(phi);
        constexpr double step = 1e-5;
        auto slope = [&](auto&& f) { // of a matrix-valued function of phi, along b
            return ((f(RotationVector(phi + step * b)) - f(RotationVector(phi - step * b))) / (2 * step))
                .eval();
        };
        const Matrix3d spin = slope([](const RotationVector& r) { return r.exp(); }) * turn.exp().transpose();
        EXPECT_LT((spin - cross_matrix(turn.T() * b)).norm(), 1e-9);
        const Matrix3d dT = slope([](const RotationVector& r) { return r.T(); });
        EXPECT_LT((turn.T_along(b) - dT).norm(), 1e-9);
        EXPECT_LT((turn.dT(a) * b - dT * a).norm(), 1e-9);
        const Vector3d c = random.vector(1);
        const Vector3d ddT = slope([&](const RotationVector& r) { return Vector3d(r.dT(a) * c); });
        EXPECT_LT((turn.ddT(a, c) * b - ddT).norm(), 1e-9);
    }
}

TEST(Beam, RigidMotionGivesNoForce)
{
    Single s;
    const Beam beam = s.beam({.damping = 0.1, .mass = false});
    const Matrix3d Q = s.random.rotation(3);
    const Vector3d shift = s.random.vector(10), v = s.random.vector(1), omega = s.random.vector(1);
    for (NodeMotion& n : s.nodes) {
        n.x = Q * n.x + shift;
        n.R = Q * n.R;
        n.v = v + omega.cross(n.x);
        n.omega = omega;
    }
    // Strains of a few units of rounding, times a stiffness of 1000.
    EXPECT_LT(terms_of(beam, s.nodes).r.norm(), 1e-11);
}

TEST(Beam, ForcesTurnWithASuperposedRotation)
{
    Single s;
    const Beam beam = s.beam({.damping = 0.1, .mass = false});
    s.deform(0.8);
    s.move();
    const Eigen::VectorXd before = terms_of(beam, s.nodes).r;
    ASSERT_GT(before.norm(), 10);
    const Matrix3d Q = s.random.rotation(3);
    const Vector3d shift = s.random.vector(10), spin = s.random.vector(1);
    for (NodeMotion& n : s.nodes) {
        n.x = Q * n.x + shift;
        n.R = Q * n.R;
        n.v = Q * n.v + spin.cross(n.x);
        n.omega = Q * n.omega + spin;
    }
    const Eigen::VectorXd after = terms_of(beam, s.nodes).r;
    for (int k = 0; k < 6; ++k)
        EXPECT_LT((after.segment<3>(3 * k) - Q * before.segment<3>(3 * k)).norm(), 1e-12 * before.norm());
}

TEST(Beam, ForcesBalanceWhateverTheStrain)
{
    Single s;
    s.deform(1);
    const Eigen::VectorXd r = terms_of(s.beam(), s.nodes).r;
    Vector3d force = Vector3d::Zero(), moment = force;
    for (int k = 0; k < 3; ++k) {
        force += r.segment<3>(6 * k);
        moment += r.segment<3>(6 * k + 3) + s.nodes[k].x.cross(r.segment<3>(6 * k));
    }
    EXPECT_LT(force.norm(), 1e-14 * r.norm());
    EXPECT_LT(moment.norm(), 1e-13 * r.norm());
}

TEST(Beam, DerivativesAreExactAtLargeStrains)
{
    Single s;
    const Beam beam = s.beam({.damping = 0.3, .gravity = {1, 2, 3}});
    const auto straight = s.nodes;
    for (int trial = 0; trial < 20; ++trial) {
        s.nodes = straight;
        s.deform(0.9);
        s.move();
        expect_exact_derivatives(beam, {s.nodes.begin(), s.nodes.end()});
    }
}

TEST(Beam, ConstantStretchAndShearAreExactAndInBalance)
{
    Single s;
    const Beam beam = s.beam();
    Beam::Vector6 strain;
    strain << 0.3, -0.2, 0.25, 0, 0, 0;
    for (int k = 0; k < 3; ++k) s.nodes[k].x = s.place * (0.4 * k * (Vector3d::UnitX() + strain.head<3>()));
    for (const Beam::Vector6& e : beam.strain(s.nodes)) EXPECT_LT((e - strain).norm(), 1e-14);
    const Beam::Vector6 load = coupled_section().stiffness * strain;
    const Eigen::VectorXd r = terms_of(beam, s.nodes).r;
    EXPECT_LT((r.head<3>() + s.place.R * load.head<3>()).norm(), 1e-11);
    EXPECT_LT((r.segment<3>(12) - s.place.R * load.head<3>()).norm(), 1e-11);
    EXPECT_LT(r.segment<3>(6).norm(), 1e-11); // no load in the field
}

TEST(Beam, ConstantStretchAndTwistAreExactHoweverLarge)
{
    Single s;
    const Beam beam = s.beam();
    Beam::Vector6 strain;
    strain << 0.3, 0, 0, 3.5, 0, 0;
    for (int k = 0; k < 3; ++k) {
        s.nodes[k].x = s.place * Vector3d(0.4 * k * 1.3, 0, 0);
        s.nodes[k].R =
            s.place.R * RotationVector(0.4 * k * strain.tail<3>()).exp() * s.place.R.transpose() * s.at[k].R;
    }
    for (const Beam::Vector6& e : beam.strain(s.nodes)) EXPECT_LT((e - strain).norm(), 1e-14);
}

TEST(Beam, ConstantCurvatureIsExactHoweverLarge)
{
    Single s;
    const Beam beam = s.beam();
    const Vector3d kappa = s.random.vector(2);
    for (int k = 0; k < 3; ++k)
        s.nodes[k].R = s.place.R * RotationVector(0.4 * k * kappa).exp() * s.place.R.transpose() * s.at[k].R;
    for (const Beam::Vector6& e : beam.strain(s.nodes)) EXPECT_LT((e.tail<3>() - kappa).norm(), 1e-14);
}

namespace {

// A cantilever along x, clamped at the first node; its loads act on the last one.
class Cantilever {
  public:
    Cantilever(int elements, double length, const BeamSection& section, const BeamOptions& options = {})
    {
        const double dx = length / (2 * elements);
        for (int k = 0; k < 2 * elements + 1; ++k) nodes.emplace_back().x = {k * dx, 0, 0};
        for (int e = 0; e < elements; ++e) {
            std::array<Pose, 3> at;
            for (int k = 0; k < 3; ++k) at[k].p = nodes[2 * e + k].x;
            beams.emplace_back("beam", std::array{2 * e, 2 * e + 1, 2 * e + 2}, at, Matrix3d::Identity(),
                               section, options);
        }
    }
    // r, K and M of the free nodes.
    ElementTerms assemble() const
    {
        ElementTerms all, one;
        all.resize(static_cast<int>(nodes.size()), 0);
        one.resize(3, 0);
        for (std::size_t e = 0; e < beams.size(); ++e) {
            one.clear();
            beams[e].add({.nodes = std::span(nodes).subspan(2 * e, 3)}, one, true);
            all.r.segment<18>(12 * e) += one.r;
            all.K.block<18, 18>(12 * e, 12 * e) += one.K;
            all.M.block<18, 18>(12 * e, 12 * e) += one.M;
        }
        const auto free = all.r.size() - 6;
        return {
            all.r.tail(free), all.K.bottomRightCorner(free, free), {}, all.M.bottomRightCorner(free, free)};
    }
    // Equilibrium with force and moment on the tip, by Newton's method, the load in `steps` equal parts.
    void bend(const Vector3d& force, const Vector3d& moment, int steps)
    {
        for (int s = 1; s <= steps; ++s)
            for (int iteration = 0;; ++iteration) {
                ASSERT_LT(iteration, 30);
                ElementTerms system = assemble();
                system.r.tail<6>().head<3>() -= force * s / steps;
                system.r.tail<3>() -= moment * s / steps;
                const Eigen::VectorXd d = system.K.lu().solve(-system.r);
                for (std::size_t k = 1; k < nodes.size(); ++k) {
                    nodes[k].x += d.segment<3>(6 * (k - 1));
                    nodes[k].R = RotationVector(d.segment<3>(6 * (k - 1) + 3)).exp() * nodes[k].R;
                }
                if (d.norm() < 1e-9) break;
            }
    }
    const NodeMotion& tip() const { return nodes.back(); }

    std::vector<NodeMotion> nodes;
    std::vector<Beam> beams;
};

// Slender: shear and stretch are negligible beside bending about z, of stiffness 1.
BeamSection slender_section()
{
    return beam_section({1e8, 1e8, 1e8, 1, 1, 1}, 1, {0, 0, 0});
}

// Deflection (u, w) and slope of the tip of an inextensible cantilever of unit length and stiffness under a
// force P across. The slope has theta'^2 = 2 P (sin theta_0 - sin theta), theta_0 at the tip; with k =
// sin(pi/4 + theta_0/2) and sin phi_1 = 1 / (k sqrt 2), sqrt P = K(k) - F(phi_1, k).
Vector3d elastica(double P)
{
    auto length = [](double k) {
        return std::comp_ellint_1(k) - std::ellint_1(k, std::asin(1 / (k * std::sqrt(2.0))));
    };
    double low = std::sqrt(0.5), high = 1;
    while (high - low > 1e-16) {
        const double k = (low + high) / 2;
        if (k == low || k == high) break;
        (length(k) < std::sqrt(P) ? low : high) = k;
    }
    const double k = low, phi = std::asin(1 / (k * std::sqrt(2.0)));
    const double w = 1 - 2 * (std::comp_ellint_2(k) - std::ellint_2(k, phi)) / std::sqrt(P);
    const double x = std::sqrt(2 * (2 * k * k - 1) / P);
    return {1 - x, w, 2 * (std::asin(k) - pi / 4)};
}

} // namespace

// Mattiasson (1981), Int. J. Numer. Methods Eng. 17(1), doi 10.1002/nme.1620170113.
TEST(Elastica, HasTheTabulatedDeflections)
{
    const double table[][3] = {
        {1, 0.30172, 0.05643}, {2, 0.49346, 0.16064}, {5, 0.71379, 0.38763}, {10, 0.81061, 0.55500}};
    for (const auto& [P, w, u] : table) {
        EXPECT_NEAR(elastica(P)[1], w, 5.1e-6);
        EXPECT_NEAR(elastica(P)[0], u, 5.1e-6);
    }
}

TEST(Beam, LargeDeflectionConvergesToTheElasticaWithOrderFour)
{
    for (double P : {1.0, 2.0, 5.0, 10.0}) {
        const Vector3d exact = elastica(P);
        Vector3d error[2];
        for (int k : {0, 1}) {
            Cantilever c(4 << k, 1, slender_section());
            c.bend({0, P, 0}, {0, 0, 0}, 4);
            const Matrix3d& R = c.tip().R;
            error[k] = Vector3d(1 - c.tip().x[0], c.tip().x[1], std::atan2(R(1, 0), R(0, 0))) - exact;
        }
        EXPECT_LT(error[1].norm(), std::pow(exact[2] / 16, 4)) << P; // a node turns by about exact[2] / 16

        EXPECT_NEAR(std::log2(error[0].norm() / error[1].norm()), 4, 0.1) << P;
    }
}

// By an end moment M a straight beam becomes an arc of the radius 1 / M.
TEST(Beam, EndMomentRollsItUpIntoACircle)
{
    for (double M : {pi, 1.5 * pi, 2 * pi}) {
        double error[2];
        for (int k : {0, 1}) {
            const int n = 4 << k;
            Cantilever c(n, 1, slender_section());
            c.bend({0, 0, 0}, {0, 0, M}, 16);
            EXPECT_LT((c.tip().R - Eigen::AngleAxisd(M, Vector3d::UnitZ()).matrix()).norm(), 1e-12);
            // At the quarter, since by symmetry the full circle closes exactly.
            const double angle = M / 4;
            error[k] = (c.nodes[n / 2].x - Vector3d(std::sin(angle), 1 - std::cos(angle), 0) / M).norm();
            EXPECT_LT(c.tip().x.norm(), M == 2 * pi ? 1e-12 : 1);
        }
        EXPECT_LT(error[1], 1e-7 * std::pow(M, 4));
        EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.1);
    }
}

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

TEST(Beam, DampingIsProportionalToStiffness)
{
    Single s;
    const ElementTerms terms = terms_of(s.beam({.damping = 0.3, .mass = false}), s.nodes);
    EXPECT_LT((terms.C - 0.3 * terms.K).norm(), 1e-13 * terms.K.norm());
}

TEST(Beam, AddingItsTermsAllocatesNothing)
{
    Single s;
    s.deform(0.5);
    const Beam beam = s.beam({.damping = 0.1});
    ElementTerms terms;
    terms.resize(3, 0);
    const long before = allocations;
    beam.add({.nodes = s.nodes}, terms, true);
    EXPECT_EQ(allocations, before);
}
