// Forces by laws of the model.
#pragma once

#include "tamis/model/view.hpp"

namespace tamis {

// What a law of the model gives in a state; an Error that names it if that is not finite.
double law_force(const Model& model, const JointForce& force, const View& view);
Wrench law_wrench(const Model& model, const AppliedWrench& wrench, const View& view);
Wrench law_wrench(const Model& model, const GrainLaw& law, const View& view, GrainId grain);

} // namespace tamis
