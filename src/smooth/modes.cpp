// About an equilibrium with multipliers lambda, K d + G^T delta lambda = omega^2 M d, G d = 0, where K holds
// the geometric stiffness of the multipliers. With d = N y, N a basis of the null space of G,
//
//     N^T K N y = omega^2 N^T M N y.
//
// On the constraints and in equilibrium N^T K N is symmetric: the turns on the left that K is written for
// differ from coordinates by terms that the residual forces multiply. Beams by finite volumes are not quite
// symmetric: their matrices go to a general solver, and of a complex pair the real part of omega^2 is taken.
#include "tamis/smooth/modes.hpp"

#include "tamis/base/error.hpp"
#include "tamis/smooth/smooth_solver.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <vector>

namespace tamis {

namespace {

struct Pairs {
    Eigen::VectorXd squares; // omega^2, ascending
    Eigen::MatrixXd shapes;
};

[[noreturn]] void fail_massless()
{
    fail("The modes cannot be computed: some body can move without inertia; give it a mass and three "
         "principal inertias.");
}

bool symmetric(const Eigen::MatrixXd& A)
{
    return (A - A.transpose()).norm() <= 1e-9 * A.norm();
}

Pairs symmetric_pairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M)
{
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen((K + K.transpose()) / 2,
                                                                          (M + M.transpose()) / 2);
    if (eigen.info() != Eigen::Success) fail_massless();
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

// Low frequencies are exact to more digits as eigenvalues of K^-1 M, if nothing moves freely.
Pairs general_pairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M)
{
    const Eigen::PartialPivLU<Eigen::MatrixXd> K_lu(K), M_lu(M);
    if (!(M_lu.rcond() > 1e-15)) fail_massless();
    const bool held = K_lu.rcond() > 1e-13;
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(held ? Eigen::MatrixXd(K_lu.solve(M))
                                                         : Eigen::MatrixXd(M_lu.solve(K)));
    if (eigen.info() != Eigen::Success) fail_massless();
    const int n = static_cast<int>(K.rows());
    Eigen::VectorXd squares(n);
    for (int i = 0; i < n; ++i) {
        const std::complex<double> x = eigen.eigenvalues()[i];
        squares[i] = (held ? 1.0 / x : x).real();
    }
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return squares[i] < squares[j]; });
    Pairs out{Eigen::VectorXd(n), Eigen::MatrixXd(n, n)};
    for (int k = 0; k < n; ++k) {
        out.squares[k] = squares[order[k]];
        const Eigen::VectorXd shape = eigen.eigenvectors().col(order[k]).real();
        const double mass = shape.dot(M * shape);
        out.shapes.col(k) = shape / (mass > 0 ? std::sqrt(mass) : shape.norm());
    }
    return out;
}

} // namespace

Modes modes(SmoothSystem& system)
{
    const int n = 6 * system.nodes(), rows = system.rows();
    std::vector<NodeMotion> nodes = system.start();
    for (const NodeMotion& m : nodes)
        if (m.v.norm() > 0 || m.omega.norm() > 0)
            fail("Modes are those of a system at rest, but a node moves at the start: stop it.");
    const SmoothSolver solver(system, {}); // for the multipliers, and for its checks
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + rows, n + rows), M = Eigen::MatrixXd::Zero(n, n);
    double largest = 0; // force of an element
    Gather gather(system);
    for (std::size_t e = 0; e < system.elements().size(); ++e) {
        const Element& element = *system.elements()[e];
        const int own = 6 * static_cast<int>(element.nodes().size()),
                  first = system.first_row(static_cast<int>(e));
        ElementTerms terms;
        terms.resize(own / 6, element.rows());
        const std::span<const double> lambda(solver.lambda().data() + first, element.rows());
        element.add({0, solver.options().h, gather(element, nodes), lambda}, terms, true);
        for (int i = 0; i < own; ++i)
            largest = std::max(largest, std::abs(terms.r[i]) / (i % 6 > 2 ? system.length() : 1));
        auto dof = [&](int i) {
            const int node = i < own ? element.nodes()[i / 6] : 0;
            return i >= own ? n + first + i - own : node == ground_node ? -1 : 6 * node + i % 6;
        };
        for (int i = 0; i < own + element.rows(); ++i)
            for (int j = 0; j < own; ++j) {
                if (dof(i) < 0 || dof(j) < 0) continue;
                K(dof(i), dof(j)) += terms.K(i, j);
                if (i < own) M(dof(i), dof(j)) += terms.M(i, j);
            }
    }
    // Turns are measured in lengths, so that the basis does not depend on the unit.
    const double length = system.length();
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
    for (int i = 0; i < n; ++i)
        if (i % 6 > 2) scale[i] = 1 / length;
    const int freedoms = n - rows;
    Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
    if (rows > 0) {
        const Eigen::MatrixXd Gt = scale.asDiagonal() * K.block(n, 0, rows, n).transpose();
        N = Eigen::HouseholderQR<Eigen::MatrixXd>(Gt).householderQ() *
            Eigen::MatrixXd::Identity(n, n).rightCols(freedoms);
    }
    N = scale.asDiagonal() * N;

    const Eigen::MatrixXd K_free = N.transpose() * K.topLeftCorner(n, n) * N, M_free = N.transpose() * M * N;
    // Equilibrium: what is left of the forces must be round-off of those in balance.
    Eigen::VectorXd a(n);
    for (int i = 0; i < system.nodes(); ++i) a.segment<6>(6 * i) << solver.node(i).a, solver.node(i).alpha;
    int worst = 0;
    const double unbalanced = n > 0 ? (scale.asDiagonal() * (M * a)).cwiseAbs().maxCoeff(&worst) : 0;
    if (unbalanced > 1e-8 * largest)
        fail(
            "Node '{}' accelerates at {:.3g} m/s2 at the start: modes are those of an equilibrium, place the "
            "bodies where they can rest.",
            system.node_name(worst / 6), solver.node(worst / 6).a.norm());
    const Pairs pairs = symmetric(K_free) && symmetric(M_free) ? symmetric_pairs(K_free, M_free)
                                                               : general_pairs(K_free, M_free);
    Modes out{pairs.squares, N * pairs.shapes};
    for (double& w : out.omega) w = w < 0 ? -std::sqrt(-w) : std::sqrt(w);
    return out;
}

} // namespace tamis
