// HDF5 in a process of its own, which a damaged or forged image may crash.
#pragma once

#include "tamis/io/hdf5_content.hpp"

namespace tamis {

// What the image holds; Error with the name of its file if HDF5 fails on it.
Hdf5 read_apart(std::string& image, const std::string& name);

} // namespace tamis
