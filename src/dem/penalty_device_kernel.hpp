// What one thread of a device does in a step of a penalty bed, as functors f(i) for i = 0, 1, ..., which a processor
// can run as well, in any order, with the same bits. The laws are those of the other kernels (penalty_overlap.hpp,
// penalty_law.hpp); what a contact does is kept in a row of its own, and each ball gathers its rows in the order in
// which the other kernels add them: first of pairs with balls before it, then behind it, then of walls. Plain data
// only, as CUDA's compiler sees this file.
#pragma once

#include "tamis/dem/penalty_overlap.hpp"

namespace tamis {

// Contacts of each ball: slot[first[ball]] .. slot[first[ball + 1] - 1].
struct SlotsOfBalls {
    const int *first, *slot;
};

struct DeviceSurface {
    PlainSurface plain;
    int part, material; // its wall, and of what it is
};

// Contacts that may be: of pairs or walls.
struct DeviceContacts {
    double* u;              // history, 3 numbers each
    unsigned char* touched; // in this step, 0 or 1
    double* depth;          // overlap, of those that touch
    double* answer; // 16 numbers each: normal, arm of a, tangential, arm of b, n x tangential, 0, rolling, 0
};

// A bed in the memory of a device.
struct PenaltyMemory {
    BallRows rows; // of `force`, rows of 16 numbers, terms of MotionSums
    const int *i, *j;
    int pairs;
    DeviceContacts of_pairs;
    SlotsOfBalls before, behind, at_walls; // pairs whose second, and whose first ball it is; balls at walls
    const int *ball, *surface_of;          // of balls at walls
    DeviceContacts of_walls;
    double* point; // of these: the contact, from the wall's origin
    const DeviceSurface* surface;
    const WallMotion* motion;
    int walls;
    const WallGroup* group;
    const int* first_group; // of each block of balls
    int block_size;
};

template <int n>
TAMIS_KERNEL void copy_row(double (&to)[n], const double* rows, long row)
{
    for (int k = 0; k < n; ++k) to[k] = rows[n * row + k];
}
TAMIS_KERNEL LawOf<double> device_law(const BallRows& rows, int material_a, int material_b)
{
    double row[8];
    copy_row(row, rows.laws, material_a * rows.materials + material_b);
    return LawOf<double>(row);
}
TAMIS_KERNEL void put(const Vec<double>& x, double* to)
{
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
}

// What a contact that touches does; `known`: it has a history.
template <class Kinds>
TAMIS_KERNEL void answer(const DeviceContacts& to, int k, bool known, const LawOf<double>& law,
                         const Overlap<double>& o, const Arms<double>& arms, double h)
{
    double *u = to.u + 3L * k, *row = to.answer + 16L * k;
    Vec<double> history{0, 0, 0};
    if (Kinds::elastic && known) history = {u[0], u[1], u[2]};
    const PenaltyForce<double> f = penalty_force<Kinds>(law, o, h, history);
    if (Kinds::elastic) put(history, u);
    to.depth[k] = o.delta;
    put(o.n * f.normal, row), row[3] = arms.a;
    put(f.tangential, row + 4), row[7] = arms.b;
    put(cross(o.n, f.tangential), row + 8);
    if (Kinds::rolling) put(f.rolling, row + 12);
}

TAMIS_KERNEL void answer(const BallRows& rows, const DeviceContacts& to, int k, bool known,
                         const LawOf<double>& law, const Overlap<double>& o, const Arms<double>& arms)
{
    if (rows.hertz || rows.rolling)
        rows.elastic ? answer<LawKinds<true, true, true>>(to, k, known, law, o, arms, rows.h)
                     : answer<LawKinds<false, true, true>>(to, k, known, law, o, arms, rows.h);
    else
        rows.elastic ? answer<LawKinds<true, false, false>>(to, k, known, law, o, arms, rows.h)
                     : answer<LawKinds<false, false, false>>(to, k, known, law, o, arms, rows.h);
}

// Pair k.
struct PushPair {
    PenaltyMemory bed;

