// Packing of manifolds into batches, first fit: of up to 64 batches that are open, a manifold joins the first
// that has none of its moving bodies; a full batch is closed. A word of 64 bits per body remembers the open
// batches that it is in.
//
// Source: greedy colouring as in contact solvers of game physics (Tonge et al. 2012), here, but for a device,
// without colours that span the whole bed: the batches of a region run one after the other, so that only the
// lanes of one batch must be independent. Lanes are filled better than by colours, and a batch holds
// neighbours in space.
#include "tamis/contact/colouring.hpp"

#include "tamis/base/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tamis {

namespace {

constexpr int manifolds_per_slab = 400;

bool moves(const RigidBlock& body)
{
    return body.inverse_mass != 0 || !body.inverse_inertia.isZero(0);
}

// Bits 0, 3, 6, ... from the low ten bits of x.
std::uint64_t spread(std::uint64_t x)
{
    x = (x | x << 16) & 0x30000ff;
    x = (x | x << 8) & 0x300f00f;
    x = (x | x << 4) & 0x30c30c3;
    return (x | x << 2) & 0x9249249;
}

} // namespace

void Colouring::arrange(const ContactProblem& problem, int lanes, int threads)
{
    collect(problem, threads);
    order_bodies(problem, most_slabs);
    order_manifolds();
    pack(lanes);
    find_overflow_slabs(problem);
}

void Colouring::arrange_in_colours(const ContactProblem& problem, int lanes)
{
    collect(problem, 1);
    order_bodies(problem, 1);
    order_manifolds();
    pack_colours(lanes);
}

// Runs of contacts of the same pair; `row` holds the rigid blocks until the bodies are
// numbered, -1 for the ground. In parts of a fixed size: the mean arm does not depend on the threads.
void Colouring::collect(const ContactProblem& problem, int threads)
{
    constexpr int part_size = 4096;
    const int count = static_cast<int>(problem.contacts.size()), parts = (count + part_size - 1) / part_size;
    parts_.resize(parts);
    parallel_for(parts, std::min(threads, parts), [&](int first, int last) {
        for (int k = first; k < last; ++k)
            collect(problem, k * part_size, std::min((k + 1) * part_size, count), parts_[k]);
    });
    manifolds.clear();
    overflow.clear();
    work_.assign(problem.rigid.size(), 0);
    row_of_.assign(problem.rigid.size(), -1);
    double sum = 0;
    long arms = 0;
    for (const Part& part : parts_) {
        manifolds.insert(manifolds.end(), part.manifolds.begin(), part.manifolds.end());
        overflow.insert(overflow.end(), part.overflow.begin(), part.overflow.end());
        for (const int b : part.overflow_bodies) ++work_[b];
        sum += part.arm_sum;
        arms += part.arms;
    }
    for (const Manifold& manifold : manifolds)
        for (const int b : manifold.row)
            if (b >= 0) ++work_[b];
    arm_ = arms > 0 ? sum / static_cast<double>(arms) : 0;
}

// The runs that begin between two contacts.
void Colouring::collect(const ContactProblem& problem, int begin, int end_of_part, Part& part)
{
    const auto& contacts = problem.contacts;
    const int count = static_cast<int>(contacts.size()), general = problem.general();
    const auto same_pair = [&](int a, int b) {
        return contacts[a].side[0].block == contacts[b].side[0].block &&
               contacts[a].side[1].block == contacts[b].side[1].block;
    };
    part.manifolds.clear();
    part.overflow.clear();
    part.overflow_bodies.clear();
    part.arm_sum = 0;
    part.arms = 0;
    while (begin > 0 && begin < end_of_part && same_pair(begin - 1, begin)) ++begin;
    for (int first = begin, end; first < end_of_part; first = end) {
        const int block[2] = {contacts[first].side[0].block, contacts[first].side[1].block};
        // (negative for general blocks, too)
        Manifold manifold{{block[0] < 0 ? -1 : block[0] - general, block[1] < 0 ? -1 : block[1] - general},
                          first};
        bool fits = block[0] != block[1], any_moves = false;
        for (const int b : block) {
            if (b < 0) continue;
            fits = fits && problem.is_rigid(b);
            any_moves = any_moves || (problem.is_rigid(b) && moves(problem.rigid[b - general]));
        }
        for (end = first; end < count && same_pair(first, end); ++end) {
            const Contact& contact = contacts[end];
            if (contact.law == Law::contact) {
                ++manifold.points;
                manifold.compliant = manifold.compliant || contact.compliant();
                fits = fits && (contact.friction == 0 || contact.drift.tail<2>().isZero(0));
                for (int s = 0; s < 2; ++s)
                    if (block[s] >= general) part.arm_sum += contact.arm[s].norm(), ++part.arms;
            } else {
                fits = fits && contact.law == Law::rolling && contact.drift.isZero(0) && end > first &&
                       contact.normal == end - 1;
            }
        }
        manifold.count = end - first;
        if (fits && any_moves) {
            part.manifolds.push_back(manifold);
            continue;
        }
        for (int c = first; c < end; ++c) part.overflow.push_back(c);
        for (const int b : manifold.row)
            if (b >= 0) part.overflow_bodies.push_back(b);
    }
}

