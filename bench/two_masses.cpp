// Half a second of two masses in steps of 1 ms by explicit and by tight coupling (Zhang et al. 2022, Table
// 1), in processor time; items are coupling iterations.
//
//     ninja -C build/release bench_two_masses && build/release/bin/bench_two_masses
#include "support/two_masses.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/model/description.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace tamis;

void half_a_second(benchmark::State& state, CouplingScheme scheme, const BaumgarteWeights& weights)
{
    ModelDescription model("two masses");
    const TwoMassBodies bodies = add_two_masses(model, {.k1 = 5000, .v = 0.1});
    CoupledOptions options{.H = 1e-3, .scheme = scheme, .weights = weights, .absolute = 1e-6};
    options.smooth.rho_inf = 0.56;
    long iterations = 0;
    for (auto _ : state) {
        Coupled coupled(model.finish(), {bodies.second}, options);
        for (int n = 0; n < 500; ++n) coupled.step();
        iterations += coupled.coupling().statistics().iterations;
    }
    state.SetItemsProcessed(iterations);
}

} // namespace

BENCHMARK_CAPTURE(half_a_second, index_1, CouplingScheme::modified, index_1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(half_a_second, index_2, CouplingScheme::modified, index_2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(half_a_second, index_3, CouplingScheme::modified, index_3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(half_a_second, tight, CouplingScheme::tight, index_3)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
