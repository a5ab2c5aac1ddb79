// Criterion (c) of a contact solution: the wrench on each mechanism, Q = sum over its contacts of H^T r, and
// the force on each prescribed body. A relative residual of impulses alone misleads where a machine pushes a
// dense bed: most contacts are settled long before the few chains of contacts that carry the load.
//
// Changes count relative to sum |H^T r|, not to |Q|, which may vanish between
// contacts that oppose each other.
#include "tamis/contact/contact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tamis {

namespace {

// In the list of wrenches: n numbers of each general block and 3 of each rigid one, which only prescribed
// bodies fill, each followed by the sum of magnitudes.
int wrench_place(const ContactProblem& problem, int block)
{
    if (!problem.is_rigid(block)) return problem.offset(block) + block;
    return problem.offset(problem.general()) + problem.general() + 4 * (block - problem.general());
}

bool prescribed(const ContactProblem& problem, int block)
{
    return problem.is_rigid(block) && problem.rigid[block - problem.general()].inverse_mass == 0;
}

bool watched(const ContactProblem& problem, int block)
{
    return block >= 0 && (!problem.is_rigid(block) || prescribed(problem, block));
}

} // namespace

void ContactWrenches::watch(const ContactProblem& problem)
{
    contacts_.clear();
    first_ = true;
    const bool any =
        problem.general() > 0 || std::any_of(problem.rigid.begin(), problem.rigid.end(),
                                             [](const RigidBlock& body) { return body.inverse_mass == 0; });
    for (std::size_t a = 0; a < problem.contacts.size() && any; ++a) {
        const Contact& contact = problem.contacts[a];
        if (watched(problem, contact.side[0].block) || watched(problem, contact.side[1].block))
            contacts_.push_back(static_cast<int>(a));
    }
}

void ContactWrenches::sum(const ContactProblem& problem)
{
    now_.assign(wrench_place(problem, problem.blocks()), 0.0); // keeps the memory
    for (const int a : contacts_) {
        const Contact& contact = problem.contacts[a];
        for (int s = 0; s < 2; ++s) {
            const Contact::Side& side = contact.side[s];
            if (!watched(problem, side.block)) continue;
            double* Q = now_.data() + wrench_place(problem, side.block);
            const int m = contact.active_rows();
            if (problem.is_rigid(side.block)) {
                if (contact.law == Law::rolling) continue;
                const Eigen::Vector3d P = contact.frame.leftCols(m) * contact.r.head(m);
                Eigen::Map<Eigen::Vector3d>(Q) += s == 0 ? Eigen::Vector3d(-P) : P;
                Q[3] += P.norm();
                continue;
            }
            const int n = problem.block_size(side.block);
            double square = 0;
            for (int k = 0; k < n; ++k) {
                double q = 0;
                for (int row = 0; row < m; ++row) q += problem.H[side.map + row * n + k] * contact.r[row];
                Q[k] += q;
                square += q * q;
            }
            Q[n] += std::sqrt(square);
        }
    }
}

double ContactWrenches::change(const ContactProblem& problem)
{
    if (contacts_.empty()) return 0;
    std::swap(before_, now_);
    sum(problem);
    if (std::exchange(first_, false)) return 0;
    double largest = 0;
    for (int b = 0; b < problem.blocks(); ++b) {
        const int start = wrench_place(problem, b);
        const int n = problem.is_rigid(b) ? 3 : problem.block_size(b);
        double square = 0;
        for (int k = start; k < start + n; ++k) square += (now_[k] - before_[k]) * (now_[k] - before_[k]);
        if (square > 0)
            largest = std::max(largest, std::sqrt(square) / std::max(now_[start + n], before_[start + n]));
    }
    return largest;
}

} // namespace tamis
