// Three methods in turn on u = W r + q, where W includes the compliance of contacts, each started from the
// best iterate so far or cold, until the relative natural map is small enough:
//
// 1. Gauss-Seidel sweeps with the exact law of one contact (Jean 1999).
// 2. Proximal point: a sequence of problems W + alpha t, q - alpha t r_k whose solutions r_k+1 tend to one of
//    the given problem even if W is singular, each by Newton's method on the function of Alart & Curnier
//    (1991), with d = t r - u and t = tr(W_aa) / 3:
//
//        F_n = u_n,  F_t = u_t                       sticking: |d_t| <= mu d_n
//        F_n = u_n,  F_t = t r_t - mu d_n d_t/|d_t|  sliding:  |d_t| > mu d_n > 0
//        F = t r                                     open:     d_n <= 0
//
//    alpha falls tenfold when a problem is solved and grows tenfold when it is not. After the interior point it
//    is kept above a multiple of the residual, and each contact has its own.
// 3. Interior point from a cold start: y = u + mu |u_t| n and r are kept inside their cones, with
//    r o y = nu e and nu -> 0. In the coordinates x = (mu r_n, r_t), y = (y_n / mu, y_t) both cones are
//    Lorentz cones, and the Nesterov-Todd metric H with H x = y gives
//    (Q W + H) dr = nu x^-1 - y - Q (u + mu |y_t| n - y).
//    Q = I + mu n (y_t/|y_t|)^T holds the derivative of the shift mu |u_t|; Q = I lags it, which is slower
//    and fails elsewhere: both are tried. Without the shift this is the convex problem of Acary, Armand,
//    Nguyen & Shpakovych (2024).
//
// Source of the comparison of methods: Acary, Bremond & Huber (2018). Departures: the line search of Newton's
// method is nonmonotone and, where it fails, takes a few full steps, because |F| has local minima at kinks;
// the predictor of the interior point chooses the centring but has no second-order correction.
#include "tamis/contact/robust_solver.hpp"

#include "tamis/contact/contact_law.hpp"
#include "tamis/contact/infeasible.hpp"
#include "tamis/contact/second_order_cone.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

using Blocks = std::vector<Matrix3d>; // one per contact

// (A (W + R) + C) x = b with A and C block diagonal, rows and columns scaled by 1/sqrt(t). The pattern is that of W,
// with all blocks on the diagonal, and is analysed once.
class BlockSystem {
  public:
    BlockSystem(const LocalProblem& problem, const VectorXd& scale) : problem_(problem), scale_(scale) {}

    // False if the matrix is singular as far as the factorisation can tell.
    bool factorise(const Blocks& A, const Blocks& C)
    {
        const int n = 3 * problem_.contacts();
        if (dense()) {
            MatrixXd M = MatrixXd::Zero(n, n);
            assemble(A, C, [&](int i, int j, const Matrix3d& B) { M.block<3, 3>(i, j) += B; });
            dense_.compute(M);
            return true;
        }
        if (M_.size() == 0) {
            std::vector<Eigen::Triplet<double>> entries;
            assemble(A, C, [&](int i, int j, const Matrix3d&) {
                for (int k = 0; k < 9; ++k) entries.emplace_back(i + k % 3, j + k / 3, 0.0);
            });
            M_.resize(n, n);
            M_.setFromTriplets(entries.begin(), entries.end());
            sparse_.analyzePattern(M_);
        }
        std::fill(M_.valuePtr(), M_.valuePtr() + M_.nonZeros(), 0.0);
        assemble(A, C, [&](int i, int j, const Matrix3d& B) {
            for (int c = 0; c < 3; ++c) {
                const int *rows = M_.innerIndexPtr(), *column = M_.outerIndexPtr() + j + c;
                const auto place = std::lower_bound(rows + column[0], rows + column[1], i) - rows;
                for (int k = 0; k < 3; ++k) M_.valuePtr()[place + k] += B(k, c);
            }
        });
        sparse_.factorize(M_);
        return sparse_.info() == Eigen::Success;
    }
    VectorXd solve(const VectorXd& b)
    {
        const VectorXd scaled = b.cwiseQuotient(scale_);
        const VectorXd x = dense() ? VectorXd(dense_.solve(scaled)) : VectorXd(sparse_.solve(scaled));
        return x.cwiseQuotient(scale_);
    }

