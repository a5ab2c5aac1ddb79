// The kernels of the penalty bed (penalty_kernel.hpp) one lane after the other: what every other variant must equal,
// bit for bit.
#define TAMIS_SIMD simd_scalar
#define TAMIS_SIMD_BYTES 0
#include "tamis/dem/penalty_kernel_body.hpp"

TAMIS_PENALTY_KERNELS(scalar);
