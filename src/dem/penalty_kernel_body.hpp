// Forces and motion of balls for one instruction set; see simd.hpp for what the including file names.
//
// Pairs are looked at in packs; those that touch are written into a list without gaps, which is then computed in packs.
// What a pack finds is added to the rows of its balls one contact after the other, so that sums do not depend on the
// width of the registers.
#pragma once

#include "tamis/dem/penalty_overlap.hpp"
#include "tamis/dem/simd_rows.hpp"

namespace tamis::TAMIS_SIMD {

TAMIS_KERNEL LawOf<R> laws_of(const BallRows& rows, const int* law)
{
    R line[8];
    gather_rows(line, rows.laws, law);
    return LawOf<R>(line);
}
TAMIS_KERNEL LawOf<R> law_of(const BallRows& rows, int law)
{
    R line[8];
    for (int k = 0; k < 8; ++k) line[k] = R(rows.laws[8 * law + k]);
    return LawOf<R>(line);
}

// What contacts do, a row a lane: normal, arm of a, tangential, arm of b; n x tangential, 0, rolling, 0.
struct Answers {
    alignas(64) double force[8 * N], turn[8 * N];
};
template <class Kinds>
TAMIS_KERNEL void answer(const Overlap<R>& o, const PenaltyForce<R>& f, const R& arm_a, const R& arm_b,
                         Answers& out)
{
    const R zero(0);
    const Vec<R> normal = o.n * f.normal, turning = cross(o.n, f.tangential);
    scatter_lines({normal.x, normal.y, normal.z, arm_a}, out.force);
    scatter_lines({f.tangential.x, f.tangential.y, f.tangential.z, arm_b}, out.force + 4);
    scatter_lines({turning.x, turning.y, turning.z, zero}, out.turn);
    if constexpr (Kinds::rolling) scatter_lines({f.rolling.x, f.rolling.y, f.rolling.z, zero}, out.turn + 4);
}

// b is pushed, a the other way; the torque -arm n x f_T is the same for both.
template <class Kinds>
TAMIS_KERNEL void push(double* to, const Answers& answers, int l, bool is_b)
{
    Row* row = reinterpret_cast<Row*>(to);
    const Row* force = reinterpret_cast<const Row*>(answers.force + 8 * l);
    const Row* turn = reinterpret_cast<const Row*>(answers.turn + 8 * l);
    const double arm = answers.force[8 * l + (is_b ? 7 : 3)];
    if (is_b) {
        row[0] += force[0];
        row[1] += force[1];
    } else {
        row[0] -= force[0];
        row[1] -= force[1];
    }
    row[2] -= arm * turn[0];
    if constexpr (Kinds::rolling) {
        if (is_b)
            row[3] += turn[1];
        else
            row[3] -= turn[1];
    }
}

// ---------------------------------------------------------------------------------------------------------
// Pairs of balls

// Of each byte, the places of its bits, and their number.
typedef int Ints __attribute__((vector_size(32)));
struct BitPlaces {
    alignas(32) int place[256][8];
    unsigned char count[256];
};
static constexpr BitPlaces bit_places = [] {
    BitPlaces out{};
    for (int byte = 0; byte < 256; ++byte)
        for (int l = 0; l < 8; ++l)
            if (byte >> l & 1) out.place[byte][out.count[byte]++] = l;
    return out;
}();

// Appends the places of the bits, from `first` on; writes eight numbers.
TAMIS_KERNEL int append(int bits, int first, int* list, int count)
{
    typedef Ints LooseInts __attribute__((aligned(4), may_alias));
    *reinterpret_cast<LooseInts*>(list + count) =
        *reinterpret_cast<const LooseInts*>(bit_places.place[bits]) + first;
    return count + bit_places.count[bits];
}

// Bits of eight pairs whose surfaces are nearer than the margin.
template <bool uniform>
TAMIS_KERNEL int near_bits(const BallRows& rows, const int* i, const int* j, const R& reach_uniform,
                           const R& margin)
{
    int bits = 0;
    for (int k = 0; k < 8; k += N) {
        R way[4];
        R reach;
        if constexpr (uniform) {
            gather_lines(way, [&]<class V>(int l, int c) {
                return loose<V>(rows.x + 4L * j[k + l] + c) - loose<V>(rows.x + 4L * i[k + l] + c);
            });
            reach = reach_uniform;
        } else {
            R p[4], q[4];
            gather_lines(p, [&]<class V>(int l, int c) { return loose<V>(rows.x + 4L * i[k + l] + c); });
            gather_lines(q, [&]<class V>(int l, int c) { return loose<V>(rows.x + 4L * j[k + l] + c); });
            for (int d = 0; d < 3; ++d) way[d] = q[d] - p[d];
            reach = p[3] + q[3] + margin;
        }
        bits |= greater_bits(reach * reach, way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) << k;
    }
    return bits;
}

template <bool uniform>
static int near_pairs(const BallRows& rows, const int* i, const int* j, int count, double margin, int* found)
{
    const R extra(margin), reach = R(rows.x[3]) + R(rows.x[3]) + extra;
    int n = 0;
    for (int k = 0; k < count; k += 8) {
        n = append(near_bits<uniform>(rows, i + k, j + k, reach, extra), k, found, n);
    }
    return n;
}

static int near(const BallRows& rows, const int* i, const int* j, int count, double margin, int* found)
{
    return rows.uniform ? near_pairs<true>(rows, i, j, count, margin, found)
                        : near_pairs<false>(rows, i, j, count, margin, found);
}

// What is the same for all contacts of equal balls; taken once, since the compiler cannot know that forces do not
// change it.
struct Equal {
    R radius, inverse_mass, inverse_inertia; // of the pair
    LawOf<R> law;
    explicit Equal(const BallRows& rows)
        : radius(rows.x[3]), inverse_mass(rows.v[3] + rows.v[3]), inverse_inertia(rows.v[7] + rows.v[7]),
          law(law_of(rows, rows.material[0] * (rows.materials + 1)))
    {
    }
};

// Differences and sums of rows before they are turned into packs.
TAMIS_KERNEL Overlap<R> overlap_of_equal_balls(const BallRows& rows, const Equal& equal, const int* i,
                                               const int* j, Arms<R>& arms)
{
    const R zero(0), one(1), half(0.5);
    R x[4], v[4], w[4];
    gather_lines(x, [&]<class V>(int l, int c) {
        return loose<V>(rows.x + 4L * j[l] + c) - loose<V>(rows.x + 4L * i[l] + c);
    });
    gather_lines(v, [&]<class V>(int l, int c) {
        return loose<V>(rows.v + 8L * j[l] + c) - loose<V>(rows.v + 8L * i[l] + c);
    });
    gather_lines(w, [&]<class V>(int l, int c) {
        return loose<V>(rows.v + 8L * j[l] + 4 + c) + loose<V>(rows.v + 8L * i[l] + 4 + c);
    });
    const Vec<R> way{x[0], x[1], x[2]};
    const R d = root(dot(way, way));
    Overlap<R> o;
    o.n = if_greater(d, zero, way * (one / d), Vec<R>{one, zero, zero});
    o.delta = equal.radius + equal.radius - d;
    arms.a = arms.b = equal.radius - o.delta * half;
    o.u = Vec<R>{v[0], v[1], v[2]} - cross(Vec<R>{w[0], w[1], w[2]} * arms.a, o.n);
    o.w = {zero, zero, zero}; // not asked for, nor is the radius
    o.inverse_mass = equal.inverse_mass;
    o.inverse_inertia = equal.inverse_inertia;
    o.inverse_mass_T = equal.inverse_mass + arms.a * arms.a * equal.inverse_inertia;
    o.radius = zero;
    return o;
}

// A pack of pairs that touch; returns overlaps.
template <class Kinds, bool uniform>
TAMIS_KERNEL R push_pack(const BallRows& rows, const Equal& equal, const PairSlots& slots, const int* slot,
                         const int* i, const int* j, Answers& answers)
{
    Arms<R> arms;
    Vec<R> u;
    if constexpr (Kinds::elastic) load_history(u, slots.u, slot);
    const auto respond = [&](const LawOf<R>& law, const Overlap<R>& o) __attribute__((always_inline))
    {
        const PenaltyForce<R> f = penalty_force<Kinds>(law, o, R(rows.h), u);
        if constexpr (Kinds::elastic) store_history(u, slots.u, slot);
        answer<Kinds>(o, f, arms.a, arms.b, answers);
        return o.delta;
    };
    if constexpr (uniform) {
        return respond(equal.law, overlap_of_equal_balls(rows, equal, i, j, arms));
    } else {
        R p[4], q[4], a[8], b[8];
        gather_lines(p, [&]<class V>(int l, int c) { return loose<V>(rows.x + 4L * i[l] + c); });
        gather_lines(q, [&]<class V>(int l, int c) { return loose<V>(rows.x + 4L * j[l] + c); });
        gather_rows(a, rows.v, i);
        gather_rows(b, rows.v, j);
        int law[N];
        for (int l = 0; l < N; ++l) law[l] = rows.material[i[l]] * rows.materials + rows.material[j[l]];
        return respond(laws_of(rows, law), overlap_of_balls(p, a, q, b, arms));
    }
}

template <class Kinds, bool uniform>
static int push_pairs(const BallRows& rows, const PairSlots& slots, int apart, double* reaction,
                      int* reaction_on, DeepestOverlap& deepest)
{
    constexpr int chunk = 1024, force_row = Kinds::rolling ? 16 : 12;
    int found[chunk + 8 + N], exported = 0;
    const R none(0), reach = R(rows.x[3]) + R(rows.x[3]);
    const Equal equal(rows);
    Answers answers;
    for (int from = 0; from < slots.count; from += chunk) {
        const int to = from + chunk < slots.count ? from + chunk : slots.count;
        int n = 0;
        for (int k = from; k < to; k += 8) {
            const int bits = near_bits<uniform>(rows, slots.i + k, slots.j + k, reach, none);
            if constexpr (Kinds::elastic) {
                unsigned char& before = slots.touched[k / 8];
                for (int fresh = bits & ~before; fresh; fresh &= fresh - 1) // new contacts have no history
                    for (int c = 0; c < 3; ++c) slots.u[3L * (k + __builtin_ctz(fresh)) + c] = 0;
                before = static_cast<unsigned char>(bits);
            }
            n = append(bits, k, found, n);
        }
        deepest.contacts += n;
        for (int l = 0; l < N; ++l) found[n + l] = slots.count - 1; // fills up the last pack
        for (int m = 0; m < n; m += N) {
            int i[N], j[N];
            for (int l = 0; l < N; ++l) {
                i[l] = slots.i[found[m + l]];
                j[l] = slots.j[found[m + l]];
            }
            const R delta = push_pack<Kinds, uniform>(rows, equal, slots, found + m, i, j, answers);
            if (greater_bits(delta, R(deepest.delta))) {
                alignas(64) double depth[N];
                store(delta, depth);
                for (int l = 0; l < N; ++l)
                    if (depth[l] > deepest.delta) deepest = {depth[l], i[l], j[l], deepest.contacts};
            }
            for (int l = 0; l < N; ++l) {
                double* to_i = rows.force + static_cast<long>(force_row) * i[l];
                if (found[m + l] < apart) {
                    to_i = reaction + static_cast<long>(force_row) * exported;
                    for (int c = 0; c < force_row; ++c) to_i[c] = 0;
                    reaction_on[exported++] = i[l];
                }
                push<Kinds>(to_i, answers, l, false);
                push<Kinds>(rows.force + static_cast<long>(force_row) * j[l], answers, l, true);
            }
        }
    }
    return exported;
}

// ---------------------------------------------------------------------------------------------------------
// Walls

// Balls near one surface of a wall, which is a, flat as seen from the ball.
template <class Kinds>
static void push_wall(const BallRows& rows, const PlainSurface& surface, const WallMotion& wall, int material,
                      int part, const WallSlots& slots, WallPush& sums, DeepestOverlap& deepest)
{
    constexpr int force_row = Kinds::rolling ? 16 : 12;
    const R zero(0);
    const Vec<R> origin = vec<R>(wall.p);
    Answers answers;
    for (int k = 0; k < slots.count; k += N) {
        const int* ball = slots.ball + k;
        R q[4];
        gather_lines(q, [&]<class V>(int l, int c) { return loose<V>(rows.x + 4L * ball[l] + c); });
        const Vec<R> from_origin = Vec<R>{q[0], q[1], q[2]} - origin;
        const DistanceOf<R> to = distance(surface, wall, from_origin);
        const int bits = greater_bits(q[3], to.distance);
        if constexpr (Kinds::elastic) {
            unsigned char& touched = slots.touched[k / 8];
            const int shift = k % 8;
            for (int fresh = bits & ~(touched >> shift); fresh; fresh &= fresh - 1)
                for (int c = 0; c < 3; ++c) slots.u[3L * (k + __builtin_ctz(fresh)) + c] = 0;
            touched = static_cast<unsigned char>((touched & ~(((1 << N) - 1) << shift)) | bits << shift);
        }
        if (!bits) continue;
        R b[8];
        gather_rows(b, rows.v, ball);
        int law[N], slot[N];
        for (int l = 0; l < N; ++l) {
            law[l] = material * rows.materials + rows.material[ball[l]];
            slot[l] = k + l;
        }
        Vec<R> point;
        const Overlap<R> o = overlap_of_wall(wall, to, from_origin, q, b, point);
        Vec<R> u;
        if constexpr (Kinds::elastic) load_history(u, slots.u, slot);
        const PenaltyForce<R> f = penalty_force<Kinds>(laws_of(rows, law), o, R(rows.h), u);
        if constexpr (Kinds::elastic) store_history(u, slots.u, slot);
        answer<Kinds>(o, f, zero, to.distance, answers);
        alignas(64) double depth[N], at[3][N];
        store(o.delta, depth);
        store(point.x, at[0]);
        store(point.y, at[1]);
        store(point.z, at[2]);
        for (int l = 0; l < N; ++l) {
            if (!(bits >> l & 1)) continue;
            ++deepest.contacts;
            if (depth[l] > deepest.delta) deepest = {depth[l], ball[l], -1 - part, deepest.contacts};
            push<Kinds>(rows.force + static_cast<long>(force_row) * ball[l], answers, l, true);
            const double* force = answers.force + 8 * l;
            const auto add = [&](double* to_sum, const double* g) {
                const double r[3] = {at[0][l], at[1][l], at[2][l]};
                for (int c = 0; c < 3; ++c) {
                    const int d = (c + 1) % 3, e = (c + 2) % 3;
                    to_sum[c] += g[c];
                    to_sum[3 + c] += r[d] * g[e] - r[e] * g[d];
                }
            };
            add(sums.normal, force);
            add(sums.tangential, force + 4);
            if constexpr (Kinds::rolling)
                for (int c = 0; c < 3; ++c) sums.rolling[c] += answers.turn[8 * l + 4 + c];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Motion

template <bool rolling, bool uniform>
static void move_balls(const BallRows& rows, int begin, int end, const double* gravity, const double* mean,
                       MotionSums& sums)
{
    constexpr int force_row = rolling ? 16 : 12;
    typedef long long Mask __attribute__((vector_size(32)));
    const Mask vector{-1, -1, -1, 0};
    const double h = rows.h;
    const Row g{gravity[0], gravity[1], gravity[2], 0}, c{mean[0], mean[1], mean[2], 0}, zero{};
    Row normal{}, tangential{}, rolled{}, momentum{}, pushed{}, speed{};
    const double mass = 1 / rows.v[3];
    for (int i = begin; i < end; ++i) {
        Row* f = reinterpret_cast<Row*>(rows.force + static_cast<long>(force_row) * i);
        Row* v = reinterpret_cast<Row*>(rows.v + 8L * i);
        Row* x = reinterpret_cast<Row*>(rows.x + 4L * i);
        const Row before = v[0], turn_before = v[1], force = f[0] + f[1];
        Row torque = f[2];
        if constexpr (rolling) torque += f[3];
        const Row next = before + (vector ? h * (before[3] * force + g) : zero);
        const Row turn = turn_before + (vector ? h * (turn_before[3] * torque) : zero);
        const Row twice = before + next, twice_turn = turn_before + turn;
        normal += f[0] * twice;
        tangential += f[1] * twice + f[2] * twice_turn;
        if constexpr (rolling) rolled += f[3] * twice_turn;
        pushed += force < zero ? -force : force;
        momentum += uniform ? next : next * (1 / before[3]);
        Row way = vector ? next - c : zero;
        way *= way;
        way += Row{way[1], way[0], way[3], way[2]};
        way += Row{way[2], way[3], way[0], way[1]};
        speed = way > speed ? way : speed;
        v[0] = next;
        v[1] = turn;
        x[0] += vector ? h * next : zero;
        for (int k = 0; k < force_row / 4; ++k) f[k] = zero;
    }
    if (uniform) momentum *= mass;
    const auto sum = [](const Row& r) { return r[0] + r[1] + r[2]; };
    sums.work[0] = h / 2 * sum(normal);
    sums.work[1] = h / 2 * sum(tangential);
    sums.work[2] = h / 2 * sum(rolled);
    for (int k = 0; k < 3; ++k) sums.momentum[k] = momentum[k];
    sums.pushed = sum(pushed);
    sums.speed = speed[0];
}

// ---------------------------------------------------------------------------------------------------------
// The variant for the laws that occur.
template <class Use>
static auto by_laws(const BallRows& rows, const Use& use)
{
    if (rows.hertz || rows.rolling) // all that may be; rare
        return rows.elastic ? use.template operator()<LawKinds<true, true, true>, false>()
                            : use.template operator()<LawKinds<false, true, true>, false>();
    if (!rows.uniform)
        return rows.elastic ? use.template operator()<LawKinds<true, false, false>, false>()
                            : use.template operator()<LawKinds<false, false, false>, false>();
    return rows.elastic ? use.template operator()<LawKinds<true, false, false>, true>()
                        : use.template operator()<LawKinds<false, false, false>, true>();
}

static int pairs(const BallRows& rows, const PairSlots& slots, int apart, double* reaction, int* reaction_on,
                 DeepestOverlap& deepest)
{
    return by_laws(rows, [&]<class Kinds, bool uniform>() {
        return push_pairs<Kinds, uniform>(rows, slots, apart, reaction, reaction_on, deepest);
    });
}

static void wall(const BallRows& rows, const PlainSurface& surface, const WallMotion& motion, int material,
                 int part, const WallSlots& slots, WallPush& push, DeepestOverlap& deepest)
{
    by_laws(rows, [&]<class Kinds, bool>() {
        push_wall<Kinds>(rows, surface, motion, material, part, slots, push, deepest);
    });
}

static void move(const BallRows& rows, int begin, int end, const double* gravity, const double* mean,
                 MotionSums& sums)
{
    if (rows.force_row == 16)
        move_balls<true, false>(rows, begin, end, gravity, mean, sums);
    else
        rows.uniform ? move_balls<false, true>(rows, begin, end, gravity, mean, sums)
                     : move_balls<false, false>(rows, begin, end, gravity, mean, sums);
}

} // namespace tamis::TAMIS_SIMD

#define TAMIS_PENALTY_KERNELS(isa)                                                                           \
    extern const tamis::PenaltyKernels tamis::penalty_kernels_##isa                                          \
    {                                                                                                        \
#isa, tamis::TAMIS_SIMD::near, tamis::TAMIS_SIMD::pairs, tamis::TAMIS_SIMD::wall,                    \
            tamis::TAMIS_SIMD::move                                                                          \
    }
