// A method that can be one side of a co-simulation: some coordinates are moved from outside, and a macro step can be
// repeated.
#pragma once

#include "tamis/model/stepper.hpp"
#include "tamis/nscd/state.hpp"

namespace tamis {

class GuidedStepper : public Stepper {
  public:
    // Velocities of the guided coordinates at the end of the steps to come, in their order; positions follow. At the
    // start they are those of the model. Their drive_force() is what that takes; of a spherical joint, moments in body
    // axes.
    virtual const std::vector<Coordinate>& guided() const = 0;
    virtual void guide(std::span<const double> velocities) = 0;

    virtual const State& state() const = 0; // of mechanisms, at least
    virtual void
    start_from(const State& state) = 0; // of this model: its mechanisms, with nothing touched yet
    // The step from now on. Steps between two calls have times t_0 + k h, hence one call makes no difference in bits
    // until the next step of another size.
    virtual void set_step(double h) = 0;
    // go_back() returns to the last keep(), any number of times.
    virtual void keep() = 0;
    virtual void go_back() = 0;
};

} // namespace tamis
