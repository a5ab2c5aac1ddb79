// A pack of N numbers by the compilers' vector extensions, and the gather and scatter of lines of 8 numbers.
//
// The file that includes this names the namespace (TAMIS_SIMD) and the width in bytes (TAMIS_SIMD_BYTES, 0:
// plain numbers) and is compiled for one instruction set: no symbol of it can stand in for one of another.
// Nothing of the standard library is used, for the same reason.
#pragma once

#include "tamis/base/kernel.hpp"

#if defined(__x86_64__) && TAMIS_SIMD_BYTES > 0
#include <immintrin.h>
#endif

namespace tamis::TAMIS_SIMD {

#if TAMIS_SIMD_BYTES == 0

template <class T>
using Native = T;
template <class R>
constexpr int lanes_of = 1;

template <class T>
TAMIS_KERNEL void gather(T (&to)[8], const T* lines, const int* row)
{
    const T* line = lines + 8 * static_cast<long>(row[0]);
    for (int i = 0; i < 8; ++i) to[i] = line[i];
}
template <class T>
TAMIS_KERNEL void scatter(const T (&from)[8], T* lines, const int* row, int below)
{
    if (row[0] >= below) return;
    T* line = lines + 8 * static_cast<long>(row[0]);
    for (int i = 0; i < 8; ++i) line[i] = from[i];
}

#else

template <class T, int N>
struct Pack {
    typedef T V __attribute__((vector_size(N * sizeof(T))));
    V v;

