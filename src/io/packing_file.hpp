// Packings as HDF5 files, bit by bit.
#pragma once

#include "tamis/packing/packing.hpp"

#include <filesystem>

namespace tamis {

void write_packing(const std::filesystem::path& path, const Packing& packing);
Packing read_packing(const std::filesystem::path& path); // Error if it is damaged or something else

} // namespace tamis
