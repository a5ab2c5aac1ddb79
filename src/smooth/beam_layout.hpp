// Lays a straight beam of several elements into a system.
#pragma once

#include "tamis/model/beam_mesh.hpp"
#include "tamis/smooth/smooth_system.hpp"

namespace tamis {

// From node a to node b (beam_mesh.hpp). Returns all 2 n + 1 nodes of the beam, from a to b.
std::vector<int> lay_beam(SmoothSystem& system, const BeamLayout& layout, int a, int b);

// The node of a frame that a node (or the ground) carries: that node if it stands there, else a
// new one that is fixed to it.
int carried_node(SmoothSystem& system, const std::string& name, int carrier, const Pose& local);

} // namespace tamis
