// Packings that take a while to make are made once and kept in out/packings.
#pragma once

#include "tamis/packing/packing.hpp"

namespace tamis {

// The packing stored under this name, or what `make` makes, which is then stored. The name should tell all
// that the packing depends on.
Packing stored_packing(const std::string& name, const std::function<Packing()>& make);

} // namespace tamis
