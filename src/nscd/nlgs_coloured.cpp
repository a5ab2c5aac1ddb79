// Nonlinear Gauss-Seidel (Jean & Moreau 1992) in batches of independent manifolds, by the local law of
// contact_kernel.hpp. A sweep goes over the regions of the Colouring: slabs side by side, interfaces 0-1,
// 2-3, ... side by side, interfaces 1-2, 3-4, ... side by side, then the overflow one by one with the exact
// local solution. Three or four barriers a sweep.
//
// Departures: sweeps watch the change of the impulses only; when it falls to the tolerance, and at
// intervals, v is rebuilt from r in double and the residual decides; the sweeps go on from these velocities.
// Inside, impulses are in units of a power of two near the mean mass, so that squares of them stay within the
// range of single precision whatever the size of the grains.
#include "nscd/nlgs_coloured.hpp"

#include "error.hpp"
#include "nscd/colouring.hpp"
#include "nscd/contact_kernel.hpp"
#include "nscd/contact_law.hpp"
#include "nscd/nlgs_coloured_kernel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <omp.h>

namespace tamis {

const ContactKernels* contact_kernels(const char* name)
{
    const auto is = [&](const char* isa) { return std::strcmp(name, isa) == 0; };
    if (is("scalar")) return &contact_kernels_scalar;
#ifdef __x86_64__
    if (is("sse2")) return &contact_kernels_sse2;
    if (is("avx2") && __builtin_cpu_supports("avx2")) return &contact_kernels_avx2;
    if (is("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &contact_kernels_avx512;
#endif
    return nullptr;
}

const ContactKernels& contact_kernels()
{
    if (const char* name = std::getenv("TAMIS_SIMD"); name && *name) {
        if (const ContactKernels* chosen = contact_kernels(name)) return *chosen;
        fail("TAMIS_SIMD={} is not an instruction set of this machine; take scalar, sse2, avx2 or avx512, or "
             "leave it unset.",
             name);
    }
    for (const char* name : {"avx512", "avx2", "sse2"})
        if (const ContactKernels* widest = contact_kernels(name)) return *widest;
    return contact_kernels_scalar;
}

namespace {

using Eigen::Vector3d;
using F = PointField;

constexpr int fewest_for_threads = 2000; // contacts

// Memory at lines of the cache; grows only.
template <class T>
class Lines {
  public:
    T* data() { return data_; }
    void resize(std::size_t size)
    {
        if (size <= capacity_) return;
        release();
        capacity_ = size + size / 2;
        data_ = static_cast<T*>(::operator new(capacity_ * sizeof(T), std::align_val_t(64)));
    }
    Lines() = default;
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;
    ~Lines() { release(); }

  private:
    void release()
    {
        if (data_) ::operator delete(data_, std::align_val_t(64));
    }
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

// Waits for all threads of a team: about 20 us in a loop, then asleep. OpenMP's own barrier may keep a core
// busy for milliseconds, which on a machine shared with others is the time of those it waits for.
class Barrier {
  public:
    void wait(int threads)
    {
        if (threads == 1) return;
        const int now = phase_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
            arrived_.store(0, std::memory_order_relaxed);
            phase_.store(now + 1, std::memory_order_release);
            phase_.notify_all();
            return;
        }
        for (int i = 0; i < 20000; ++i)
            if (phase_.load(std::memory_order_acquire) != now) return;
        phase_.wait(now, std::memory_order_acquire);
    }

  private:
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<int> phase_{0};
};

// Largest and sum of |r' - r|^2, sum of |r'|^2.
struct Change {
    double largest = 0, change = 0, impulse = 0;
};

// r' of a contact with relative velocity u under the impulse it has; `normal` is the normal impulse that
// limits a rolling resistance.
Vector3d solve_locally(const Contact& contact, const Eigen::Matrix3d& W, const Vector3d& u, double normal)
{
    Vector3d r = Vector3d::Zero();
    if (contact.law == Law::bilateral) {
        r.head(contact.rows) = (contact.r - W * u).head(contact.rows);
    } else if (contact.law == Law::rolling) {
        const double trace = W.trace();
        if (trace > 0) r = project_ball(contact.r - 3 / trace * u, contact.friction * normal);
    } else if (contact.active_rows() == 1) {
        if (W(0, 0) > 0) r[0] = std::max(contact.r[0] - u[0] / W(0, 0), 0.0);
    } else {
        r = solve_contact(W, u - W * contact.r, contact.friction);
    }
    return r;
}

template <class T>
class Sweeper {
  public:
    void build(const ContactProblem& problem, const BatchKernels<T>& kernels, int threads);
    void load_velocities(const ContactProblem& problem);
    void store_impulses(ContactProblem& problem, int threads) const;
    // Impulses and velocities as one vector; the first state_measured() numbers are impulses.
    std::size_t state_measured() const { return 3 * contact_.size() + 3 * overflow_.size(); }
    std::size_t state_size() const;
    void save(std::vector<T>& state, const ContactProblem& problem);
    void restore(const std::vector<T>& state, ContactProblem& problem);
    // Change of the last sweep.
    Change sweep(ContactProblem& problem, int count, int threads);

    Colouring colouring;
    double lanes_filled() const; // part of the places for points in batches

  private:
    static constexpr int lanes = ContactBatch<T>::lanes;

    // A contact in the overflow: velocities of the blocks on its sides and maps in `maps_`, H then Y.
    struct Single {
        int contact;
        T* x[2];
        int n[2];
        std::size_t map[2];
        Eigen::Matrix3d W; // its inverse if bilateral
    };

    // Calls copy(place in the solver, numbers) for every part of a state, and convert(r) for an impulse of
    // the overflow; moments, which have another unit, come with the velocities.
    template <class Copy, class Convert, class Problem>
    void visit_state(Problem& problem, const Copy& copy, const Convert& convert);

    void fill(const ContactProblem& problem, int b);
    void fill_overflow(const ContactProblem& problem);
    void sweep_overflow(ContactProblem& problem, Change& total);

    const BatchKernels<T>* kernels_ = nullptr;
    ContactBed<T> bed_;
    Lines<T> line_, inertia_, point_;
    std::vector<ContactBatch<T>> batch_;
    std::vector<long> place_;  // of the first point of each batch in contact_
    std::vector<int> contact_; // batch x point x lane: contact, -1: none
    std::vector<Single> overflow_;
    std::vector<T> maps_, general_;      // velocities of the general blocks
    std::vector<BatchChange<T>> change_; // of each region
    double unit_ = 1;                    // of mass
};

template <class T>
void Sweeper<T>::build(const ContactProblem& problem, const BatchKernels<T>& kernels, int threads)
{
    kernels_ = &kernels;
    colouring.arrange(problem, lanes);
    const int rows = colouring.ground() + 1;
    line_.resize(8 * rows);
    inertia_.resize(8 * rows);

    double mass = 0;
    for (int i = 0; i < colouring.moving; ++i) mass += problem.rigid[colouring.body[i]].inverse_mass;
    mass = mass > 0 ? colouring.moving / mass : 1; // harmonic mean
    unit_ = std::exp2(std::round(std::log2(mass)));

    T* inertia = inertia_.data();
    for (int i = 0; i < rows; ++i, inertia += 8) {
        Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
        if (i < colouring.ground()) J = problem.rigid[colouring.body[i]].inverse_inertia * unit_;
        const double values[8] = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2), 0, 0};
        std::copy(values, values + 8, inertia);
    }
    load_velocities(problem);

    const int batches = static_cast<int>(colouring.lane.size()) / lanes;
    batch_.resize(batches);
    place_.resize(batches + 1);
    long start = 0;
    long places = 0;
    for (int b = 0; b < batches; ++b) {
        ContactBatch<T>& batch = batch_[b];
        batch.points = 0;
        batch.rolling = false;
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
        }
        batch.start = start;
        place_[b] = places;
        places += batch.points * lanes;
        start +=
            static_cast<long>(batch.points) * lanes * (batch.rolling ? F::rolling_fields : F::plain_fields);
    }
    place_[batches] = places;
    contact_.resize(places);
    point_.resize(start);
    bed_ = {line_.data(), inertia_.data(), point_.data(), batch_.data(), colouring.moving};
    change_.resize(2 * colouring.slabs - 1);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int b = 0; b < batches; ++b) {
        fill(problem, b);
        kernels_->prepare(bed_, b, b + 1);
    }
    fill_overflow(problem);
}

