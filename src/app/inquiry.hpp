// What a program of models tells other programs, as JSON, instead of running: `--describe`, what the model is with
// these options, and `--methods`, by which methods it can be run. `tamis compare` and `tamis sweep` ask.
#pragma once

#include <string>
#include <vector>

namespace tamis {

enum class Inquiry { none, description, methods };

// Takes `--describe` or `--methods` out of the arguments.
Inquiry take_inquiry(std::vector<std::string>& arguments);

// Prints the answer for a model with these arguments. A description makes no packing and no equations; for methods all
// is made that a run starts with.
void answer(Inquiry inquiry, const std::vector<std::string>& arguments);

} // namespace tamis
