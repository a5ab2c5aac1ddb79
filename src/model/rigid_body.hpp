// Inertia and weight of a rigid body whose frame is a node.
#pragma once

#include "tamis/model/element.hpp"

namespace tamis {

struct RigidBodySpec {
    std::string name;
    int node;
    double mass = 0;
    Eigen::Vector3d com{0, 0, 0};                      // in the node's axes
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero(); // about the centre of mass, node's axes
    Eigen::Vector3d gravity{0, 0, 0};
};

class RigidBody : public Element {
  public:
    explicit RigidBody(RigidBodySpec spec);

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    Energy energy(const ElementState& state) const override;

  private:
    RigidBodySpec spec_;
};

} // namespace tamis
