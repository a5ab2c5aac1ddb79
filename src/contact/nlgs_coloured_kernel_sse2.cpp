// The sweeps of the coloured solver (contact_kernel.hpp) in registers of 16 bytes, which every 64-bit PC has.
#ifdef __x86_64__
#define TAMIS_SIMD simd_sse2
#define TAMIS_SIMD_BYTES 16
#include "tamis/contact/nlgs_coloured_kernel_body.hpp"

TAMIS_CONTACT_KERNELS(sse2);
#endif
