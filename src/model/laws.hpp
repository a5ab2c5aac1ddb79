// Forces by laws of the model.
#pragma once

#include "tamis/model/view.hpp"

namespace tamis {

// What a law of the model gives in a state; an Error that names it if that is not finite.
double law_force(const Model& model, const JointForce& force, const View& view);
Wrench law_wrench(const Model& model, const AppliedWrench& wrench, const View& view);
Wrench law_wrench(const Model& model, const GrainLaw& law, const View& view, GrainId grain);

// The memories of a model after a step, each by its own law; all from the values before: their order does not matter.
// `next` is room for them.
void remember(const Model& model, const View& view, std::span<double> memory, std::span<double> next);

} // namespace tamis
