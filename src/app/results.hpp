// Numbers that a run computes of its columns at its end.
#pragma once

#include "tamis/app/record.hpp"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace tamis {

// All of them, by name, from the histories of the whole run, which may have been resumed. What cannot be computed is
// null, and a note says why.
nlohmann::json compute(const std::vector<Result>& results, const std::filesystem::path& histories,
                       std::vector<std::string>& notes);

// A line for each, with its unit.
void print_results(const std::vector<Result>& results, const nlohmann::json& values);

} // namespace tamis
