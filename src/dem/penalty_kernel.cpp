// The kernels that this machine can run.
#include "tamis/dem/penalty_kernel.hpp"

#include "tamis/base/instruction_set.hpp"

#include <cstring>

namespace tamis {

const PenaltyKernels* penalty_kernels(const char* name)
{
    if (!can_run(name)) return nullptr;
#ifdef __x86_64__
    for (const PenaltyKernels* k : {&penalty_kernels_sse2, &penalty_kernels_avx2, &penalty_kernels_avx512})
        if (std::strcmp(name, k->name) == 0) return k;
#endif
    return &penalty_kernels_scalar;
}

const PenaltyKernels& penalty_kernels()
{
    return *penalty_kernels(instruction_set());
}

} // namespace tamis
