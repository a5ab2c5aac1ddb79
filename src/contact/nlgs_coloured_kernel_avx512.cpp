// The sweeps of the coloured solver (contact_kernel.hpp) in registers of 64 bytes.
#ifdef __x86_64__
#define TAMIS_SIMD simd_avx512
#define TAMIS_SIMD_BYTES 64
#include "tamis/contact/nlgs_coloured_kernel_body.hpp"

TAMIS_CONTACT_KERNELS(avx512);
#endif
