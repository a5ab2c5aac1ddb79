// One contact of a problem, of any law, with the others as they are: what a Gauss-Seidel sweep does.
#pragma once

#include "tamis/contact/contact_problem.hpp"

#include <algorithm>

namespace tamis {

// W_aa + R in the active rows of a contact, zero elsewhere; the inverse of that for a bilateral one.
Eigen::Matrix3d local_matrix(const ContactProblem& problem, const Contact& contact);

// Of a contact with friction or rolling resistance; u as the law sees it.
Eigen::Vector3d solve_in_plane(const ContactProblem& problem, const Contact& contact,
                               const Eigen::Matrix3d& W, const Eigen::Vector3d& u);

// r' of a contact of any law, which has the relative velocity u while r acts. W is its local_matrix().
inline Eigen::Vector3d solve_locally(const ContactProblem& problem, const Contact& contact,
                                     const Eigen::Matrix3d& W, Eigen::Vector3d u)
{
    if (contact.law == Law::rolling) return solve_in_plane(problem, contact, W, u);
    u = contact.law_velocity(u);
    Eigen::Vector3d r = Eigen::Vector3d::Zero();
    if (contact.law == Law::bilateral) {
        r.head(contact.rows) = (contact.r - W * u).head(contact.rows);
        return r;
    }
    if (contact.active_rows() > 1) return solve_in_plane(problem, contact, W, u);
    if (W(0, 0) > 0) r[0] = std::max(contact.r[0] - u[0] / W(0, 0), 0.0);
    return r;
}

} // namespace tamis
