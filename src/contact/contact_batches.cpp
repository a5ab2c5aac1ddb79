// Filling of batches and the law of contacts in the overflow, by their exact local solution. Impulses are in
// units of a power of two near the mean mass, so that squares of them stay within the range of single
// precision whatever the size of the grains.
#include "tamis/contact/contact_batches.hpp"

#include "tamis/contact/contact_kernel.hpp"
#include "tamis/contact/device_kernel.hpp"
#include "tamis/contact/local_solution.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

using Eigen::Vector3d;
using F = PointField;

} // namespace

template <class T, int width>
void ContactBatches<T, width>::lay_out(const ContactProblem& problem, int threads)
{
    const int rows = colouring.ground() + 1;
    line_.resize(8 * rows);
    inertia_.resize(8 * rows);

    double mass = 0;
    for (int b = 0; b < static_cast<int>(problem.rigid.size()); ++b)
        if (colouring.row(b) >= 0) mass += problem.rigid[b].inverse_mass; // zero of those that do not move
    mass = mass > 0 ? colouring.moving / mass : 1;                        // harmonic mean
    unit_ = std::exp2(std::round(std::log2(mass)));

#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int i = 0; i < rows; ++i) {
        Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
        if (i < colouring.ground()) J = problem.rigid[colouring.body[i]].inverse_inertia * unit_;
        const double values[8] = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2), 0, 0};
        std::copy(values, values + 8, inertia_.data() + 8 * i);
    }
    load_velocities(problem, threads);

    const int batches = static_cast<int>(colouring.lane.size()) / lanes;
    batch_.resize(batches);
    place_.resize(batches + 1);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int b = 0; b < batches; ++b) {
        ContactBatch<T, width>& batch = batch_[b];
        batch.points = 0;
        batch.rolling = batch.compliant = false;
        batch.isotropic = true;
        for (int l = 0; l < lanes; ++l) {
            const int m = colouring.lane[b * lanes + l];
            for (int s = 0; s < 2; ++s) {
                const int row = batch.row[s][l] = m < 0 ? colouring.ground() : colouring.manifolds[m].row[s];
                const T* J = inertia_.data() + 8 * row;
                batch.isotropic =
                    batch.isotropic && J[0] == J[1] && J[0] == J[2] && J[3] == 0 && J[4] == 0 && J[5] == 0;
            }
            if (m < 0) continue;
            const Colouring::Manifold& manifold = colouring.manifolds[m];
            batch.points = std::max(batch.points, manifold.points);
            batch.rolling = batch.rolling || manifold.count > manifold.points;
            batch.compliant = batch.compliant || manifold.compliant;
        }
    }
    long start = 0;
    long places = 0;
    for (int b = 0; b < batches; ++b) {
        ContactBatch<T, width>& batch = batch_[b];
        batch.start = start;
        place_[b] = places;
        places += batch.points * lanes;
        start += static_cast<long>(batch.points) * lanes * F::count(batch.rolling, batch.compliant);
    }
    place_[batches] = places;
    contact_.resize(places);
    point_.resize(start);
    bed_ = {line_.data(), inertia_.data(), point_.data(), batch_.data(), colouring.moving};
}

template <class T, int width>
void ContactBatches<T, width>::load_velocities(const ContactProblem& problem, int threads)
{
    const int bodies = colouring.ground();
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int i = 0; i < bodies; ++i) {
        const int block = problem.general() + colouring.body[i];
        const RigidBlock& body = problem.rigid[colouring.body[i]];
        const double* v = problem.v.data() + problem.offset(block);
        const Eigen::Matrix3d& J = body.inverse_inertia;
        const double values[8] = {v[0], v[1], v[2], body.inverse_mass * unit_,
                                  v[3], v[4], v[5], J(0, 0) * unit_};
        std::copy(values, values + 8, line_.data() + 8 * i);
    }
    std::fill_n(line_.data() + 8 * bodies, 8, T(0));
    const double* v = problem.v.data();
    general_.assign(v, v + problem.general_offset.back());
}

