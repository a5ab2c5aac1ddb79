// The kernels that this machine can run.
#include "tamis/dem/penalty_kernel.hpp"

#include "tamis/base/instruction_set.hpp"

#include <cstring>

namespace tamis {

const PenaltyKernels* penalty_kernels(const char* name)
{
    return kernels_of<PenaltyKernels>(name, {
#ifdef __x86_64__
                                                &penalty_kernels_sse2, &penalty_kernels_avx2,
                                                &penalty_kernels_avx512,
#endif
                                                &penalty_kernels_scalar});
}

const PenaltyKernels& penalty_kernels()
{
    return *penalty_kernels(instruction_set());
}

} // namespace tamis
