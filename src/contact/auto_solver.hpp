// Solvers by name, and the one that chooses among them.
#pragma once

#include "tamis/contact/contact_solver.hpp"
#include "tamis/contact/hard_spot.hpp"
#include "tamis/contact/nlgs.hpp"
#include "tamis/contact/nlgs_coloured.hpp"
#include "tamis/contact/robust_contacts.hpp"
#include "tamis/contact/wedge.hpp"

#include <memory>

namespace tamis {

// Few contacts: serial sweeps with exact local solutions; when they stagnate, the robust solver goes on from
// where they ended, and the better of the two results is kept. Many: coloured sweeps; when these stagnate, the robust
// solver on up to 150 contacts. On more, first those few bodies where the residual is (HardSpot), then, up to 1000
// contacts, all of them, which takes seconds. The report says who gave the result. Never a device: from how many
// contacts on it would pay was not measured.
class AutoSolver : public ContactSolver {
  public:
    explicit AutoSolver(int threads = 0);
    SolverReport solve(ContactProblem& problem) override;

  private:
    SolverReport solve_spots(ContactProblem& problem, SolverReport report);

    Nlgs few_;
    NlgsColoured many_;
    RobustContacts robust_;
    HardSpot spot_;
    std::vector<Eigen::Vector3d> r_; // of the sweeps
};

// Coloured sweeps in single precision as long as they gain, then accelerated ones in double: what is asked may be below
// what single precision resolves. Where they gain little because of a few bodies, these are solved directly. The report
// says what was needed.
class FloatThenDouble : public ContactSolver {
  public:
    explicit FloatThenDouble(int threads = 0);
    SolverReport solve(ContactProblem& problem) override;
    int spots() const { return spots_; } // solved directly, in the last solve()

  private:
    NlgsColoured in_float_, in_double_;
    HardSpot spot_;
    Wedge wedge_;
    int spots_ = 0;
};

// The names that make_solver() knows.
const std::vector<std::string>& solver_names();
std::unique_ptr<ContactSolver> make_solver(const std::string& name, int threads = 0);

} // namespace tamis
