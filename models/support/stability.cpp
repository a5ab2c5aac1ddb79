// Recurrence equations after Zhang et al. (2020), eqs (22-32), for the tight and the loose scheme, and
// Zhang et al. (2022), eqs (36-43), for original and modified inputs, with h = m1 = 1. Mass 1, by the
// two-step scheme:
//
//     y1_n+1 = a1 y1_n + a2 y1_n-1 + b0 y1'_n+1 + b1 y1'_n + b2 y1'_n-1
//     y1' = (v1, -k1 x1 - c1 v1 + lambda)
//
// Mass 2, by the semi-implicit Euler scheme, its spring and damper at the start of the step:
//
//     x2_n+1 = x2_n + v2_n+1
//     m2 (v2_n+1 - v2_n + omega_02^2 x2_n + 2 xi_2 omega_02 v2_n) + lambda_n+1 = 0
//
// The last line, the clamp, is v2_n+1 = (what each scheme makes of the motion of mass 1).
// Departures: F12 of the first paper stands for m1 = 1, lambda_k of its eq. (27) is lambda_n. The inputs u of
// the second paper are inserted, which removes eigenvalues 0 only. The equation of mass 2 is multiplied by
// m2, so that m2 = 0 is no exception: then lambda = 0, and mass 2 follows without weight.
#include "support/stability.hpp"

#include "tamis/base/error.hpp"
#include "tamis/smooth/two_step.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace tamis {

void check(const StabilityParameters& p)
{
    const auto in = [](const char* name, double x, double most) {
        if (!std::isfinite(x) || x < 0 || x > most)
            fail("{} is {}: give {}.", name, x,
                 std::isfinite(most) ? "a number from 0 to 1" : "zero or a positive number");
    };
    const double far = HUGE_VAL;
    in("rho_inf", p.rho_inf, 1);
    in("w01h", p.w01h, far);
    in("r_m", p.r_m, far);
    in("r_k", p.r_k, far);
    in("r_c", p.r_c, far);
    in("xi1", p.xi1, far);
    in("alpha", p.weights.alpha, far);
    in("beta", p.weights.beta, far);
    in("gamma", p.weights.gamma, far);
    if (!(p.weights.alpha + p.weights.beta + p.weights.gamma > 0))
        fail("alpha, beta and gamma are all zero, which clamps nothing: give one of them.");
    if (p.scheme == CouplingScheme::staggered)
        fail("A staggered step depends on three before it, which no recurrence here has: take the loose "
             "scheme.");
}

Recurrence recurrence(const StabilityParameters& p)
{
    check(p);
    const TwoStep s = TwoStep::with_radius(p.rho_inf);
    const double w02h = p.r_k * p.w01h;
    const double k1 = p.w01h * p.w01h, c1 = 2 * p.xi1 * p.w01h;
    const double k2 = p.r_m * w02h * w02h, c2 = 2 * p.r_m * p.r_c * p.xi1 * w02h;

    enum { x1, v1, x2, v2, lambda };
    Recurrence r{Recurrence::Matrix::Zero(), Recurrence::Matrix::Zero(), Recurrence::Matrix::Zero()};
    Recurrence::Matrix &A1 = r.A1, &A2 = r.A2, &A3 = r.A3;

    Eigen::Matrix<double, 2, 5> y, rate; // y1 and y1' in terms of z
    y << 1, 0, 0, 0, 0, 0, 1, 0, 0, 0;
    rate << 0, 1, 0, 0, 0, -k1, -c1, 0, 0, 1;
    A1.topRows<2>() = y - s.b0 * rate;
    A2.topRows<2>() = s.a1 * y + s.b1 * rate;
    A3.topRows<2>() = s.a2 * y + s.b2 * rate;

    A1(2, x2) = 1, A1(2, v2) = -1, A2(2, x2) = 1;
    A1(3, v2) = p.r_m, A1(3, lambda) = 1, A2(3, x2) = -k2, A2(3, v2) = p.r_m - c2;

    // Predictions of the smooth solver: v1 by a cubic through the last two points, x1 from it by the scheme.
    Eigen::RowVector2d v_n(-12, 8), v_n1(12, 5); // in terms of (x1, v1) at n and n-1
    const Eigen::RowVector2d x_n = s.b0 * v_n + Eigen::RowVector2d(s.a1, s.b1);
    const Eigen::RowVector2d x_n1 = s.b0 * v_n1 + Eigen::RowVector2d(s.a2, s.b2);
    A1(4, v2) = 1;
    switch (p.scheme) {
    case CouplingScheme::tight: // v2 = x1_n+1 - x2_n
        A1(4, x1) = -1, A2(4, x2) = -1;
        break;
    case CouplingScheme::original: // v2 = x1_n - x2_n + v1 predicted
        A2.block<1, 2>(4, x1) = v_n;
        A2(4, x1) += 1, A2(4, x2) = -1;
        A3.block<1, 2>(4, x1) = v_n1;
        break;
    case CouplingScheme::staggered: // refused
        break;
    case CouplingScheme::loose:
    case CouplingScheme::modified: { // (alpha (x1 predicted - x2_n) + beta v1 predicted + gamma (v2_n +
                                     // a1_n)) / sum
        const auto [alpha, beta, gamma] = p.scheme == CouplingScheme::loose ? index_3 : p.weights;
        const double sum = alpha + beta + gamma;
        A2.block<1, 2>(4, x1) = (alpha * x_n + beta * v_n + gamma * rate.block<1, 2>(1, x1)) / sum;
        A2(4, x2) = -alpha / sum, A2(4, v2) = gamma / sum, A2(4, lambda) = gamma / sum;
        A3.block<1, 2>(4, x1) = (alpha * x_n1 + beta * v_n1) / sum;
        break;
    }
    }
    return r;
}

Eigen::MatrixXd amplification(const Recurrence& r)
{
    const Eigen::PartialPivLU<Recurrence::Matrix> lu(r.A1);
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(10, 10);
    map.topLeftCorner<5, 5>() = lu.solve(r.A2);
    map.topRightCorner<5, 5>() = lu.solve(r.A3);
    map.bottomLeftCorner<5, 5>().setIdentity();
    return map;
}

// A map of quantities in other units is another matrix with the same eigenvalues, and round-off spoils those
// of a badly scaled one. So rows and columns are first given equal norms by powers of two, without round-off
// (Parlett and Reinsch 1969).
double spectral_radius(Eigen::MatrixXd map)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (Eigen::Index k = 0; k < map.rows(); ++k) {
            const double own = std::abs(map(k, k));
            const double row = map.row(k).lpNorm<1>() - own, column = map.col(k).lpNorm<1>() - own;
            if (!(row > 0) || !(column > 0) || !std::isfinite(row + column)) continue;
            const double f = std::exp2(std::round(std::log2(row / column) / 2));
            if (!(column * f + row / f < 0.95 * (column + row))) continue;
            map.col(k) *= f;
            map.row(k) /= f;
            changed = true;
        }
    }
    if (map.allFinite()) {
        const Eigen::EigenSolver<Eigen::MatrixXd> solver(map, false);
        if (solver.info() == Eigen::Success) return solver.eigenvalues().cwiseAbs().maxCoeff();
    }
    fail("The eigenvalues of a step that holds numbers beyond all bounds cannot be found: give smaller "
         "parameters.");
}

} // namespace tamis