    TAMIS_DEVICE void operator()(int k) const
    {
        const BallRows& rows = bed.rows;
        const int i = bed.i[k], j = bed.j[k];
        double p[4], q[4], a[8], b[8];
        copy_row(p, rows.x, i);
        copy_row(q, rows.x, j);
        const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], reach = p[3] + q[3];
        const bool known = bed.of_pairs.touched[k], touches = reach * reach > x * x + y * y + z * z;
        bed.of_pairs.touched[k] = touches;
        if (!touches) return;
        copy_row(a, rows.v, i);
        copy_row(b, rows.v, j);
        Arms<double> arms;
        const Overlap<double> o = overlap_of_balls(p, a, q, b, arms);
        answer(rows, bed.of_pairs, k, known, device_law(rows, rows.material[i], rows.material[j]), o, arms);
    }
};

// Number k of the balls at walls.
struct PushAtWall {
    PenaltyMemory bed;

    TAMIS_DEVICE void operator()(int k) const
    {
        const BallRows& rows = bed.rows;
        const int ball = bed.ball[k];
        if (ball >= rows.count) return; // fills up the list
        const DeviceSurface& surface = bed.surface[bed.surface_of[k]];
        const WallMotion& wall = bed.motion[surface.part];
        double q[4], b[8];
        copy_row(q, rows.x, ball);
        const Vec<double> from_origin = Vec<double>{q[0], q[1], q[2]} - vec<double>(wall.p);
        const DistanceOf<double> to = distance(surface.plain, wall, from_origin);
        const bool known = bed.of_walls.touched[k], touches = q[3] > to.distance;
        bed.of_walls.touched[k] = touches;
        if (!touches) return;
        copy_row(b, rows.v, ball);
        Vec<double> point;
        const Overlap<double> o = overlap_of_wall(wall, to, from_origin, q, b, point);
        answer(rows, bed.of_walls, k, known, device_law(rows, surface.material, rows.material[ball]), o,
               Arms<double>{0, to.distance});
        put(point, bed.point + 3L * k);
    }
};

// The deepest of some pairs, and how many touch.
struct FindDeepest {
    static constexpr int part_size = 256;
    PenaltyMemory bed;
    DeepestOverlap* found;

    TAMIS_DEVICE void operator()(int part) const
    {
        DeepestOverlap deepest{0, -1, -1, 0};
        for (int k = part * part_size; k < bed.pairs && k < (part + 1) * part_size; ++k) {
            if (!bed.of_pairs.touched[k]) continue;
            ++deepest.contacts;
            if (bed.of_pairs.depth[k] > deepest.delta)
                deepest = {bed.of_pairs.depth[k], bed.i[k], bed.j[k], deepest.contacts};
        }
        found[part] = deepest;
    }
};

// What walls do to the balls of a block.
struct SumWalls {
    PenaltyMemory bed;
    WallPush* push; // by block and wall
    DeepestOverlap* found;

    TAMIS_DEVICE static void add(double* to, const double* force, const double* at)
    {
        for (int c = 0; c < 3; ++c) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            to[c] += force[c];
            to[3 + c] += at[d] * force[e] - at[e] * force[d];
        }
    }
    TAMIS_DEVICE void operator()(int block) const
    {
        WallPush* const on = push + static_cast<long>(block) * bed.walls;
        DeepestOverlap deepest{0, -1, -1, 0};
        for (int w = 0; w < bed.walls; ++w) on[w] = WallPush{};
        for (int n = bed.first_group[block]; n < bed.first_group[block + 1]; ++n) {
            const WallGroup& group = bed.group[n];
            const int part = bed.surface[group.surface].part;
            for (int k = group.first; k < group.first + group.count; ++k) {
                if (!bed.of_walls.touched[k]) continue;
                const double *row = bed.of_walls.answer + 16L * k, *at = bed.point + 3L * k;
                ++deepest.contacts;
                if (bed.of_walls.depth[k] > deepest.delta)
                    deepest = {bed.of_walls.depth[k], bed.ball[k], -1 - part, deepest.contacts};
                add(on[part].normal, row, at);
                add(on[part].tangential, row + 4, at);
                if (bed.rows.rolling)
                    for (int c = 0; c < 3; ++c) on[part].rolling[c] += row[12 + c];
            }
        }
        found[block] = deepest;
    }
};

