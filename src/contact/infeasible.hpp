// Contact problems that nothing can solve, such as a body between two walls that close.
#pragma once

#include "tamis/contact/local_problem.hpp"

namespace tamis {

// Whether it is proved that no r with |scale r| <= largest gives w_n >= 0 at all contacts. Scale has three
// numbers for each contact. False does not mean that there is a solution; more than 500 contacts are not
// looked at.
bool infeasible(const LocalProblem& problem, const Eigen::VectorXd& scale, double largest);

} // namespace tamis
