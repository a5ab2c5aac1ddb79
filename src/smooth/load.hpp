// Loads: a wrench that is set from outside, and laws of which only values are known.
#pragma once

#include "tamis/model/absolute_joints.hpp"
#include "tamis/model/element.hpp"

namespace tamis {

// Acts on a marker that its node carries; constant until it is set anew.
class MarkerWrench : public Element {
  public:
    MarkerWrench(std::string name, int node, const Eigen::Vector3d& marker);

    void set(const Wrench& wrench) { wrench_ = wrench; } // world axes, moment about the marker
    const Wrench& wrench() const { return wrench_; }
    Eigen::Vector3d marker() const { return marker_; } // in the axes of the node

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;

  private:
    Eigen::Vector3d marker_;
    Wrench wrench_;
};

// A wrench that a law gives from what it sees; how it changes with the motion is not known.
class LawWrench : public Element {
  public:
    LawWrench(std::string name, int node, const Eigen::Vector3d& marker, const AppliedWrench& wrench,
              const View& view);

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;

  private:
    Eigen::Vector3d marker_;
    AppliedWrench wrench_;
    const View& view_;
};

// A force on a coordinate of a joint, by a law.
class LawForce : public Element {
  public:
    LawForce(std::string name, int node_a, int node_b, const JointForce& force, const AbsoluteJoints& joints,
             const View& view);

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;

  private:
    JointForce force_;
    const AbsoluteJoints& joints_;
    const View& view_;
};

} // namespace tamis
