// Arithmetic of kernels that are compiled for several instruction sets, and for devices, with the same result in all: R
// is the number, double, float, or a pack of them (simd.hpp).
#pragma once

// Inlined always: kernels have more variants than a compiler would inline all by itself, and a body that is passed on
// through memory costs more than a contact of it.
#ifdef __CUDACC__
#define TAMIS_DEVICE __host__ __device__
#define TAMIS_KERNEL TAMIS_DEVICE static inline
#else
#define TAMIS_DEVICE
#define TAMIS_KERNEL static inline __attribute__((always_inline))
#endif

namespace tamis {

// What R must offer; packs bring their own.
TAMIS_KERNEL double larger(double a, double b)
{
    return a < b ? b : a;
}
TAMIS_KERNEL float larger(float a, float b)
{
    return a < b ? b : a;
}
TAMIS_KERNEL double if_greater(double a, double b, double yes, double no)
{
    return a > b ? yes : no;
}
TAMIS_KERNEL float if_greater(float a, float b, float yes, float no)
{
    return a > b ? yes : no;
}
// Bit k: of lane k, whether a > b.
TAMIS_KERNEL int greater_bits(double a, double b)
{
    return a > b;
}
TAMIS_KERNEL double root(double a)
{
    return __builtin_sqrt(a);
}
TAMIS_KERNEL float root(float a)
{
    return __builtin_sqrtf(a);
}
TAMIS_KERNEL void load(double& x, const double* from)
{
    x = *from;
}
TAMIS_KERNEL void load(float& x, const float* from)
{
    x = *from;
}
TAMIS_KERNEL void store(double x, double* to)
{
    *to = x;
}
TAMIS_KERNEL void store(float x, float* to)
{
    *to = x;
}

template <class R>
struct Vec {
    R x, y, z;
};
template <class R>
TAMIS_KERNEL Vec<R> operator+(const Vec<R>& a, const Vec<R>& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class R>
TAMIS_KERNEL Vec<R> operator-(const Vec<R>& a, const Vec<R>& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class R>
TAMIS_KERNEL Vec<R> operator*(const Vec<R>& a, const R& s)
{
    return {a.x * s, a.y * s, a.z * s};
}
template <class R>
TAMIS_KERNEL R dot(const Vec<R>& a, const Vec<R>& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class R>
TAMIS_KERNEL Vec<R> cross(const Vec<R>& a, const Vec<R>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class R>
TAMIS_KERNEL Vec<R> if_greater(const R& a, const R& b, const Vec<R>& yes, const Vec<R>& no)
{
    return {if_greater(a, b, yes.x, no.x), if_greater(a, b, yes.y, no.y), if_greater(a, b, yes.z, no.z)};
}
template <class R>
TAMIS_KERNEL R absolute(const R& a)
{
    return larger(a, R(0) - a);
}

} // namespace tamis
