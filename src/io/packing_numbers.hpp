// Packings as named arrays of numbers, bit by bit.
#pragma once

#include "tamis/model/saved_state.hpp"
#include "tamis/packing/packing.hpp"

namespace tamis {

// The name is for messages.
SavedState numbers_of(const Packing& packing, const std::string& name);
Packing packing_of(const SavedState& numbers, const std::string& name);

} // namespace tamis
