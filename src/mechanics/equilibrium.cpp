// Newton's method on g(x) = 0, made to go downhill: with eigenvectors V and eigenvalues e of the symmetric part of K,
//
//     dx = V |e|^-1 V^T g      instead of K^-1 g where some e is negative or zero,
//
// no longer than 0.3 rad or 0.3 of the length, and shortened until the force along it has not turned round,
// g(x + s dx) . dx >= -g(x) . dx / 2. So it passes by saddles and maxima unless it starts on one. Turns and lengths are
// compared by the scale of x.
#include "tamis/mechanics/equilibrium.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

namespace {

constexpr int most_iterations = 500;
constexpr double longest_step = 0.3, small_correction = 1e-11, zero_eigenvalue = 1e-10, round_off = 1e-12,
                 round_off_at_most = 1e-7;

struct Spectrum { // of the symmetric part of the scaled stiffness
    Eigen::VectorXd e;
    Eigen::MatrixXd V;
    double floor; // eigenvalues below count as zero
};

Spectrum spectrum(const Machine& machine, const Eigen::MatrixXd& K, const Eigen::VectorXd& scale)
{
    const Eigen::MatrixXd S = scale.asDiagonal() * K * scale.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen((S + S.transpose()) / 2);
    return {eigen.eigenvalues(), eigen.eigenvectors(),
            zero_eigenvalue * std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), machine.weight())};
}

void require_finite(const Eigen::VectorXd& g, const Machine& machine)
{
    for (Eigen::Index k = 0; k < g.size(); ++k)
        if (!std::isfinite(g[k]))
            fail(
                "The force on '{}' is not a number: no equilibrium can be looked for; check masses and laws.",
                machine.names()[k]);
}

} // namespace

const char* stability_name(Stability s)
{
    return s == Stability::stable ? "stable" : s == Stability::neutral ? "neutral" : "unstable";
}

StiffnessCheck check_stiffness(const Machine& machine, const Eigen::MatrixXd& K)
{
    StiffnessCheck out;
    if (K.rows() == 0) return out;
    const Spectrum s = spectrum(machine, K, machine.scale());
    out.negative = static_cast<int>((s.e.array() < -s.floor).count());
    out.zero = static_cast<int>((s.e.array().abs() <= s.floor).count());
    out.stability = out.negative > 0 ? Stability::unstable
                    : out.zero > 0   ? Stability::neutral
                                     : Stability::stable;
    s.V.col(0).cwiseAbs().maxCoeff(&out.weakest);
    return out;
}

Equilibrium find_equilibrium(Machine& machine)
{
    Equilibrium out;
    if (machine.size() == 0) return out;
    const Machine::Place start = machine.place();
    double largest = machine.weight(); // of forces, in terms of scaled coordinates
    double previous = std::numeric_limits<double>::infinity();
    for (;; ++out.iterations) {
        const Eigen::VectorXd scale = machine.scale(), g = machine.force().cwiseProduct(scale);
        require_finite(g, machine);
        if (out.iterations == 0) largest = std::max(largest, g.cwiseAbs().maxCoeff());
        const Eigen::MatrixXd K = machine.stiffness();
        const Spectrum s = spectrum(machine, K, scale);
        const Eigen::VectorXd along = s.V.transpose() * g;
        const bool definite = s.e[0] > s.floor;
        Eigen::VectorXd dy; // scaled
        if (definite) {
            const Eigen::MatrixXd S = scale.asDiagonal() * K * scale.asDiagonal();
            dy = S.partialPivLu().solve(g);
        } else {
            dy = Eigen::VectorXd::Zero(g.size());
            for (Eigen::Index i = 0; i < g.size(); ++i) {
                if (std::abs(along[i]) <= round_off * largest) continue; // nothing pushes there
                dy += along[i] / std::max(std::abs(s.e[i]), s.floor) * s.V.col(i);
            }
        }
        const double length = dy.cwiseAbs().maxCoeff();
        out.unbalanced = largest > 0 ? g.cwiseAbs().maxCoeff() / largest : 0;
        // Round-off of stiff elements may move soft ones by more than that.
        const bool stalls = length <= round_off_at_most && length >= previous / 2;
        previous = length;
        if (length <= small_correction || stalls) {
            if (length > 0) machine.move(dy.cwiseProduct(scale));
            out.check = check_stiffness(machine, machine.stiffness());
            return out;
        }
        if (out.iterations == most_iterations) {
            int worst;
            dy.cwiseAbs().maxCoeff(&worst);
            const std::string name = machine.names()[worst];
            const double force = g[worst] / scale[worst];
            machine.go_to(start);
            fail(
                "No equilibrium was found in {} iterations: '{}' still moves, pushed by {:.3g} N or N m; hold it, or "
                "give it a spring.",
                most_iterations, name, force);
        }
        dy *= std::min(1.0, longest_step / length);
        const double downhill = g.dot(dy);
        bool moved = false;
        const Machine::Place before = machine.place();
        for (double shorter = 1; shorter > 1e-9; shorter /= 2) {
            if (!machine.move(shorter * dy.cwiseProduct(scale))) continue;
            const Eigen::VectorXd there = machine.force().cwiseProduct(scale);
            // Close to the end, round-off decides the sign.
            moved = there.dot(dy) >= -downhill / 2 || length < 1e-6;
            if (moved) break;
            machine.go_to(before);
        }
        if (!moved)
            fail(
                "No equilibrium was found: near '{}' the force turns round without becoming zero, or a loop is at the "
                "end of its travel; check the law of the force.",
                machine.names()[check_stiffness(machine, K).weakest]);
        machine.maintain();
    }
}

} // namespace tamis
