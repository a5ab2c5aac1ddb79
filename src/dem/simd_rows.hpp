// Rows of numbers of balls and contacts, gathered into packs and scattered again; see simd.hpp for what the including
// file names.
#pragma once

#include "tamis/base/simd.hpp"

namespace tamis::TAMIS_SIMD {

using R = Native<double>;
constexpr int N = lanes_of<R>;
typedef double Row __attribute__((vector_size(32)));
typedef double LooseRow __attribute__((vector_size(32), aligned(8), may_alias));

#if TAMIS_SIMD_BYTES >= 32
// Four vectors of four; half as many instructions as by perfect shuffles.
TAMIS_KERNEL void turn(Pack<double, 4>::V* m)
{
    using V = Pack<double, 4>::V;
    const V a = __builtin_shufflevector(m[0], m[1], 0, 4, 2, 6),
            b = __builtin_shufflevector(m[0], m[1], 1, 5, 3, 7),
            c = __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6),
            d = __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7);
    m[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    m[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    m[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#endif

// Numbers 0 .. 3 of a line of each lane: line.template operator()<V>(lane, first) gives some of them.
template <class Line>
TAMIS_KERNEL void gather_lines(R (&to)[4], const Line& line)
{
#if TAMIS_SIMD_BYTES == 0
    for (int k = 0; k < 4; ++k) to[k] = line.template operator()<double>(0, k);
#elif TAMIS_SIMD_BYTES == 16
    using V = R::V;
    for (int c = 0; c < 4; c += 2) {
        V m[2] = {line.template operator()<V>(0, c), line.template operator()<V>(1, c)};
        transpose<2, 2>(m);
        to[c].v = m[0];
        to[c + 1].v = m[1];
    }
#else
    using V = Pack<double, 4>::V;
    V m[N];
    for (int l = 0; l < N; ++l) m[l] = line.template operator()<V>(l, 0);
    turn(m);
#if TAMIS_SIMD_BYTES == 32
    for (int k = 0; k < 4; ++k) to[k].v = m[k];
#else
    turn(m + 4);
    for (int k = 0; k < 4; ++k) to[k].v = __builtin_shufflevector(m[k], m[4 + k], 0, 1, 2, 3, 4, 5, 6, 7);
#endif
#endif
}

// Four numbers of each lane as lines that lie 8 apart.
TAMIS_KERNEL void scatter_lines(const R (&from)[4], double* to)
{
#if TAMIS_SIMD_BYTES == 0
    for (int k = 0; k < 4; ++k) to[k] = from[k];
#elif TAMIS_SIMD_BYTES == 16
    for (int c = 0; c < 4; c += 2) {
        R::V m[2] = {from[c].v, from[c + 1].v};
        transpose<2, 2>(m);
        for (int l = 0; l < 2; ++l) *reinterpret_cast<R::V*>(to + 8 * l + c) = m[l];
    }
#else
    using V = Pack<double, 4>::V;
    for (int half = 0; half < N; half += 4) {
        V m[4];
        for (int k = 0; k < 4; ++k) {
#if TAMIS_SIMD_BYTES == 32
            m[k] = from[k].v;
#else
            m[k] = half == 0 ? __builtin_shufflevector(from[k].v, from[k].v, 0, 1, 2, 3)
                             : __builtin_shufflevector(from[k].v, from[k].v, 4, 5, 6, 7);
#endif
        }
        turn(m);
        for (int l = 0; l < 4; ++l) *reinterpret_cast<V*>(to + 8 * (half + l)) = m[l];
    }
#endif
}

template <class V>
TAMIS_KERNEL V loose(const double* from)
{
    typedef V Loose __attribute__((aligned(8), may_alias));
    return *reinterpret_cast<const Loose*>(from);
}

// Rows of eight numbers.
TAMIS_KERNEL void gather_rows(R (&to)[8], const double* rows, const int* row)
{
    R first[4], second[4];
    gather_lines(first, [&]<class V>(int l, int c) { return loose<V>(rows + 8L * row[l] + c); });
    gather_lines(second, [&]<class V>(int l, int c) { return loose<V>(rows + 8L * row[l] + 4 + c); });
    for (int k = 0; k < 4; ++k) {
        to[k] = first[k];
        to[4 + k] = second[k];
    }
}

// Histories: three numbers a slot.
TAMIS_KERNEL void load_history(Vec<R>& u, const double* histories, const int* slot)
{
    R to[4];
    gather_lines(to, [&]<class V>(int l, int c) { return loose<V>(histories + 3L * slot[l] + c); });
    u = {to[0], to[1], to[2]};
}
TAMIS_KERNEL void store_history(const Vec<R>& u, double* histories, const int* slot)
{
    alignas(64) double x[N], y[N], z[N];
    store(u.x, x);
    store(u.y, y);
    store(u.z, z);
    for (int l = 0; l < N; ++l) {
        double* to = histories + 3L * slot[l];
        to[0] = x[l];
        to[1] = y[l];
        to[2] = z[l];
    }
}

} // namespace tamis::TAMIS_SIMD
