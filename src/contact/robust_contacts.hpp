// The robust solver (robust_solver.hpp) for contact problems of a step.
#pragma once

#include "tamis/contact/contact_solver.hpp"

namespace tamis {

// The robust solver of the local form as a ContactSolver; for problems of contacts alone (no joints, no
// rolling resistance) and of a size that can be factorised. Others it leaves as they are, not converged.
class RobustContacts : public ContactSolver {
  public:
    SolverReport solve(ContactProblem& problem) override;
    static bool suits(const ContactProblem& problem);
    int newton_steps = 300; // of late attempts, see RobustOptions: a step must not take minutes
};

} // namespace tamis
