// Without damping, K x = omega^2 M x: symmetric where K is; beams by finite volumes are not quite, and their omega^2
// may leave the real axis by so much. With damping, eigenvalues of
//
//     z' = A z,  z = (x, x' / s),  A = (0, s; -M^-1 K / s, -M^-1 C)
//
// or, where K can be inverted, those of A^-1, which have the low frequencies to more digits.
#include "tamis/mechanics/vibration.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace tamis {

using Eigen::MatrixXd, Eigen::VectorXcd, Eigen::VectorXd;

namespace {

constexpr double zero = 1e-10;         // of omega^2, relative to the largest
constexpr double not_symmetric = 1e-9; // of K
constexpr double of_the_mesh = 1e-3;   // imaginary part of omega^2 that is not taken for flutter

Mode undamped(std::complex<double> square, VectorXcd shape)
{
    if (std::abs(square.imag()) <= of_the_mesh * std::abs(square)) {
        const double w = square.real();
        return {w >= 0 ? std::complex<double>(0, std::sqrt(w)) : std::complex<double>(std::sqrt(-w), 0),
                shape};
    }
    const std::complex<double> root = std::sqrt(-square); // of the pair, the one that grows
    return {root.imag() < 0 ? std::conj(root) : root, root.imag() < 0 ? shape.conjugate() : shape};
}

std::vector<Mode> undamped_modes(const MatrixXd& M, const MatrixXd& K, double held_at_least)
{
    std::vector<Mode> out;
    const bool symmetric = (K - K.transpose()).norm() <= not_symmetric * K.norm();
    const MatrixXd S = (K + K.transpose()) / 2;
    const bool held = symmetric ? S.llt().info() == Eigen::Success && S.llt().rcond() > held_at_least
                                : K.partialPivLu().rcond() > held_at_least;
    std::vector<std::complex<double>> squares;
    Eigen::MatrixXcd shapes;
    if (symmetric) {
        const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(held ? M : S, held ? S : M);
        for (const double e : eigen.eigenvalues()) squares.push_back(held ? 1 / e : e);
        shapes = eigen.eigenvectors();
    } else {
        const Eigen::EigenSolver<MatrixXd> eigen(held ? MatrixXd(K.partialPivLu().solve(M))
                                                      : MatrixXd(M.partialPivLu().solve(K)));
        for (const std::complex<double> e : eigen.eigenvalues()) squares.push_back(held ? 1.0 / e : e);
        shapes = eigen.eigenvectors();
    }
    double largest = 0;
    for (const auto& s : squares) largest = std::max(largest, std::abs(s));
    for (std::size_t k = 0; k < squares.size(); ++k) {
        const bool nothing = !held && std::abs(squares[k]) <= zero * largest;
        out.push_back(undamped(nothing ? 0 : squares[k], shapes.col(static_cast<Eigen::Index>(k))));
    }
    return out;
}

std::vector<Mode> damped_modes(const MatrixXd& M, const MatrixXd& C, const MatrixXd& K, double held_at_least)
{
    const Eigen::Index n = M.rows();
    const Eigen::PartialPivLU<MatrixXd> K_lu(K), M_lu(M);
    const bool held = K_lu.rcond() > held_at_least;
    const double s = std::max(std::sqrt(K.norm() / M.norm()), 1e-12 + C.norm() / M.norm());
    MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
    if (held) {
        A.topLeftCorner(n, n) = -K_lu.solve(C);
        A.topRightCorner(n, n) = -s * K_lu.solve(M);
        A.bottomLeftCorner(n, n) = MatrixXd::Identity(n, n) / s;
    } else {
        A.topRightCorner(n, n) = s * MatrixXd::Identity(n, n);
        A.bottomLeftCorner(n, n) = -M_lu.solve(K) / s;
        A.bottomRightCorner(n, n) = -M_lu.solve(C);
    }
    const Eigen::EigenSolver<MatrixXd> eigen(A);
    std::vector<Mode> out;
    const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < 2 * n; ++k) {
        std::complex<double> lambda = eigen.eigenvalues()[k];
        if (held)
            lambda = 1.0 / lambda;
        else if (std::abs(lambda) <= 1e-7 * largest) // a double zero splits by the root of round-off
            lambda = 0;
        if (lambda.imag() < 0) continue; // the other one of the pair
        const VectorXcd shape = eigen.eigenvectors().col(k).head(n);
        // A free motion has two zeros, of one shape.
        if (lambda == 0.0 && !out.empty() && out.back().lambda == 0.0 &&
            std::abs(out.back().shape.dot(shape)) > 0.999 * out.back().shape.norm() * shape.norm())
            continue;
        out.push_back({lambda, shape});
    }
    return out;
}

} // namespace

double Mode::frequency() const
{
    return std::abs(lambda.imag()) / (2 * std::numbers::pi);
}
double Mode::natural() const
{
    return std::abs(lambda) / (2 * std::numbers::pi);
}
double Mode::damping() const
{
    const double size = std::abs(lambda);
    return size > 0 ? 0.0 - lambda.real() / size : 0; // (never -0)
}

std::vector<Mode> vibration_modes(const Machine& machine, const Machine::SmallMotions& m)
{
    if (m.M.rows() == 0) return {};
    // In scaled coordinates, so that metres and radians compare.
    const VectorXd scale = machine.scale();
    const auto scaled = [&](const MatrixXd& A) -> MatrixXd {
        return scale.asDiagonal() * A * scale.asDiagonal();
    };
    const MatrixXd M = scaled(m.M), C = scaled(m.C), K = scaled(m.K);
    VectorXd unit = M.diagonal();
    for (double& x : unit) x = x > 0 ? 1 / std::sqrt(x) : 1;
    const MatrixXd M_unit = unit.asDiagonal() * M * unit.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> inertia((M_unit + M_unit.transpose()) / 2);
    if (!(M_unit.partialPivLu().matrixLU().diagonal().cwiseAbs().minCoeff() > 1e-13)) {
        int free;
        inertia.eigenvectors().col(0).cwiseAbs().maxCoeff(&free);
        fail(
            "There are no modes, since '{}' can move without inertia: give its body a mass and inertias, or hold it.",
            machine.names()[free]);
    }
    const bool damps = C.norm() > 1e-13 * std::sqrt(K.norm() * M.norm()) && C.norm() > 0;
    // Reciprocal condition of a K that can be inverted: differences are exact to 1e-12, elements of beams to round-off.
    const bool beams = machine.size() > static_cast<int>(machine.independent().size());
    const double held = beams ? 1e-14 : 1e-11;
    std::vector<Mode> modes = damps ? damped_modes(M, C, K, held) : undamped_modes(M, K, held);
    for (Mode& mode : modes) {
        Eigen::Index most;
        mode.shape.cwiseAbs().maxCoeff(&most);
        mode.shape /= mode.shape[most];
        mode.shape = mode.shape.cwiseProduct(scale.cast<std::complex<double>>());
        mode.shape /= scale[most];
    }
    std::stable_sort(modes.begin(), modes.end(),
                     [](const Mode& a, const Mode& b) { return std::abs(a.lambda) < std::abs(b.lambda); });
    return modes;
}

} // namespace tamis
