// Counting sort by cell.
#include "tamis/dem/ball_grid.hpp"

#include <cmath>
#include <limits>

namespace tamis {

int BallGrid::cell(const BallRow& ball) const
{
    std::array<int, 3> at;
    for (int k = 0; k < 3; ++k)
        at[k] = std::clamp(static_cast<int>((ball[k] - low_[k]) * inverse_width_), 0, count_[k] - 1);
    return at[0] + count_[0] * (at[1] + count_[1] * at[2]);
}

const std::vector<int>& BallGrid::sort(std::span<const BallRow> balls, double skin)
{
    const int n = static_cast<int>(balls.size());
    std::array<double, 3> high;
    low_.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    double largest = 0;
    for (const BallRow& b : balls) {
        for (int k = 0; k < 3; ++k) {
            low_[k] = std::min(low_[k], b[k]);
            high[k] = std::max(high[k], b[k]);
        }
        largest = std::max(largest, b[3]);
    }
    // Where balls are few and far between, wider cells: not many more of them than balls.
    for (double width = 2 * largest + skin;; width *= 1.3) {
        double cells = 1;
        for (int k = 0; k < 3; ++k) cells *= std::floor((high[k] - low_[k]) / width) + 1;
        if (!(cells <= 4.0 * n + 64) && std::isfinite(cells)) continue;
        inverse_width_ = 1 / width;
        break;
    }
    for (int k = 0; k < 3; ++k) count_[k] = static_cast<int>((high[k] - low_[k]) * inverse_width_) + 1;
    first_.clear();
    first_.resize(count_[0] * count_[1] * count_[2] + 2);
    cell_.resize(n);
    for (int i = 0; i < n; ++i) ++first_[2 + (cell_[i] = cell(balls[i]))];
    for (std::size_t c = 2; c < first_.size(); ++c) first_[c] += first_[c - 1];
    members_.resize(n);
    for (int i = 0; i < n; ++i) members_[first_[1 + cell_[i]]++] = i;
    first_.pop_back(); // now those of cell c are from first_[c] to first_[c + 1]
    return members_;
}

} // namespace tamis
