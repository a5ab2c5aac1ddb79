// Counting sort by cell, then each ball against those behind it in its own cell, the next one, and the three rows of
// three cells at z + 1 and the one at y + 1.
#include "tamis/dem/ball_grid.hpp"

#include <algorithm>
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

const std::vector<int>& BallGrid::sort(const std::vector<BallRow>& balls, double skin)
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
    first_.assign(count_[0] * count_[1] * count_[2] + 2, 0);
    cell_.resize(n);
    for (int i = 0; i < n; ++i) ++first_[2 + (cell_[i] = cell(balls[i]))];
    for (std::size_t c = 2; c < first_.size(); ++c) first_[c] += first_[c - 1];
    members_.resize(n);
    for (int i = 0; i < n; ++i) members_[first_[1 + cell_[i]]++] = i;
    first_.pop_back(); // now those of cell c are from first_[c] to first_[c + 1]
    return members_;
}

void BallGrid::pairs(const std::vector<BallRow>& balls, double skin, std::vector<int>& start,
                     std::vector<int>& near)
{
    sort(balls, skin);
    const int n = static_cast<int>(balls.size());
    found_.clear();
    start.assign(n + 1, 0);
    bool sorted = true;
    for (int a = 0; a < n; ++a) {
        const int i = members_[a], c = cell_[i];
        const BallRow& p = balls[i];
        sorted = sorted && i == a;
        const auto look = [&](int from, int to) {
            for (int b = from; b < to; ++b) {
                const BallRow& q = balls[members_[b]];
                const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], reach = p[3] + q[3] + skin;
                if (x * x + y * y + z * z > reach * reach) continue;
                const auto [one, other] = std::minmax({i, members_[b]});
                found_.emplace_back(one, other);
                ++start[one + 1];
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
    for (int i = 0; i < n; ++i) start[i + 1] += start[i];
    near.resize(found_.size());
    fill_.assign(start.begin(), start.end() - 1);
    for (const auto& [i, j] : found_) near[fill_[i]++] = j;
    if (!sorted)
        for (int i = 0; i < n; ++i) std::sort(near.begin() + start[i], near.begin() + start[i + 1]);
}

} // namespace tamis
