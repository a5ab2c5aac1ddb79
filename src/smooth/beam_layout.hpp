// Lays a straight beam of several elements into a system.
#pragma once

#include "tamis/smooth/beam.hpp"
#include "tamis/smooth/smooth_system.hpp"

namespace tamis {

struct BeamLayout {
    std::string name;
    int elements = 10;
    BeamSection section;
    Eigen::Vector3d y{0, 1, 0}; // of the sections, in world axes at the start; made perpendicular to the beam
    double damping = 0;         // s, times the stiffness
    BeamInertia inertia = BeamInertia::consistent;
    Eigen::Vector3d gravity{0, 0, 0};
};

// From node a to node b, free of load in the initial configuration; the axes of a and b are ignored. Inner
// nodes have the orientation of the sections, and velocities between those of the ends. Returns all 2 n + 1
// nodes of the beam, from a to b.
std::vector<int> lay_beam(SmoothSystem& system, const BeamLayout& layout, int a, int b);

// The node of a frame that a node (or the ground) carries: that node if it stands there, else a
// new one that is fixed to it.
int carried_node(SmoothSystem& system, const std::string& name, int carrier, const Pose& local);

} // namespace tamis
