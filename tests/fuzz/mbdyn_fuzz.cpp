// Messages from the other side of MBDyn's socket: the first byte of an input chooses the layout, the rest is a
// negotiation and a motion. What is taken has finite motions, and is answered.
#include "fuzz/fuzz.hpp"
#include "tamis/cosim/mbdyn_protocol.hpp"

#include <cmath>
#include <cstring>

namespace {

using namespace tamis;

MbdynLayout layout_of(std::uint8_t bits)
{
    return {.nodes = 1 + (bits >> 5) % 3,
            .orientation = static_cast<MbdynOrientation>(bits & 3),
            .labels = (bits & 4) != 0,
            .accelerations = (bits & 8) != 0,
            .reference = (bits & 16) != 0 && (bits & 3) != 0};
}

int read_messages(const std::uint8_t* data, std::size_t size)
{
    const MbdynLayout layout = layout_of(size > 0 ? data[0] : 0);
    std::vector<std::byte> bytes(mbdyn_negotiation_size + layout.motion_size());
    if (size > 1) std::memcpy(bytes.data(), data + 1, std::min(size - 1, bytes.size()));
    const std::span<const std::byte> all = bytes;
    fuzz::take([&] { check_mbdyn_negotiation(layout, all.first(mbdyn_negotiation_size)); });
    return fuzz::take([&] {
        const MbdynMotion motion = read_mbdyn_motion(layout, all.subspan(mbdyn_negotiation_size));
        fuzz::require(static_cast<int>(motion.nodes.size()) == layout.nodes);
        for (const InterfaceMotion& m : motion.nodes) fuzz::require(std::abs(m.turn.norm() - 1) < 1e-3);
        const std::vector<Wrench> forces(motion.nodes.size());
        const auto answer = mbdyn_forces(layout, MbdynCommand::data, motion, forces);
        fuzz::require(answer.size() == 1 + layout.force_size());
    });
}

// Every layout, with nodes at rest in the origin.
std::vector<std::string> seeds()
{
    std::vector<std::string> all;
    for (int bits = 0; bits < 96; ++bits) {
        const MbdynLayout layout = layout_of(static_cast<std::uint8_t>(bits));
        std::string input(1, static_cast<char>(bits));
        for (const std::byte byte : mbdyn_negotiation(layout)) input += static_cast<char>(byte);
        const std::size_t head = input.size();
        input.append(layout.motion_size(), '\0');
        if (layout.orientation == MbdynOrientation::matrix) {
            // Unit matrices: of the reference node behind its label and position, of nodes behind theirs.
            const double one = 1;
            const std::size_t n = static_cast<std::size_t>(layout.nodes);
            const std::size_t labels = layout.labels ? 4 * (n + n % 2) : 0;
            const std::size_t rates = layout.accelerations ? 12 : 6;
            std::size_t at = head;
            const auto unit = [&] {
                for (int k = 0; k < 3; ++k) std::memcpy(input.data() + at + 32 * k, &one, 8);
                at += 72;
            };
            if (layout.reference) {
                at += (layout.labels ? 8 : 0) + 24;
                unit();
                at += 8 * rates;
            }
            at += labels + 24 * n;
            for (std::size_t i = 0; i < n; ++i) unit();
        }
        all.push_back(input);
    }
    return all;
}

TAMIS_FUZZ_TARGET("mbdyn", 100000, read_messages, seeds)

} // namespace
