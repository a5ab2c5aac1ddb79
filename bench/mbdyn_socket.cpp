// What an exchange with MBDyn costs beyond the work of both sides: motion of a node there, forces back, by a Unix
// socket and by TCP on this machine, to a script in another process. In seconds of the wall.
//
//     ninja -C build/release bench_mbdyn_socket && build/release/bin/bench_mbdyn_socket
#include "cosim/scripted_mbdyn.hpp"
#include "io/scratch.hpp"
#include "tamis/cosim/mbdyn_peer.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace tamis;

void exchange(benchmark::State& state, bool tcp)
{
    const test::ScratchFolder folder;
    scripted::Element element;
    if (tcp)
        element.port = 5599;
    else
        element.path = (folder / "socket").string();
    scripted::OtherProcess other([&] {
        scripted::ScriptedMbdyn mbdyn(element);
        mbdyn.begin();
        do mbdyn.tell(6, {InterfaceMotion{}});
        while (mbdyn.hear().command == 6);
        mbdyn.end();
        return 0;
    });
    {
        MbdynPeer peer(
            {.address = {.path = element.path, .port = element.port}, .coupling = MbdynCoupling::loose}, {},
            1e-3);
        std::array<double, InterfaceMotion::size> y;
        const std::array<double, wrench_size> wire{};
        const Signal::Sample sample{1e-3, wire};
        Signal u(wrench_size);
        u.through({&sample, 1});
        for (auto _ : state) {
            peer.predict(1e-3, y);
            peer.advance(1e-3, u);
        }
    }
    if (other.wait() != 0) state.SkipWithError("the other side failed");
}

} // namespace

BENCHMARK_CAPTURE(exchange, unix_socket, false)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(exchange, tcp, true)->UseRealTime()->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
