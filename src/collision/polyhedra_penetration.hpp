// Penetration depth of two convex polyhedra.
#pragma once

#include "tamis/collision/polyhedra_pair.hpp"

namespace tamis::polyhedra {

// From a simplex of 1 to 4 points of C that holds the origin or comes close to it; room for 4.
Optimum deepest(const Pair& pair, Difference* simplex, int count);

} // namespace tamis::polyhedra
