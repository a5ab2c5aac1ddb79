// A saved state as bytes in memory, for programs that keep it themselves.
#pragma once

#include "tamis/model/saved_state.hpp"

#include <string>
#include <string_view>

namespace tamis {

// Same state, same bytes; in the byte order of the machine, with a checksum.
std::string to_bytes(const SavedState& state);

// Takes any bytes, or refuses them; `name` is what they are, for the message.
SavedState from_bytes(std::string_view bytes, const std::string& name);

} // namespace tamis