template <class T>
void Sweeper<T>::load_velocities(const ContactProblem& problem)
{
    T* line = line_.data();
    for (int i = 0; i < colouring.ground(); ++i, line += 8) {
        const int block = problem.general() + colouring.body[i];
        const RigidBlock& body = problem.rigid[colouring.body[i]];
        const double* v = problem.v.data() + problem.offset(block);
        const Eigen::Matrix3d& J = body.inverse_inertia;
        const double values[8] = {v[0], v[1], v[2], body.inverse_mass * unit_,
                                  v[3], v[4], v[5], J(0, 0) * unit_};
        std::copy(values, values + 8, line);
    }
    std::fill(line, line + 8, T(0));
    const double* v = problem.v.data();
    general_.assign(v, v + problem.general_offset.back());
}

template <class T>
void Sweeper<T>::fill(const ContactProblem& problem, int b)
{
    const ContactBatch<T>& batch = batch_[b];
    const int fields = batch.rolling ? F::rolling_fields : F::plain_fields;
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
            point[F::shift * lanes] = static_cast<T>(contact.shift + contact.drift[0]);
            point[F::friction * lanes] = static_cast<T>(contact.friction);
        }
    }
}

template <class T>
void Sweeper<T>::store_impulses(ContactProblem& problem, int threads) const
{
    const int batches = static_cast<int>(batch_.size());
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int b = 0; b < batches; ++b) {
        const ContactBatch<T>& batch = batch_[b];
        const int fields = batch.rolling ? F::rolling_fields : F::plain_fields;
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
            if (batch.rolling && c + 1 < static_cast<int>(problem.contacts.size()) &&
                problem.contacts[c + 1].law == Law::rolling)
                problem.contacts[c + 1].r = problem.contacts[c + 1].frame.transpose() * get(F::moment);
        }
    }
}

