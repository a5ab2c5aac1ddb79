// Tells models apart: equal for models in which a state means the same.
#pragma once

#include "tamis/model/model.hpp"

namespace tamis {

// Over equations, parameters, start values, masses, shapes, materials, springs and grains of a finished
// model. Laws and motions that are functions count by their number and place only.
std::uint64_t model_hash(const Model& model);

} // namespace tamis
