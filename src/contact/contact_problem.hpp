// The contact problem of one step as a value: it can be built by hand, solved by any solver, written, read.
//
// Unknowns are the velocities of blocks (a rigid body: 6, a mechanism: its independent velocities n_u) and
// three impulses r = (r_n, r_t1, r_t2) per contact. A contact touches at most two blocks, each by a 3 x n
// map H:
//
//     u = sum_s H_s v_s + drift                relative velocity at the contact, frame (n, t1, t2)
//     v = v_free + sum_a M^-1 H_a^T r_a        (28), with Y = M^-1 H^T
//     w = u + b + R o r  and  r  obey the contact law  (32)
//
// with a bias b and a compliance R = (R_n, R_t, R_t) >= 0, both zero by default; a rigid contact has b = b_n n.
// R adds to the diagonal of W_aa, b to the velocities without impulses, and nothing else changes.
//
// u is the velocity of the second body relative to the first, n points from first to second, so that u_n > 0
// separates; r acts on the second body. Blocks come in two kinds:
//
//   general  H and Y = M^-1 H^T are stored, with the sign of the side inside;
//   rigid    six velocities: of the centre of mass, then the angular velocity, world axes. Nothing is stored,
//            since frame, arm and inertia give both maps: u = frame^T (v + omega x arm), minus for the first
//            side.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

namespace tamis {

enum class Law {
    contact,   // Signorini-Coulomb with `friction`; frictionless if it is zero
    bilateral, // the first `rows` components of w vanish, r unrestricted: a joint enforced at velocity level
    // The same without mu |w_t| in w^, a convex problem: a contact that slides opens by mu |w_t|. For
    // comparison; serial sweeps only.
    associated,
    // Rolling resistance of the contact `normal`: u is the relative angular velocity, r a moment times time,
    // |r| <= `friction` r_n of that contact (friction is a length), opposite to u when it turns. Bias and
    // compliance have no part in it.
    rolling,
};

// A rigid body as a block.
struct RigidBlock {
    Eigen::Vector3d centre{0, 0, 0}; // of mass, world
    double inverse_mass = 0;         // 0 with zero inverse inertia: it moves as prescribed
    Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero(); // world axes
};

struct Contact {
    struct Side {
        int block = -1; // -1: nothing moves on this side
        int map = 0;    // general block: start of H and of Y in the pools, each 3 rows of n values
    };
    Side side[2];
    Eigen::Matrix3d frame = Eigen::Matrix3d::Identity(); // columns n, t1, t2, world; used by rigid sides
    Eigen::Vector3d arm[2]{{0, 0, 0}, {0, 0, 0}};        // rigid side: from its centre to the contact
    Law law = Law::contact;
    int rows = 3;        // of a bilateral contact
    int normal = -1;     // Law::rolling: the contact whose r_n limits it
    double friction = 0; // mu
    // b, m/s, in the frame: of a rigid contact b_n = e u_n^- (Newton), or max(g, 0)/h (anticipation).
    Eigen::Vector3d bias = Eigen::Vector3d::Zero();
    Eigen::Vector2d compliance = Eigen::Vector2d::Zero(); // R_n, R_t >= 0, 1/kg: 1/(h^2 k) of a spring k
    Eigen::Vector3d drift = Eigen::Vector3d::Zero();      // prescribed part of u
    Eigen::Vector3d r = Eigen::Vector3d::Zero();          // impulse: guess on entry, solution on exit

    // Rows of u and r that take part; a frictionless contact has one, and its tangential maps are not read.
    int active_rows() const
    {
        return law == Law::bilateral ? rows : law == Law::rolling || friction > 0 ? 3 : 1;
    }
    double compliance_of(int row) const { return compliance[row > 0]; }
    // More than a bias of u_n.
    bool compliant() const
    {
        return compliance[0] != 0 || compliance[1] != 0 || bias[1] != 0 || bias[2] != 0;
    }
    // w = u + b + R o r, in the active rows; not of rolling resistance.
    Eigen::Vector3d law_velocity(Eigen::Vector3d u) const
    {
        u[0] += bias[0];
        if (!compliant()) return u;
        u[0] += compliance[0] * r[0];
        for (int row = 1; row < active_rows(); ++row) u[row] += bias[row] + compliance[1] * r[row];
        return u;
    }
};

struct ContactProblem {
    // General blocks 0 .. general() - 1, then the rigid ones; block b owns
    // v[offset(b)] .. v[offset(b) + n - 1].
    std::vector<int> general_offset{0};
    std::vector<RigidBlock> rigid;
    Eigen::VectorXd v_free; // velocities without contact impulses
    Eigen::VectorXd v;      // velocities with them: filled by the solver
    std::vector<Contact> contacts;
    std::vector<double> H, Y; // pools of maps of general blocks; row i of Y is M^-1 times row i of H

