// Forces on mechanisms but those of contacts, joints and beams: springs, laws of joint forces, wrenches on frames.
//
//     Q      forces on the joint coordinates
//     w      wrenches on frames, which the equations of the mechanism take in (Multibody::w)
//     K, C   -dQ/dq and -dQ/dv of implicit forces, in joint coordinates: never less than zero
#pragma once

#include "tamis/nscd/relative_view.hpp"

namespace tamis {

class AppliedForces {
  public:
    // Refuses implicit springs that tie two mechanisms.
    AppliedForces(const Model& model, std::vector<Multibody*> bodies);

    struct OnMechanism {
        bool implicit = false; // some of them is
        Eigen::VectorXd Q;
        Eigen::MatrixXd K, C; // empty if none is implicit
    };
    const OnMechanism& on(int mechanism) const { return on_[mechanism]; }
    // At what is shown. Slopes of laws move it and put it back.
    void evaluate(Configuration& at, bool tangents);

  private:
    void add_wrenches(const Configuration& at);
    void add_tangents(Configuration& at);
    void add_tangent(const PointSpring& spring, const RelativeView& at);
    void add_tangent(Coordinate on, double stiffness, double damping);

    const Model& model_;
    std::vector<Multibody*> bodies_;
    std::vector<OnMechanism> on_;
    bool implicit_ = false;                 // some force on any of them is
    std::vector<Multibody::RowMatrix> map_; // 3 x nv, of a spring
};

} // namespace tamis
