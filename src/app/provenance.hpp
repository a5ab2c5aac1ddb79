// Where results come from: program, machine, time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tamis {

// For --version: version, commit (that of the build) and compiler.
std::string version_line();

// For summary.json: these, the command, and the machine.
nlohmann::json provenance(const std::string& command);

std::string date_now(); // ISO 8601, UTC

} // namespace tamis
