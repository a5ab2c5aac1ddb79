// Overlapping boxes by a hierarchy of uniform grids, one an octave of sizes, searched from fine to coarse:
// M. Teschner et al., Optimized spatial hashing for collision detection of deformable objects (VMV 2003);
// M. Eitz, L. Gu, Hierarchical spatial hashing for real-time collision detection (SMI 2007). Candidates are
// kept in the manner of L. Verlet, Computer experiments on classical fluids (Phys. Rev. 159, 1967).
//
// The cells of a level are as large as its largest box; in x they are finer, since a row of cells is read in
// one go. A box is in the cell of its low corner alone. c(x) = floor(x / cell) does not decrease with x, so
// that with r = max_j c(high_j) - c(low_j) of the level,
//     low_i <= high_j and low_j <= high_i  =>  c(low_i) - r <= c(low_j) <= c(high_i),
// whatever the rounding. Within a level, the box in the earlier row of cells, or of lower x, finds the other.
//
// Departures: rows (y, z) are hashed and cells of a row follow each other, so that the table needs no bounds
// of the scene; the boxes are sorted by cell instead of chained; levels adapt to the sizes there are; levels
// of a few boxes and infinite boxes are compared with all others.
#include "tamis/collision/broadphase.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tamis {

namespace {

// How far a box may move before candidates are searched again, as a part of its size.
constexpr double skin = 0.06;
// Up to so many boxes of a level, comparing with all is cheaper than a grid.
constexpr int few = 8;
// Cells in x a size.
constexpr int fine = 4;
// Boxes above this size count as infinite: their reciprocals and sums stay clear of under- and overflow.
constexpr double huge = 1e300;
constexpr int takes_no_part = -2, in_no_grid = -1;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// (No short cuts: branches that cannot be foretold cost more than comparisons.)
bool ordered(const Bounds& b)
{
    return (b.low[0] <= b.high[0]) & (b.low[1] <= b.high[1]) & (b.low[2] <= b.high[2]);
}

template <class A, class B>
bool overlap(const A& a, const B& b)
{
    return (a.low[0] <= b.high[0]) & (b.low[0] <= a.high[0]) & (a.low[1] <= b.high[1]) &
           (b.low[1] <= a.high[1]) & (a.low[2] <= b.high[2]) & (b.low[2] <= a.high[2]);
}

// Whether a box has left its wider one. One that is empty (NaN) has not.
bool outside(const Bounds& b, const Bounds& wide)
{
    return (b.low[0] < wide.low[0]) | (b.high[0] > wide.high[0]) | (b.low[1] < wide.low[1]) |
           (b.high[1] > wide.high[1]) | (b.low[2] < wide.low[2]) | (b.high[2] > wide.high[2]);
}

// Sizes by eighths of an octave: exponent and leading digits of the number.
constexpr int bins_an_octave = 8;
int bin(double size)
{
    return static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 49);
}
double lower_edge(int bin)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(bin) << 49);
}

// Coordinates of the grids are whole numbers of a unit, counted from far outside the scene: comparing
// them costs least, and truncation rounds down.
constexpr double units_a_size = 512; // of the finest level
constexpr double most_units = 1 << 30;
std::int32_t units(double x, double origin, double units_a_length)
{
    return static_cast<std::int32_t>(
        std::clamp((x - origin) * units_a_length + most_units / 2, 0.0, most_units));
}
std::int32_t cell(std::int32_t x, double cells_a_unit)
{
    return static_cast<std::int32_t>(x * cells_a_unit);
}

// Number of a row of cells.
constexpr std::uint32_t row_of(std::int32_t y, std::int32_t z)
{
    return static_cast<std::uint32_t>(y) * 0x9E3779B1u + static_cast<std::uint32_t>(z) * 0x85EBCA77u;
}
constexpr int most_rows = 8; // each way, that a search may span
static_assert([] {
    for (int y = -most_rows; y <= most_rows; ++y)
        for (int z = -most_rows; z <= most_rows; ++z)
            if ((y || z) && row_of(y, z) == 0) return false;
    return true;
}());

} // namespace

bool PairFilter::excludes(int a, int b) const
{
    // Few shapes are in the list: most pairs lie before its first or after its last.
    const std::pair<int, int> pair = std::minmax(a, b);
    return !excluded.empty() && pair <= excluded.back() && pair >= excluded.front() &&
           std::binary_search(excluded.begin(), excluded.end(), pair);
}

