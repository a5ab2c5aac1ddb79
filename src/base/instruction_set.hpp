// Which of the instruction sets that kernels are compiled for a machine has.
#pragma once

#include "tamis/base/error.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace tamis {

// scalar, sse2, avx2 or avx512.
inline bool can_run(const char* name)
{
    const auto is = [&](const char* isa) { return std::strcmp(name, isa) == 0; };
    if (is("scalar")) return true;
#ifdef __x86_64__
    if (is("sse2")) return true;
    if (is("avx2")) return __builtin_cpu_supports("avx2");
    if (is("avx512"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return false;
}

// The widest that this machine has, or the one named by the environment variable TAMIS_SIMD.
inline const char* instruction_set()
{
    if (const char* name = std::getenv("TAMIS_SIMD"); name && *name) {
        if (can_run(name)) return name;
        fail("TAMIS_SIMD={} is not an instruction set of this machine; take scalar, sse2, avx2 or avx512, or "
             "leave it unset.",
             name);
    }
    for (const char* name : {"avx512", "avx2", "sse2"})
        if (can_run(name)) return name;
    return "scalar";
}

// The kernels of this name, a null pointer if the machine cannot run them.
template <class Kernels>
const Kernels* kernels_of(const char* name, std::initializer_list<const Kernels*> compiled)
{
    for (const Kernels* kernels : compiled)
        if (std::strcmp(name, kernels->name) == 0) return can_run(name) ? kernels : nullptr;
    return nullptr;
}

} // namespace tamis
