// The functions that are generated for a mechanism.
//
// Each quantity is one function f(p, q, v, w, out):
//
//   dynamics    M (nv x nv, row-major), c (nv)        M v' + c(q, v, w) = Q, w: applied wrenches, 6 each
//   bias        c (nv)
//   kinematics  for each link: p_W (3), R_W (9, row-major); for each velocity: axis of its joint, world (3)
//   frames      for each named frame: p_W (3), R_W (9, row-major), velocity (3), angular velocity (3)
//   loops       h (m), J (m x nv, row-major)          h = 0 (16), J v = 0 (19)
//   loop_bias   J' v (m)                              (22)
#pragma once

#include <array>

namespace tamis {

enum class Quantity { dynamics, bias, kinematics, frames, loops, loop_bias };
inline constexpr int quantity_count = 6;
inline constexpr std::array<const char*, quantity_count> quantity_names = {"dynamics", "bias",  "kinematics",
                                                                           "frames",   "loops", "loop_bias"};

using GeneratedFunction = void (*)(const double* p, const double* q, const double* v, const double* w,
                                   double* out);
struct CompiledEquations {
    std::array<GeneratedFunction, quantity_count> functions;
};

} // namespace tamis
