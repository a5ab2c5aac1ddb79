// The program around its models.
#pragma once

#include "tamis/app/script.hpp"

namespace tamis {

// Runs a prepared script: steps its model to the end and writes all output, or carries out its study. Returns
// the exit code.
int run(const Script& script);

// The whole program of its models: exit code 0, 1 (an error, or steps that failed), 2 (a mistake on the
// command line) or 128 + the number of the signal that ended it. With several models the first argument names
// one.
int run_program(std::vector<std::string> arguments);

} // namespace tamis