Broadphase::Broadphase(PairFilter filter) : filter_(std::move(filter))
{
    const std::size_t n = filter_.body.size();
    if (filter_.group.size() != n || filter_.mask.size() != n)
        fail("The pair filter has {} bodies, {} groups and {} masks; give one of each a shape.", n,
             filter_.group.size(), filter_.mask.size());
    for (const auto& [a, b] : filter_.excluded)
        if (a >= b || a < 0 || b >= static_cast<int>(n))
            fail("The excluded pair ({}, {}) is not a pair of shapes a < b of the {} there are.", a, b, n);
    if (!std::is_sorted(filter_.excluded.begin(), filter_.excluded.end()))
        fail("The excluded pairs are not in ascending order; sort them.");
}

const std::vector<std::pair<int, int>>& Broadphase::pairs(std::span<const Bounds> bounds)
{
    if (bounds.size() != filter_.body.size())
        fail("There are {} boxes but the pair filter knows {} shapes; give one box a shape.", bounds.size(),
             filter_.body.size());
    bool all_ordered = true;
    for (const Bounds& b : bounds) all_ordered &= ordered(b);
    if (!all_ordered) {
        // Empty boxes become NaN: they neither overlap nor leave.
        tidy_.assign(bounds.begin(), bounds.end());
        for (std::size_t i = 0; i < tidy_.size(); ++i) {
            Bounds& b = tidy_[i];
            if (b.low.hasNaN() || b.high.hasNaN())
                fail("The box of shape {} is not a number; check the position of its body.", i);
            if (!ordered(b)) b.low.fill(not_a_number), b.high.fill(not_a_number);
        }
        bounds = tidy_;
    }

    bool left = wide_.size() != bounds.size();
    for (std::size_t i = 0; i < wide_.size(); ++i) left |= outside(bounds[i], wide_[i]);
    if (left) search(bounds);

    pairs_.resize(candidate_.size());
    numbers_.resize(candidate_.size());
    auto* out = pairs_.data();
    int* number = numbers_.data();
    for (std::size_t a = 0; a < bounds.size(); ++a) {
        const Bounds box = bounds[a];
        for (std::size_t k = candidate_start_[a]; k < candidate_start_[a + 1]; ++k) {
            const int b = candidate_[k];
            *out = {static_cast<int>(a), b};
            *number = static_cast<int>(k);
            const bool overlaps = overlap(box, bounds[b]);
            out += overlaps;
            number += overlaps;
        }
    }
    pairs_.resize(out - pairs_.data());
    numbers_.resize(pairs_.size());
    return pairs_;
}

void Broadphase::search(std::span<const Bounds> boxes)
{
    ++searches_;
    candidate_start_.swap(earlier_start_);
    candidate_.swap(earlier_candidate_);
    set_levels(boxes);
    fill_grids();
    found_count_ = 0;
    std::size_t item = 0;
    for (std::size_t l = 0; l < levels_.size(); ++l)
        for (const std::size_t end = item + levels_[l].boxes; item < end; ++item) {
            search_level(items_[item], levels_[l], true);
            for (std::size_t coarser = 0; coarser < l; ++coarser)
                search_level(items_[item], levels_[coarser], false);
        }
    for (const int a : loose_)
        for (int b = 0; b < static_cast<int>(wide_.size()); ++b) {
            if (level_[b] == takes_no_part || (level_[b] == in_no_grid && b <= a)) continue;
            if (!overlap(wide_[a], wide_[b])) continue;
            if (found_count_ == found_.size()) found_.resize(2 * found_.size() + 64);
            found_[found_count_++] = {a, b};
        }
    sort_found();
    find_earlier();
}

