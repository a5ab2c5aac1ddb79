// Trigonometric identities applied as sums are made, so that rotations about parallel axes add up:
//
//   k cos A cos B ∓ k sin A sin B = k cos(A ± B),    k sin A cos B ± k cos A sin B = k sin(A ± B),
//   k cos² A + k sin² A = k,    k - k sin² A = k cos² A.
#pragma once

#include "tamis/mbs_symbolic/expression.hpp"

#include <optional>

namespace tamis {

// An angle as ± rest + n π/2. The rest is a sum of terms c x in order of creation, the first c positive, then
// a constant; equal angles, or angles that differ by quarter turns or by sign, have the same rest.
struct Angle {
    Expr rest;
    int sign = 1;     // ±1
    int quarters = 0; // n, 0 to 3
};
Angle normal_angle(const Expr& a);

// a + s b (s = ±1) with fewer terms by one of the identities, also between the terms of a and b if they are
// short sums; nothing if none applies.
std::optional<Expr> condense(const Expr& a, int s, const Expr& b);

} // namespace tamis
