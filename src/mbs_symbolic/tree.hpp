// The tree of links prepared for recursion: in which frame each link's vectors are written.
//
// Links that turn about parallel axes share one working frame F, in which the axis is a constant unit vector
// e_k and a link's orientation is one rotation by a sum of joint angles:
//
//     R_F,i = Rot_k(alpha_i) D_i        alpha_i = +-q_1 +- q_2 ...,  D_i constant
//
// so that products of rotations about parallel axes never arise (trigonometric condensation by construction).
// A link that turns about another axis starts a frame of its own,
//
//     R_F(parent),F(i) = Rot(alpha_parent) A Rot_k(+-q)       A constant
//
// and a slide or a weld stays in its parent's frame. The world is the frame of the ground.
#pragma once

#include "tamis/mbs_symbolic/mechanism.hpp"

namespace tamis {

struct Tree {
    struct Link {
        int frame = 0; // working frame
        bool starts_frame = false;
        int axis = -1;       // e_k about which the link turns in its working frame; -1: it does not
        double sign = 1;     // of q in that turn
        bool turned = false; // alpha_i is not identically zero
        Eigen::Matrix3d D = Eigen::Matrix3d::Identity(); // constant part of the link's orientation
        Eigen::Matrix3d A = Eigen::Matrix3d::Identity(); // the same of the frame that it starts
        Eigen::Vector3d slide{0, 0, 0}; // direction of a prismatic joint before Rot(alpha_parent)
        bool permutes = false;          // A is a signed permutation:
        Eigen::Vector3i place{0, 1, 2}; // e_j goes to +-e_place[j]
        Eigen::Vector3d cosines, sines; // else, of the angles in A = Rot_z Rot_y Rot_z
    };
    struct Frame {
        int parent_link = -1;
        int link = -1; // that starts it; -1: the world
        int axis = -1; // common axis of its turning links
    };
    std::vector<Link> links;
    std::vector<Frame> frames;

    explicit Tree(const Mechanism& mechanism);
};

} // namespace tamis
