// Random convex stones like crushed rock, and measures of their form.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/packing/random.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tamis {

// The sides of a box around the hull: the shortest is the minimum width of the hull, the smallest distance
// between two parallel planes that enclose it; the intermediate one is the minimum width of its projection
// along that direction; the longest is the extent along the remaining direction. All are exact.
struct Calipers {
    double longest, intermediate, shortest;
    Eigen::Matrix3d axes; // columns: the directions of these three, right-handed

    double elongation() const { return intermediate / longest; }
    double flatness() const { return shortest / intermediate; }
};
Calipers calipers(const Hull& hull);

// Side of the smallest square opening that the hull passes through, taken as its intermediate caliper
// dimension: the stone falls through upright, and its shortest side leaves clearance. (A flat stone passes a
// somewhat smaller opening diagonally.)
double sieve_size(const Hull& hull);

double surface_area(const Hull& hull);
double sphericity(const Hull& hull); // surface area of the sphere of equal volume over that of the hull

// The standard tests of the form of aggregates, as mass fractions from 0 to 1. Shape index (EN 933-4): stones
// longer than three times their thickness. Flakiness index (EN 933-3), among stones between sieves of 4 and
// 100 mm: those that pass between bars spaced about half as wide as the next wider sieve. NaN where there is
// no stone to test.
double shape_index(std::span<const Polyhedron> stones);
double flakiness_index(std::span<const Polyhedron> stones);

// The form of a set of stones; the defaults are those of railway ballast. Elongation and flatness of each
// stone are drawn from normal distributions truncated at two standard deviations.
struct StoneForm {
    int vertices = 25;
    double elongation = 0.75, flatness = 0.72; // means
    double scatter = 0.08;                     // standard deviation of both
    double roughness = 0.1;                    // scatter of the distances of the faces from the centre
};

// A stone of this sieve size with its centre of mass at the origin, its longest side roughly along x and its
// shortest along z. The height of every face is at least 0.1 of its length, so that none is a needle, and no
// edge is shorter than 0.05 sieve sizes.
Hull make_stone(const StoneForm& form, double sieve_size, Random& random);

// One stone for each size, all different.
std::vector<Polyhedron> make_stones(const StoneForm& form, std::span<const double> sieve_sizes,
                                    std::uint64_t seed = 1);

} // namespace tamis
