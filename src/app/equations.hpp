// `--equations FILE`, which every program of models understands: instead of a run, the equations of the mechanisms
// are written as C, and their operations counted.
#pragma once

#include "tamis/model/model.hpp"

#include <string>
#include <vector>

namespace tamis {

// Takes `--equations FILE` or `--equations=FILE` out of the arguments; empty if it is not among them.
std::string take_equations(std::vector<std::string>& arguments);

// A file for each mechanism: FILE, or with several of them FILE with the names of the mechanisms before its ending.
void write_equations(const Model& model, const std::string& file);

} // namespace tamis
