// Whatever the friction, a solution of u = W r + q has u_n >= 0. For any d >= 0, one number per contact,
//
//     0 <= d.u_n = d.q_n + (W^T N d).r     hence     |r| >= -d.q_n / |W^T N d|
//
// with N the map from normal components to all (Farkas' lemma), and d = 0 where a contact yields, since r_n
// may make u_n + R_n r_n there as large as one likes. Such a d with q_n.d < 0 is looked for as
//
//     min over d >= 0 of  1/2 d.A d + 1/2 (b.d + 1)^2,    A = W_nn,  b = q_n / max |q_n|
//
// by the active set method of Lawson & Hanson (1974, ch. 23). For a symmetric positive semidefinite W the
// minimum is zero if and only if u_n >= 0 is impossible; else s = b.d + 1 > 0, and A (d/s) + b >= 0 at the
// minimum shows that it is possible. W that is not is judged by the same bound, which holds for any W.
#include "tamis/contact/infeasible.hpp"

#include <Eigen/Cholesky>

namespace tamis {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int most_contacts = 500; // some seconds

// Least |scale r| of an r with u_n >= 0 that d leaves possible.
double impulse_needed(const LocalProblem& problem, const VectorXd& scale, const VectorXd& d)
{
    VectorXd load = VectorXd::Zero(problem.q.size()); // W^T N d
    double drive = 0;
    for (int a = 0; a < problem.contacts(); ++a) {
        const double d_a = d[a] / scale[3 * a];
        drive -= d_a * problem.q[3 * a];
        for (int k = problem.row[a]; k < problem.row[a + 1]; ++k)
            load.segment<3>(3 * problem.column[k]) += problem.block[k].row(0).transpose() * d_a;
    }
    return drive > 0 ? drive / load.cwiseQuotient(scale).norm() : 0;
}

} // namespace

bool infeasible(const LocalProblem& problem, const VectorXd& scale, double largest)
{
    const int n = problem.contacts();
    if (n > most_contacts) return false;
    VectorXd b(n), d = VectorXd::Zero(n);
    MatrixXd A = MatrixXd::Zero(n, n);
    for (int a = 0; a < n; ++a) {
        b[a] = problem.q[3 * a] / scale[3 * a];
        for (int k = problem.row[a]; k < problem.row[a + 1]; ++k) {
            const int c = problem.column[k];
            const double w = problem.block[k](0, 0) / (2 * scale[3 * a] * scale[3 * c]);
            A(a, c) += w;
            A(c, a) += w;
        }
    }
    const double size = n > 0 ? b.cwiseAbs().maxCoeff() : 0;
    if (!(size > 0) || !std::isfinite(size) || !A.allFinite()) return false;
    b /= size;
    const MatrixXd G = A + b * b.transpose();

    std::vector<int> taken; // d > 0
    for (int pass = 0; pass < 3 * n; ++pass) {
        VectorXd gradient = A * d + b * (b.dot(d) + 1);
        for (const int a : taken) gradient[a] = 0;
        for (int a = 0; a < n; ++a)
            if (problem.compliance(a)[0] > 0) gradient[a] = 0;
        int entering = 0;
        if (!(gradient.minCoeff(&entering) < 0)) return false;
        taken.push_back(entering);
        while (!taken.empty()) {
            const VectorXd z = MatrixXd(G(taken, taken)).ldlt().solve(-VectorXd(b(taken)));
            if (!z.allFinite()) return false;
            // From d towards z, until the first component vanishes.
            double fraction = 1;
            int leaving = -1;
            for (int k = 0; k < z.size(); ++k) {
                const double d_k = d[taken[k]];
                if (z[k] > 0 || d_k >= fraction * (d_k - z[k])) continue;
                fraction = d_k / (d_k - z[k]);
                leaving = k;
            }
            for (int k = 0; k < z.size(); ++k)
                d[taken[k]] = std::max(d[taken[k]] + fraction * (z[k] - d[taken[k]]), 0.0);
            if (leaving < 0) break;
            d[taken[leaving]] = 0;
            taken.erase(taken.begin() + leaving);
        }
        if (impulse_needed(problem, scale, d) > largest) return true;
    }
    return false;
}

} // namespace tamis
