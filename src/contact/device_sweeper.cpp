// A sweep is one launch for each colour: its manifolds share no moving body, so that the order of the threads
// does not matter and the bits are those of a loop over them. Only impulses, lines and the sums of the
// changes travel between sweeps.
#include "tamis/contact/device_sweeper.hpp"

#include <algorithm>

namespace tamis {

namespace {

const DeviceKernels<double>& kernels_of(const Device& device, double)
{
    return device.in_double;
}
const DeviceKernels<float>& kernels_of(const Device& device, float)
{
    return device.in_float;
}

// Out of the device or into it, by way of places `packed` on both sides.
template <class T, class Move>
void exchange(void (*move_there)(const Move&, int), const Move& there, const Move& here, int count,
              DeviceMemory<T>& packed_there, std::vector<T>& packed_here)
{
    if (there.out) {
        move_there(there, count);
        packed_there.download(packed_here.data(), packed_here.size());
    }
    for (int i = 0; i < count; ++i) here(i);
    if (here.out) {
        packed_there.upload(packed_here.data(), packed_here.size());
        move_there(there, count);
    }
}

} // namespace

template <class T>
void DeviceSweeper<T>::build(const ContactProblem& problem, const Device& device, int threads)
{
    kernels_ = &kernels_of(device, T());
    colouring.arrange_in_colours(problem, lanes);
    Batches::lay_out(problem, threads);
    const int batches = static_cast<int>(batch_.size());
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int b = 0; b < batches; ++b) this->fill(problem, b);
    this->fill_overflow(problem);

    few_.clear();
    for (const int c : colouring.overflow)
        for (const Contact::Side& side : problem.contacts[c].side)
            if (side.block >= 0 && problem.is_rigid(side.block)) {
                const int row = colouring.row(side.block - problem.general());
                if (row < colouring.moving) few_.push_back(row);
            }
    std::sort(few_.begin(), few_.end());
    few_.erase(std::unique(few_.begin(), few_.end()), few_.end());

    auto& on = on_device_;
    device_bed_ = {on.line.send(device, line_), on.inertia.send(device, inertia_),
                   on.point.send(device, point_), on.batch.send(device, batch_), colouring.moving};
    on.place.send(device, place_);
    on.few.send(device, few_);
    const bool rolling = std::any_of(batch_.begin(), batch_.end(), [](auto& batch) { return batch.rolling; });
    impulse_.resize((rolling ? 6 : 3) * contact_.size());
    few_lines_.resize(8 * few_.size());
    part_.resize(3 * SumChange<T>::parts);
    on.impulse.resize(device, impulse_.size());
    on.few_lines.resize(device, few_lines_.size());
    on.part.resize(device, part_.size());
    on.change.resize(device, 3 * static_cast<std::size_t>(all_lanes()));
    kernels_->prepare({device_bed_}, all_lanes());
}

template <class T>
void DeviceSweeper<T>::load_velocities(const ContactProblem& problem, int threads)
{
    Batches::load_velocities(problem, threads);
    upload_lines();
}

template <class T>
void DeviceSweeper<T>::store_impulses(ContactProblem& problem, int threads)
{
    move_impulses(true);
    Batches::store_impulses(problem, threads);
}

template <class T>
void DeviceSweeper<T>::save(std::vector<T>& state, const ContactProblem& problem)
{
    move_impulses(true);
    on_device_.line.download(line_.data(), 8 * colouring.moving);
    Batches::save(state, problem);
}

template <class T>
void DeviceSweeper<T>::restore(const std::vector<T>& state, ContactProblem& problem)
{
    Batches::restore(state, problem);
    move_impulses(false);
    upload_lines();
}

template <class T>
void DeviceSweeper<T>::move_impulses(bool out)
{
    auto& on = on_device_;
    const long moments = 3 * static_cast<long>(contact_.size());
    exchange<T, MoveImpulses<T>>(
        kernels_->move_impulses, {device_bed_, on.place.data(), on.impulse.data(), moments, out},
        {bed_, place_.data(), impulse_.data(), moments, !out}, all_lanes(), on.impulse, impulse_);
}

template <class T>
void DeviceSweeper<T>::move_lines(bool out)
{
    auto& on = on_device_;
    exchange<T, MoveLines<T>>(kernels_->move_lines,
                              {device_bed_.line, on.few.data(), on.few_lines.data(), out},
                              {line_.data(), few_.data(), few_lines_.data(), !out},
                              static_cast<int>(few_lines_.size()), on.few_lines, few_lines_);
}

template <class T>
Change DeviceSweeper<T>::sweep(ContactProblem& problem, int count, int, int)
{
    Change total;
    const std::vector<int>& colour = colouring.region;
    T* const change = on_device_.change.data();
    for (int k = 0; k < count; ++k) {
        const bool measure = k == count - 1;
        for (std::size_t c = 0; c + 1 < colour.size(); ++c)
            kernels_->sweep({device_bed_, colour[c], measure ? change : nullptr, all_lanes()},
                            (colour[c + 1] - colour[c]) * lanes);
        if (overflow_.empty()) continue;
        move_lines(true);
        total = {};
        this->sweep_overflow(problem, total);
        move_lines(false);
    }
    constexpr int parts = SumChange<T>::parts;
    kernels_->sum({change, all_lanes(), on_device_.part.data()}, parts);
    on_device_.part.download(part_.data(), part_.size());
    for (int i = 0; i < parts; ++i) {
        total.largest = std::max<double>(total.largest, part_[i]);
        total.change += part_[parts + i];
        total.impulse += part_[2 * parts + i];
    }
    return total;
}

template class DeviceSweeper<double>;
template class DeviceSweeper<float>;

} // namespace tamis
