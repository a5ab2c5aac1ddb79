// Random sequential addition (B. Widom, J. Chem. Phys. 44, 1966), largest ball first.
//
// Neighbours are found in grids, one for each class of sizes within a factor of two, so that small balls
// between large ones are tested against few others. What is placed does not depend on the grids.
#include "tamis/packing/random_sequential.hpp"

#include "tamis/base/error.hpp"
#include "tamis/packing/random.hpp"
#include "tamis/packing/region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tamis {

namespace {

using Eigen::Vector3d;

// Balls of radii between largest / 2 and largest, in lists by cell.
class Grid {
  public:
    Grid(const Bounds& box, double largest, std::size_t count) : low_(box.low), largest_(largest)
    {
        const Vector3d size = box.high - box.low;
        cell_ = std::max(2 * largest, std::cbrt(size.prod() / static_cast<double>(count)));
        std::size_t cells = 1;
        for (int i = 0; i < 3; ++i) cells *= n_[i] = static_cast<int>(size[i] / cell_) + 1;
        first_.assign(cells, -1);
        balls_.reserve(count);
    }

    double largest() const { return largest_; }

    void add(const Vector3d& x, double r)
    {
        const std::size_t c = index(coordinate(x.x(), 0), coordinate(x.y(), 1), coordinate(x.z(), 2));
        balls_.push_back({x, r, first_[c]});
        first_[c] = static_cast<int>(balls_.size()) - 1;
    }

    bool overlaps(const Vector3d& x, double r) const
    {
        const double reach = r + largest_;
        std::array<int, 3> from, to;
        for (int i = 0; i < 3; ++i)
            from[i] = coordinate(x[i] - reach, i), to[i] = coordinate(x[i] + reach, i);
        for (int k = from[2]; k <= to[2]; ++k)
            for (int j = from[1]; j <= to[1]; ++j)
                for (int i = from[0]; i <= to[0]; ++i)
                    for (int b = first_[index(i, j, k)]; b >= 0; b = balls_[b].next) {
                        const double distance = balls_[b].r + r;
                        if ((balls_[b].x - x).squaredNorm() < distance * distance) return true;
                    }
        return false;
    }

  private:
    struct Ball {
        Vector3d x;
        double r;
        int next; // in its cell
    };
    int coordinate(double x, int i) const
    {
        return static_cast<int>(std::clamp((x - low_[i]) / cell_, 0.0, n_[i] - 1.0));
    }
    std::size_t index(int i, int j, int k) const
    {
        return (static_cast<std::size_t>(k) * n_[1] + j) * n_[0] + i;
    }

    Vector3d low_;
    double largest_, cell_;
    std::array<int, 3> n_;
    std::vector<int> first_;
    std::vector<Ball> balls_;
};

} // namespace

std::vector<Vector3d> random_sequential(const Shape& region, std::span<const double> radii,
                                        const RandomSequential& options)
{
    for (double r : radii) check_lengths({r}, "A ball to place");
    check_lengths({options.gap}, "The gap factor of random sequential addition");
    std::vector<int> order(radii.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return radii[a] > radii[b]; });

    const Bounds box = bounds(region, Pose{});
    const double volume = mass_properties(region).volume;
    Random random(options.seed);
    std::vector<Grid> grids;
    std::vector<Vector3d> centres(radii.size());
    double placed = 0; // volume
    for (std::size_t n = 0; n < order.size(); ++n) {
        const double r = radii[order[n]] * options.gap;
        if (grids.empty() || r < grids.back().largest() / 2) {
            std::size_t count = n;
            while (count < order.size() && radii[order[count]] * options.gap >= r / 2) ++count;
            grids.emplace_back(box, r, count - n);
        }
        const Vector3d low = box.low + Vector3d::Constant(r), size = box.high - Vector3d::Constant(r) - low;
        if (!(size.minCoeff() >= 0))
            fail("Ball {} of radius {} does not fit in its region with a gap factor of {}: enlarge the "
                 "region.",
                 order[n], radii[order[n]], options.gap);
        Vector3d x;
        const auto free = [&] {
            for (int i = 0; i < 3; ++i) x[i] = low[i] + size[i] * random.uniform();
            return holds(region, x, r) && std::none_of(grids.begin(), grids.end(),
                                                       [&](const Grid& grid) { return grid.overlaps(x, r); });
        };
        int attempt = 0;
        while (attempt < options.attempts && !free()) ++attempt;
        if (attempt == options.attempts)
            fail("Random sequential addition stalled at a solid fraction of {:.3f}: {} of {} balls are "
                 "placed, "
                 "{} are left, and {} attempts found no room for one of radius {}; enlarge the region, take "
                 "fewer or smaller balls, or let them fall from a drop_lattice.",
                 placed / volume, n, order.size(), order.size() - n, options.attempts, radii[order[n]]);
        grids.back().add(x, r);
        centres[order[n]] = x;
        placed += 4 * std::numbers::pi / 3 * std::pow(radii[order[n]], 3);
    }
    return centres;
}

} // namespace tamis
