// The messages of MBDyn's external structural forces, as bytes: motion of nodes one way, forces on them the other way.
// Numbers are those of the machine, packed; there are no lengths in a message, both sides know the layout.
#pragma once

#include "tamis/cosim/interface_motion.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamis {

enum class MbdynCommand : std::uint8_t {
    data = 2,          // follows; more iterations of this step
    next_step = 4,     // converged, without data
    abort = 5,         // the end, or a refusal
    data_and_next = 6, // follows; the last of this step
    negotiation = 7,
    ok = 8,
};

enum class MbdynOrientation { none, vector, matrix, euler123 };

// What the element of MBDyn's input says.
struct MbdynLayout {
    int nodes = 1;
    MbdynOrientation orientation = MbdynOrientation::matrix;
    bool labels = false, accelerations = false;
    bool reference = false; // a reference node: motion relative to it, in its axes

    std::uint32_t flags() const;
    std::string text() const;        // for messages
    std::size_t motion_size() const; // bytes after the command
    std::size_t force_size() const;
};

inline constexpr std::size_t mbdyn_negotiation_size = 9;
std::vector<std::byte> mbdyn_negotiation(const MbdynLayout& layout);
// Refuses, with the item that differs, what is not the layout.
void check_mbdyn_negotiation(const MbdynLayout& layout, std::span<const std::byte> message);

struct MbdynMotion {
    std::vector<std::uint32_t> labels;  // if there are any
    std::vector<InterfaceMotion> nodes; // in the world; accelerations zero unless sent
    std::uint32_t reference_label = 0;  // if there are labels and a reference node
    InterfaceMotion reference;
};
MbdynMotion read_mbdyn_motion(const MbdynLayout& layout, std::span<const std::byte> message);

// Command and forces, moments about the nodes, both in the world; on the wire in the axes of the reference node. The
// motion is the one that they answer.
std::vector<std::byte> mbdyn_forces(const MbdynLayout& layout, MbdynCommand command,
                                    const MbdynMotion& motion, std::span<const Wrench> forces);

} // namespace tamis