  private:
    bool dense() const { return problem_.contacts() <= 30; }

    template <class Add>
    void assemble(const Blocks& A, const Blocks& C, Add&& add) const
    {
        const auto put = [&](int a, int b, const Matrix3d& M) {
            add(3 * a, 3 * b, M / (scale_[3 * a] * scale_[3 * b]));
        };
        for (int a = 0; a < problem_.contacts(); ++a) {
            Matrix3d own = C[a];
            if (!problem_.R.empty()) own += A[a] * problem_.compliance(a).asDiagonal();
            put(a, a, own);
            for (int k = problem_.row[a]; k < problem_.row[a + 1]; ++k)
                put(a, problem_.column[k], A[a] * problem_.block[k]);
        }
    }

    const LocalProblem& problem_;
    const VectorXd& scale_;
    Eigen::PartialPivLU<MatrixXd> dense_;
    Eigen::SparseMatrix<double> M_;
    Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse_;
};

class Search {
  public:
    Search(const LocalProblem& given, double aim);

    bool sweep(int count);
    bool newton(int budget);
    bool graded_newton(double floor, int budget);
    bool hopeless(); // proved to have no solution
    bool interior_point(bool coupled, int budget);
    bool done() const { return report.status == SolverStatus::converged; }
    LocalReport finish(LocalProblem& result);

    VectorXd r, best; // current iterate, and the one with the least residual
    LocalReport report;

  private:
    bool judge(); // remembers r if it is the best
    double alart_curnier(const VectorXd& x, const VectorXd& u, VectorXd& F, Blocks* A, Blocks* C) const;
    struct Patience {
        int budget = 20;        // factorisations
        int full_steps = 3;     // where the line search fails
        double accuracy = 1e-3; // of the solution, relative to the start
    };
    bool proximal_step(const VectorXd& alpha, const Patience& patience, VectorXd* trouble = nullptr);

    const LocalProblem& problem;
    const double tolerance;
    const int n;
    Blocks local;           // W_aa + R_a, symmetric part
    VectorXd t, sqrt_t;     // tr(W_aa + R_a) / 3, for each of the three rows
    double largest_impulse; // |sqrt(t) r| of iterates that are believed
    BlockSystem system;
};

Search::Search(const LocalProblem& given, double aim)
    : r(given.r), problem(given), tolerance(aim), n(given.contacts()), local(n), t(3 * n),
      system(problem, sqrt_t)
{
    if (!r.allFinite() || problem.q.isZero(0)) r.setZero();
    best = r;
    report.residual_before = report.residual = relative_natural_map(problem, r);
    if (report.residual <= tolerance && is_solution(problem, r, tolerance))
        report.status = SolverStatus::converged;
    double largest = 0;
    for (int a = 0; a < n; ++a) {
        const Matrix3d W = problem.diagonal(a);
        local[a] = 0.5 * (W + W.transpose());
        t.segment<3>(3 * a).setConstant(W.trace() / 3);
        largest = std::max(largest, W.trace() / 3);
    }
    for (double& x : t)
        if (!(x > 0)) x = largest > 0 ? largest : 1; // a contact on which nothing moves
    sqrt_t = t.cwiseSqrt();
    largest_impulse = 0.01 / tolerance * problem.q.cwiseQuotient(sqrt_t).norm();
}

// In a problem without solution impulses may grow without bound and the residual relative to them fall as low
// as one likes. Iterates so large that the tolerance on them exceeds a hundredth of q are therefore refused,
// and so are those that meet the tolerance while contacts still approach.
bool Search::judge()
{
    const double residual = relative_natural_map(problem, r);
    const bool solved = residual <= tolerance && is_solution(problem, r, tolerance);
    const bool better = residual < report.residual && (solved || residual > tolerance);
    if ((better || (solved && !done())) && r.cwiseProduct(sqrt_t).norm() <= largest_impulse) {
        report.residual = residual;
        best = r;
        if (solved) report.status = SolverStatus::converged;
    }
    return done();
}

