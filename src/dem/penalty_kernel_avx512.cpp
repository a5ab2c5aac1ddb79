// The kernels of the penalty bed (penalty_kernel.hpp) in registers of 64 bytes.
#ifdef __x86_64__
#define TAMIS_SIMD simd_avx512
#define TAMIS_SIMD_BYTES 64
#include "tamis/dem/penalty_kernel_body.hpp"

TAMIS_PENALTY_KERNELS(avx512);
#endif
