// Who runs the functors of device_kernel.hpp, in what memory: an NVIDIA device or, so that every build can
// test all but the launch, this processor.
#pragma once

#include "tamis/contact/device_kernel.hpp"
#include "tamis/contact/device_memory.hpp"

namespace tamis {

// f(i) for all i < count; what comes next finds all of them done.
template <class T>
struct DeviceKernels {
    const char* solver; // its name
    void (*prepare)(const PrepareManifold<T>&, int count);
    void (*sweep)(const SweepManifold<T>&, int count);
    void (*sum)(const SumChange<T>&, int count);
    void (*move_impulses)(const MoveImpulses<T>&, int count);
    void (*move_lines)(const MoveLines<T>&, int count);
};

struct Device : DeviceAccess {
    DeviceKernels<double> in_double;
    DeviceKernels<float> in_float;
};

// Launch::run(f, count) as kernels.
template <class Launch, class T>
constexpr DeviceKernels<T> device_kernels(const char* solver)
{
    return {solver,
            Launch::template run<PrepareManifold<T>>,
            Launch::template run<SweepManifold<T>>,
            Launch::template run<SumChange<T>>,
            Launch::template run<MoveImpulses<T>>,
            Launch::template run<MoveLines<T>>};
}

// With memory apart from that of the caller, as a device has.
extern const DeviceAccess memory_of_this_processor;
extern const Device this_processor;

// The first NVIDIA device; fails if there is none or this build is without CUDA.
const Device& cuda_device();
// A device that refuses, say for want of memory, ends the run: this is not a matter of one contact problem.
[[noreturn]] void cuda_failed(const char* words_of_cuda);

} // namespace tamis
