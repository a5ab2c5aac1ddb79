// Contact problems as text files.
#pragma once

#include "tamis/contact/local_problem.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace tamis {

// The layout `fc3d 1`, or `fc3d 2` of a problem with compliance, described in docs/contact.md. Numbers survive
// writing and reading bit by bit.
std::string to_text(const LocalProblem& problem);
LocalProblem parse_local_problem(std::string_view text, const std::string& name); // errors say name:line
LocalProblem read_local_problem(const std::filesystem::path& file);

} // namespace tamis
