// Who runs the functors of penalty_device_kernel.hpp, in what memory: an NVIDIA device or, so that every build can test
// all but the launch, this processor.
#pragma once

#include "tamis/contact/device_memory.hpp"
#include "tamis/dem/penalty_device_kernel.hpp"

namespace tamis {

// f(i) for all i < count; what comes next finds all of them done.
struct PenaltyDevice : DeviceAccess {
    void (*push_pairs)(const PushPair&, int count);
    void (*push_at_walls)(const PushAtWall&, int count);
    void (*find_deepest)(const FindDeepest&, int count);
    void (*sum_walls)(const SumWalls&, int count);
    void (*move_balls)(const MoveBall&, int count);
    void (*sum_motion)(const SumMotion&, int count);
};
// Launch::run(f, count) as kernels.
template <class Launch>
constexpr PenaltyDevice penalty_device(const DeviceAccess& access)
{
    return {access,
            Launch::template run<PushPair>,
            Launch::template run<PushAtWall>,
            Launch::template run<FindDeepest>,
            Launch::template run<SumWalls>,
            Launch::template run<MoveBall>,
            Launch::template run<SumMotion>};
}
// With memory apart from that of the caller, as a device has.
const PenaltyDevice& penalty_on_this_processor();
// The first NVIDIA device; fails if there is none or this build is without CUDA.
const PenaltyDevice& penalty_cuda();

} // namespace tamis