    int general() const { return static_cast<int>(general_offset.size()) - 1; }
    int blocks() const { return general() + static_cast<int>(rigid.size()); }
    bool is_rigid(int block) const { return block >= general(); }
    int offset(int block) const
    {
        const int g = general();
        return block < g ? general_offset[block] : general_offset[g] + 6 * (block - g);
    }
    int block_size(int block) const
    {
        return block < general() ? general_offset[block + 1] - general_offset[block] : 6;
    }
    int velocities() const { return offset(blocks()); }
    double rolling_limit(const Contact& rolling) const // of |r|
    {
        return rolling.friction * contacts[rolling.normal].r[0];
    }
    void clear_contacts(); // keeps the memory
    // Reserves the maps of a side on a general block at the end of the pools and returns their start.
    int reserve_map(int block);

    // Row of H of a side on a rigid block.
    using Row6 = Eigen::Matrix<double, 6, 1>;
    Row6 rigid_row(const Contact& contact, int side, int row) const;
    Row6 rigid_response(const Contact& contact, int side, int row) const; // of Y

    Eigen::Vector3d relative_velocity(const Contact& contact) const;     // u from v
    double relative_velocity(const Contact& contact, int row) const;     // one row of it
    void apply_impulse(const Contact& contact, int row, double impulse); // v += Y_row impulse
    void rebuild_velocities(int threads = 1); // v = v_free + sum_a Y_a r_a; same bits for all threads
    double delassus(const Contact& a, int i, const Contact& b, int j) const; // entry (i, j) of W_ab
    Eigen::Matrix3d local_delassus(const Contact& contact) const;            // W_aa
};

inline ContactProblem::Row6 ContactProblem::rigid_row(const Contact& contact, int side, int row) const
{
    const Eigen::Vector3d d = side == 0 ? Eigen::Vector3d(-contact.frame.col(row)) : contact.frame.col(row);
    Row6 h;
    if (contact.law == Law::rolling)
        h << 0, 0, 0, d;
    else
        h << d, contact.arm[side].cross(d);
    return h;
}

inline ContactProblem::Row6 ContactProblem::rigid_response(const Contact& contact, int side, int row) const
{
    const RigidBlock& body = rigid[contact.side[side].block - general()];
    Row6 y = rigid_row(contact, side, row);
    y.head<3>() *= body.inverse_mass;
    y.tail<3>() = (body.inverse_inertia * y.tail<3>()).eval();
    return y;
}

inline double ContactProblem::relative_velocity(const Contact& contact, int row) const
{
    double u = contact.drift[row];
    for (int s = 0; s < 2; ++s) {
        const Contact::Side& side = contact.side[s];
        if (side.block < 0) continue;
        const double* x = v.data() + offset(side.block);
        if (is_rigid(side.block)) {
            u += rigid_row(contact, s, row).dot(Eigen::Map<const Row6>(x));
            continue;
        }
        const int n = block_size(side.block);
        const double* h = H.data() + side.map + row * n;
        for (int k = 0; k < n; ++k) u += h[k] * x[k];
    }
    return u;
}

inline void ContactProblem::apply_impulse(const Contact& contact, int row, double impulse)
{
    for (int s = 0; s < 2; ++s) {
        const Contact::Side& side = contact.side[s];
        if (side.block < 0) continue;
        double* x = v.data() + offset(side.block);
        if (is_rigid(side.block)) {
            Eigen::Map<Row6>(x) += rigid_response(contact, s, row) * impulse;
            continue;
        }
        const int n = block_size(side.block);
        const double* y = Y.data() + side.map + row * n;
        for (int k = 0; k < n; ++k) x[k] += y[k] * impulse;
    }
}

// How well v and r of a problem obey the laws, computed from the velocities, in double.
struct Residual {
    double natural_max = 0; // max over contacts of |r - P(r - rho w^)| / rms impulse
    double natural_rms = 0; // rms over contacts of the same
    double approach = 0;    // worst normal violation max(-w_n, 0), m/s; also bilateral |w|
    double round_off = 0;   // natural_max that rounding of u alone may cause: grazing contacts of fast bodies
    double wrench_change =
        0;          // of the contact wrench on a mechanism since the last check, relative; by solvers
    int worst = -1; // contact with natural_max
    int stuck = -1; // first contact that approaches though no impulse can move anything there
};
// Same bits for all threads. `each`, if given, gets |r - P(r - rho w^)| of every contact.
Residual residual(const ContactProblem& problem, int threads = 1, double* each = nullptr);

} // namespace tamis
