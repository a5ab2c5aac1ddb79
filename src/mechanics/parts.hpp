// The mechanisms of a model at their start, with what acts on them: what all analyses go out from.
#pragma once

#include "tamis/model/assembly.hpp"
#include "tamis/nscd/applied_forces.hpp"

namespace tamis {

struct Part { // a mechanism
    Part(const Model& model, const Mechanism& m, int q_start, int v_start)
        : body(m, Equations::Source::tape), driven(model, m.number()), q0(q_start), v0(v_start)
    {
    }
    Multibody body; // interpreted: evaluated a few thousand times
    DrivenCoordinates driven;
    int q0, v0; // its place in q and v of all
    int x0 = 0; // and among all independent coordinates, once these are numbered
    std::unique_ptr<Partition> partition;
    Eigen::VectorXd lambda; // multipliers of its loops, as an analysis finds them
};

// Laws see the grains and the memories of the start, and no contacts.
struct Parts {
    explicit Parts(const Model& model); // loops closed, at rest
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    std::vector<Multibody*> bodies() const;
    auto q_of(const Part& p) { return at.q.segment(p.q0, p.body.nq); }
    const double* q(const Part& p) const { return at.q.data() + p.q0; }
    const double* v(const Part& p) const { return at.v.data() + p.v0; }

    const Model& model;
    std::vector<std::unique_ptr<Part>> all;
    Configuration at;
    AppliedForces forces;

  private:
    std::vector<GrainState> grains_;
    std::vector<double> memory_;
};

} // namespace tamis