bool Search::sweep(int count)
{
    for (int k = 0; k < count; ++k) {
        for (int a = 0; a < n; ++a) {
            const Vector3d q = problem.velocity(a, r) - local[a] * r.segment<3>(3 * a);
            r.segment<3>(3 * a) = solve_contact(local[a], q, problem.mu[a]);
        }
        ++report.sweeps;
    }
    return judge();
}

// F and, if asked for, its derivatives A by u and C by r; returns |F| / sqrt(t).
double Search::alart_curnier(const VectorXd& x, const VectorXd& u, VectorXd& F, Blocks* A, Blocks* C) const
{
    for (int a = 0; a < n; ++a) {
        const double mu = problem.mu[a], t_a = t[3 * a];
        const Vector3d x_a = x.segment<3>(3 * a), u_a = u.segment<3>(3 * a), d = t_a * x_a - u_a;
        const double size = d.tail<2>().norm(), limit = mu * d[0];
        Vector3d f = u_a;
        Matrix3d by_u = Matrix3d::Identity(), by_r = Matrix3d::Zero();
        if (!(d[0] > 0)) {
            f = t_a * x_a;
            by_u.setZero();
            by_r.diagonal().setConstant(t_a);
        } else if (size > limit) {
            const Vector2d e = d.tail<2>() / size;
            const Matrix2d turn = limit / size * (Matrix2d::Identity() - e * e.transpose());
            f.tail<2>() = t_a * x_a.tail<2>() - limit * e;
            by_u.block<2, 1>(1, 0) = mu * e;
            by_u.block<2, 2>(1, 1) = turn;
            by_r.block<2, 1>(1, 0) = -t_a * mu * e;
            by_r.block<2, 2>(1, 1) = t_a * (Matrix2d::Identity() - turn);
        }
        F.segment<3>(3 * a) = f;
        if (A) (*A)[a] = by_u;
        if (C) (*C)[a] = by_r;
    }
    return F.cwiseQuotient(sqrt_t).norm();
}

// True if the regularised problem around the present r is solved, or the given one altogether. Else `trouble`
// tells by numbers of 1 and more which contacts held most of |F|, or kept changing between open, stick and slip.
bool Search::proximal_step(const VectorXd& alpha, const Patience& patience, VectorXd* trouble)
{
    constexpr int memory = 6;
    constexpr int first = 4; // steps, after which contacts in trouble are looked for
    const VectorXd centre = r, alpha_t = alpha.cwiseProduct(t);
    const auto velocity = [&](const VectorXd& x) {
        return VectorXd(problem.velocity(x) + alpha_t.cwiseProduct(x - centre));
    };
    Blocks A(n), C(n);
    VectorXd F(3 * n), trial_F(3 * n), share = VectorXd::Zero(n), changes = VectorXd::Zero(n);
    std::vector<double> merits, law(n), law_before(n);
    double start = 0;
    bool solved = false;
    for (int step = 0, full_steps = patience.full_steps;; ++step) {
        const double merit = alart_curnier(r, velocity(r), F, &A, &C);
        if (step == 0) start = merit;
        solved = judge() || (step > 0 && merit <= patience.accuracy * start);
        if (solved || step >= patience.budget || merit == 0 || !std::isfinite(merit)) break;
        for (int a = 0; a < n; ++a) { // A is 0, 1 in all of the diagonal, or neither: open, stick, slip
            law[a] = A[a](0, 0) + (A[a](1, 1) == 1 && A[a](2, 2) == 1 ? 1 : 0);
            if (step < first) continue;
            changes[a] += law[a] != law_before[a];
            share[a] += (F.segment<3>(3 * a) / sqrt_t[3 * a]).squaredNorm() / (merit * merit);
        }
        law_before = law;

        for (int a = 0; a < n; ++a) C[a] += alpha_t[3 * a] * A[a];
        if (!system.factorise(A, C)) break;
        const VectorXd direction = system.solve(-F);
        ++report.newton_steps;
        if (!direction.allFinite()) break;

        merits.push_back(merit);
        const auto recent = merits.end() - std::min<std::ptrdiff_t>(memory, std::ssize(merits));
        const double reference = *std::max_element(recent, merits.end());
        double length = 1;
        VectorXd trial = r + direction;
        while (!(alart_curnier(trial, velocity(trial), trial_F, nullptr, nullptr) <=
                 (1 - 1e-4 * length) * reference)) {
            length /= 2;
            if (length < 1.0 / 2048) break;
            trial = r + length * direction;
        }
        if (length < 1.0 / 2048) {
            if (full_steps-- == 0) break;
            merits.clear();
            trial = r + direction;
        }
        r = trial;
    }
    if (trouble) *trouble = (share / std::max(0.1 * share.maxCoeff(), 1e-300)).cwiseMax(changes / 2);
    return solved;
}

