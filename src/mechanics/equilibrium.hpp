// Where the mechanisms of a model rest, and whether they stay there.
#pragma once

#include "tamis/mechanics/machine.hpp"

namespace tamis {

enum class Stability {
    stable,   // every small displacement is pushed back
    neutral,  // some stays where it is
    unstable, // some grows
};
const char* stability_name(Stability stability);

// By the symmetric part of the stiffness. `weakest`: the x that moves most in its lowest eigenvector.
struct StiffnessCheck {
    Stability stability = Stability::stable;
    int negative = 0, zero = 0; // eigenvalues
    int weakest = -1;
};
StiffnessCheck check_stiffness(const Machine& machine, const Eigen::MatrixXd& K);

struct Equilibrium {
    int iterations = 0;
    double unbalanced = 0; // largest force that is left, over weight and the forces at the start
    StiffnessCheck check;
};
// Moves the machine to an equilibrium downhill of where it is; refuses by the coordinate that nothing holds.
Equilibrium find_equilibrium(Machine& machine);

} // namespace tamis