template <class T>
double Sweeper<T>::lanes_filled() const
{
    if (contact_.empty()) return 1;
    const auto empty = std::count(contact_.begin(), contact_.end(), -1);
    return 1 - static_cast<double>(empty) / static_cast<double>(contact_.size());
}

template <class T>
void Sweeper<T>::fill_overflow(const ContactProblem& problem)
{
    overflow_.clear();
    maps_.clear();
    for (const int c : colouring.overflow) {
        const Contact& contact = problem.contacts[c];
        const int m = contact.active_rows();
        Single single{c, {}, {}, {}, Eigen::Matrix3d::Zero()};
        for (int s = 0; s < 2; ++s) {
            const Contact::Side& side = contact.side[s];
            single.map[s] = maps_.size();
            if (side.block < 0) continue;
            if (problem.is_rigid(side.block)) {
                single.n[s] = 8;
                single.x[s] = line_.data() + 8 * colouring.row(side.block - problem.general());
                maps_.resize(maps_.size() + 48, T(0));
                T* map = maps_.data() + single.map[s];
                for (int row = 0; row < m; ++row, map += 8) {
                    const auto h = problem.rigid_row(contact, s, row),
                               y = problem.rigid_response(contact, s, row);
                    for (int k = 0; k < 6; ++k) {
                        map[k + k / 3] = static_cast<T>(h[k]);
                        map[24 + k + k / 3] = static_cast<T>(y[k]);
                    }
                }
            } else {
                const int n = single.n[s] = problem.block_size(side.block);
                single.x[s] = general_.data() + problem.offset(side.block);
                for (const auto* pool : {&problem.H, &problem.Y})
                    maps_.insert(maps_.end(), pool->begin() + side.map, pool->begin() + side.map + 3 * n);
            }
        }
        for (int i = 0; i < m; ++i)
            for (int j = 0; j <= i; ++j)
                single.W(i, j) = single.W(j, i) = problem.delassus(contact, i, contact, j);
        if (contact.law == Law::bilateral) single.W = inverse_of_leading(single.W, m);
        overflow_.push_back(single);
    }
}