    Pack() = default;
    explicit Pack(T x) : v(x - V{}) {}
    static Pack of(V x)
    {
        Pack pack;
        pack.v = x;
        return pack;
    }
    friend Pack operator+(Pack a, Pack b) { return of(a.v + b.v); }
    friend Pack operator-(Pack a, Pack b) { return of(a.v - b.v); }
    friend Pack operator*(Pack a, Pack b) { return of(a.v * b.v); }
    friend Pack operator/(Pack a, Pack b) { return of(a.v / b.v); }
    friend Pack larger(Pack a, Pack b) { return of(a.v < b.v ? b.v : a.v); }
    friend Pack if_greater(Pack a, Pack b, Pack yes, Pack no) { return of(a.v > b.v ? yes.v : no.v); }
    friend int greater_bits(Pack a, Pack b)
    {
        const auto yes = a.v > b.v;
#if defined(__x86_64__)
        if constexpr (sizeof(T) == 8) {
#if TAMIS_SIMD_BYTES == 64
            return _mm512_movepi64_mask(__m512i(yes));
#elif TAMIS_SIMD_BYTES == 32
            return _mm256_movemask_pd(__m256d(yes));
#else
            return _mm_movemask_pd(__m128d(yes));
#endif
        }
#endif
        int bits = 0;
        for (int i = 0; i < N; ++i) bits |= (yes[i] & 1) << i;
        return bits;
    }
    friend void load(Pack& x, const T* from)
    {
        x.v = *reinterpret_cast<const V*>(from);
    }
    friend void store(Pack x, T* to)
    {
        *reinterpret_cast<V*>(to) = x.v;
    }
    friend Pack root(Pack a)
    {
#if defined(__x86_64__)
#if TAMIS_SIMD_BYTES == 64 // (of the unmasked one, GCC 12 warns inside its own header)
        if constexpr (sizeof(T) == 8)
            return of(V(_mm512_maskz_sqrt_pd(0xff, __m512d(a.v))));
        else
            return of(V(_mm512_maskz_sqrt_ps(0xffff, __m512(a.v))));
#elif TAMIS_SIMD_BYTES == 32
        if constexpr (sizeof(T) == 8)
            return of(V(_mm256_sqrt_pd(__m256d(a.v))));
        else
            return of(V(_mm256_sqrt_ps(__m256(a.v))));
#else
        if constexpr (sizeof(T) == 8)
            return of(V(_mm_sqrt_pd(__m128d(a.v))));
        else
            return of(V(_mm_sqrt_ps(__m128(a.v))));
#endif
#else
        for (int i = 0; i < N; ++i) a.v[i] = root(a.v[i]);
        return a;
#endif
    }
};

template <class T>
using Native = Pack<T, TAMIS_SIMD_BYTES / sizeof(T)>;
template <class R>
constexpr int lanes_of = 0;
template <class T, int N>
constexpr int lanes_of<Pack<T, N>> = N;

// a0 b0 a1 b1 ... of the first half of a and b, and of the second; 16 lanes as two groups of 8.
template <int N, class V>
TAMIS_KERNEL V zip_first(V a, V b)
{
    if constexpr (N == 2) return __builtin_shufflevector(a, b, 0, 2);
    if constexpr (N == 4) return __builtin_shufflevector(a, b, 0, 4, 1, 5);
    if constexpr (N == 8) return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    if constexpr (N == 16)
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
}
template <int N, class V>
TAMIS_KERNEL V zip_second(V a, V b)
{
    if constexpr (N == 2) return __builtin_shufflevector(a, b, 1, 3);
    if constexpr (N == 4) return __builtin_shufflevector(a, b, 2, 6, 3, 7);
    if constexpr (N == 8) return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    if constexpr (N == 16)
        return __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
}

// Transpose of G vectors within groups of G lanes, by log2 G perfect shuffles.
template <int N, int G, class V>
TAMIS_KERNEL void transpose(V* m)
{
    for (int stage = 1; stage < G; stage *= 2) {
        V t[G];
        for (int i = 0; i < G / 2; ++i) {
            t[2 * i] = zip_first<N>(m[i], m[i + G / 2]);
            t[2 * i + 1] = zip_second<N>(m[i], m[i + G / 2]);
        }
        for (int i = 0; i < G; ++i) m[i] = t[i];
    }
}

// to[i], lane l = number i of line row[l].
template <class T, int N>
TAMIS_KERNEL void gather(Pack<T, N> (&to)[8], const T* lines, const int* row)
{
    using V = typename Pack<T, N>::V;
    constexpr int G = N < 8 ? N : 8;
    for (int c = 0; c < 8; c += G) {
        V m[G];
        for (int l = 0; l < G; ++l) {
            if constexpr (N <= 8) {
                m[l] = *reinterpret_cast<const V*>(lines + 8 * static_cast<long>(row[l]) + c);
            } else {
                using Half = typename Pack<T, 8>::V;
                const Half low = *reinterpret_cast<const Half*>(lines + 8 * static_cast<long>(row[l]));
                const Half high = *reinterpret_cast<const Half*>(lines + 8 * static_cast<long>(row[l + 8]));
                m[l] =
                    __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            }
        }
        transpose<N, G>(m);
        for (int l = 0; l < G; ++l) to[c + l].v = m[l];
    }
}

// The inverse, for the lanes whose row is below a bound.
template <class T, int N>
TAMIS_KERNEL void scatter(const Pack<T, N> (&from)[8], T* lines, const int* row, int below)
{
    using V = typename Pack<T, N>::V;
    constexpr int G = N < 8 ? N : 8;
    for (int c = 0; c < 8; c += G) {
        V m[G];
        for (int l = 0; l < G; ++l) m[l] = from[c + l].v;
        transpose<N, G>(m);
        for (int l = 0; l < G; ++l) {
            if constexpr (N <= 8) {
                if (row[l] < below) *reinterpret_cast<V*>(lines + 8 * static_cast<long>(row[l]) + c) = m[l];
            } else {
                using Half = typename Pack<T, 8>::V;
                if (row[l] < below)
                    *reinterpret_cast<Half*>(lines + 8 * static_cast<long>(row[l])) =
                        __builtin_shufflevector(m[l], m[l], 0, 1, 2, 3, 4, 5, 6, 7);
                if (row[l + 8] < below)
                    *reinterpret_cast<Half*>(lines + 8 * static_cast<long>(row[l + 8])) =
                        __builtin_shufflevector(m[l], m[l], 8, 9, 10, 11, 12, 13, 14, 15);
            }
        }
    }
}

#endif

} // namespace tamis::TAMIS_SIMD
