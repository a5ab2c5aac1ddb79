// Relative velocities, Delassus blocks and the residual of a contact problem,
//
//     W_ab = sum over sides of a and b on the same block of H_a Y_b^T
//     residual of a contact:  |r - P_K(r - rho (w + mu |w_t| n))|,  w = u + b + R o r,  of a joint:  rho |w|
//     (an associated contact:  without mu |w_t|)
//
// with rho = m / tr(W_aa + R) over the m rows in which impulses act, relative to the rms impulse of all
// contacts. Source: Acary & Brogliato (2008), natural map of the De Saxce formulation. Departure:
// when no impulse acts, the rms of rho |w_free| is the scale, so that the residual still measures how
// far the contacts are violated.
#include "tamis/contact/contact_problem.hpp"

#include "tamis/base/parallel_for.hpp"
#include "tamis/base/prefetch.hpp"
#include "tamis/contact/contact_law.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"

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

namespace {

// To v of its blocks that are `mine`; of a rigid block the impulse and its moment.
template <class Mine>
void add_impulses(ContactProblem& problem, const Contact& contact, const Mine& mine)
{
    const int m = contact.active_rows();
    const Eigen::Vector3d P =
        m == 3 ? Eigen::Vector3d(contact.frame * contact.r) : contact.frame.leftCols(m) * contact.r.head(m);
    for (int s = 0; s < 2; ++s) {
        const Contact::Side& side = contact.side[s];
        if (!mine(side.block)) continue;
        double* x = problem.v.data() + problem.offset(side.block);
        if (problem.is_rigid(side.block)) {
            const Eigen::Vector3d F = s == 0 ? Eigen::Vector3d(-P) : P;
            Eigen::Map<Eigen::Vector3d> force(x), moment(x + 3);
            if (contact.law == Law::rolling) {
                moment += F;
            } else {
                force += F;
                moment += contact.arm[s].cross(F);
            }
            continue;
        }
        const int n = problem.block_size(side.block);
        const double* y = problem.Y.data() + side.map;
        for (int row = 0; row < m; ++row, y += n)
            for (int k = 0; k < n; ++k) x[k] += y[k] * contact.r[row];
    }
}

} // namespace