// Forces on ball i, its motion, and its terms of the sums: normal work and speed, tangential work, push, rolling work.
struct MoveBall {
    PenaltyMemory bed;
    double gravity[3], mean[3];

    TAMIS_DEVICE void gather(double (&f)[16], const SlotsOfBalls& slots, const DeviceContacts& contacts,
                             int i, bool is_b) const
    {
        const double sign = is_b ? 1 : -1;
        for (int n = slots.first[i]; n < slots.first[i + 1]; ++n) {
            const int k = slots.slot[n];
            if (!contacts.touched[k]) continue;
            const double *row = contacts.answer + 16L * k, arm = row[is_b ? 7 : 3];
            for (int c = 0; c < 3; ++c) {
                f[c] += sign * row[c];
                f[4 + c] += sign * row[4 + c];
                f[8 + c] -= arm * row[8 + c];
                if (bed.rows.rolling) f[12 + c] += sign * row[12 + c];
            }
        }
    }
    TAMIS_DEVICE void operator()(int i) const
    {
        double f[16] = {};
        gather(f, bed.before, bed.of_pairs, i, true);
        gather(f, bed.behind, bed.of_pairs, i, false);
        gather(f, bed.at_walls, bed.of_walls, i, true);
        const double h = bed.rows.h;
        double *v = bed.rows.v + 8L * i, *x = bed.rows.x + 4L * i, *term = bed.rows.force + 16L * i;
        double way[3];
        for (int c = 0; c < 3; ++c) {
            const double force = f[c] + f[4 + c];
            const double torque = bed.rows.rolling ? f[8 + c] + f[12 + c] : f[8 + c];
            const double next = v[c] + h * (v[3] * force + gravity[c]);
            const double turn = v[4 + c] + h * (v[7] * torque);
            const double twice = v[c] + next, twice_turn = v[4 + c] + turn;
            term[c] = f[c] * twice;
            term[4 + c] = f[4 + c] * twice + f[8 + c] * twice_turn;
            term[8 + c] = force < 0 ? -force : force;
            term[12 + c] = f[12 + c] * twice_turn;
            way[c] = (next - mean[c]) * (next - mean[c]);
            v[c] = next;
            v[4 + c] = turn;
            x[c] += h * next;
        }
        term[3] = way[0] + way[1] + way[2];
    }
};

// Of the balls of a block.
struct SumMotion {
    PenaltyMemory bed;
    MotionSums* sums;

    TAMIS_DEVICE void operator()(int block) const
    {
        const double half = bed.rows.h / 2;
        double work[3][3] = {}, pushed[3] = {};
        MotionSums sum{};
        const int begin = block * bed.block_size;
        for (int i = begin; i < bed.rows.count && i < begin + bed.block_size; ++i) {
            const double *term = bed.rows.force + 16L * i, *v = bed.rows.v + 8L * i, mass = 1 / v[3];
            for (int c = 0; c < 3; ++c) {
                work[0][c] += term[c];
                work[1][c] += term[4 + c];
                work[2][c] += term[12 + c];
                pushed[c] += term[8 + c];
                sum.momentum[c] += v[c] * mass;
            }
            sum.speed = larger(sum.speed, term[3]);
        }
        for (int n = 0; n < 3; ++n) sum.work[n] = half * (work[n][0] + work[n][1] + work[n][2]);
        sum.pushed = pushed[0] + pushed[1] + pushed[2];
        sums[block] = sum;
    }
};

} // namespace tamis