// Slabs of equal work; in each, cells in Morton's order.
void Colouring::order_bodies(const ContactProblem& problem, int slabs_allowed)
{
    const int bodies = static_cast<int>(problem.rigid.size());
    body.clear();
    for (int b = 0; b < bodies; ++b)
        if (work_[b] > 0 && moves(problem.rigid[b])) body.push_back(b);
    moving = static_cast<int>(body.size());

    // The box of all but the outermost bodies, lest one that flew away decide; of a sample of many, spread
    // by the golden ratio, which follows no row of grains.
    const int sample = std::min(moving, 4096);
    Eigen::Vector3d low = Eigen::Vector3d::Zero(), size = low;
    for (int axis = 0; axis < 3 && moving > 0; ++axis) {
        coordinate_.clear();
        for (int i = 0; i < sample; ++i) {
            const std::uint64_t spot = sample == moving ? i : (i * 2654435769u * std::uint64_t(moving)) >> 32;
            coordinate_.push_back(problem.rigid[body[spot]].centre[axis]);
        }
        const auto begin = coordinate_.begin(), end = coordinate_.end();
        const auto nth = [&](int n) {
            std::nth_element(begin, begin + n, end);
            return *(begin + n);
        };
        low[axis] = nth(sample / 50);
        size[axis] = nth(sample - 1 - sample / 50) - low[axis];
    }
    int axis;
    const double longest = size.maxCoeff(&axis);

    constexpr int bins = 2048;
    const auto place = [&](int b, int k, int cells, double extent) {
        const double x = (problem.rigid[b].centre[k] - low[k]) / extent * cells;
        return x > 0 ? static_cast<int>(std::min(x, cells - 1.0)) : 0; // also if extent is zero
    };
    slabs = std::min(slabs_allowed, static_cast<int>(manifolds.size()) / manifolds_per_slab);
    if (arm_ > 0) slabs = static_cast<int>(std::min<double>(slabs, longest / (4 * arm_)));
    slabs = std::max(slabs, 1);
    bin_.assign(bins, 0);
    long total = 0;
    for (const int b : body) {
        bin_[place(b, axis, bins, longest)] += work_[b];
        total += work_[b];
    }
    long before = 0;
    for (int& bin : bin_) {     // work -> slab
        if (bin == 0) continue; // no body is there
        const long work = bin;
        bin = static_cast<int>((2 * before + work) * slabs / (2 * total));
        before += work;
    }

    keys_.clear();
    for (int i = 0; i < moving; ++i) {
        const int b = body[i];
        std::uint64_t key = bin_[place(b, axis, bins, longest)];
        key <<= 30;
        for (int k = 0; k < 3; ++k) key |= spread(place(b, k, 1024, longest)) << k;
        keys_.push_back(key << 31 | static_cast<std::uint64_t>(b)); // 3 bits of slab, 30 of cell, 31 of index
    }
    // By slab and cell; equal ones stay in the order of their index. Many 11 bits at a time.
    if (moving < 1000) std::sort(keys_.begin(), keys_.end());
    for (int shift = 31; shift < 64 && moving >= 1000; shift += 11) {
        const auto digit = [&](std::uint64_t key) { return key >> shift & 2047; };
        bin_.assign(2049, 0);
        for (const std::uint64_t key : keys_) ++bin_[digit(key) + 1];
        for (int i = 0; i < 2048; ++i) bin_[i + 1] += bin_[i];
        mask_.resize(keys_.size());
        for (const std::uint64_t key : keys_) mask_[bin_[digit(key)]++] = key;
        keys_.swap(mask_);
    }
    slab_.resize(moving);
    for (int i = 0; i < moving; ++i) {
        body[i] = static_cast<int>(keys_[i] & 0x7fffffff);
        slab_[i] = static_cast<int>(keys_[i] >> 61);
    }
    for (int b = 0; b < bodies; ++b)
        if (work_[b] > 0 && !moves(problem.rigid[b])) body.push_back(b);
    for (int i = 0; i < ground(); ++i) row_of_[body[i]] = i;
    for (Manifold& manifold : manifolds)
        for (int& row : manifold.row) row = row < 0 ? ground() : row_of_[row];
}

