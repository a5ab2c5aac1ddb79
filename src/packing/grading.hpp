// Sieve curves: the distribution of the mass of a granular material over the sizes of its grains.
#pragma once

#include <cstdint>
#include <vector>

namespace tamis {

// passing[i] is the fraction of the mass in grains smaller than opening[i]: from 0 to 1, linear between
// openings; two equal openings are a step. Openings ascend, in metres.
struct Grading {
    std::vector<double> opening, passing;
};

Grading monodisperse(double size);
Grading uniform_by_mass(double smallest, double largest); // mass distributed uniformly over the sizes
Grading ballast_31_50(); // railway ballast 31.5/50 mm, the middle of category A of EN 13450

double passing(const Grading& grading, double size);

// Sizes of n grains of similar form (mass ~ size^3) in random order. Their sieve curve coincides with the
// grading at n - 1 sizes, so that it nowhere differs by more than the mass of one grain.
std::vector<double> draw_sizes(const Grading& grading, int n, std::uint64_t seed = 1);

} // namespace tamis
