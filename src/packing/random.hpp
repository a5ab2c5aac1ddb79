// Random numbers with the same bits on every platform.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tamis {

// The C++ standard specifies the engine but not the distributions: those here use only comparisons and
// operations that IEEE 754 rounds correctly (no logarithm, no sine).
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; } // 0 <= u < 1
    double uniform(double a, double b) { return a + (b - a) * uniform(); }
    std::uint64_t below(std::uint64_t n); // 0 .. n - 1, all equally likely
    double normal();                      // mean 0, variance 1
    Eigen::Vector3d direction();          // unit, uniform on the sphere
    Eigen::Matrix3d rotation();           // uniform on SO(3)

    template <class T>
    void shuffle(std::vector<T>& items)
    {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

  private:
    bool survives(double p); // with probability exp(-p), 0 <= p <= 1
    std::pair<Eigen::Vector2d, double>
    disc(); // a point of the unit disc except its centre, and its squared norm

    std::mt19937_64 engine_;
};

} // namespace tamis