bool Search::newton(int budget)
{
    r = best;
    double alpha = 1e-3;
    // A step may fail before its first factorisation: failures count too.
    int failures = 0;
    for (const int start = report.newton_steps; report.newton_steps - start + failures < budget && !done();) {
        const VectorXd centre = r;
        if (proximal_step(VectorXd::Constant(3 * n, alpha), {})) {
            alpha = std::max(alpha / 10, 1e-14);
        } else {
            r = centre;
            alpha = std::min(alpha * 10, 1e3);
            if (++failures % 4 == 0) sweep(20);
        }
    }
    return done();
}

// The proximal method for heaps of light and heavy bodies, where Newton's method fails at any small alpha as
// long as the residual is large. alpha falls slowly, and not below `floor` times the residual: this is what
// matters most. It grows at the contacts in trouble only, which mostly, not always, saves steps over one
// alpha for all.
bool Search::graded_newton(double floor, int budget)
{
    r = best;
    VectorXd alpha = VectorXd::Constant(3 * n, 1e-2), trouble(n);
    int failures = 0;
    for (const int start = report.newton_steps; report.newton_steps - start + failures < budget && !done();) {
        const VectorXd centre = r;
        if (proximal_step(alpha, {.budget = 15, .full_steps = 15, .accuracy = 0.1}, &trouble)) {
            if (done() || sweep(20)) break;
            const double least = std::max(floor * relative_natural_map(problem, r), 1e-12);
            alpha = (0.7 * alpha).cwiseMax(least);
        } else {
            ++failures;
            for (int a = 0; a < n; ++a)
                if (trouble[a] >= 1) alpha.segment<3>(3 * a) = (10 * alpha.segment<3>(3 * a)).cwiseMin(100);
            r = centre;
            sweep(50);
        }
    }
    return done();
}

