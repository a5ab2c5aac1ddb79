// One contact of a problem, of any law, with the others as they are: what a Gauss-Seidel sweep does.
#pragma once

#include "tamis/contact/contact_problem.hpp"

namespace tamis {

// r' of a contact of any law, which has the relative velocity u while r acts. W is W_aa, its inverse for a
// bilateral contact.
Eigen::Vector3d solve_locally(const ContactProblem& problem, const Contact& contact, const Eigen::Matrix3d& W,
                              Eigen::Vector3d u);

} // namespace tamis
