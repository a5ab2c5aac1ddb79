// The contact problem of one step as a value: it can be built by hand, solved by any solver, written, read.
//
// Unknowns are the velocities of blocks (a grain: 6, a mechanism: its independent velocities n_u) and three
// impulses r = (r_n, r_t1, r_t2) per contact. A contact touches at most two blocks, each by a 3 x n map H:
//
//     u = sum_s H_s v_s + drift                relative velocity at the contact, frame (n, t1, t2)
//     v = v_free + sum_a M^-1 H_a^T r_a        (28), with Y = M^-1 H^T precomputed for each side
//     u + shift n  and  r  obey the contact law  (32)
//
// The sign of each side is inside its map: u is the velocity of the second body relative to the first along n
// from first to second, so that u_n > 0 separates; r acts on the second body.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tamis {

enum class Law {
    contact,   // Signorini-Coulomb with `friction`; frictionless if it is zero
    bilateral, // the first `rows` components of u vanish, r unrestricted: a joint enforced at velocity level
};

struct Contact {
    struct Side {
        int block = -1; // -1: nothing moves on this side
        int map = 0;    // start of H and of Y in the pools, each 3 rows of n values
    };
    Side side[2];
    Law law = Law::contact;
    int rows = 3;                                    // of a bilateral contact
    double friction = 0;                             // mu
    double shift = 0;                                // e u_n^- (Newton), or max(g, 0)/h (anticipation)
    Eigen::Vector3d drift = Eigen::Vector3d::Zero(); // prescribed part of u
    Eigen::Vector3d r = Eigen::Vector3d::Zero();     // impulse: guess on entry, solution on exit

    // Rows of u and r that take part; a frictionless contact has one, and its tangential maps are not read.
    int active_rows() const { return law == Law::bilateral ? rows : friction > 0 ? 3 : 1; }
};

struct ContactProblem {
    std::vector<int> offset{0}; // block b owns v[offset[b]] .. v[offset[b + 1]]
    Eigen::VectorXd v_free;     // velocities without contact impulses
    Eigen::VectorXd v;          // velocities with them: filled by the solver
    std::vector<Contact> contacts;
    std::vector<double> H, Y; // pools of maps; row i of Y is M^-1 times row i of H

    int blocks() const { return static_cast<int>(offset.size()) - 1; }
    int block_size(int block) const { return offset[block + 1] - offset[block]; }
    void clear_contacts(); // keeps the memory
    // Reserves the maps of a side at the end of the pools and returns their start.
    int reserve_map(int block);

    Eigen::Vector3d relative_velocity(const Contact& contact) const;         // u from v
    double relative_velocity(const Contact& contact, int row) const;         // one row of it
    void apply_impulse(const Contact& contact, int row, double impulse);     // v += Y_row impulse
    void rebuild_velocities();                                               // v = v_free + sum_a Y_a r_a
    double delassus(const Contact& a, int i, const Contact& b, int j) const; // entry (i, j) of W_ab
    Eigen::Matrix3d local_delassus(const Contact& contact) const;            // W_aa
};

inline double ContactProblem::relative_velocity(const Contact& contact, int row) const
{
    double u = contact.drift[row];
    for (const Contact::Side& s : contact.side) {
        if (s.block < 0) continue;
        const int n = block_size(s.block);
        const double* h = H.data() + s.map + row * n;
        const double* x = v.data() + offset[s.block];
        for (int k = 0; k < n; ++k) u += h[k] * x[k];
    }
    return u;
}

inline void ContactProblem::apply_impulse(const Contact& contact, int row, double impulse)
{
    for (const Contact::Side& s : contact.side) {
        if (s.block < 0) continue;
        const int n = block_size(s.block);
        const double* y = Y.data() + s.map + row * n;
        double* x = v.data() + offset[s.block];
        for (int k = 0; k < n; ++k) x[k] += y[k] * impulse;
    }
}

// How well v and r of a problem obey the laws, computed from the velocities, in double.
struct Residual {
    double natural_max = 0; // max over contacts of |r - P(r - rho u^)| / rms impulse
    double natural_rms = 0; // rms over contacts of the same
    double approach = 0;    // worst normal violation max(-(u_n + shift), 0), m/s; also bilateral |u|
    double round_off = 0;   // natural_max that rounding of u alone may cause: grazing contacts of fast bodies
};
Residual residual(const ContactProblem& problem);

enum class SolverStatus { converged, iteration_limit };
struct SolverReport {
    SolverStatus status = SolverStatus::converged;
    int sweeps = 0;
    Residual residual;
};

} // namespace tamis
