// What moves in the Moreau-Jean scheme, and all that a restart needs.
#pragma once

#include "tamis/model/partition.hpp"
#include "tamis/model/view.hpp"

namespace tamis {

struct State {
    double t = 0;
    long step = 0;
    Eigen::VectorXd q, v; // of all mechanisms, one after the other
    // Inner nodes of all beams, one beam after the other: orientation, place, velocity and angular velocity.
    struct BeamNode {
        Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
        Eigen::Vector3d x{0, 0, 0}, v{0, 0, 0}, omega{0, 0, 0}; // world axes
    };
    std::vector<BeamNode> beam_nodes;
    std::vector<GrainState> grains;
    struct Impulse {
        int shape_a, shape_b, feature;
        Eigen::Vector3d r, rolling; // of the contact and of its rolling resistance; world axes
        Eigen::Vector3d
            spring; // h times the force of the springs of a compliant contact, without its dampers
    };
    std::vector<Impulse> impulses;           // of the last step, to go on from in the next; by pair
    Dissipation taken;                       // by contacts since the start, into springs, too
    std::vector<Partition::Sets> partitions; // by mechanism
    std::vector<double> memory;              // of Model::memories()
};

} // namespace tamis