// By region; in it, those with rolling resistance, then more points, first; then along the curve.
void Colouring::order_manifolds()
{
    constexpr int classes = 16;
    const int count = static_cast<int>(manifolds.size()), regions = 2 * slabs - 1;
    const auto counting_sort = [&](int values, const auto& value) {
        bin_.assign(values + 1, 0);
        for (const int m : order_) ++bin_[value(m) + 1];
        for (int i = 0; i < values; ++i) bin_[i + 1] += bin_[i];
        sorted_.resize(order_.size());
        for (const int m : order_) sorted_[bin_[value(m)]++] = m;
        order_.swap(sorted_);
    };
    const auto region_of = [&](const Manifold& m) {
        const bool both = m.row[0] < moving && m.row[1] < moving;
        const int a = slab_[m.row[0] < moving ? m.row[0] : m.row[1]], b = both ? slab_[m.row[1]] : a;
        return a == b ? a : std::abs(a - b) == 1 ? slabs + std::min(a, b) : regions;
    };

    order_.clear();
    for (int m = 0; m < count; ++m) {
        if (region_of(manifolds[m]) < regions)
            order_.push_back(m);
        else
            put_in_overflow(m);
    }
    counting_sort(ground() + 1, [&](int m) { return std::min(manifolds[m].row[0], manifolds[m].row[1]); });
    counting_sort(regions * classes, [&](int m) {
        const Manifold& manifold = manifolds[m];
        const int half = classes / 2;
        return region_of(manifold) * classes + (manifold.count > manifold.points ? 0 : half) + half -
               std::min(manifold.points, half);
    });
    region_manifold_.assign(regions + 1, static_cast<int>(order_.size()));
    for (int r = 0; r < regions; ++r) region_manifold_[r + 1] = bin_[(r + 1) * classes - 1];
    region_manifold_[0] = 0;
}

std::uint64_t Colouring::taken(int m) const
{
    std::uint64_t slots = 0;
    for (const int row : manifolds[m].row)
        if (row < moving) slots |= mask_[row];
    return slots;
}

void Colouring::take(int m, int slot)
{
    for (const int row : manifolds[m].row)
        if (row < moving) mask_[row] |= std::uint64_t(1) << slot;
}

void Colouring::put_in_overflow(int m)
{
    for (int c = 0; c < manifolds[m].count; ++c) overflow.push_back(manifolds[m].first + c);
}

// All, if it has a prescribed body, which any region may read.
void Colouring::find_overflow_slabs(const ContactProblem& problem)
{
    overflow_slabs_ = 0;
    for (const int c : overflow)
        for (const Contact::Side& side : problem.contacts[c].side) {
            if (side.block < problem.general()) continue;
            const int row = row_of_[side.block - problem.general()];
            overflow_slabs_ |= row < moving ? 1u << slab_[row] : (1u << slabs) - 1;
        }
}

void Colouring::pack(int lanes)
{
    struct Open {
        int filled = 0;
        std::array<int, 16> manifold;
    };
    std::array<Open, 64> open;
    mask_.assign(moving, 0);
    lane.clear();
    region.assign(1, 0);
    const int regions = 2 * slabs - 1;
    for (int r = 0; r < regions; ++r) {
        std::uint64_t used = 0;
        const auto close = [&](int slot) {
            Open& batch = open[slot];
            for (int i = 0; i < lanes; ++i) {
                const int m = i < batch.filled ? batch.manifold[i] : -1;
                lane.push_back(m);
                if (m < 0) continue;
                for (const int row : manifolds[m].row)
                    if (row < moving) mask_[row] &= ~(std::uint64_t(1) << slot);
            }
            used &= ~(std::uint64_t(1) << slot);
            batch.filled = 0;
        };
        for (int i = region_manifold_[r]; i < region_manifold_[r + 1]; ++i) {
            const int m = order_[i];
            const std::uint64_t open_to = ~taken(m), choice = open_to & used ? open_to & used : open_to;
            if (choice == 0) {
                put_in_overflow(m);
                continue;
            }
            const int slot = std::countr_zero(choice);
            used |= std::uint64_t(1) << slot;
            take(m, slot);
            open[slot].manifold[open[slot].filled++] = m;
            if (open[slot].filled == lanes) close(slot);
        }
        while (used) close(std::countr_zero(used));
        region.push_back(static_cast<int>(lane.size()) / lanes);
    }
}

// First fit as above, but no colour is ever full. The order of the manifolds stays: those of a batch have
// about as many points, and the same kind.
void Colouring::pack_colours(int lanes)
{
    mask_.assign(moving, 0);
    bin_.clear(); // manifolds of each colour, then first place
    sorted_.clear();
    for (const int m : order_) {
        const int colour = std::countr_one(taken(m));
        sorted_.push_back(colour);
        if (colour == 64) {
            put_in_overflow(m);
            continue;
        }
        take(m, colour);
        if (colour == static_cast<int>(bin_.size())) bin_.push_back(0);
        ++bin_[colour];
    }
    region.assign(1, 0);
    for (int& bin : bin_) {
        const int count = bin, first = region.back();
        bin = first * lanes;
        region.push_back(first + (count + lanes - 1) / lanes);
    }
    lane.assign(region.back() * lanes, -1);
    for (std::size_t i = 0; i < order_.size(); ++i)
        if (sorted_[i] < 64) lane[bin_[sorted_[i]]++] = order_[i];
}

} // namespace tamis
