// Nonlinear Gauss-Seidel (Jean & Moreau 1992) in batches of independent manifolds, by the local law of
// contact_kernel.hpp. A sweep goes over the regions of the Colouring: slabs side by side, interfaces 0-1,
// 2-3, ... side by side, interfaces 1-2, 3-4, ... side by side, then the overflow one by one with the exact
// local solution. Three or four barriers per sweep.
//
// Departures: sweeps watch the change of the impulses only; when it falls to the tolerance, and at
// intervals, v is rebuilt from r in double and the residual decides; the sweeps go on from these velocities. With
// friction they may go in circles. Where plain sweeps gain nothing more, the order of the batches changes from sweep to
// sweep, by a fixed sequence of random numbers; where that gains nothing more, they are accelerated; and so on in turn.
#include "tamis/contact/nlgs_coloured.hpp"

#include "tamis/base/instruction_set.hpp"
#include "tamis/contact/contact_batches.hpp"
#include "tamis/contact/device_sweeper.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"
#include "tamis/contact/wedge.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <omp.h>
#include <random>
#include <thread>

namespace tamis {

const ContactKernels* contact_kernels(const char* name)
{
    return kernels_of<ContactKernels>(name, {
#ifdef __x86_64__
                                                &contact_kernels_sse2, &contact_kernels_avx2,
                                                &contact_kernels_avx512,
#endif
                                                &contact_kernels_scalar});
}

const ContactKernels& contact_kernels()
{
    return *contact_kernels(instruction_set());
}

namespace {

constexpr int fewest_for_threads = 2000; // contacts

// Waits for all threads of a team: about 20 us in a loop, some 200 more giving way to whoever wants the core, then
// asleep. To wake takes as long as a phase of a sweep: in 50 steps of tamping on two threads, contacts took 10.8 and
// 18.7 s where the wait went to sleep after 20 us, 8.6 and 8.1 s now. OpenMP's own barrier may keep a core
// busy for milliseconds, which on a machine shared with others is the time of those it waits for. std::barrier wants
// the number of threads before OpenMP has said how many there are, and sleeps sooner. Two threads on two shared cores,
// phases of 2 and 3 us of work, best and median of seven times 4000 phases: 10 and 31 us per phase with the first loop
// alone, 12 and 72 by std::barrier, 69 and 414 by OpenMP.
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
        const auto over = [&] { return phase_.load(std::memory_order_acquire) != now; };
        for (int i = 0; i < 20000; ++i)
            if (over()) return;
        for (int i = 0; i < 400; ++i) {
            std::this_thread::yield();
            if (over()) return;
        }
        phase_.wait(now, std::memory_order_acquire);
    }

  private:
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<int> phase_{0};
};

template <class T>
class Sweeper : public ContactBatches<T, ContactBatch<T>::lanes> {
    using Batches = ContactBatches<T, ContactBatch<T>::lanes>;

  public:
    using Batches::colouring;
    void build(const ContactProblem& problem, const BatchKernels<T>& kernels, int threads);
    // Change of the last sweep. `shuffled`: number of the first one among those in which the batches of a region come
    // in an order of their own; 0: in the usual one.
    Change sweep(ContactProblem& problem, int count, int threads, int shuffled);

  private:
    using Batches::batch_, Batches::bed_, Batches::lanes, Batches::overflow_;

    const BatchKernels<T>* kernels_ = nullptr;
    std::vector<BatchChange<T>> change_; // of each region
};

template <class T>
void Sweeper<T>::build(const ContactProblem& problem, const BatchKernels<T>& kernels, int threads)
{
    kernels_ = &kernels;
    colouring.arrange(problem, lanes);
    this->lay_out(problem, threads);
    const int batches = static_cast<int>(batch_.size());
    change_.resize(2 * colouring.slabs - 1);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int b = 0; b < batches; ++b) {
        this->fill(problem, b);
        kernels_->prepare(bed_, b, b + 1);
    }
    this->fill_overflow(problem);
}

// Every stride-th of count, from the start on, around and around: all of them once, as the stride has no factor of
// count.
struct Shuffle {
    Shuffle(int all, unsigned number) : count(all)
    {
        if (count == 0) return;
        std::minstd_rand random(number);
        stride = 1 + static_cast<int>(random() % static_cast<unsigned>(count));
        while (std::gcd(stride, count) != 1) ++stride;
        place = static_cast<int>(random() % static_cast<unsigned>(count));
    }
    int next()
    {
        const int now = place;
        place = static_cast<int>((place + static_cast<long>(stride)) % count);
        return now;
    }
    int count, stride = 1, place = 0;
};

