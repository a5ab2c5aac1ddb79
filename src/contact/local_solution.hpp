// One contact of a problem, of any law, with the others as they are: what a Gauss-Seidel sweep does.
#pragma once

#include "tamis/contact/contact_problem.hpp"

namespace tamis {

// W_aa + R in the active rows of a contact, zero elsewhere; the inverse of that for a bilateral one.
Eigen::Matrix3d local_matrix(const ContactProblem& problem, const Contact& contact);

// r' of a contact of any law, which has the relative velocity u while r acts. W is its local_matrix().
Eigen::Vector3d solve_locally(const ContactProblem& problem, const Contact& contact, const Eigen::Matrix3d& W,
                              Eigen::Vector3d u);

} // namespace tamis
