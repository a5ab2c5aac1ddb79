// Analyses of the mechanism of a model, instead of a run: tables in the terminal, files in the folder of the results.
#pragma once

#include "tamis/app/script.hpp"
#include "tamis/app/study.hpp"

namespace tamis {

// `arguments`: those of the program, from which the script was made; sensitivities make others of them.
void analyse(const Script& script, const std::vector<std::string>& arguments, Study& study);

} // namespace tamis
