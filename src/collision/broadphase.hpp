// Pairs of shapes that may touch: those whose boxes overlap and that are not excluded.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tamis {

// Axis-aligned box; infinite in any direction for shapes without end.
struct Bounds {
    Eigen::Vector3d low, high;
};

// Which pairs are of interest at all.
struct PairFilter {
    std::vector<int> body;            // of each shape, -1: the ground. Shapes of one body never touch
    std::vector<std::uint32_t> group; // bits of the groups the shape is in; 0: it touches nothing
    std::vector<std::uint32_t> mask;  // bits of the groups it touches
    std::vector<std::pair<int, int>> excluded; // pairs of shapes a < b, sorted

    bool operator()(int a, int b) const
    {
        return body[a] != body[b] && (group[a] & mask[b]) && (group[b] & mask[a]) &&
               (excluded.empty() || !excludes(a, b));
    }
    bool excludes(int a, int b) const;
};

// Keeps the candidates of an earlier call while no box has left the wider box it was then
// given, so that a call mostly costs one comparison per box and one per candidate. What it returns
// does not depend on earlier calls.
class Broadphase {
  public:
    explicit Broadphase(PairFilter filter);
    // All pairs a < b with overlapping boxes that pass the filter, in ascending order of (a, b). Shapes keep
    // their number from call to call. Boxes of very different size, infinite ones and empty ones (low > high:
    // takes no part) are allowed; one that is not a number throws Error with the number of its shape.
    const std::vector<std::pair<int, int>>& pairs(std::span<const Bounds> bounds);

    // Of each of the last pairs, its number among the candidates. Numbers keep their meaning until these are searched
    // again.
    std::span<const int> candidate_numbers() const { return numbers_; }
    long searches() const { return searches_; }
    // Of each candidate, its number before the last search, or -1.
    std::span<const int> earlier_numbers() const { return earlier_; }

  private:
    struct Level {       // boxes whose sizes differ by less than a factor of two, and their grid
        double size = 0; // the largest
        std::uint32_t boxes = 0;
        std::uint32_t first = 0, cells = 0; // its part of cell_start_
        double cells_a_unit = 0;            // in y and z
        // How many cells a box extends beyond that of its low corner, at most.
        std::array<std::int32_t, 3> reach{0, 0, 0};
    };
    struct Item { // a widened box in a grid, in whole units
        std::array<std::int32_t, 3> low, high;
        std::uint32_t row;
        int shape;
    };
    void search(std::span<const Bounds> boxes);
    void set_levels(std::span<const Bounds> boxes);
    void fill_grids();
    void search_level(const Item& a, const Level& level, bool own);
    template <bool own_row>
    void search_row(const Item& a, const Level& level, std::uint32_t row, std::int32_t x_first,
                    std::int32_t x_last);
    void sort_found();
    void find_earlier();

    PairFilter filter_;
    std::vector<std::pair<int, int>> pairs_;
    std::vector<int> numbers_;
    long searches_ = 0;
    std::vector<Bounds> tidy_, wide_;          // boxes with NaN for the empty ones; widened boxes
    std::vector<std::size_t> candidate_start_; // those of shape a: candidate_[candidate_start_[a]] ..
    std::vector<int> candidate_, unsorted_candidate_;
    std::vector<std::size_t> earlier_start_; // as they were before the last search
    std::vector<int> earlier_candidate_, earlier_;
    // Of the search.
    std::vector<double> size_;
    std::vector<int> level_;    // of each shape, or why it has none
    std::vector<int> loose_;    // shapes in no grid
    std::vector<Level> levels_; // from coarse to fine
    std::vector<int> bins_;     // number of boxes, then level, by size
    std::vector<Item> unsorted_, items_;
    std::vector<std::uint32_t> cell_, cell_start_; // those in a cell: items_[cell_start_[cell]] ..
    std::vector<std::pair<int, int>> found_;
    std::size_t found_count_ = 0;
};

} // namespace tamis
