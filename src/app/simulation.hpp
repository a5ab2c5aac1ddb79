// A run: steps from start to end, with its files, progress and summary.
#pragma once

#include "tamis/app/script.hpp"

namespace tamis {

// Returns 0, 3 if the result cannot be believed (verdict.hpp), or 128 + the number of the signal that ended it; throws
// on errors, after what was computed is safely on disk.
int simulate(const Script& script);

} // namespace tamis
