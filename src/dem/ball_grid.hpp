// Pairs of balls that are near each other, by a uniform grid. Cells are numbered with x fastest: the cells that a ball
// looks at ahead of its own are five ranges of balls sorted by cell.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace tamis {

struct alignas(32) BallRow : std::array<double, 4> {}; // centre and radius

class BallGrid {
  public:
    // The numbers of the balls by cell, within a cell as they come. A cell has at least the size of the largest ball
    // and the skin.
    const std::vector<int>& sort(std::span<const BallRow> balls, double skin);
    // use(i, j) for the pairs i < j whose surfaces are nearer than the skin; if the balls are in the order of sort(),
    // ascending. Returns whether they were.
    template <class Use>
    bool pairs(std::span<const BallRow> balls, double skin, const Use& use);

    std::size_t bytes() const
    {
        return sizeof(int) * (cell_.capacity() + first_.capacity() + members_.capacity());
    }

  private:
    int cell(const BallRow& ball) const;

    std::array<double, 3> low_{};
    double inverse_width_ = 1;
    std::array<int, 3> count_{1, 1, 1};
    std::vector<int> cell_, first_, members_;
};

// Each ball against those behind it in its own cell, the next one, and the three rows of three cells at z + 1 and the
// one at y + 1.
template <class Use>
bool BallGrid::pairs(std::span<const BallRow> balls, double skin, const Use& use)
{
    sort(balls, skin);
    bool sorted = true;
    for (int a = 0; a < static_cast<int>(balls.size()); ++a) {
        const int i = members_[a], c = cell_[i];
        const BallRow& p = balls[i];
        sorted = sorted && i == a;
        const auto look = [&](int from, int to) {
            for (int b = from; b < to; ++b) {
                const int j = members_[b];
                const BallRow& q = balls[j];
                const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], reach = p[3] + q[3] + skin;
                if (x * x + y * y + z * z <= reach * reach) i < j ? use(i, j) : use(j, i);
            }
        };
        const int x = c % count_[0], y = c / count_[0] % count_[1], z = c / (count_[0] * count_[1]);
        const int left = std::max(x - 1, 0), right = std::min(x + 1, count_[0] - 1);
        const auto row = [&](int at_y, int at_z) {
            if (at_y < 0 || at_y >= count_[1] || at_z >= count_[2]) return;
            const int base = count_[0] * (at_y + count_[1] * at_z);
            look(first_[base + left], first_[base + right + 1]);
        };
        look(a + 1, first_[c - x + right + 1]);
        row(y + 1, z);
        for (int k = -1; k <= 1; ++k) row(y + k, z + 1);
    }
    return sorted;
}

} // namespace tamis
