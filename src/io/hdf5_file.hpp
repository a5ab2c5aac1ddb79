// An HDF5 file as a value, written whole or not at all, read at once.
#pragma once

#include "tamis/io/hdf5_content.hpp"

#include <filesystem>

namespace tamis {

// Large arrays are compressed without loss. Same content, same bytes. A seal at the end, which HDF5 passes
// over, holds a checksum of the file.
void write_hdf5(const std::filesystem::path& path, const Hdf5& content);
// Everything of the types of Hdf5::Values, up to two dimensions; what has another type or shape is passed over. A file
// that does not fit its seal is refused; one without a seal is if it must be `sealed`, else it is taken to be
// of another program.
Hdf5 read_hdf5(const std::filesystem::path& path, bool sealed = false);

bool is_hdf5(std::string_view content); // by its first bytes

} // namespace tamis
