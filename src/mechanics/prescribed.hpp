// A model with other motions prescribed than its own drives.
#pragma once

#include "tamis/model/model.hpp"

namespace tamis {

// By its name, of any mechanism; refuses those of spherical joints, which are no single numbers.
Coordinate coordinate_named(const Model& model, const std::string& name);
std::string coordinate_name(const Model& model, Coordinate c);

// x = x0 + speed t from the start value of the coordinate on; speed 0: it is held.
Drive steady_motion(const Model& model, Coordinate on, double speed);

// The model at rest, with these drives beside its own, and without its drives of the coordinates in `released`. Where a
// mechanism gets or loses drives, independent coordinates are chosen by the solver. Refuses coordinates driven twice.
Model with_drives(const Model& model, const std::vector<Drive>& drives,
                  const std::vector<Coordinate>& released = {});

} // namespace tamis
