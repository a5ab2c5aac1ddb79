// Nonlinear Gauss-Seidel on block velocities (Jean & Moreau 1992; Jean 1999), for each contact in turn:
//
//     u = sum_s H_s v_s + drift,  q = u + b - W_aa r,  r' = law(W_aa + R, q),  v += Y (r' - r)          (33)
//
// Departures: a sweep that changes little is only a candidate for the end; v is then rebuilt from r, which
// removes accumulated round-off, and the residual from these velocities decides. A few frictionless contacts
// get their first guess from a direct solution and mostly need no sweep; the same residual judges it.
#include "tamis/contact/nlgs.hpp"

#include "tamis/contact/local_solution.hpp"
#include "tamis/contact/small_lcp.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

void guess_directly(ContactProblem& problem)
{
    const int n = static_cast<int>(problem.contacts.size());
    SmallMatrix A(n, n);
    SmallVector q(n), r(n);
    problem.v = problem.v_free;
    for (int i = 0; i < n; ++i) {
        const Contact& contact = problem.contacts[i];
        q[i] = problem.relative_velocity(contact, 0) + contact.bias[0];
        for (int j = 0; j <= i; ++j) A(i, j) = A(j, i) = problem.delassus(contact, 0, problem.contacts[j], 0);
        A(i, i) += contact.compliance[0];
    }
    if (!solve_small_lcp(A, q, r)) return;
    for (int i = 0; i < n; ++i) problem.contacts[i].r = {r[i], 0, 0};
}

} // namespace

void Nlgs::prepare(const ContactProblem& problem)
{
    local.resize(problem.contacts.size());
    for (std::size_t a = 0; a < local.size(); ++a) local[a] = local_matrix(problem, problem.contacts[a]);
}

// Returns the largest change of an impulse relative to the rms impulse.
double Nlgs::sweep(ContactProblem& problem) const
{
    double largest = 0, sum = 0;
    for (std::size_t a = 0; a < problem.contacts.size(); ++a) {
        Contact& contact = problem.contacts[a];
        const int m = contact.active_rows();
        Eigen::Vector3d u = Eigen::Vector3d::Zero();
        for (int row = 0; row < m; ++row) u[row] = problem.relative_velocity(contact, row);
        const Eigen::Vector3d r = solve_locally(problem, contact, local[a], u), change = r - contact.r;
        for (int row = 0; row < m; ++row) problem.apply_impulse(contact, row, change[row]);
        contact.r = r;
        if (contact.law == Law::rolling) continue;
        largest = std::max(largest, change.squaredNorm());
        sum += r.squaredNorm();
    }
    return sum > 0 ? std::sqrt(largest / sum * static_cast<double>(problem.contacts.size())) : 0;
}

SolverReport Nlgs::solve(ContactProblem& problem)
{
    SolverReport report{.solver = "nlgs"};
    auto& contacts = problem.contacts;
    if (contacts.empty()) {
        problem.v = problem.v_free;
        return report;
    }
    const auto frictionless = [](const Contact& c) { return c.law == Law::contact && c.active_rows() == 1; };
    const int few = std::min(direct, small_lcp_size);
    if (static_cast<int>(contacts.size()) <= few &&
        std::all_of(contacts.begin(), contacts.end(), frictionless))
        guess_directly(problem);

    wrenches_.watch(problem);
    bool check = true;
    double target = std::min(stop.natural_max, stop.natural_rms); // change that calls for a check
    for (;; ++report.sweeps) {
        if (check) {
            problem.rebuild_velocities();
            report.residual = residual(problem);
            report.residual.wrench_change = wrenches_.change(problem);
            if (stop.satisfied(report.residual)) {
                report.satisfied();
                return report;
            }
            if (report.sweeps >= stop.max_sweeps || std::isnan(report.residual.natural_max)) {
                report.status = SolverStatus::iteration_limit;
                return report;
            }
            if (wedge_.found(problem, report.sweeps)) {
                report.no_solution(wedge_.growth());
                return report;
            }
        }
        if (report.sweeps == 0) prepare(problem);
        const double change = sweep(problem);
        // The change may fall to the target before the residual does, or never reach it for round-off.
        check = change <= target || report.sweeps % 100 == 99 || report.sweeps + 1 >= stop.max_sweeps;
        if (change <= target) target = change / 2;
    }
}

} // namespace tamis
