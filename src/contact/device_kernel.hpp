// What one thread of a device does, as functors f(i) for i = 0, 1, ..., which a processor can run as well, in
// any order, with the same bits. A batch has the lanes of a warp: its threads read neighbouring numbers and
// do the same. Plain data only, as CUDA's compiler sees this file.
#pragma once

#include "tamis/contact/contact_kernel.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"

namespace tamis {

constexpr int device_lanes = 32;

template <class T>
using DeviceBed = ContactBed<T, device_lanes>;

template <class T>
TAMIS_KERNEL void load_line(KernelBody<T>& body, const DeviceBed<T>& bed, int row)
{
    for (int k = 0; k < 8; ++k) body.line[k] = bed.line[8 * row + k];
}
template <class T>
TAMIS_KERNEL void load_inertia(KernelBody<T>& body, const DeviceBed<T>& bed, int row)
{
    for (int k = 0; k < 8; ++k) body.inertia[k] = bed.inertia[8 * row + k];
}
template <class T>
TAMIS_KERNEL void store_line(const KernelBody<T>& body, const DeviceBed<T>& bed, int row)
{
    if (row < bed.moving)
        for (int k = 0; k < 8; ++k) bed.line[8 * row + k] = body.line[k];
}

// Manifold i of a colour. What it changes (KernelChange) is kept for SumChange.
template <class T>
struct SweepManifold {
    DeviceBed<T> bed;
    int first; // batch of the colour
    T* change; // three numbers for each lane of the bed, `all_lanes` apart; null: not asked for
    long all_lanes;

    template <bool isotropic, bool rolling, bool compliant>
    TAMIS_DEVICE void solve(const ContactBatch<T, device_lanes>& batch, int lane,
                            KernelChange<T>& total) const
    {
        const int row_a = batch.row[0][lane], row_b = batch.row[1][lane];
        KernelBody<T> a, b;
        load_line(a, bed, row_a);
        load_line(b, bed, row_b);
        if constexpr (!isotropic) {
            load_inertia(a, bed, row_a);
            load_inertia(b, bed, row_b);
        }
        solve_manifold<isotropic, rolling, compliant, true>(
            a, b, batch.points, bed.point + batch.start + lane, device_lanes, total);
        store_line(a, bed, row_a);
        store_line(b, bed, row_b);
    }
    template <bool compliant>
    TAMIS_DEVICE void solve_any(const ContactBatch<T, device_lanes>& batch, int lane,
                                KernelChange<T>& total) const
    {
        if (batch.rolling)
            batch.isotropic ? solve<true, true, compliant>(batch, lane, total)
                            : solve<false, true, compliant>(batch, lane, total);
        else
            batch.isotropic ? solve<true, false, compliant>(batch, lane, total)
                            : solve<false, false, compliant>(batch, lane, total);
    }
    TAMIS_DEVICE void operator()(int i) const
    {
        const int b = first + i / device_lanes, lane = i % device_lanes;
        const ContactBatch<T, device_lanes>& batch = bed.batch[b];
        KernelChange<T> total{T(0), T(0), T(0)};
        batch.compliant ? solve_any<true>(batch, lane, total) : solve_any<false>(batch, lane, total);
        if (!change) return;
        T* to = change + static_cast<long>(b) * device_lanes + lane;
        to[0] = total.largest, to[all_lanes] = total.change, to[2 * all_lanes] = total.impulse;
    }
};

// Every `parts`-th change, from the i-th on, as one.
template <class T>
struct SumChange {
    static constexpr int parts = 1024;
    const T* change;
    long all_lanes;
    T* part; // three numbers each, `parts` apart

    TAMIS_DEVICE void operator()(int i) const
    {
        KernelChange<T> total{T(0), T(0), T(0)};
        for (long k = i; k < all_lanes; k += parts) {
            total.largest = larger(total.largest, change[k]);
            total.change += change[all_lanes + k];
            total.impulse += change[2 * all_lanes + k];
        }
        part[i] = total.largest, part[parts + i] = total.change, part[2 * parts + i] = total.impulse;
    }
};

// Steps of the points of manifold i of the bed.
template <class T>
struct PrepareManifold {
    DeviceBed<T> bed;

    TAMIS_DEVICE void operator()(int i) const
    {
        const int lane = i % device_lanes;
        const ContactBatch<T, device_lanes>& batch = bed.batch[i / device_lanes];
        KernelBody<T> side[2];
        for (int s = 0; s < 2; ++s) {
            load_line(side[s], bed, batch.row[s][lane]);
            load_inertia(side[s], bed, batch.row[s][lane]);
        }
        T* point = bed.point + batch.start + lane;
        batch.compliant ? prepare<true>(side, batch, point) : prepare<false>(side, batch, point);
    }
    template <bool compliant>
    TAMIS_DEVICE static void prepare(const KernelBody<T>* side, const ContactBatch<T, device_lanes>& batch,
                                     T* point)
    {
        batch.rolling
            ? prepare_manifold<true, compliant>(side[0], side[1], batch.points, point, device_lanes)
            : prepare_manifold<false, compliant>(side[0], side[1], batch.points, point, device_lanes);
    }
};

template <class T>
TAMIS_KERNEL void move(T& inside, T& outside, bool out)
{
    if (out)
        outside = inside;
    else
        inside = outside;
}

// Impulses, then moments, of the points in lane i of the bed, to or from a place where nothing lies between
// them: what a host asks for is a fifth of what a device keeps.
template <class T>
struct MoveImpulses {
    DeviceBed<T> bed;
    const long* place; // of each batch: of its first point among all
    T* packed;
    long moments; // where they start
    bool out;     // of the bed

    TAMIS_DEVICE void operator()(int i) const
    {
        using F = PointField;
        const int b = i / device_lanes, lane = i % device_lanes;
        const ContactBatch<T, device_lanes>& batch = bed.batch[b];
        const int fields = F::count(batch.rolling, batch.compliant);
        T* point = bed.point + batch.start + lane;
        T* impulse = packed + 3 * place[b] + lane;
        for (int k = 0; k < batch.points; ++k, point += fields * device_lanes, impulse += 3 * device_lanes)
            for (int c = 0; c < 3; ++c) {
                move(point[(F::impulse + c) * device_lanes], impulse[c * device_lanes], out);
                if (batch.rolling)
                    move(point[(F::moment + c) * device_lanes], impulse[moments + c * device_lanes], out);
            }
    }
};

// Number i of the lines of a few bodies, to or from a place of their own.
template <class T>
struct MoveLines {
    T* line;
    const int* row; // of the few
    T* packed;
    bool out; // of the bed

    TAMIS_DEVICE void operator()(int i) const { move(line[8 * row[i / 8] + i % 8], packed[i], out); }
};

} // namespace tamis
