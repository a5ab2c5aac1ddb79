// Random numbers that are the same bits on every platform.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tamis {

// The engine is fixed by the C++ standard, the distributions of the library are not: these are made of
// comparisons and of operations that IEEE 754 rounds correctly only (no logarithm, no sine).
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; } // 0 <= u < 1
    double uniform(double a, double b) { return a + (b - a) * uniform(); }
    std::uint64_t below(std::uint64_t n); // 0 .. n - 1, each as likely
    double normal();                      // mean 0, variance 1
    Eigen::Vector3d direction();          // unit, uniform on the sphere
    Eigen::Matrix3d rotation();           // uniform on SO(3)

    template <class T>
    void shuffle(std::vector<T>& items)
    {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

  private:
    bool survives(double p);                   // with probability exp(-p), 0 <= p <= 1
    std::pair<Eigen::Vector2d, double> disc(); // a point of the unit disc but its centre, and its square

    std::mt19937_64 engine_;
};

} // namespace tamis
