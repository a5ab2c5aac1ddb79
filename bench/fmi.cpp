// What an FMU costs beyond its own work: calls of one that does next to nothing, and a step of the peer around it. With
// the body of the tests along x; `inside` is its own work alone. And the other way round: calls of one that Tamis has
// exported, four balls in a box, beside the same steps by a coupling in this process.
//
//     ninja -C build/release bench_fmi && build/release/bin/bench_fmi --benchmark_repetitions=9
#include "fmi/body.h"
#include "fmi/body_fmu.hpp"
#include "fmi/export_reference.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace tamis;
using namespace tamis::test;

Signal push()
{
    static const std::array<double, wrench_size> wire{1};
    const Signal::Sample sample{1e-3, wire};
    Signal u(wrench_size);
    u.through({&sample, 1});
    return u;
}

void inside(benchmark::State& state)
{
    BodyState body = body_at_start();
    body.force[0] = 1;
    for (auto _ : state) {
        body_step(&body, 1e-6);
        body_accelerations(&body);
        benchmark::DoNotOptimize(body);
    }
}

// Inputs set, a step, outputs read: three calls.
void calls(benchmark::State& state, int version)
{
    const ScratchFolder folder;
    const BodyFmu fmu{.version = version};
    FmuArchive archive(fmu.write(folder));
    const FmuDescription description = read_fmu_description(archive.description(), "body");
    const auto instance =
        FmuInstance::make(description, {.name = "body", .folder = archive.unpack(fmu_platform(version))});
    instance->begin(0, {});
    instance->end_of_initialisation();
    const std::array<std::uint32_t, 1> input{16};
    const std::array<std::uint32_t, 2> output{0, 3};
    std::array<double, 2> values;
    long n = 0;
    for (auto _ : state) {
        instance->set(input, std::array{1.0});
        instance->step(1e-6 * static_cast<double>(n++), 1e-6, true);
        instance->get(output, values);
    }
}

void peer_step(benchmark::State& state, int version, const char* mapping)
{
    const ScratchFolder folder;
    FmuPeer peer({.file = BodyFmu{.version = version}.write(folder), .mapping = mapping}, {}, 1e-6);
    const Signal u = push();
    std::array<double, InterfaceMotion::size> y;
    const std::array<double, wrench_size> none{};
    for (auto _ : state) {
        peer.predict(1e-6, y);
        peer.advance(1e-6, u);
        peer.output(none, y);
    }
}

// A tight step of two iterations: saved, made, put back, made.
void repeated_step(benchmark::State& state, int version)
{
    const ScratchFolder folder;
    FmuPeer peer({.file = BodyFmu{.version = version}.write(folder), .mapping = along_x}, {}, 1e-6);
    const Signal u = push();
    for (auto _ : state) {
        peer.save();
        peer.advance(1e-6, u);
        peer.restore();
        peer.advance(1e-6, u);
    }
}

struct Exported {
    FmuArchive archive{fmi_export_test::write_fmu("rattle", "")};
    FmuDescription description = read_fmu_description(archive.description(), "rattle");
    std::unique_ptr<FmuInstance> instance =
        FmuInstance::make(description, {.name = "rattle", .folder = archive.unpack(fmu_platform(2))});
    std::vector<std::uint32_t> inputs = references({"position.x", "velocity.x"}),
                               outputs = references(
                                   {"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"});

    Exported()
    {
        instance->begin(0, {});
        instance->end_of_initialisation();
    }
    std::vector<std::uint32_t> references(const std::vector<std::string>& names) const
    {
        std::vector<std::uint32_t> out;
        for (const std::string& name : names) out.push_back(description.find(name)->reference);
        return out;
    }
};

// Inputs set, outputs read: two calls.
void exported_values(benchmark::State& state)
{
    Exported fmu;
    std::array<double, 6> wrench;
    for (auto _ : state) {
        fmu.instance->set(fmu.inputs, std::array{0.0, 0.0});
        fmu.instance->get(fmu.outputs, wrench);
    }
}

// And a step in between. The balls roll and come to rest.
void exported_step(benchmark::State& state)
{
    Exported fmu;
    std::array<double, 6> wrench;
    long n = 0;
    for (auto _ : state) {
        const double t = static_cast<double>(n++) * 1e-3;
        fmu.instance->set(fmu.inputs, std::array{0.0, 0.0});
        fmu.instance->step(t, 1e-3, true);
        fmu.instance->get(fmu.outputs, wrench);
    }
}

void step_in_process(benchmark::State& state)
{
    fmi_export_test::Reference run("rattle", "", 0);
    for (auto _ : state) {
        run.step();
        benchmark::DoNotOptimize(run.wrench());
    }
}

} // namespace

BENCHMARK(inside);
BENCHMARK_CAPTURE(calls, fmi2, 2);
BENCHMARK_CAPTURE(calls, fmi3, 3);
BENCHMARK_CAPTURE(peer_step, fmi2_along_x, 2, along_x);
BENCHMARK_CAPTURE(peer_step, fmi2_in_space, 2, in_space);
BENCHMARK_CAPTURE(peer_step, fmi3_in_space, 3, in_space);
BENCHMARK_CAPTURE(repeated_step, fmi2, 2);
BENCHMARK_CAPTURE(repeated_step, fmi3, 3);
BENCHMARK(exported_values);
BENCHMARK(exported_step)->Iterations(20000);
BENCHMARK(step_in_process)->Iterations(20000);

BENCHMARK_MAIN();
