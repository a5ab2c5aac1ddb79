// Random convex stones like crushed rock, and the measures of their form.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/packing/random.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tamis {

// The sides of a box around the hull: the shortest is the smallest distance of two parallel planes around
// the hull, the intermediate one the same for its shadow along that direction, the longest is the extent
// along the direction that remains. All are exact.
struct Calipers {
    double longest, intermediate, shortest;
    Eigen::Matrix3d axes; // columns: the directions of these three, right-handed

    double elongation() const { return intermediate / longest; }
    double flatness() const { return shortest / intermediate; }
};
Calipers calipers(const Hull& hull);

// Side of the smallest square hole that the hull passes through, taken to be its intermediate caliper
// dimension: the stone falls upright, its shortest side leaves room. (A flat stone passes a somewhat smaller
// hole along the diagonal.)
double sieve_size(const Hull& hull);

double surface_area(const Hull& hull);
double sphericity(const Hull& hull); // surface of the ball of equal volume / surface

// The standard tests of the form of aggregates, as shares of the mass from 0 to 1. Shape index (EN 933-4): of
// stones longer than three times their thickness. Flakiness index (EN 933-3), among stones between sieves of
// 4 and 100 mm: of those that pass between bars about half as far apart as the next wider sieve. Not a
// number where there is no stone to ask.
double shape_index(std::span<const Polyhedron> stones);
double flakiness_index(std::span<const Polyhedron> stones);

// What the stones of a set have in common. The defaults are those of railway ballast. Elongation and
// flatness of each stone are drawn from normal distributions cut at two standard deviations.
struct StoneForm {
    int vertices = 25;
    double elongation = 0.75, flatness = 0.72; // means
    double scatter = 0.08;                     // standard deviation of both
    double roughness = 0.1;                    // scatter of the distances of the faces from the centre
};

// A stone of this sieve size with its centre of mass at the origin, its longest side roughly along x and its
// shortest along z. All faces are at least 0.1 times as high as they are long: none is a needle. No edge is
// shorter than 0.05 sieve sizes.
Hull make_stone(const StoneForm& form, double sieve_size, Random& random);

// One stone for each size, all different.
std::vector<Polyhedron> make_stones(const StoneForm& form, std::span<const double> sieve_sizes,
                                    std::uint64_t seed = 1);

} // namespace tamis
