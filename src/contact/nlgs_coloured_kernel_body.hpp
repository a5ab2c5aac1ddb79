// Sweeps over batches of manifolds for one instruction set; see simd.hpp for what the including file names.
#pragma once

#include "tamis/base/simd.hpp"
#include "tamis/contact/contact_kernel.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"
#include "tamis/contact/residual_kernel.hpp"

namespace tamis::TAMIS_SIMD {

template <bool isotropic, bool rolling, bool compliant, bool measure, class T>
static inline void sweep_batch(const ContactBed<T>& bed, const ContactBatch<T>& batch, BatchChange<T>* change)
{
    using R = Native<T>;
    constexpr int lanes = ContactBatch<T>::lanes;
    for (int k = 0; k < lanes; k += lanes_of<R>) {
        KernelBody<R> a, b;
        gather(a.line, bed.line, batch.row[0] + k);
        gather(b.line, bed.line, batch.row[1] + k);
        if constexpr (!isotropic) {
            gather(a.inertia, bed.inertia, batch.row[0] + k);
            gather(b.inertia, bed.inertia, batch.row[1] + k);
        }
        KernelChange<R> total;
        if constexpr (measure) {
            load(total.largest, change->largest + k);
            load(total.change, change->change + k);
            load(total.impulse, change->impulse + k);
        }
        solve_manifold<isotropic, rolling, compliant, measure>(a, b, batch.points,
                                                               bed.point + batch.start + k, lanes, total);
        if constexpr (measure) {
            store(total.largest, change->largest + k);
            store(total.change, change->change + k);
            store(total.impulse, change->impulse + k);
        }
        scatter(a.line, bed.line, batch.row[0] + k, bed.moving);
        scatter(b.line, bed.line, batch.row[1] + k, bed.moving);
    }
}

template <bool compliant, bool measure, class T>
static inline void sweep_any(const ContactBed<T>& bed, const ContactBatch<T>& batch, BatchChange<T>* change)
{
    if (batch.rolling)
        batch.isotropic ? sweep_batch<true, true, compliant, measure>(bed, batch, change)
                        : sweep_batch<false, true, compliant, measure>(bed, batch, change);
    else
        batch.isotropic ? sweep_batch<true, false, compliant, measure>(bed, batch, change)
                        : sweep_batch<false, false, compliant, measure>(bed, batch, change);
}

template <bool measure, class T>
static void sweep_batches(const ContactBed<T>& bed, int begin, int end, BatchChange<T>* change)
{
    constexpr int ahead = 2; // batches whose bodies are asked for: no pattern tells the processor which
    for (int i = begin; i < end; ++i) {
        if (i + ahead < end)
            for (const auto& side : bed.batch[i + ahead].row)
                for (const int row : side) __builtin_prefetch(bed.line + 8 * static_cast<long>(row));
        const ContactBatch<T>& batch = bed.batch[i];
        batch.compliant ? sweep_any<true, measure>(bed, batch, change)
                        : sweep_any<false, measure>(bed, batch, change);
    }
}

template <class T>
static void sweep(const ContactBed<T>& bed, int begin, int end, BatchChange<T>* change)
{
    change ? sweep_batches<true>(bed, begin, end, change) : sweep_batches<false>(bed, begin, end, change);
}

template <class T>
static void prepare(const ContactBed<T>& bed, int begin, int end)
{
    using R = Native<T>;
    constexpr int lanes = ContactBatch<T>::lanes;
    for (int i = begin; i < end; ++i) {
        const ContactBatch<T>& batch = bed.batch[i];
        T* point = bed.point + batch.start;
        for (int k = 0; k < lanes; k += lanes_of<R>) {
            KernelBody<R> a, b;
            gather(a.line, bed.line, batch.row[0] + k);
            gather(b.line, bed.line, batch.row[1] + k);
            gather(a.inertia, bed.inertia, batch.row[0] + k);
            gather(b.inertia, bed.inertia, batch.row[1] + k);
            if (batch.compliant)
                batch.rolling ? prepare_manifold<true, true>(a, b, batch.points, point + k, lanes)
                              : prepare_manifold<false, true>(a, b, batch.points, point + k, lanes);
            else
                batch.rolling ? prepare_manifold<true, false>(a, b, batch.points, point + k, lanes)
                              : prepare_manifold<false, false>(a, b, batch.points, point + k, lanes);
        }
    }
}

static void check(ResidualPack& pack)
{
    for (int k = 0; k < ResidualPack::lanes; k += lanes_of<Native<double>>)
        check_contacts<Native<double>>(pack, k);
}

} // namespace tamis::TAMIS_SIMD

// clang-format off
#define TAMIS_CONTACT_KERNELS(isa)                                                                           \
    extern const tamis::ContactKernels tamis::contact_kernels_##isa {                                        \
        #isa,                                                                                                \
        {tamis::TAMIS_SIMD::sweep<double>, tamis::TAMIS_SIMD::prepare<double>},                              \
        {tamis::TAMIS_SIMD::sweep<float>, tamis::TAMIS_SIMD::prepare<float>},                                \
        tamis::TAMIS_SIMD::check}
// clang-format on
