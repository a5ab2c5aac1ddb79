// A mechanism inside a step of MoreauJean: shared by the files that implement it, and by nothing else.
#pragma once

#include "tamis/nscd/moreau_jean.hpp"

namespace tamis {

struct MoreauJean::Block {
    Block(const Mechanism& m, int q_start, int v_start)
        : body(m), q0(q_start), v0(v_start), q_m(Eigen::VectorXd::Zero(m.nq())),
          v_star(Eigen::VectorXd::Zero(m.nv())), Q(v_star), f(v_star), d_beta(v_star), scratch(v_star),
          b(v_star)
    {
    }
    Multibody body;
    std::unique_ptr<Partition> partition;
    int q0, v0;                         // its place in State
    std::vector<int> driven;            // coordinates, as in partition->c
    std::vector<const Motion*> motions; // of them; null: guided,
    std::vector<int> guide;             // by this number in MoreauJeanOptions::guided, else -1
    // predict
    Eigen::VectorXd q_m;
    // linearise
    Eigen::MatrixXd M_red, MB; // n_u x n_u, nv x n_u
    Eigen::LLT<Eigen::MatrixXd> M_red_llt;
    Eigen::VectorXd vc_now, vc_next; // driven velocities at t_n and t_n+1
    Eigen::VectorXd vc_work;
    // free velocity
    Eigen::VectorXd v_star; // velocity at which f is evaluated
    Eigen::VectorXd Q;      // joint forces
    Eigen::VectorXd f, d_beta, scratch;
    Eigen::VectorXd b;   // dependent accelerations -J_v^-1 J' v (24), zero elsewhere
    Eigen::VectorXd rhs; // n_u
    // contacts
    Multibody::RowMatrix H_full;     // 3 x nv, of one contact side
    Multibody::RowMatrix H_red;      // 3 x n_u
    Eigen::VectorXd contact_impulse; // H^T r in all coordinates, only if there are drives
};

// Where a contact acts on its two bodies: each at its own surface, or, when a grain takes part, both at the
// point between, so that action and reaction have no moment.
inline std::pair<Eigen::Vector3d, Eigen::Vector3d> contact_points(const DetectedContact& d, int bodies)
{
    if (d.body_a < bodies && d.body_b < bodies) return {d.point.on_a, d.point.on_b};
    const Eigen::Vector3d middle = (d.point.on_a + d.point.on_b) / 2;
    return {middle, middle};
}

} // namespace tamis
