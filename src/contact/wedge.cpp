// y is the growth of the impulses since there were half as many sweeps, projected on the cones. With y.w^ < 0, a
// solution r' would need |r' - r| >= -y.w^ / |W y|: it is a wedge if that exceeds `beyond` times the impulses found.
#include "tamis/contact/wedge.hpp"

#include "tamis/contact/contact_law.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

namespace {
constexpr int first_look = 128; // sweeps
constexpr double beyond = 1e4;  // times the impulses found: what a solution would need at least
} // namespace

bool Wedge::found(ContactProblem& problem, int sweeps)
{
    if (sweeps == 0) sweeps_ = 0;
    if (sweeps < std::max(first_look, 2 * sweeps_)) return false;
    const bool wedge = sweeps_ > 0 && r_.size() == problem.contacts.size() && holds(problem);
    sweeps_ = sweeps;
    r_.clear();
    for (const Contact& contact : problem.contacts) r_.push_back(contact.r);
    return wedge;
}

bool Wedge::holds(ContactProblem& problem)
{
    const std::size_t n = problem.contacts.size();
    y_.assign(n, Vector3d::Zero());
    double work = 0, largest = 0; // y.w^
    for (std::size_t a = 0; a < n; ++a) {
        const Contact& contact = problem.contacts[a];
        if (contact.law == Law::rolling) continue;
        if (contact.law != Law::contact) return false;
        Vector3d& y = y_[a];
        y = project_cone(contact.r - r_[a], contact.friction);
        Vector3d w = Vector3d::Zero();
        for (int row = 0; row < contact.active_rows(); ++row)
            w[row] = problem.relative_velocity(contact, row);
        w = contact.law_velocity(w);
        work += y.dot(w) + contact.friction * std::hypot(w[1], w[2]) * y[0];
        largest = std::max(largest, y.norm());
    }
    if (!(work < 0) || !(largest > 0) || !std::isfinite(largest)) return false;

    // (W + R) y, and the size of the impulses, in norms that weigh all bodies alike.
    v_ = problem.v;
    problem.v.setZero();
    for (std::size_t a = 0; a < n; ++a)
        for (int row = 0; row < problem.contacts[a].active_rows(); ++row)
            problem.apply_impulse(problem.contacts[a], row, y_[a][row]);
    double moved = 0, size = 0;
    for (std::size_t a = 0; a < n; ++a) {
        const Contact& contact = problem.contacts[a];
        const int rows = contact.active_rows();
        double trace = 0, change = 0;
        for (int row = 0; row < rows; ++row) {
            const double R = contact.law == Law::rolling ? 0 : contact.compliance_of(row);
            const double w = problem.relative_velocity(contact, row) - contact.drift[row] + R * y_[a][row];
            trace += problem.delassus(contact, row, contact, row) + R;
            change += w * w;
        }
        if (!(trace > 0)) continue; // between bodies that nothing moves
        moved += change * rows / trace;
        size += contact.r.squaredNorm() * trace / rows;
    }
    std::swap(problem.v, v_);
    for (Vector3d& y : y_) y /= largest;
    return -work > beyond * std::sqrt(size * moved);
}

} // namespace tamis
