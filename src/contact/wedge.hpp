// Impulses that grow without end, such as those on a stone between a tool and a wall that close on it. With W y = 0 for
// a growth y of the impulses, each in its friction cone, more of it moves nothing; any solution has
//
//     0 <= y.w^ ,     w^ = w + mu |w_t| n at every contact,
//
// and if y.w^ < 0 with the velocities found, no impulses of any size make up for it without sliding elsewhere. W y is
// never quite zero: what is told is how large impulses would have to be at least, |r' - r| >= -y.w^ / |W y|.
#pragma once

#include "tamis/contact/contact_problem.hpp"

#include <vector>

namespace tamis {

class Wedge {
  public:
    // Asked by a solver whenever it has checked its residual, with velocities that belong to the impulses. Looks at how
    // these grew each time the sweeps have doubled. True: a wedge was found.
    bool found(ContactProblem& problem, int sweeps);

    // Growth of the impulse of each contact, in its frame, the largest of length 1.
    const std::vector<Eigen::Vector3d>& growth() const { return y_; }

  private:
    bool holds(ContactProblem& problem);

    int sweeps_ = 0; // at which r_ were those found
    std::vector<Eigen::Vector3d> r_, y_;
    Eigen::VectorXd v_;
};

} // namespace tamis
