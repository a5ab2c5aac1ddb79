// Where sweeps stagnate, it is often on a handful of bodies: a stone wedged between others creeps or goes
// round in circles, and the sweeps over all the rest are in vain. Such a spot is small enough to be solved
// directly, with the impulses around it held.
#pragma once

#include "tamis/contact/contact_problem.hpp"
#include "tamis/contact/robust_contacts.hpp"

namespace tamis {

class HardSpot {
  public:
    // Takes the bodies of the contacts with the largest residuals, and solves all contacts of these bodies by
    // the robust solver. Leaves r and v of the whole problem. False, with nothing changed: a few contacts
    // hold less than `share` of the squared residual, the spot has contacts that the robust solver does not
    // know, or it did not help there.
    bool solve(ContactProblem& problem, double share, int threads);

  private:
    bool find(const ContactProblem& problem, double share, int threads); // the spot; fills contacts_
    void cut_out(const ContactProblem& problem);                         // fills spot_

    std::vector<double> natural_;      // residual of each contact
    std::vector<int> order_;           // contacts with the largest ones, falling
    std::vector<int> first_, of_body_; // contacts of each body, as rows of a sparse matrix
    std::vector<char> taken_;          // contacts
    std::vector<int> contacts_;        // of the spot
    ContactProblem spot_;
    RobustContacts robust_;
};

} // namespace tamis
