// A straight beam as nodes and elements, for every method that has beams.
#pragma once

#include "tamis/model/beam.hpp"

#include <memory>

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

// From end a to end b, free of load as they stand at the start; their axes do not matter. All 2 n + 1 nodes in order:
// inner ones have the orientation of the sections, and velocities between those of the ends.
std::vector<NodeMotion> beam_nodes(const BeamLayout& layout, const NodeMotion& a, const NodeMotion& b);

// Elements and inertia on these nodes, which have the given numbers.
std::vector<std::unique_ptr<Element>> beam_elements(const BeamLayout& layout,
                                                    const std::vector<NodeMotion>& nodes,
                                                    const std::vector<int>& numbers);

} // namespace tamis
