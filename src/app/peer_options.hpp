// The options of a cut model whose smooth side another program steps.
#pragma once

#include "tamis/app/options.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/cosim/mbdyn_peer.hpp"

#include <optional>

namespace tamis {

// Nothing: no other program.
std::optional<MbdynOptions> read_peer(Options& options);

// To be called once both are known: what the peer is told of the coupling, and what it cannot take part in is refused.
void fit_coupling(MbdynOptions& peer, const std::optional<CoupledOptions>& coupled);

} // namespace tamis
