// A contact problem in local form, velocities eliminated: the value that solvers of hard problems work on and
// that is exchanged as a file (io/contact_file.hpp, io/fclib.hpp).
//
//     w = (W + R) r + q,   r in K_mu,  w + mu |w_t| n in K_mu*,  r _|_ w + mu |w_t| n        (de Saxce)
//
// W consists of 3x3 blocks, stored by rows; the bias (restitution, anticipation, springs) is part of q.
// Without compliance R, w is the relative velocity u = W r + q.
#pragma once

#include "tamis/contact/contact_problem.hpp"

#include <vector>

namespace tamis {

struct LocalProblem {
    std::vector<int> row{0};            // blocks row[a] .. row[a + 1] are those of contact a
    std::vector<int> column;            // ascending within a row
    std::vector<Eigen::Matrix3d> block; // W_ab, rows and columns in the order n, t1, t2
    Eigen::VectorXd q;                  // 3 per contact
    std::vector<double> mu;
    std::vector<Eigen::Vector2d> R; // compliance of each contact, normal and tangential; empty: all rigid
    Eigen::VectorXd r;              // guess on entry of a solver, solution on exit

    int contacts() const { return static_cast<int>(mu.size()); }
    Eigen::Vector3d compliance(int contact) const // the diagonal of R
    {
        return R.empty() ? Eigen::Vector3d(0, 0, 0)
                         : Eigen::Vector3d(R[contact][0], R[contact][1], R[contact][1]);
    }
    Eigen::Vector3d velocity(int contact, const Eigen::VectorXd& impulses) const; // w of one contact
    Eigen::VectorXd velocity(const Eigen::VectorXd& impulses) const;              // (W + R) r + q
    Eigen::Matrix3d diagonal(int contact) const;                                  // W_aa + R_a
};

// |r - P_K(r - (w + mu |w_t| n))| / max(|q|, |r|, |w|); zero if the three vanish.
double relative_natural_map(const LocalProblem& problem, const Eigen::VectorXd& r);
inline double relative_natural_map(const LocalProblem& problem)
{
    return relative_natural_map(problem, problem.r);
}

// The relative natural map is at most `tolerance`, and no contact approaches faster than the square root of
// that times the largest free velocity of a contact. The second counts where the first says little: beside
// huge impulses, or on cones so wide that they are nearly half-spaces.
bool is_solution(const LocalProblem& problem, const Eigen::VectorXd& r, double tolerance);

// The measures that a step reports, of r and w, with rho = 3 / tr(W_aa + R_a). A contact with an empty
// W_aa + R_a has no rho and counts by its approach alone.
Residual residual(const LocalProblem& problem);

// W from the maps of all pairs of contacts that share a block of velocities, r from the contacts. Throws on
// bilateral contacts, which have no cone.
LocalProblem local_form(const ContactProblem& problem);

} // namespace tamis
