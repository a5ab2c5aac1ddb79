// What a nonsmooth solver is told of the motion at a cut.
#pragma once

namespace tamis {

// How the nonsmooth solver learns the motion at the end of a step.
enum class CouplingScheme {
    tight,     // as it will be: iterated
    loose,     // position as predicted by the smooth solver
    staggered, // position that the smooth solver arrives at with the wrench of the step before
    original,  // velocity as predicted, position at the start of the step
    modified,  // position, velocity and acceleration as predicted, weighed as in Baumgarte's method
};

// alpha (x2 - x1) + beta (v2 - v1) + gamma (a2 - a1) = 0 at the end of a step; in units of 1/h^2, 1/h and 1.
struct BaumgarteWeights {
    double alpha = 2, beta = 2, gamma = 1;
};
inline constexpr BaumgarteWeights index_1{2, 2, 1}, index_2{1, 1, 0}, index_3{1, 0, 0};

} // namespace tamis
