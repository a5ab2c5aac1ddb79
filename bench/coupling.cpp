// What one pass of a coupling costs beyond its peers: two of them that do next to nothing.
//
//     ninja -C build/release bench_coupling && build/release/bin/bench_coupling
#include "tamis/cosim/coupling.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace tamis;

// z' = a u by the value at the end of the step; 1 or 6 of them side by side
class Trivial : public Peer {
  public:
    Trivial(double a, int size) : a_(a), z_(static_cast<std::size_t>(size), 1), u_(z_), saved_(z_) {}
    std::string name() const override { return "trivial"; }
    int inputs() const override { return static_cast<int>(z_.size()); }
    int outputs() const override { return static_cast<int>(z_.size()); }
    void output(std::span<const double>, std::span<double> y) const override
    {
        std::copy(z_.begin(), z_.end(), y.begin());
    }
    void advance(double H, const Signal& u) override
    {
        u.at(H, u_);
        for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += H * a_ * u_[i];
    }
    void save() override { saved_ = z_; }
    void restore() override { z_ = saved_; }

  private:
    double a_;
    std::vector<double> z_, u_, saved_;
};

void pass(benchmark::State& state, Sweep sweep, Repetition repeat)
{
    const int size = static_cast<int>(state.range(0));
    Trivial one(1, size), two(-1, size);
    const auto exchange = [=](std::span<const double> y, std::span<double> u) {
        for (int i = 0; i < size; ++i) {
            u[i] = y[size + i];
            u[size + i] = y[i];
        }
    };
    Coupling coupling({&one, &two}, exchange, {.H = 1e-3, .sweep = sweep, .signal = 1, .repeat = repeat});
    for (auto _ : state) coupling.step();
    state.SetItemsProcessed(coupling.statistics().iterations);
}

} // namespace

BENCHMARK_CAPTURE(pass, jacobi, Sweep::jacobi, Repetition::none)->Arg(1)->Arg(6);
BENCHMARK_CAPTURE(pass, gauss_seidel, Sweep::gauss_seidel, Repetition::none)->Arg(1)->Arg(6);
BENCHMARK_CAPTURE(pass, jacobi_plain, Sweep::jacobi, Repetition::plain)->Arg(1)->Arg(6);
BENCHMARK_CAPTURE(pass, gauss_seidel_plain, Sweep::gauss_seidel, Repetition::plain)->Arg(1)->Arg(6);
BENCHMARK_CAPTURE(pass, gauss_seidel_aitken, Sweep::gauss_seidel, Repetition::aitken)->Arg(1)->Arg(6);
BENCHMARK_CAPTURE(pass, gauss_seidel_quasi_newton, Sweep::gauss_seidel, Repetition::quasi_newton)
    ->Arg(1)
    ->Arg(6);

BENCHMARK_MAIN();
