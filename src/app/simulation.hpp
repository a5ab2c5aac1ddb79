// A run: steps from start to end, histories, impacts, pictures, progress and summary.
#pragma once

#include "app/script.hpp"

namespace tamis {

// Returns 0, or 130 when interrupted; throws on errors, after what was computed is safely on disk.
int simulate(const Script& script);

} // namespace tamis
