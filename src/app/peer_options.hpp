// The options of a cut model whose smooth side another program or an FMU steps.
#pragma once

#include "tamis/app/imported_fmu.hpp"
#include "tamis/app/options.hpp"
#include "tamis/app/settings.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/cosim/mbdyn_peer.hpp"

#include <optional>

namespace tamis {

struct PeerOptions { // one of both
    std::optional<MbdynOptions> mbdyn;
    std::optional<FmuOptions> fmu;
    PeerAbilities can;
};

// Nothing: no other program. `fmu_map`: the names of variables that the model goes by. An FMU is looked at, and nothing
// of it is run.
std::optional<PeerOptions> read_peer(Options& options, const std::string& fmu_map = {});

// To be called once both are known: what the peer is told of the coupling, and what it cannot take part in is refused.
void fit_coupling(PeerOptions& peer, const std::optional<CoupledOptions>& coupled);

// Connects, or loads the FMU. `start`: of the marker, from which the peer's may be `reach` away; the folder of
// the run is for the peer's own files.
std::unique_ptr<Peer> make_peer(PeerOptions options, const InterfaceMotion& start,
                                const CoupledOptions& coupled, const Settings& settings, double reach);

} // namespace tamis