// Widens the boxes and groups them by size.
void Broadphase::set_levels(std::span<const Bounds> boxes)
{
    const std::size_t n = boxes.size();
    size_.resize(n);
    level_.resize(n);
    wide_.resize(n);
    bins_.assign(bin(infinity) + 1, 0);
    int sized = 0;
    double farthest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Eigen::Vector3d d = boxes[i].high - boxes[i].low;
        size_[i] = std::max({d[0], d[1], d[2]});
        if (!(size_[i] < huge)) continue;
        farthest = std::max(
            {farthest, std::abs(boxes[i].low[0]), std::abs(boxes[i].low[1]), std::abs(boxes[i].low[2])});
        if (size_[i] > 0) ++bins_[bin(size_[i])], ++sized;
    }

    // The skin is a part of the box's own size, but not much more or less than that of the median box: a
    // large one would collect many small ones, a point would leave at once.
    int median = 0;
    for (int below = 0; median < bin(huge); ++median)
        if ((below += bins_[median]) * 2 > sized) break;
    double typical = sized ? lower_edge(median) : farthest < huge ? 1e-3 * farthest : 0;
    if (!(typical > 1 / huge)) typical = sized || farthest > 0 ? 1 / huge : 1;
    std::fill(bins_.begin(), bins_.end(), 0);
    loose_.clear();
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(boxes[i].low[0])) { // any box that is not empty leaves this one
            level_[i] = takes_no_part;
            wide_[i].low.fill(infinity);
            wide_[i].high.fill(-infinity);
            continue;
        }
        const double own = size_[i] < huge ? size_[i] : infinity;
        const double s = skin * std::clamp(own, typical / 2, 4 * typical);
        wide_[i].low = boxes[i].low.array() - s;
        wide_[i].high = boxes[i].high.array() + s;
        size_[i] = own + 2 * s;
        level_[i] = in_no_grid;
        if (size_[i] < huge) ++bins_[bin(size_[i])];
    }

    levels_.clear();
    for (int top = bin(huge); top >= 0;) {
        if (!bins_[top]) {
            bins_[top--] = in_no_grid;
            continue;
        }
        const int bottom = std::max(top - bins_an_octave + 1, 0);
        int boxes_here = 0;
        for (int k = bottom; k <= top; ++k) boxes_here += bins_[k];
        const int level = boxes_here > few ? static_cast<int>(levels_.size()) : in_no_grid;
        for (; top >= bottom; --top) bins_[top] = level;
        if (level == in_no_grid) continue;
        levels_.emplace_back().boxes = boxes_here;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (level_[i] == takes_no_part) continue;
        if (size_[i] < huge) level_[i] = bins_[bin(size_[i])];
        if (level_[i] == in_no_grid)
            loose_.push_back(static_cast<int>(i));
        else
            levels_[level_[i]].size = std::max(levels_[level_[i]].size, size_[i]);
    }
}

// Sorts the boxes of all levels by cell.
void Broadphase::fill_grids()
{
    if (levels_.empty()) {
        items_.clear();
        return;
    }
    const double units_a_length = units_a_size / levels_.back().size;
    std::size_t boxes = 0;
    std::uint32_t cells = 0;
    for (Level& level : levels_) {
        level.first = cells;
        level.cells = std::bit_ceil(4 * level.boxes);
        level.cells_a_unit = 1 / (1.01 * level.size * units_a_length);
        cells += level.cells;
        boxes += level.boxes;
    }
    // The middle of the scene: the median of some boxes, which one that has escaped does not move.
    Eigen::Vector3d origin;
    for (int d = 0; d < 3; ++d) {
        std::array<double, 32> sample{};
        std::size_t samples = 0;
        for (std::size_t i = 0; i < wide_.size(); i += 1 + wide_.size() / sample.size())
            if (level_[i] >= 0) sample[samples++] = wide_[i].low[d];
        std::nth_element(sample.begin(), sample.begin() + samples / 2, sample.begin() + samples);
        origin[d] = std::clamp(sample[samples / 2], -huge, huge);
    }
    cell_start_.assign(cells + 1, 0);
    unsorted_.resize(boxes);
    items_.resize(boxes);
    cell_.resize(boxes);
    std::size_t k = 0;
    for (std::size_t i = 0; i < wide_.size(); ++i) {
        if (level_[i] < 0) continue;
        Level& level = levels_[level_[i]];
        Item& item = unsorted_[k];
        std::int32_t low[3];
        for (int d = 0; d < 3; ++d) {
            item.low[d] = units(wide_[i].low[d], origin[d], units_a_length);
            item.high[d] = units(wide_[i].high[d], origin[d], units_a_length);
            const double cells_a_unit = d ? level.cells_a_unit : fine * level.cells_a_unit;
            low[d] = cell(item.low[d], cells_a_unit);
            level.reach[d] = std::max(level.reach[d], cell(item.high[d], cells_a_unit) - low[d]);
        }
        item.row = row_of(low[1], low[2]);
        item.shape = static_cast<int>(i);
        cell_[k] = level.first + ((low[0] + item.row) & (level.cells - 1));
        ++cell_start_[cell_[k++]];
    }
    // Ends first; each box placed, from the last one on, moves the start of its cell down.
    std::uint32_t sum = 0;
    for (std::uint32_t& start : cell_start_) start = sum += start;
    while (k-- > 0) items_[--cell_start_[cell_[k]]] = unsorted_[k];
}

