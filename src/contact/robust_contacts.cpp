// The contact problem of a step in local form, scaled, for the robust solver; see robust_contacts.hpp.
#include "tamis/contact/robust_contacts.hpp"

#include "tamis/contact/robust_solver.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {
constexpr int most_contacts = 1000; // that can be factorised in less than a second or so
} // namespace

bool RobustContacts::suits(const ContactProblem& problem)
{
    const auto plain = [](const Contact& c) { return c.law == Law::contact; };
    return static_cast<int>(problem.contacts.size()) <= most_contacts &&
           std::all_of(problem.contacts.begin(), problem.contacts.end(), plain);
}

SolverReport RobustContacts::solve(ContactProblem& problem)
{
    SolverReport report{.status = SolverStatus::iteration_limit, .solver = "robust"};
    problem.rebuild_velocities();
    if (suits(problem) && !problem.contacts.empty()) {
        LocalProblem local = local_form(problem);
        // In D (W + R) D, D q and D^-1 r with D^-2 = tr(W_aa + R_a) / 3 the natural map compares like with
        // like: else grams would be solved to another accuracy than tonnes. A positive factor keeps the cones.
        const int n = local.contacts();
        std::vector<double> D(n);
        for (int a = 0; a < n; ++a) {
            const double t = local.diagonal(a).trace() / 3;
            D[a] = t > 0 ? 1 / std::sqrt(t) : 1;
        }
        for (int a = 0; a < n; ++a) {
            for (int k = local.row[a]; k < local.row[a + 1]; ++k) local.block[k] *= D[a] * D[local.column[k]];
            if (!local.R.empty()) local.R[a] *= D[a] * D[a];
            local.q.segment<3>(3 * a) *= D[a];
            local.r.segment<3>(3 * a) /= D[a];
        }
        // Its measure is not that of the stop test: it is asked for more until that one is content.
        double tolerance = std::min({stop.natural_max, stop.natural_rms, 1e-6});
        for (int pass = 0; pass < 4; ++pass, tolerance /= 100) {
            const LocalReport found =
                solve_robust(local, {.tolerance = tolerance, .newton_steps = newton_steps});
            report.sweeps += found.sweeps;
            for (int a = 0; a < n; ++a) problem.contacts[a].r = D[a] * local.r.segment<3>(3 * a);
            problem.rebuild_velocities();
            if (found.status == SolverStatus::no_solution) report.status = found.status;
            if (found.status != SolverStatus::converged || stop.satisfied(residual(problem))) break;
        }
    }
    report.residual = residual(problem);
    if (stop.satisfied(report.residual)) report.satisfied();
    return report;
}

} // namespace tamis