// Impulses and moments on rigid blocks are summed first and meet the inverse mass once. Each thread has rigid blocks of
// its own, the first one the general blocks as well: the order of every sum is that of the contacts.
void ContactProblem::rebuild_velocities(int threads)
{
    const int first_rigid = general(), bodies = static_cast<int>(rigid.size());
    v.resize(v_free.size());
    v.head(general_offset.back()) = v_free.head(general_offset.back());
    parallel_for(bodies, bodies < threads ? 1 : threads, [&](int begin, int end) {
        v.segment(offset(first_rigid + begin), 6 * (end - begin)).setZero();
        const auto mine = [&](int block) {
            if (block < first_rigid) return block >= 0 && begin == 0;
            return block - first_rigid >= begin && block - first_rigid < end;
        };
        for (const Contact& contact : contacts)
            if (mine(contact.side[0].block) || mine(contact.side[1].block))
                add_impulses(*this, contact, mine);
        for (int i = begin; i < end; ++i) {
            const RigidBlock& body = rigid[i];
            double* x = v.data() + offset(first_rigid + i);
            const double* start = v_free.data() + offset(first_rigid + i);
            Eigen::Map<Eigen::Vector3d> velocity(x), angular(x + 3);
            velocity = Eigen::Map<const Eigen::Vector3d>(start) + velocity * body.inverse_mass;
            angular = Eigen::Map<const Eigen::Vector3d>(start + 3) + (body.inverse_inertia * angular).eval();
        }
    });
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

// Sum of the magnitudes of the terms of u + b: round-off in it is a few epsilons of that.
double velocity_magnitude(const ContactProblem& problem, const Contact& contact, int row)
{
    double sum =
        std::abs(contact.drift[row]) + (contact.law == Law::rolling ? 0 : std::abs(contact.bias[row]));
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

// Of the first m rows of a contact: u, trace of W, and the magnitude of the terms of u + b.
struct LocalState {
    Eigen::Vector3d u = Eigen::Vector3d::Zero();
    double trace = 0, magnitude = 0;
};
// One row of a contact between two blocks; the sums are those of relative_velocity(), delassus() and
// velocity_magnitude(), with each row of H made once.
void add_row(const ContactProblem& problem, const Contact& contact, int row, LocalState& state)
{
    double u = contact.drift[row], w = 0;
    double sum = std::abs(u) + (contact.law == Law::rolling ? 0 : std::abs(contact.bias[row]));
    for (int s = 0; s < 2; ++s) {
        const Contact::Side& side = contact.side[s];
        if (side.block < 0) continue;
        const double* x = problem.v.data() + problem.offset(side.block);
        if (problem.is_rigid(side.block)) {
            const Eigen::Map<const ContactProblem::Row6> v(x);
            const ContactProblem::Row6 h = problem.rigid_row(contact, s, row);
            u += h.dot(v);
            w += h.dot(problem.rigid_response(contact, s, row));
            sum += h.cwiseProduct(v).lpNorm<1>();
            continue;
        }
        const int n = problem.block_size(side.block);
        const double *h = problem.H.data() + side.map + row * n, *y = problem.Y.data() + side.map + row * n;
        for (int k = 0; k < n; ++k) {
            u += h[k] * x[k];
            w += h[k] * y[k];
            sum += std::abs(h[k] * x[k]);
        }
    }
    state.u[row] = u;
    state.trace += w;
    state.magnitude += sum;
}
LocalState local_state(const ContactProblem& problem, const Contact& contact, int m)
{
    LocalState state;
    const int a = contact.side[0].block, b = contact.side[1].block;
    if (a != b && ((a >= 0 && !problem.is_rigid(a)) || (b >= 0 && !problem.is_rigid(b)))) {
        for (int row = 0; row < m; ++row) add_row(problem, contact, row, state);
        return state;
    }
    if (a == b) {
        for (int row = 0; row < m; ++row) {
            state.u[row] = problem.relative_velocity(contact, row);
            state.trace += problem.delassus(contact, row, contact, row);
            state.magnitude += velocity_magnitude(problem, contact, row);
        }
        return state;
    }
    // The same for rigid sides only, which are most: rows +-d, +-arm x d.
    const bool turns = contact.law == Law::rolling;
    for (int row = 0; row < m; ++row) {
        state.u[row] = contact.drift[row];
        state.magnitude += std::abs(contact.drift[row]) + (turns ? 0 : std::abs(contact.bias[row]));
    }
    Eigen::Vector3d world(0, 0, 0); // u of all rows
    for (int s = 0; s < 2; ++s) {
        const int block = contact.side[s].block;
        if (block < 0) continue;
        const RigidBlock& body = problem.rigid[block - problem.general()];
        const double* x = problem.v.data() + problem.offset(block);
        const Eigen::Map<const Eigen::Vector3d> v(x), w(x + 3);
        const double sign = s == 0 ? -1 : 1;
        const Eigen::Vector3d& arm = contact.arm[s];
        const Eigen::Matrix3d &J = body.inverse_inertia, &frame = contact.frame;
        if (m == 3 && turns) { // all rows at once, which are orthonormal
            world += sign * w;
            state.magnitude += frame.cwiseAbs().rowwise().sum().dot(w.cwiseAbs());
            state.trace += J.trace();
        } else if (m == 3) {
            world += sign * (v + w.cross(arm));
            Eigen::Matrix3d c;
            for (int row = 0; row < 3; ++row) c.col(row) = arm.cross(frame.col(row));
            state.magnitude += frame.cwiseAbs().rowwise().sum().dot(v.cwiseAbs()) +
                               c.cwiseAbs().rowwise().sum().dot(w.cwiseAbs());
            // sum of c.J c = |arm|^2 tr J - arm.J arm
            state.trace += arm.squaredNorm() * J.trace() - arm.dot(J * arm) + 3 * body.inverse_mass;
        } else {
            for (int row = 0; row < m; ++row) {
                const Eigen::Vector3d d = frame.col(row), c = arm.cross(d);
                state.u[row] += sign * (d.dot(v) + c.dot(w));
                state.magnitude += c.cwiseProduct(w).lpNorm<1>() + d.cwiseProduct(v).lpNorm<1>();
                state.trace += c.dot(J * c) + d.squaredNorm() * body.inverse_mass;
            }
        }
    }
    if (m == 3) state.u += contact.frame.transpose() * world;
    return state;
}

// To the trace and the magnitude. Where nothing moves and nothing yields along the normal, R_t alone makes no
// step: no normal impulse can act.
void add_compliance(const Contact& contact, int m, double& trace, double& magnitude)
{
    const bool fixed = !(trace > 0) && !(contact.compliance[0] > 0) && contact.law != Law::bilateral;
    for (int row = 0; row < m; ++row) {
        if (!fixed) trace += contact.compliance_of(row);
        magnitude += contact.compliance_of(row) * std::abs(contact.r[row]);
    }
}

// What a contact adds to the residual.
struct Natural {
    double natural = 0, approach = 0; // |r - P(r - rho w^)|, max(-w_n, 0)
    double rho = 0, magnitude = 0;    // step, and sum of the magnitudes of the terms of w
    double velocity = 0, impulse = 0; // |w|^2, |r|^2
    bool may_be_stuck = false;
};
Natural natural_of(const ContactProblem& problem, const Contact& contact)
{
    const int m = contact.active_rows();
    auto [u, trace, magnitude] = local_state(problem, contact, m);
    if (contact.law != Law::rolling) {
        u = contact.law_velocity(u);
        if (contact.compliant()) add_compliance(contact, m, trace, magnitude);
    }
    const double rho = trace > 0 ? m / trace : 0;
    if (contact.law == Law::rolling) { // in units of force: moments over the length that limits them
        if (!(contact.friction > 0)) return {};
        const Eigen::Vector3d projected = project_ball(contact.r - rho * u, problem.rolling_limit(contact));
        return {.natural = (contact.r - projected).norm() / contact.friction,
                .rho = rho,
                .magnitude = magnitude / contact.friction};
    }
    Natural found{.rho = rho, .magnitude = magnitude};
    found.velocity = u.squaredNorm();
    found.impulse = contact.r.squaredNorm();
    if (contact.law == Law::bilateral) {
        found.approach = u.norm();
        found.natural = rho * found.approach;
        return found;
    }
    const double mu = contact.friction;
    const Eigen::Vector3d projected = contact.law == Law::associated ? project_cone(contact.r - rho * u, mu)
                                                                     : project_contact(contact.r, u, mu, rho);
    found.approach = std::max(-u[0], 0.0);
    found.may_be_stuck = true;
    found.natural = (contact.r - projected).norm();
    return found;
}

// Whether a ResidualPack takes it.
bool common(const ContactProblem& problem, const Contact& contact)
{
    const int a = contact.side[0].block, b = contact.side[1].block;
    return contact.law == Law::contact && contact.friction > 0 && a != b && (a < 0 || problem.is_rigid(a)) &&
           (b < 0 || problem.is_rigid(b));
}

void fill(ResidualPack& pack, int lane, const ContactProblem& problem, const Contact& contact)
{
    const auto put = [&](double(*to)[ResidualPack::lanes], const double* from, int count) {
        for (int i = 0; i < count; ++i) to[i][lane] = from[i];
    };
    put(pack.frame, contact.frame.data(), 9);
    put(pack.bias, contact.bias.data(), 3);
    put(pack.compliance, contact.compliance.data(), 2);
    put(pack.drift, contact.drift.data(), 3);
    put(pack.r, contact.r.data(), 3);
    pack.friction[lane] = contact.friction;
    for (int s = 0; s < 2; ++s) {
        static const RigidBlock ground;
        static constexpr double still[6] = {};
        const int block = contact.side[s].block;
        const RigidBlock& body = block < 0 ? ground : problem.rigid[block - problem.general()];
        put(pack.arm[s], contact.arm[s].data(), 3);
        put(pack.v[s], block < 0 ? still : problem.v.data() + problem.offset(block), 6);
        put(pack.J[s], body.inverse_inertia.data(), 9);
        pack.inverse_mass[s][lane] = body.inverse_mass;
    }
}

// What some of the contacts add to the residual: maxima, and sums of squares.
struct ResidualPart {
    double natural_max = 0, approach = 0, round_off = 0;
    double sum_natural = 0, sum_impulse = 0, sum_velocity = 0;
    int worst = -1, stuck = -1; // contacts

    void add(const Natural& found, std::size_t contact)
    {
        if (found.may_be_stuck && found.rho == 0 && found.approach > 1e-9 * found.magnitude && stuck < 0)
            stuck = static_cast<int>(contact);
        if (found.natural > natural_max) {
            natural_max = found.natural;
            worst = static_cast<int>(contact);
        }
        approach = std::max(approach, found.approach);
        round_off = std::max(round_off, found.rho * found.magnitude);
        sum_natural += found.natural * found.natural;
        sum_impulse += found.impulse;
        sum_velocity += found.rho * found.rho * found.velocity;
    }
};
ResidualPart residual_part(const ContactProblem& problem, const ContactKernels* kernels, std::size_t begin,
                           std::size_t end, double* each)
{
    constexpr std::size_t lanes = ResidualPack::lanes;
    ResidualPart part;
    ResidualPack pack;
    const auto add = [&](const Natural& found, std::size_t a) {
        if (each) each[a] = found.natural;
        part.add(found, a);
    };
    for (std::size_t first = begin; first < end; first += lanes) {
        const std::size_t last = std::min(first + lanes, end);
        for (std::size_t a = last; a < std::min(last + lanes, end);
             ++a) // their bodies lie anywhere in memory
            for (const Contact::Side& side : problem.contacts[a].side) {
                if (side.block < problem.general()) continue;
                prefetch(problem.v.data() + problem.offset(side.block), 6);
                prefetch(&problem.rigid[side.block - problem.general()]);
            }
        const Contact* const contact = problem.contacts.data() + first;
        const bool packed =
            last == first + lanes &&
            std::all_of(contact, contact + lanes, [&](const auto& c) { return common(problem, c); });
        if (!packed) {
            for (std::size_t a = first; a < last; ++a) add(natural_of(problem, problem.contacts[a]), a);
            continue;
        }
        for (std::size_t l = 0; l < lanes; ++l) fill(pack, static_cast<int>(l), problem, contact[l]);
        kernels->check(pack);
        for (std::size_t l = 0; l < lanes; ++l)
            add({pack.natural[l], pack.approach[l], pack.rho[l], pack.magnitude[l], pack.square[l],
                 pack.impulse[l], true},
                first + l);
    }
    return part;
}

} // namespace

// Contacts are taken in parts of a fixed size: sums do not depend on the threads.
Residual residual(const ContactProblem& problem, int threads, double* each)
{
    constexpr std::size_t part_size = 1024, at_once = 64;
    const std::size_t contacts = problem.contacts.size(), parts = (contacts + part_size - 1) / part_size;
    ResidualPart sum, found[at_once];
    const ContactKernels* const kernels = contacts < ResidualPack::lanes ? nullptr : &contact_kernels();
    for (std::size_t first = 0; first < parts; first += at_once) {
        const int count = static_cast<int>(std::min(at_once, parts - first));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
        for (int k = 0; k < count; ++k) {
            const std::size_t begin = (first + k) * part_size;
            found[k] = residual_part(problem, kernels, begin, std::min(begin + part_size, contacts), each);
        }
        for (int k = 0; k < count; ++k) {
            if (found[k].natural_max > sum.natural_max) {
                sum.natural_max = found[k].natural_max;
                sum.worst = found[k].worst;
            }
            if (sum.stuck < 0) sum.stuck = found[k].stuck;
            sum.approach = std::max(sum.approach, found[k].approach);
            sum.round_off = std::max(sum.round_off, found[k].round_off);
            sum.sum_natural += found[k].sum_natural;
            sum.sum_impulse += found[k].sum_impulse;
            sum.sum_velocity += found[k].sum_velocity;
        }
    }
    // Without impulses v is v_free, and the u above are the free ones.
    const double scale = std::sqrt(sum.sum_impulse > 0 ? sum.sum_impulse : sum.sum_velocity);
    Residual result{.approach = sum.approach};
    result.stuck = sum.stuck;
    if (scale == 0) return result;
    const double count = std::sqrt(static_cast<double>(contacts));
    const double epsilon = std::numeric_limits<double>::epsilon();
    result.natural_rms = std::sqrt(sum.sum_natural) / scale;
    result.natural_max = sum.natural_max * (count / scale);
    result.worst = sum.worst;
    result.round_off = sum.round_off * (64 * epsilon * count / scale);
    // The maximum alone would hide a contact that is not a number.
    if (std::isnan(result.natural_rms)) result.natural_max = result.natural_rms;
    return result;
}

} // namespace tamis