// Of two boxes of a level, the one in the earlier row finds the other; in one row, the one of lower x.
void Broadphase::search_level(const Item& a, const Level& level, bool own)
{
    const double cells_a_unit = level.cells_a_unit;
    const std::int32_t x = cell(a.low[0], fine * cells_a_unit), x_last = cell(a.high[0], fine * cells_a_unit);
    const std::int32_t y = cell(a.low[1], cells_a_unit), y_last = cell(a.high[1], cells_a_unit);
    const std::int32_t z = cell(a.low[2], cells_a_unit), z_last = cell(a.high[2], cells_a_unit);
    std::int32_t z_first = z - level.reach[2];
    if (own) {
        search_row<true>(a, level, a.row, x, x_last);
        for (std::int32_t v = y + 1; v <= y_last; ++v)
            search_row<false>(a, level, row_of(v, z), x - level.reach[0], x_last);
        z_first = z + 1;
    }
    for (std::int32_t w = z_first; w <= z_last; ++w)
        for (std::int32_t v = y - level.reach[1]; v <= y_last; ++v)
            search_row<false>(a, level, row_of(v, w), x - level.reach[0], x_last);
}

template <bool own_row>
void Broadphase::search_row(const Item& a, const Level& level, std::uint32_t row, std::int32_t x_first,
                            std::int32_t x_last)
{
    const std::uint32_t* start = cell_start_.data() + level.first;
    // Other rows share these cells; a row is told by its number, which no other row of the search has.
    auto scan = [&](std::uint32_t first, std::uint32_t end) {
        if (found_.size() - found_count_ < end - first) found_.resize(2 * found_.size() + (end - first) + 64);
        auto* out = found_.data() + found_count_;
        for (const Item *b = items_.data() + first, *b_end = items_.data() + end; b != b_end; ++b) {
            *out = {a.shape, b->shape};
            // Negative where the boxes are apart or b is the one to find a.
            const std::int32_t left =
                own_row ? b->low[0] - a.low[0] - (b->shape <= a.shape) : b->high[0] - a.low[0];
            const std::int32_t apart = left | (a.high[0] - b->low[0]) | (b->high[1] - a.low[1]) |
                                       (a.high[1] - b->low[1]) | (b->high[2] - a.low[2]) |
                                       (a.high[2] - b->low[2]);
            out += (apart >= 0) & (b->row == row);
        }
        found_count_ = out - found_.data();
    };
    const std::uint32_t begin = (x_first + row) & (level.cells - 1);
    const std::uint32_t end = begin + std::min<std::uint32_t>(x_last - x_first + 1, level.cells);
    scan(start[begin], start[std::min(end, level.cells)]);
    if (end > level.cells) scan(start[0], start[end - level.cells]);
}

// Candidates in ascending order: by counting for a, by rank or comparison for the b of each a.
void Broadphase::sort_found()
{
    candidate_start_.assign(wide_.size() + 1, 0);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < found_count_; ++k) {
        const auto [i, j] = found_[k];
        const int a = std::min(i, j), b = std::max(i, j);
        if (!filter_(a, b)) continue;
        found_[kept++] = {a, b};
        ++candidate_start_[a];
    }
    std::size_t sum = 0;
    for (std::size_t& start : candidate_start_) start = sum += start;
    candidate_.resize(kept);
    unsorted_candidate_.resize(kept);
    for (std::size_t k = kept; k-- > 0;)
        unsorted_candidate_[--candidate_start_[found_[k].first]] = found_[k].second;
    for (std::size_t a = 0; a < wide_.size(); ++a) {
        const int* begin = unsorted_candidate_.data() + candidate_start_[a];
        const int* end = unsorted_candidate_.data() + candidate_start_[a + 1];
        int* out = candidate_.data() + candidate_start_[a];
        if (end - begin > 16) {
            std::copy(begin, end, out);
            if (!std::is_sorted(begin, end)) std::sort(out, out + (end - begin));
            continue;
        }
        for (const int* b = begin; b != end; ++b) {
            int rank = 0;
            for (const int* other = begin; other != end; ++other) rank += *other < *b;
            out[rank] = *b;
        }
    }
}

// Both lists are in ascending order.
void Broadphase::find_earlier()
{
    earlier_.assign(candidate_.size(), -1);
    if (earlier_start_.size() != candidate_start_.size()) return; // the first search
    for (std::size_t a = 0; a < wide_.size(); ++a) {
        std::size_t before = earlier_start_[a];
        for (std::size_t k = candidate_start_[a]; k < candidate_start_[a + 1]; ++k) {
            while (before < earlier_start_[a + 1] && earlier_candidate_[before] < candidate_[k]) ++before;
            if (before < earlier_start_[a + 1] && earlier_candidate_[before] == candidate_[k])
                earlier_[k] = static_cast<int>(before);
        }
    }
}

} // namespace tamis
