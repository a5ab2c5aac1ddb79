// Sweeps over a bed in the memory of a device, colour after colour; the overflow stays with the host, which
// for this gets and gives back the lines of the bodies concerned after each sweep.
#pragma once

#include "tamis/contact/contact_batches.hpp"
#include "tamis/contact/device.hpp"

#include <vector>

namespace tamis {

template <class T>
class DeviceSweeper : public ContactBatches<T, device_lanes> {
    using Batches = ContactBatches<T, device_lanes>;

  public:
    using Batches::colouring;
    void build(const ContactProblem& problem, const Device& device, int threads);
    void load_velocities(const ContactProblem& problem, int threads);
    void store_impulses(ContactProblem& problem, int threads);
    void save(std::vector<T>& state, const ContactProblem& problem);
    void restore(const std::vector<T>& state, ContactProblem& problem);
    // Change of the last sweep. Colours come in one order always.
    Change sweep(ContactProblem& problem, int count, int threads, int shuffled = 0);

  private:
    using Batches::batch_, Batches::bed_, Batches::contact_, Batches::inertia_, Batches::lanes,
        Batches::line_, Batches::overflow_, Batches::place_, Batches::point_;

    void upload_lines() { on_device_.line.upload(line_.data(), line_.size()); }
    void move_impulses(bool out); // of the device
    void move_lines(bool out);    // of bodies in the overflow
    int all_lanes() const { return static_cast<int>(batch_.size()) * lanes; }

    const DeviceKernels<T>* kernels_ = nullptr;
    DeviceBed<T> device_bed_;
    struct {
        DeviceMemory<T> line, inertia, point, change, part, impulse, few_lines;
        DeviceMemory<ContactBatch<T, device_lanes>> batch;
        DeviceMemory<long> place;
        DeviceMemory<int> few;
    } on_device_;
    std::vector<int> few_; // rows of moving bodies in the overflow
    std::vector<T> impulse_, few_lines_, part_;
};

} // namespace tamis
