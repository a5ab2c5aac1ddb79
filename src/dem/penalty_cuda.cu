// The functors of penalty_device_kernel.hpp on an NVIDIA device.
#include "tamis/contact/cuda_launch.cuh"
#include "tamis/dem/penalty_device.hpp"

namespace tamis {

extern const PenaltyDevice penalty_on_cuda;
const PenaltyDevice penalty_on_cuda = penalty_device<OnCuda>(cuda_access);

} // namespace tamis
