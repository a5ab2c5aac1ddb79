// Criterion (c) of a contact solution: the wrench on each mechanism, Q = sum over its contacts of H^T r. A
// relative residual of impulses alone misleads where a mechanism pushes a dense bed: most contacts are
// settled long before the few chains of contacts that carry the load.
#include "nscd/contact_solver.hpp"

#include <algorithm>

namespace tamis {

void contact_wrenches(const ContactProblem& problem, std::vector<double>& wrenches)
{
    wrenches.assign(problem.general_offset.back(), 0.0); // keeps the memory
    for (const Contact& contact : problem.contacts)
        for (const Contact::Side& side : contact.side) {
            if (side.block < 0 || problem.is_rigid(side.block)) continue;
            const int n = problem.block_size(side.block);
            double* q = wrenches.data() + problem.offset(side.block);
            for (int row = 0; row < contact.active_rows(); ++row)
                for (int k = 0; k < n; ++k) q[k] += problem.H[side.map + row * n + k] * contact.r[row];
        }
}

double wrench_change(const ContactProblem& problem, const std::vector<double>& before,
                     const std::vector<double>& now)
{
    double largest = 0;
    for (int b = 0; b < problem.general(); ++b) {
        const int start = problem.offset(b), n = problem.block_size(b);
        if (n == 0) continue;
        const Eigen::Map<const Eigen::VectorXd> then(before.data() + start, n), today(now.data() + start, n);
        const double change = (today - then).norm(), size = today.norm();
        if (change > 0) largest = std::max(largest, size > 0 ? change / size : 1.0);
    }
    return largest;
}

} // namespace tamis
