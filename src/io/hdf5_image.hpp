// The bytes of an HDF5 file, without the seal behind them.
#pragma once

#include "tamis/io/hdf5_content.hpp"

#include <filesystem>

namespace tamis {

// Same content, same bytes. The path is that of the file to be, for messages and for HDF5, which does not open it.
std::string make_image(const Hdf5& content, const std::filesystem::path& path);

// Adds what the image holds to the content, which has a name for messages. HDF5 may crash on a damaged or forged one:
// hdf5_process.hpp.
void read_image(std::string& image, Hdf5& content);

} // namespace tamis
