// Relative velocities, Delassus blocks and the residual of a contact problem,
//
//     W_ab = sum over sides of a and b on the same block of H_a Y_b^T
//     residual of a contact:  |r - P_K(r - rho (u + (shift + mu |u_t|) n))|,  of a joint:  rho |u|
//
// with rho = m / tr(W_aa) over the m rows in which impulses act, relative to the rms impulse of all contacts.
// Source: Acary & Brogliato (2008), natural map of the De Saxce formulation. Departure: when no impulse acts,
// the rms of rho |u_free| is the scale, so that the residual still measures how far the contacts are
// violated.
#include "nscd/contact_problem.hpp"

#include "nscd/contact_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

void ContactProblem::clear_contacts()
{
    contacts.clear();
    H.clear();
    Y.clear();
}

int ContactProblem::reserve_map(int block)
{
    const std::size_t start = H.size();
    H.resize(start + 3 * block_size(block));
    Y.resize(H.size());
    return static_cast<int>(start);
}

void ContactProblem::rebuild_velocities()
{
    v = v_free;
    for (const Contact& contact : contacts)
        for (int row = 0; row < contact.active_rows(); ++row) apply_impulse(contact, row, contact.r[row]);
}

Eigen::Vector3d ContactProblem::relative_velocity(const Contact& contact) const
{
    return {relative_velocity(contact, 0), relative_velocity(contact, 1), relative_velocity(contact, 2)};
}

double ContactProblem::delassus(const Contact& a, int i, const Contact& b, int j) const
{
    double w = 0;
    for (int s = 0; s < 2; ++s) {
        const int block = a.side[s].block;
        if (block < 0) continue;
        const int n = block_size(block);
        for (int t = 0; t < 2; ++t) {
            if (b.side[t].block != block) continue;
            if (is_rigid(block)) {
                w += rigid_row(a, s, i).dot(rigid_response(b, t, j));
                continue;
            }
            const double* h = H.data() + a.side[s].map + i * n;
            const double* y = Y.data() + b.side[t].map + j * n;
            for (int k = 0; k < n; ++k) w += h[k] * y[k];
        }
    }
    return w;
}

Eigen::Matrix3d ContactProblem::local_delassus(const Contact& contact) const
{
    Eigen::Matrix3d W;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) W(i, j) = W(j, i) = delassus(contact, i, contact, j);
    return W;
}

namespace {

// Sum of the magnitudes of the terms of u: round-off in u is a few epsilons of it.
double velocity_magnitude(const ContactProblem& problem, const Contact& contact, int row)
{
    double sum = std::abs(contact.drift[row]) + (row == 0 ? std::abs(contact.shift) : 0);
    for (int s = 0; s < 2; ++s) {
        const Contact::Side& side = contact.side[s];
        if (side.block < 0) continue;
        const double* x = problem.v.data() + problem.offset(side.block);
        if (problem.is_rigid(side.block)) {
            const Eigen::Map<const ContactProblem::Row6> v(x);
            sum += problem.rigid_row(contact, s, row).cwiseProduct(v).lpNorm<1>();
            continue;
        }
        const int n = problem.block_size(side.block);
        const double* h = problem.H.data() + side.map + row * n;
        for (int k = 0; k < n; ++k) sum += std::abs(h[k] * x[k]);
    }
    return sum;
}

} // namespace

Residual residual(const ContactProblem& problem)
{
    Residual result;
    double sum_natural = 0, sum_impulse = 0, sum_velocity = 0;
    for (std::size_t a = 0; a < problem.contacts.size(); ++a) {
        const Contact& contact = problem.contacts[a];
        const int m = contact.active_rows();
        Eigen::Vector3d u = Eigen::Vector3d::Zero();
        double trace = 0, magnitude = 0;
        for (int row = 0; row < m; ++row) {
            u[row] = problem.relative_velocity(contact, row);
            trace += problem.delassus(contact, row, contact, row);
            magnitude += velocity_magnitude(problem, contact, row);
        }
        const double rho = trace > 0 ? m / trace : 0;
        double natural, approach = 0;
        double impulse = contact.r.squaredNorm();
        if (contact.law == Law::rolling) { // in units of force: moments over the length that limits them
            if (!(contact.friction > 0)) continue;
            const double limit = contact.friction * problem.contacts[a - 1].r[0];
            const Eigen::Vector3d projected = project_ball(contact.r - rho * u, limit);
            natural = (contact.r - projected).norm() / contact.friction;
            magnitude /= contact.friction;
            u.setZero();
            impulse = 0;
        } else if (contact.law == Law::bilateral) {
            approach = u.norm();
            natural = rho * approach;
        } else {
            u[0] += contact.shift;
            approach = std::max(-u[0], 0.0);
            natural = (contact.r - project_contact(contact.r, u, contact.friction, rho)).norm();
        }
        result.natural_max = std::max(result.natural_max, natural);
        result.approach = std::max(result.approach, approach);
        result.round_off = std::max(result.round_off, rho * magnitude);
        sum_natural += natural * natural;
        sum_impulse += impulse;
        sum_velocity += rho * rho * u.squaredNorm();
    }
    // Without impulses v is v_free, and the u above are the free ones.
    const double scale = std::sqrt(sum_impulse > 0 ? sum_impulse : sum_velocity);
    if (scale == 0) return {.approach = result.approach};
    const double count = std::sqrt(static_cast<double>(problem.contacts.size()));
    const double epsilon = std::numeric_limits<double>::epsilon();
    result.natural_rms = std::sqrt(sum_natural) / scale;
    result.natural_max *= count / scale;
    result.round_off *= 64 * epsilon * count / scale;
    // The maximum alone would hide a contact that is not a number.
    if (std::isnan(result.natural_rms)) result.natural_max = result.natural_rms;
    return result;
}

} // namespace tamis
