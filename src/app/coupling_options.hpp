// The options of a run by co-simulation.
#pragma once

#include "tamis/app/options.hpp"
#include "tamis/cosim/coupled.hpp"

#include <optional>

namespace tamis {

// Nothing: the model runs as a whole. What the time stepping says (H, rho_inf,
// contacts) is left to the caller. `dem`: the nonsmooth side is stepped by the penalty method. `peer`: the smooth side
// by another program.
std::optional<CoupledOptions> read_coupling(Options& options, bool dem = false, bool peer = false);

} // namespace tamis