bool Search::interior_point(bool coupled, int budget)
{
    const double size = problem.q.cwiseQuotient(sqrt_t).norm() / std::sqrt(n);
    const double unit = size > 0 ? size : 1;
    std::vector<Vector3d> x(n), y(n), dx(n), dy(n);
    for (int a = 0; a < n; ++a) {
        x[a] = unit / sqrt_t[3 * a] * Vector3d::UnitX();
        y[a] = unit * sqrt_t[3 * a] * Vector3d::UnitX();
    }
    // r = (x_n / lift, x_t); a frictionless contact keeps x_t = y_t = 0 and needs no scaling.
    const auto lift = [&](int a) { return problem.mu[a] > 0 ? problem.mu[a] : 1; };

    Blocks Q(n), H(n);
    VectorXd error(3 * n), complementarity(3 * n);
    for (int iteration = 0;; ++iteration) {
        double nu = 0;
        for (int a = 0; a < n; ++a) {
            r.segment<3>(3 * a) = Vector3d(x[a][0] / lift(a), x[a][1], x[a][2]);
            nu += x[a].dot(y[a]) / n;
        }
        if (judge()) return true;
        if (iteration >= budget || !(nu > 1e-20 * unit * unit)) return false;

        const VectorXd u = problem.velocity(r);
        for (int a = 0; a < n; ++a) {
            const double mu = problem.mu[a], slip = y[a].tail<2>().norm();
            Vector3d e = u.segment<3>(3 * a) - Vector3d(lift(a) * y[a][0] - mu * slip, y[a][1], y[a][2]);
            Q[a] = Matrix3d::Identity();
            if (mu <= 0) Q[a](1, 1) = Q[a](2, 2) = 0;
            if (coupled && slip > 0) Q[a].block<1, 2>(0, 1) = mu / slip * y[a].tail<2>().transpose();
            error.segment<3>(3 * a) = Q[a] * e;
            H[a] = cone_metric(x[a], y[a]);
            H[a].row(0) *= lift(a);
            H[a].col(0) *= lift(a);
        }
        if (!system.factorise(Q, H)) return false;
        ++report.interior_steps;

        // Directions towards x o y = target e; returns the longest step inside the cones.
        const auto aim = [&](double target) {
            for (int a = 0; a < n; ++a) {
                Vector3d c = cone_inverse(x[a], target) - y[a];
                c[0] *= lift(a);
                complementarity.segment<3>(3 * a) = c;
            }
            const VectorXd dr = system.solve(complementarity - error);
            double step = std::numeric_limits<double>::max();
            for (int a = 0; a < n; ++a) {
                dx[a] = dr.segment<3>(3 * a);
                dy[a] = complementarity.segment<3>(3 * a) - H[a] * dx[a];
                dx[a][0] *= lift(a);
                dy[a][0] /= lift(a);
                step = std::min({step, step_to_boundary(x[a], dx[a]), step_to_boundary(y[a], dy[a])});
            }
            return dr.allFinite() ? step : 0;
        };
        const double predicted = std::min(aim(0), 1.0);
        const double centring = std::max(std::pow(1 - predicted, 3), 1e-4);
        const double step = std::min(0.99 * aim(centring * nu), 1.0);
        if (!(step > 1e-12)) return false;
        for (int a = 0; a < n; ++a) {
            x[a] = push_inside_cone(x[a] + step * dx[a]);
            y[a] = push_inside_cone(y[a] + step * dy[a]);
        }
    }
}

bool Search::hopeless()
{
    if (done() || report.status == SolverStatus::no_solution) return !done();
    // A heavy mass on light bodies takes impulses as many times larger than theirs as it is heavier; what
    // would take ten decades is the round-off of a singular W.
    const double beyond = std::max(largest_impulse, 1e10 * problem.q.cwiseQuotient(sqrt_t).norm());
    if (infeasible(problem, sqrt_t, beyond)) report.status = SolverStatus::no_solution;
    return report.status == SolverStatus::no_solution;
}

LocalReport Search::finish(LocalProblem& result)
{
    hopeless();
    result.r = best;
    return report;
}

} // namespace

LocalReport solve_local_nlgs(LocalProblem& problem, const LocalNlgsOptions& options)
{
    constexpr int stride = 10; // sweeps between looks at the residual
    Search search(problem, options.tolerance);
    double mark = search.report.residual; // the residual that the next `patience` sweeps have to halve
    int marked = 0;
    while (!search.done() && search.report.sweeps < options.max_sweeps) {
        search.sweep(std::min(stride, options.max_sweeps - search.report.sweeps));
        if (search.report.residual <= mark / 2) {
            mark = search.report.residual;
            marked = search.report.sweeps;
        }
        if (options.patience > 0 && search.report.sweeps - marked >= options.patience) break;
    }
    return search.finish(problem);
}

LocalReport solve_robust(LocalProblem& problem, const RobustOptions& options)
{
    Search search(problem, options.tolerance);
    if (std::isnan(search.report.residual)) return search.finish(problem);
    for (int k = 0; k < options.sweeps && !search.done(); k += 10)
        search.sweep(std::min(10, options.sweeps - k));
    // The order is that of cost; the numbers of steps are those after which more of the same seldom helps.
    search.done() || search.newton(60) || search.interior_point(true, 80) || search.hopeless() ||
        options.newton_steps == 0 || search.graded_newton(1, options.newton_steps) ||
        search.graded_newton(0.3, options.newton_steps) || search.interior_point(false, 150) ||
        search.newton(400);
    return search.finish(problem);
}

} // namespace tamis