template <class T>
void Sweeper<T>::sweep_overflow(ContactProblem& problem, Change& total)
{
    const double scale = 1 / (unit_ * unit_);
    for (const Single& single : overflow_) {
        Contact& contact = problem.contacts[single.contact];
        const int m = contact.active_rows();
        Vector3d u = Vector3d::Zero();
        for (int row = 0; row < m; ++row) {
            T sum = static_cast<T>(contact.drift[row]);
            for (int s = 0; s < 2; ++s) {
                const T* h = maps_.data() + single.map[s] + row * single.n[s];
                for (int k = 0; k < single.n[s]; ++k) sum += h[k] * single.x[s][k];
            }
            u[row] = sum;
        }
        if (contact.law == Law::contact) u[0] += contact.shift;
        const double before = contact.law == Law::rolling ? problem.contacts[single.contact - 1].r[0] : 0;
        const Vector3d r = solve_locally(contact, single.W, u, before), change = r - contact.r;
        for (int s = 0; s < 2; ++s)
            for (int row = 0; row < m; ++row) {
                const T* y = maps_.data() + single.map[s] + (3 + row) * single.n[s];
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

template <class T>
std::size_t Sweeper<T>::state_size() const
{
    std::size_t size = state_measured() + 3 * overflow_.size() + 8 * colouring.moving + general_.size();
    for (const ContactBatch<T>& batch : batch_) size += batch.rolling ? 3 * lanes * batch.points : 0;
    return size;
}

template <class T>
template <class Copy, class Convert, class Problem>
void Sweeper<T>::visit_state(Problem& problem, const Copy& copy, const Convert& convert)
{
    const auto batches = [&](int field, bool all) {
        for (const ContactBatch<T>& batch : batch_) {
            if (!all && !batch.rolling) continue;
            const int fields = batch.rolling ? F::rolling_fields : F::plain_fields;
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

template <class T>
void Sweeper<T>::save(std::vector<T>& state, const ContactProblem& problem)
{
    T* to = state.data();
    visit_state(
        problem, [&](const T* from, int count) { to = std::copy(from, from + count, to); },
        [&](const Vector3d& r, bool mine) {
            for (int i = 0; i < 3; ++i) *to++ = mine ? static_cast<T>(r[i] / unit_) : T(0);
        });
}

template <class T>
void Sweeper<T>::restore(const std::vector<T>& state, ContactProblem& problem)
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

template <class T>
Change Sweeper<T>::sweep(ContactProblem& problem, int count, int threads)
{
    Change total;
    const int slabs = colouring.slabs, *region = colouring.region.data();
    Barrier barrier;
#pragma omp parallel num_threads(threads) if (threads > 1)
    for (int k = 0; k < count; ++k) {
        const bool measure = k == count - 1;
        const auto sweep_region = [&](int r) {
            if (measure) change_[r] = {};
            kernels_->sweep(bed_, region[r], region[r + 1], measure ? &change_[r] : nullptr);
        };
#pragma omp for schedule(static) nowait
        for (int s = 0; s < slabs; ++s) sweep_region(s);
        barrier.wait(omp_get_num_threads());
#pragma omp for schedule(static) nowait
        for (int s = 0; s < slabs - 1; s += 2) sweep_region(slabs + s);
        barrier.wait(omp_get_num_threads());
#pragma omp for schedule(static) nowait
        for (int s = 1; s < slabs - 1; s += 2) sweep_region(slabs + s);
        barrier.wait(omp_get_num_threads());
        if (overflow_.empty()) continue;
        if (omp_get_thread_num() == 0) {
            total = {};
            sweep_overflow(problem, total);
        }
        barrier.wait(omp_get_num_threads());
    }
    for (const BatchChange<T>& part : change_)
        for (int l = 0; l < lanes; ++l) {
            total.largest = std::max<double>(total.largest, part.largest[l]);
            total.change += part.change[l];
            total.impulse += part.impulse[l];
        }
    return total;
}

// Seconds since some time.
double clock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

struct NlgsColoured::Work {
    Sweeper<double> in_double;
    Sweeper<float> in_float;
    Accelerator<double> accelerator_double;
    Accelerator<float> accelerator_float;
    std::vector<double> wrenches, wrenches_before;
};

NlgsColoured::NlgsColoured(NlgsColouredOptions chosen)
    : options(chosen), kernels_(&contact_kernels()), work_(std::make_unique<Work>())
{
}
NlgsColoured::~NlgsColoured() = default;

SolverReport NlgsColoured::solve(ContactProblem& problem)
{
    SolverReport report{.solver = options.precision == Precision::float_ ? "coloured-float" : "coloured"};
    statistics_ = {};
    if (problem.contacts.empty()) {
        problem.v = problem.v_free;
        return report;
    }
    if (options.precision == Precision::float_)
        run(problem, work_->in_float, kernels_->in_float, work_->accelerator_float, report);
    else
        run(problem, work_->in_double, kernels_->in_double, work_->accelerator_double, report);
    return report;
}

template <class Sweeper, class Kernels, class Accelerator>
void NlgsColoured::run(ContactProblem& problem, Sweeper& sweeper, const Kernels& kernels,
                       Accelerator& accelerator, SolverReport& report)
{
    constexpr int first_check = 32, check_interval = 96; // sweeps; whole groups
    const bool accelerate = options.acceleration != Acceleration::none;
    const double count = static_cast<double>(problem.contacts.size());
    int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    if (problem.contacts.size() < fewest_for_threads) threads = 1;
    double max_target = stop.natural_max, rms_target = stop.natural_rms; // changes that call for a check
    double max = 0, rms = 0;                                             // changes of the last sweep
    bool check = true;
    for (;;) {
        if (check) {
            if (report.sweeps > 0) sweeper.store_impulses(problem, threads);
            problem.rebuild_velocities();
            report.residual = residual(problem, threads);
            contact_wrenches(problem, work_->wrenches);
            if (report.sweeps > 0)
                report.residual.wrench_change =
                    wrench_change(problem, work_->wrenches_before, work_->wrenches);
            std::swap(work_->wrenches, work_->wrenches_before);
            ++statistics_.checks;
            if (stop.satisfied(report.residual)) return;
            if (report.sweeps >= stop.max_sweeps || std::isnan(report.residual.natural_max)) {
                report.status = SolverStatus::iteration_limit;
                return;
            }
            if (report.sweeps > 0) {
                sweeper.load_velocities(problem);
                // The residual is larger or smaller than the change, by a factor that varies slowly.
                const auto target = [](double change, double tolerance, double found) {
                    return tolerance < 0.7 * found ? change * (tolerance / found) : 0.7 * change;
                };
                max_target = std::isinf(stop.natural_max)
                                 ? stop.natural_max
                                 : target(max, stop.natural_max, report.residual.natural_max);
                rms_target = std::isinf(stop.natural_rms)
                                 ? stop.natural_rms
                                 : target(rms, stop.natural_rms, report.residual.natural_rms);
            }
        }
        if (report.sweeps == 0) {
            const double start = clock();
            sweeper.build(problem, kernels, threads);
            const Colouring& colouring = sweeper.colouring;
            threads = std::min(threads, colouring.slabs);
            statistics_.build_seconds = clock() - start;
            statistics_.batches = colouring.region.back();
            statistics_.slabs = colouring.slabs;
            statistics_.overflow = static_cast<int>(colouring.overflow.size());
            statistics_.lanes_filled = sweeper.lanes_filled();
            if (accelerate) {
                accelerator.start(options.acceleration, sweeper.state_measured(), sweeper.state_size(),
                                  threads);
                sweeper.save(accelerator.before, problem);
            }
        } else if (accelerate && accelerator.rest()) {
            if (accelerator.awake()) sweeper.save(accelerator.before, problem);
        } else if (accelerate) {
            sweeper.save(accelerator.after, problem);
            accelerator.mix();
            sweeper.restore(accelerator.before, problem);
            statistics_.rejected = accelerator.rejected();
        }
        // Few at first, then in groups; at intervals the residual is asked.
        const int asked =
            report.sweeps < first_check ? first_check : (report.sweeps / check_interval + 1) * check_interval;
        const int next_check = std::min(asked, stop.max_sweeps);
        const int group = std::min(accelerate ? accelerator.sweeps() : std::clamp(report.sweeps / 8, 1, 8),
                                   next_check - report.sweeps);
        const Change change = sweeper.sweep(problem, group, threads);
        report.sweeps += group;
        rms = change.impulse > 0 ? std::sqrt(change.change / change.impulse) : 0;
        max = change.impulse > 0 ? std::sqrt(change.largest / change.impulse * count) : 0;
        check = (max <= max_target && rms <= rms_target) || report.sweeps == next_check;
    }
}

} // namespace tamis
