// A three-node geometrically exact beam element by finite volumes.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/model/beam_section.hpp"
#include "tamis/model/element.hpp"

#include <array>

namespace tamis {

struct BeamOptions {
    double damping = 0; // moments and forces proportional to strain rates: this time, s, times the stiffness
    // Mass along the axis; without it the nodes carry the mass. Rotary inertia is always theirs.
    bool mass = true;
    Eigen::Vector3d gravity{0, 0, 0};
};

class Beam : public Element {
  public:
    // Free of load when the nodes stand as `at` says: the second one in the middle, sections oriented as
    // `axes`, x along the beam. Nodes may have axes of their own; sections turn with them.
    Beam(std::string name, const std::array<int, 3>& nodes, const std::array<Pose, 3>& at,
         const Eigen::Matrix3d& axes, const BeamSection& section, const BeamOptions& options = {});

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    Energy energy(const ElementState& state) const override;

    using Vector6 = Eigen::Matrix<double, 6, 1>;
    // (stretch, shear along y and z, twist, bending about y and z), in the axes of the section, of the two
    // evaluation points; times the section's stiffness, forces and moments.
    std::array<Vector6, 2> strain(std::span<const NodeMotion> nodes) const;

  private:
    struct Nodes;
    struct Point;
    Nodes kinematics(std::span<const NodeMotion> nodes) const;
    Point point(const Nodes& at, int i) const;
    void add_point(const Nodes& at, int i, ElementTerms& terms, bool tangent) const;
    struct Load {
        Eigen::Vector3d force, moment; // world axes
    };
    Load add_load(const Nodes& at, int i, const Point& q, const Vector6& strain, ElementTerms& terms) const;

    std::array<Eigen::Matrix3d, 3> axes_; // of the sections at the nodes, in the nodes' axes
    double half_length_;                  // ds/dxi
    BeamSection section_;
    BeamOptions options_;
    std::array<Eigen::Matrix3d, 3> mass_{Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(),
                                         Eigen::Matrix3d::Zero()}; // c_k
    std::array<Vector6, 2> unloaded_{Vector6::Zero(), Vector6::Zero()};
};

} // namespace tamis
