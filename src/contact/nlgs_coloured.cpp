// Nonlinear Gauss-Seidel (Jean & Moreau 1992) in batches of independent manifolds, by the local law of
// contact_kernel.hpp. A sweep goes over the regions of the Colouring: slabs side by side, interfaces 0-1,
// 2-3, ... side by side, interfaces 1-2, 3-4, ... side by side, then the overflow one by one with the exact
// local solution.
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
#include <array>
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

// Sweeps as tasks: region r in sweep k waits for the regions before it that share a slab with it, and for them alone,
// so that threads hardly wait for each other: one goes on to the next sweep while another is busy with the overflow.
// The order of those that share bodies, hence the result, is that of sweeps one after the other.
//
// A thread without a task waits about 20 us in a loop, some 200 more giving way to whoever wants the core, then
// asleep: to wake takes as long as a region. OpenMP's own barrier may keep a core busy for milliseconds, which on a
// machine shared with others is the time of those it waits for.
class SweepTasks {
  public:
    SweepTasks(const Colouring& colouring, bool overflow, int sweeps)
        : regions_(2 * colouring.slabs - (overflow ? 0 : 1)), sweeps_(sweeps)
    {
        for (int i = 0; i < regions_; ++i) {
            const int slab = i / 2;
            region_[i] = i % 2 == 0 ? slab : colouring.slabs + slab;
            phase_[i] = i % 2 == 0 ? 0 : region_[i] == 2 * colouring.slabs - 1 ? 3 : 1 + slab % 2;
            slabs_[i] = colouring.slabs_of(region_[i]);
        }
    }

    // work(r, k) until there is no more.
    template <class Work>
    void run(int thread, int threads, const Work& work)
    {
        if (threads == 1) {
            for (int k = 0; k < sweeps_; ++k)
                for (int phase = 0; phase < 4; ++phase)
                    for (int i = 0; i < regions_; ++i)
                        if (phase_[i] == phase) work(region_[i], k);
            return;
        }
        const int first = regions_ * thread / threads;
        while (true) {
            const int finished = finished_.load(std::memory_order_acquire);
            if (finished == regions_ * sweeps_) return;
            if (const int i = take(first); i >= 0) {
                const int k = done_[i].load(std::memory_order_relaxed);
                work(region_[i], k);
                done_[i].store(k + 1, std::memory_order_release);
                finished_.fetch_add(1, std::memory_order_acq_rel);
                finished_.notify_all();
            } else {
                wait(finished);
            }
        }
    }

  private:
    // Of the tasks that can be done, one of the earliest sweep, from `first` on; -1: none now.
    int take(int first)
    {
        while (true) {
            int best = -1, sweep = sweeps_;
            for (int j = 0; j < regions_; ++j) {
                const int i = (first + j) % regions_, k = taken_[i].load(std::memory_order_relaxed);
                if (k < sweep && ready(i, k)) {
                    best = i;
                    sweep = k;
                }
            }
            if (best < 0 || taken_[best].compare_exchange_strong(sweep, sweep + 1)) return best;
        }
    }
    bool ready(int i, int k) const
    {
        for (int j = 0; j < regions_; ++j)
            if ((slabs_[j] & slabs_[i]) != 0 || j == i)
                if (done_[j].load(std::memory_order_acquire) < k + (phase_[j] < phase_[i])) return false;
        return true;
    }
    void wait(int finished)
    {
        const auto over = [&] { return finished_.load(std::memory_order_acquire) != finished; };
        for (int i = 0; i < 20000; ++i)
            if (over()) return;
        for (int i = 0; i < 400; ++i) {
            std::this_thread::yield();
            if (over()) return;
        }
        finished_.wait(finished, std::memory_order_acquire);
    }

    static constexpr int most_regions = 2 * Colouring::most_slabs;
    int regions_, sweeps_;
    // Neighbours in space follow each other, the overflow comes last.
    std::array<int, most_regions> region_{}, phase_{};
    std::array<unsigned, most_regions> slabs_{};
    alignas(64) std::array<std::atomic<int>, most_regions> taken_{}, done_{}; // sweeps
    alignas(64) std::atomic<int> finished_{0};                                // tasks
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
    colouring.arrange(problem, lanes, threads);
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
    const int *region = colouring.region.data(), overflow = 2 * colouring.slabs - 1;
    const auto sweep_region = [&](int r, int k) {
        const bool measure = k == count - 1;
        if (r == overflow) {
            total = {};
            return this->sweep_overflow(problem, total);
        }
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
    SweepTasks tasks(colouring, !overflow_.empty(), count);
#pragma omp parallel num_threads(threads) if (threads > 1)
    tasks.run(omp_get_thread_num(), omp_get_num_threads(), sweep_region);
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
