// Packings that take a while to make are made once and kept in out/packings, or where TAMIS_PACKINGS says.
#pragma once

#include "tamis/app/settings.hpp"
#include "tamis/packing/packing.hpp"

#include <filesystem>

namespace tamis {

// The file of a packing, without folder and ending: its owner, its name, and a hash of these, of `inputs` (all that it
// depends on, as text) and of the version of Tamis.
std::string packing_file(const std::string& owner, const std::string& name, const std::string& inputs);
std::filesystem::path packing_folder(const Settings& settings);

// The packing stored for this owner, name and inputs, or what `make` makes, which is then stored. If the program
// was built after the packing was made, its recipe may be another one: a note names the file to delete. Shows how
// deposits go on, and throws Interrupted on a signal.
Packing stored_packing(const std::string& owner, const std::string& name, const std::string& inputs,
                       const Settings& settings, const std::function<Packing()>& make);

// For programs without options: the name tells all that the packing depends on.
Packing stored_packing(const std::string& name, const std::function<Packing()>& make);

} // namespace tamis