template <class T, int width>
void ContactBatches<T, width>::fill(const ContactProblem& problem, int b)
{
    const ContactBatch<T, width>& batch = batch_[b];
    const int fields = F::count(batch.rolling, batch.compliant);
    const int extra = F::before_compliance(batch.rolling);
    T* const start = point_.data() + batch.start;
    std::fill(start, start + batch.points * fields * lanes, T(0));
    std::fill(contact_.begin() + place_[b], contact_.begin() + place_[b + 1], -1);
    for (int l = 0; l < lanes; ++l) {
        const int m = colouring.lane[b * lanes + l];
        if (m < 0) continue;
        const Colouring::Manifold& manifold = colouring.manifolds[m];
        T* point = start + l - fields * lanes;
        long place = place_[b] + l - lanes;
        for (int c = manifold.first; c < manifold.first + manifold.count; ++c) {
            const Contact& contact = problem.contacts[c];
            const auto put = [&](int field, const auto& x) {
                for (int i = 0; i < 3; ++i) point[(field + i) * lanes] = static_cast<T>(x[i]);
            };
            if (contact.law == Law::rolling) {
                put(F::moment, Vector3d(contact.frame * contact.r / unit_));
                point[F::rolling_length * lanes] = static_cast<T>(contact.friction);
                continue;
            }
            point += fields * lanes;
            place += lanes;
            contact_[place] = c;
            put(F::normal, contact.frame.col(0));
            put(F::arm_a, contact.arm[0]);
            put(F::arm_b, contact.arm[1]);
            put(F::impulse, contact.friction > 0 ? Vector3d(contact.frame * contact.r / unit_)
                                                 : Vector3d(contact.frame.col(0) * (contact.r[0] / unit_)));
            point[F::normal_bias * lanes] = static_cast<T>(contact.bias[0] + contact.drift[0]);
            point[F::friction * lanes] = static_cast<T>(contact.friction);
            if (!contact.compliant()) continue;
            put(extra + F::tangent_bias, Vector3d(contact.frame.rightCols<2>() * contact.bias.tail<2>()));
            point[(extra + F::normal_compliance) * lanes] = static_cast<T>(contact.compliance[0] * unit_);
            point[(extra + F::tangent_compliance) * lanes] = static_cast<T>(contact.compliance[1] * unit_);
        }
    }
}

template <class T, int width>
void ContactBatches<T, width>::store_impulses(ContactProblem& problem, int threads) const
{
    const int batches = static_cast<int>(batch_.size());
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int b = 0; b < batches; ++b) {
        const ContactBatch<T, width>& batch = batch_[b];
        const int fields = F::count(batch.rolling, batch.compliant);
        for (long place = place_[b]; place < place_[b + 1]; ++place) {
            const int c = contact_[place];
            if (c < 0) continue;
            const long k = place - place_[b];
            const T* point = bed_.point + batch.start + k / lanes * fields * lanes + k % lanes;
            const auto get = [&](int field) {
                return Vector3d(unit_ * point[field * lanes], unit_ * point[(field + 1) * lanes],
                                unit_ * point[(field + 2) * lanes]);
            };
            Contact& contact = problem.contacts[c];
            contact.r = contact.frame.transpose() * get(F::impulse);
            if (!(contact.friction > 0)) contact.r.tail<2>().setZero();
            // The colouring takes only manifolds in which rolling resistance follows its contact.
            if (batch.rolling && c + 1 < static_cast<int>(problem.contacts.size()) &&
                problem.contacts[c + 1].normal == c)
                problem.contacts[c + 1].r = problem.contacts[c + 1].frame.transpose() * get(F::moment);
        }
    }
}

template <class T, int width>
double ContactBatches<T, width>::lanes_filled() const
{
    if (contact_.empty()) return 1;
    const auto empty = std::count(contact_.begin(), contact_.end(), -1);
    return 1 - static_cast<double>(empty) / static_cast<double>(contact_.size());
}

template <class T, int width>
void ContactBatches<T, width>::fill_overflow(const ContactProblem& problem)
{
    overflow_.clear();
    maps_.clear();
    for (const int c : colouring.overflow) {
        const Contact& contact = problem.contacts[c];
        const int m = contact.active_rows();
        Single single{c, {}, {}, {}, local_matrix(problem, contact), {}};
        if (contact.law == Law::contact && m > 1) single.law = ContactLaw(single.W, contact.friction);
        for (int s = 0; s < 2; ++s) {
            const Contact::Side& side = contact.side[s];
            single.map[s] = maps_.size();
            if (side.block < 0) continue;
            if (problem.is_rigid(side.block)) {
                single.n[s] = 8;
                single.x[s] = line_.data() + 8 * colouring.row(side.block - problem.general());
                maps_.resize(maps_.size() + 7 * 8, T(0));
                T* map = maps_.data() + single.map[s];
                for (int row = 0; row < m; ++row) {
                    const auto h = problem.rigid_row(contact, s, row),
                               y = problem.rigid_response(contact, s, row);
                    for (int k = 0; k < 6; ++k) {
                        map[4 * (k + k / 3) + row] = static_cast<T>(h[k]);
                        map[4 * 8 + 8 * row + k + k / 3] = static_cast<T>(y[k]);
                    }
                }
            } else {
                const int n = single.n[s] = problem.block_size(side.block);
                single.x[s] = general_.data() + problem.offset(side.block);
                maps_.resize(maps_.size() + 7 * static_cast<std::size_t>(n), T(0));
                T* map = maps_.data() + single.map[s];
                for (int row = 0; row < m; ++row)
                    for (int k = 0; k < n; ++k) {
                        map[4 * k + row] = static_cast<T>(problem.H[side.map + row * n + k]);
                        map[4 * n + row * n + k] = static_cast<T>(problem.Y[side.map + row * n + k]);
                    }
            }
        }
        overflow_.push_back(single);
    }
}

