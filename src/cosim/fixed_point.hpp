// Iteration to a fixed point x = G(x), for the few numbers that coupled peers exchange.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tamis {

// How a macro step is repeated; none: explicit coupling.
enum class Repetition { none, plain, aitken, quasi_newton };

class FixedPoint {
  public:
    // Relaxation: of the plain iteration, and of the first step of the others.
    FixedPoint(Repetition kind, double relaxation, int size);

    // Forgets the iterates; the weights bring the entries of x to one scale.
    void start(std::span<const double> weights);
    // From x and g = G(x), the x to try next.
    void next(std::span<double> x, std::span<const double> g);

  private:
    void aitken(std::span<double> x);
    void quasi_newton(std::span<double> x, std::span<const double> g);
    double dot(const double* a, const double* b) const;

    Repetition kind_;
    double relaxation_, omega_;
    std::size_t size_, depth_;
    std::size_t columns_ = 0; // of V and W in use, the newest first
    bool first_ = true;
    std::vector<double> weights_, r_, r_before_, g_before_;
    std::vector<double> V_, W_; // depth x size: differences of r = G(x) - x, and of G(x)
    std::vector<double> Q_, R_, c_;
};

} // namespace tamis
