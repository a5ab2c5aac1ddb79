// Pairs of shapes that may touch: those whose boxes overlap and that are not excluded.
#pragma once

#include <Eigen/Core>
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

    bool operator()(int a, int b) const;
};

// Keeps the candidates of an earlier call while no box has left the wider box it was then given, so that a
// call mostly costs one comparison a box and one a candidate. What it returns does not depend on earlier
// calls.
class Broadphase {
  public:
    explicit Broadphase(PairFilter filter);
    // All pairs a < b with overlapping boxes that pass the filter, in ascending order of (a, b). Shapes keep
    // their number from call to call. Boxes of very different size, infinite ones and empty ones (low > high:
    // takes no part) are allowed; one that is not a number throws Error with the number of its shape.
    const std::vector<std::pair<int, int>>& pairs(std::span<const Bounds> bounds);

  private:
    PairFilter filter_;
    std::vector<std::pair<int, int>> pairs_;
};

} // namespace tamis
