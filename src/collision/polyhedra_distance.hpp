// Distance of two convex polyhedra.
#pragma once

#include "tamis/collision/polyhedra_pair.hpp"

namespace tamis::polyhedra {

enum class Relation { beyond_alert, apart, in_touch };

// If they touch, simplex and count are left for deepest(); beyond alert, optimum.gap is a lower bound of the distance.
Relation closest(const Pair& pair, double alert, Difference* simplex, int& count, Optimum& optimum);

} // namespace tamis::polyhedra
