// Whether the velocity of a prescribed motion is the derivative of its position.
#pragma once

#include "tamis/model/model.hpp"

namespace tamis {

// Throws, naming the coordinate, if it is not over some time between 0 and t_end. Jumps of either are
// allowed.
void check_drives(const Model& model, double t_end);

} // namespace tamis
