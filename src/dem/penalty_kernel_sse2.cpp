// The kernels of the penalty bed (penalty_kernel.hpp) in registers of 16 bytes.
#ifdef __x86_64__
#define TAMIS_SIMD simd_sse2
#define TAMIS_SIMD_BYTES 16
#include "tamis/dem/penalty_kernel_body.hpp"

TAMIS_PENALTY_KERNELS(sse2);
#endif
