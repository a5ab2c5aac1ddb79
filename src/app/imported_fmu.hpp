// What the options of a run ask of an FMU that is imported. The library of an exported one has its own of these, which
// refuse (exported_fmu_main.cpp): it then needs nothing of what reads FMUs.
#pragma once

#include "tamis/fmi/fmu_peer.hpp"

namespace tamis {

struct PeerAbilities {
    bool repeats = true, accelerations = false;
    std::string no_checkpoints; // why a run with it has none; empty: it may
};
// From what it says of itself.
PeerAbilities look_at_fmu(const FmuOptions& options);
std::unique_ptr<Peer> make_fmu_peer(FmuOptions options, const InterfaceMotion& start, double H);

} // namespace tamis