template <class T, int width>
void ContactBatches<T, width>::sweep_overflow(ContactProblem& problem, Change& total)
{
    const double scale = 1 / (unit_ * unit_);
    for (const Single& single : overflow_) {
        Contact& contact = problem.contacts[single.contact];
        const int m = contact.active_rows();
        T sum[4] = {};
        for (int row = 0; row < m; ++row) sum[row] = static_cast<T>(contact.drift[row]);
        for (int s = 0; s < 2; ++s) {
            const T* h = maps_.data() + single.map[s];
            for (int k = 0; k < single.n[s]; ++k, h += 4)
                for (int row = 0; row < 4; ++row) sum[row] += h[row] * single.x[s][k];
        }
        const Vector3d u(sum[0], sum[1], sum[2]);
        const Vector3d r = contact.law == Law::contact && m > 1
                               ? single.law.solve(contact.law_velocity(u) - single.W * contact.r)
                               : solve_locally(problem, contact, single.W, u);
        const Vector3d change = r - contact.r;
        for (int s = 0; s < 2; ++s)
            for (int row = 0; row < m; ++row) {
                const T* y = maps_.data() + single.map[s] + (4 + row) * single.n[s];
                const T impulse = static_cast<T>(change[row]);
                for (int k = 0; k < single.n[s]; ++k) single.x[s][k] += y[k] * impulse;
            }
        contact.r = r;
        if (contact.law == Law::rolling) continue;
        total.largest = std::max(total.largest, scale * change.squaredNorm());
        total.change += scale * change.squaredNorm();
        total.impulse += scale * r.squaredNorm();
    }
}

template <class T, int width>
std::size_t ContactBatches<T, width>::state_size() const
{
    std::size_t size = state_measured() + 3 * overflow_.size() + 8 * colouring.moving + general_.size();
    for (const ContactBatch<T, width>& batch : batch_) size += batch.rolling ? 3 * lanes * batch.points : 0;
    return size;
}

template <class T, int width>
template <class Copy, class Convert, class Problem>
void ContactBatches<T, width>::visit_state(Problem& problem, const Copy& copy, const Convert& convert)
{
    const auto batches = [&](int field, bool all) {
        for (const ContactBatch<T, width>& batch : batch_) {
            if (!all && !batch.rolling) continue;
            const int fields = F::count(batch.rolling, batch.compliant);
            for (int k = 0; k < batch.points; ++k)
                copy(point_.data() + batch.start + (k * fields + field) * lanes, 3 * lanes);
        }
    };
    const auto singles = [&](bool rolling) {
        for (const Single& single : overflow_) {
            auto& contact = problem.contacts[single.contact];
            convert(contact.r, (contact.law == Law::rolling) == rolling);
        }
    };
    batches(F::impulse, true);
    singles(false);
    batches(F::moment, false);
    singles(true);
    copy(line_.data(), 8 * colouring.moving);
    copy(general_.data(), static_cast<int>(general_.size()));
}

template <class T, int width>
void ContactBatches<T, width>::save(std::vector<T>& state, const ContactProblem& problem)
{
    T* to = state.data();
    visit_state(
        problem, [&](const T* from, int count) { to = std::copy(from, from + count, to); },
        [&](const Vector3d& r, bool mine) {
            for (int i = 0; i < 3; ++i) *to++ = mine ? static_cast<T>(r[i] / unit_) : T(0);
        });
}

template <class T, int width>
void ContactBatches<T, width>::restore(const std::vector<T>& state, ContactProblem& problem)
{
    const T* from = state.data();
    visit_state(
        problem,
        [&](T* to, int count) {
            std::copy(from, from + count, to);
            from += count;
        },
        [&](Vector3d& r, bool mine) {
            for (int i = 0; i < 3 && mine; ++i) r[i] = unit_ * from[i];
            from += 3;
        });
}

template class ContactBatches<double, ContactBatch<double>::lanes>;
template class ContactBatches<float, ContactBatch<float>::lanes>;
template class ContactBatches<double, device_lanes>;
template class ContactBatches<float, device_lanes>;

} // namespace tamis