template <class T>
Change Sweeper<T>::sweep(ContactProblem& problem, int count, int threads, int shuffled)
{
    Change total;
    const int slabs = colouring.slabs, *region = colouring.region.data();
    Barrier barrier;
#pragma omp parallel num_threads(threads) if (threads > 1)
    for (int k = 0; k < count; ++k) {
        const bool measure = k == count - 1;
        const auto sweep_region = [&](int r) {
            if (measure) change_[r] = {};
            BatchChange<T>* const change = measure ? &change_[r] : nullptr;
            const int batches = region[r + 1] - region[r];
            if (shuffled == 0) return kernels_->sweep(bed_, region[r], region[r + 1], change);
            Shuffle order(batches, static_cast<unsigned>(shuffled + k));
            for (int i = 0; i < batches; ++i) {
                const int b = region[r] + order.next();
                kernels_->sweep(bed_, b, b + 1, change);
            }
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
            this->sweep_overflow(problem, total);
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
    DeviceSweeper<double> device_double;
    DeviceSweeper<float> device_float;
    Accelerator<double> accelerator_double;
    Accelerator<float> accelerator_float;
    ContactWrenches wrenches;
    Wedge wedge;
};

NlgsColoured::NlgsColoured(NlgsColouredOptions chosen)
    : options(chosen), kernels_(&contact_kernels()), work_(std::make_unique<Work>())
{
}
NlgsColoured::~NlgsColoured() = default;

SolverReport NlgsColoured::solve(ContactProblem& problem)
{
    const bool single = options.precision == Precision::float_;
    SolverReport report{.solver = single ? "coloured-float" : "coloured"};
    if (options.device)
        report.solver = single ? options.device->in_float.solver : options.device->in_double.solver;
    statistics_ = {};
    if (problem.contacts.empty()) {
        problem.v = problem.v_free;
        return report;
    }
    if (options.device && single)
        run(problem, work_->device_float, *options.device, work_->accelerator_float, report);
    else if (options.device)
        run(problem, work_->device_double, *options.device, work_->accelerator_double, report);
    else if (single)
        run(problem, work_->in_float, kernels_->in_float, work_->accelerator_float, report);
    else
        run(problem, work_->in_double, kernels_->in_double, work_->accelerator_double, report);
    return report;
}

template <class Sweeper, class Kernels, class Accelerator>
void NlgsColoured::run(ContactProblem& problem, Sweeper& sweeper, const Kernels& kernels,
                       Accelerator& accelerator, SolverReport& report)
{
    constexpr int first_check = 32;       // sweeps; whole groups
    constexpr double check_interval = 96; // at least
    constexpr int patience = 500;         // sweeps without a gain
    constexpr double gain = 0.98;         // what counts as one
    enum { plain, shuffled, accelerated, turns };
    const bool take_turns = options.acceleration == Acceleration::none;
    int turn = take_turns ? plain : accelerated;
    bool start_acceleration = turn == accelerated;
    double least = std::numeric_limits<double>::infinity(); // the smallest excess so far
    int gained = 0;                                         // sweeps then
    const double count = static_cast<double>(problem.contacts.size());
    int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    if (problem.contacts.size() < fewest_for_threads) threads = 1;
    double max_target = stop.natural_max, rms_target = stop.natural_rms; // changes that call for a check
    double max = 0, rms = 0;                                             // changes of the last sweep
    work_->wrenches.watch(problem);
    bool check = true;
    int checked = 0; // sweeps at the last check
    for (;;) {
        if (check) {
            if (report.sweeps > 0) sweeper.store_impulses(problem, threads);
            problem.rebuild_velocities(threads);
            report.residual = residual(problem, threads);
            // Where many sweeps are needed, as much as it would be over an interval.
            report.residual.wrench_change =
                work_->wrenches.change(problem) *
                (report.sweeps > first_check ? check_interval / (report.sweeps - checked) : 1.0);
            checked = report.sweeps;
            ++statistics_.checks;
            if (report.sweeps >= stop.min_sweeps && stop.satisfied(report.residual)) {
                report.satisfied();
                return;
            }
            if (report.sweeps >= stop.max_sweeps || std::isnan(report.residual.natural_max)) {
                report.status = SolverStatus::iteration_limit;
                return;
            }
            if (work_->wedge.found(problem, report.sweeps)) {
                report.no_solution(work_->wedge.growth());
                return;
            }
            if (const double excess = stop.excess(report.residual); excess < gain * least) {
                least = excess;
                gained = report.sweeps;
            } else if (take_turns && report.sweeps - gained >= patience) {
                gained = report.sweeps;
                turn = (turn + 1) % turns;
                start_acceleration = turn == accelerated;
            }
            if (report.sweeps > 0) {
                sweeper.load_velocities(problem, threads);
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
        }
        if (start_acceleration) {
            start_acceleration = false;
            accelerator.start(take_turns ? Acceleration::anderson : options.acceleration,
                              sweeper.state_measured(), sweeper.state_size(), threads);
            sweeper.save(accelerator.before, problem);
        } else if (turn == accelerated && accelerator.rest()) {
            if (accelerator.awake()) sweeper.save(accelerator.before, problem);
        } else if (turn == accelerated) {
            sweeper.save(accelerator.after, problem);
            accelerator.mix();
            sweeper.restore(accelerator.before, problem);
            statistics_.rejected = accelerator.rejected();
        }
        // Few at first, then in groups; at intervals that grow with the sweeps the residual is asked.
        const int interval = std::max(int(check_interval), checked / 64 * 8);
        const int asked = report.sweeps < first_check ? first_check : checked / 8 * 8 + interval;
        const int next_check = std::min(asked, stop.max_sweeps);
        const int group =
            std::min(turn == accelerated ? accelerator.sweeps() : std::clamp(report.sweeps / 8, 1, 8),
                     next_check - report.sweeps);
        const Change change =
            sweeper.sweep(problem, group, threads, turn == shuffled ? 1 + statistics_.shuffled : 0);
        report.sweeps += group;
        if (turn == shuffled) statistics_.shuffled += group;
        rms = change.impulse > 0 ? std::sqrt(change.change / change.impulse) : 0;
        max = change.impulse > 0 ? std::sqrt(change.largest / change.impulse * count) : 0;
        check = (max <= max_target && rms <= rms_target) || report.sweeps == next_check;
    }
}

} // namespace tamis
