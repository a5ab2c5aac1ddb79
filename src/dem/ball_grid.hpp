// Pairs of balls that are near each other, by a uniform grid. Cells are numbered with x fastest: the cells that a ball
// looks at ahead of its own are five ranges of balls sorted by cell.
#pragma once

#include <array>
#include <utility>
#include <vector>

namespace tamis {

using BallRow = std::array<double, 4>; // centre and radius

class BallGrid {
  public:
    // The numbers of the balls by cell, within a cell as they come. A cell has at least the size of the largest ball
    // and the skin.
    const std::vector<int>& sort(const std::vector<BallRow>& balls, double skin);
    // The balls j > i of each i whose surfaces are nearer than the skin, ascending; those of i are from start[i] to
    // start[i + 1]. Cheapest where the balls are in the order of sort().
    void pairs(const std::vector<BallRow>& balls, double skin, std::vector<int>& start,
               std::vector<int>& near);

  private:
    int cell(const BallRow& ball) const;

    std::array<double, 3> low_{};
    double inverse_width_ = 1;
    std::array<int, 3> count_{1, 1, 1};
    std::vector<int> cell_, first_, members_, fill_;
    std::vector<std::pair<int, int>> found_;
};

} // namespace tamis
