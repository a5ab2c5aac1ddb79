// The sweeps of the coloured solver (contact_kernel.hpp) in registers of 32 bytes.
#ifdef __x86_64__
#define TAMIS_SIMD simd_avx2
#define TAMIS_SIMD_BYTES 32
#include "tamis/contact/nlgs_coloured_kernel_body.hpp"

TAMIS_CONTACT_KERNELS(avx2);
#endif
