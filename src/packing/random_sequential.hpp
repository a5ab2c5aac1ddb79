// Random sequential addition: balls placed one after the other at random where there is room.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace tamis {

struct RandomSequential {
    double gap = 1;         // balls and walls keep a distance as if all radii were larger by this factor
    int attempts = 100'000; // for one ball
    std::uint64_t seed = 1;
};

// Centres of non-overlapping balls of the given radii within a sphere, box, cylinder, capsule or polyhedron,
// in its frame. Larger balls are placed first. If a ball finds no room in the given number of attempts, Error
// is thrown with the number of balls placed and their solid fraction. Equal balls reach a solid fraction of
// about 0.36 away from the walls, and never more than 0.38.
std::vector<Eigen::Vector3d> random_sequential(const Shape& region, std::span<const double> radii,
                                               const RandomSequential& options = {});

} // namespace tamis
