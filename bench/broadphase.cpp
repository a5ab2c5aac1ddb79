// Cost of the broad phase, one core: ./tamis bench broadphase
//
// Grains of a dense packing, numbered at random. A search starts from nothing, as after motion by more than
// the skin; the other calls follow motion by a hundredth of a size and keep the candidates.
#include "tamis/collision/broadphase.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <random>

using namespace tamis;

namespace {

std::mt19937 engine;
double uniform(double low, double high)
{
    return std::uniform_real_distribution<>(low, high)(engine);
}

PairFilter all_pairs(std::size_t n)
{
    PairFilter filter{std::vector<int>(n), std::vector(n, 1u), std::vector(n, 1u), {}};
    std::iota(filter.body.begin(), filter.body.end(), 0);
    return filter;
}

// Boxes, 2 % larger than the grains, of n spheres with diameters from 1 to `ratio`, the same volume in each
// interval of the logarithm: thrown into a cube of which they fill 62 %, then pushed apart.
std::vector<Bounds> packing(int n, double ratio)
{
    std::vector<double> diameter(n);
    double volume = 0;
    for (double& d : diameter) {
        d = std::pow(uniform(std::pow(ratio, -3), 1), -1.0 / 3); // p(d) ~ d^-4
        volume += d * d * d * std::numbers::pi / 6;
    }
    const double edge = std::cbrt(volume / 0.62);
    std::vector<Eigen::Vector3d> x(n);
    for (auto& c : x) c = {uniform(0, edge), uniform(0, edge), uniform(0, edge)};
    std::vector<Bounds> boxes(n);
    auto set_boxes = [&](double scale) {
        for (int i = 0; i < n; ++i)
            boxes[i] = {x[i].array() - scale * diameter[i] / 2, x[i].array() + scale * diameter[i] / 2};
    };
    Broadphase broadphase(all_pairs(n));
    for (int k = 0; k < 60; ++k) {
        set_boxes(1);
        for (const auto& [a, b] : broadphase.pairs(boxes)) {
            const Eigen::Vector3d d = x[b] - x[a];
            const double overlap = (diameter[a] + diameter[b]) / 2 - d.norm();
            if (overlap <= 0) continue;
            const double share =
                std::pow(diameter[b], 3) / (std::pow(diameter[a], 3) + std::pow(diameter[b], 3));
            x[a] -= share * overlap * d.normalized();
            x[b] += (1 - share) * overlap * d.normalized();
        }
        for (int i = 0; i < n; ++i) x[i] = x[i].cwiseMax(diameter[i] / 2).cwiseMin(edge - diameter[i] / 2);
    }
    set_boxes(1.02);
    return boxes;
}

void move(std::vector<Bounds>& boxes, double distance)
{
    for (Bounds& b : boxes) {
        const Eigen::Vector3d d = distance * Eigen::Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        b.low += d;
        b.high += d;
    }
}

void measure(const char* name, std::vector<Bounds> boxes, int repetitions)
{
    const std::size_t n = boxes.size();
    Broadphase broadphase(all_pairs(n));
    std::size_t pairs = 0;
    auto milliseconds = [&] {
        const auto start = std::chrono::steady_clock::now();
        pairs = broadphase.pairs(boxes).size();
        return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::vector<double> search, reuse;
    milliseconds();
    for (int k = 0; k < repetitions; ++k) {
        for (Bounds& b : boxes) b.low.array() += 1, b.high.array() += 1;
        search.push_back(milliseconds());
        move(boxes, 0.01);
        reuse.push_back(milliseconds());
    }
    std::sort(search.begin(), search.end());
    std::sort(reuse.begin(), reuse.end());
    fmt::print("{:28} {:>8} {:>9} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f}\n", name, n, pairs,
               search[search.size() / 2], search.front(), reuse[reuse.size() / 2], reuse.front());
}

} // namespace

int main(int argc, char** argv)
{
    const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 21;
    fmt::print("{:28} {:>8} {:>9} {:>12} {:>12} {:>12} {:>12}\n", "boxes", "number", "pairs", "search [ms]",
               "least", "reuse [ms]", "least");
    measure("spheres", packing(100000, 1), repetitions);
    measure("polyhedra, 1 : 2", packing(5000, 2), repetitions);
    measure("spheres, 1 : 30", packing(100000, 30), repetitions);
    std::vector<Bounds> walled = packing(100000, 1);
    const Eigen::Vector3d end = Eigen::Vector3d::Constant(HUGE_VAL);
    for (int k = 0; k < 3; ++k) {
        walled.push_back({-end, end});
        walled.back().high[k] = 0;
    }
    walled.push_back({-end, end});
    measure("spheres, walls, a hollow", walled, repetitions);
}
