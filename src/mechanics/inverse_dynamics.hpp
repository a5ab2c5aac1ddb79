// The forces that a prescribed motion takes: of its drives, and what joints and loops carry.
//
//     M a + c = Q + J^T lambda + F,     F on driven coordinates only
#pragma once

#include "tamis/mechanics/parts.hpp"

namespace tamis {

class InverseDynamics {
  public:
    // At t = 0. Drives must move every freedom of the model, and bodies must be rigid: else it is refused. Their
    // accelerations are central differences of their velocities, over a hundredth of `interval`, which should be the
    // time between two of the times to be gone to.
    InverseDynamics(const Model& model, double interval);

    void go_to(double t); // forth from the last time, by a small part of the motion

    struct Driven {
        Coordinate on;
        double q, v, a;
        double force; // of the drive: N, or N m
    };
    // World axes. What a joint passes to its body, about the origin of the body: with drives and springs in the joint
    // along its own axes. What a loop passes to its body a, about the point there.
    struct Reaction {
        std::string name;
        Eigen::Vector3d force, moment;
    };
    const std::vector<Driven>& driven() const { return driven_; }
    const std::vector<Reaction>& joints() const { return joints_; } // by number in Model::bodies()
    const std::vector<Reaction>& loops() const { return loops_; }
    double power() const; // of all drives, W
    const View& view() const { return parts_.at.view; }
    std::string redundant() const; // a sentence if loops have more equations than they need, else empty

  private:
    void evaluate();
    Eigen::VectorXd accelerations(Part& part);
    void drive_forces(Part& part, const Eigen::VectorXd& a);
    void loop_reactions(const Part& part);
    void joint_reactions(const Part& part, const Eigen::VectorXd& a);
    void act(int link, const Part& part, const Eigen::Vector3d& at, const Eigen::Vector3d& force,
             const Eigen::Vector3d& moment);

    Parts parts_;
    double t_ = 0, difference_;
    std::vector<Driven> driven_;
    std::vector<Reaction> joints_, loops_;
};

} // namespace tamis
