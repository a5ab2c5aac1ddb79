// The sweeps of the coloured solver (contact_kernel.hpp) one lane after the other: what every other variant
// must equal, bit for bit.
#define TAMIS_SIMD simd_scalar
#define TAMIS_SIMD_BYTES 0
#include "tamis/contact/nlgs_coloured_kernel_body.hpp"

TAMIS_CONTACT_KERNELS(scalar);
