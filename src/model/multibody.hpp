// A mechanism at run time: its generated equations with the memory they need.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/mbs_symbolic/equations.hpp"

#include <Eigen/Core>

namespace tamis {

class Multibody {
  public:
    explicit Multibody(const Mechanism& mechanism, Equations::Source source = Equations::Source::best);

    const Mechanism& mechanism;
    const int nq, nv, rows; // rows: loop equations

    // M, c (11) at (q, v) with the applied wrenches `w`; results in M and c.
    void dynamics(const double* q, const double* v);
    void bias(const double* q, const double* v); // c only
    // h, J (16); results in h and J.
    void loops(const double* q);
    // J' v (22); result in J_dot_v.
    void loop_bias(const double* q, const double* v);
    // Named frames at (q, v).
    void frames(const double* q, const double* v);
    Eigen::Vector3d frame_position(int frame) const
    {
        return Eigen::Map<const Eigen::Vector3d>(&frames_[18 * frame]);
    }
    Eigen::Vector3d frame_velocity(int frame) const
    {
        return Eigen::Map<const Eigen::Vector3d>(&frames_[18 * frame + 12]);
    }

    // q (+) dt v: sums for hinges and slides, a finite turn by the rotation vector dt v for a spherical joint.
    void advance(const double* q, const double* v, double* out, double dt = 1) const;
    bool turns(int velocity) const { return turns_[velocity]; } // an angle, not a length
    bool compiled() const { return equations_.compiled(); }

    using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<const RowMatrix> M, J;
    Eigen::Map<const Eigen::VectorXd> c, h;
    Eigen::VectorXd J_dot_v;
    Eigen::VectorXd w; // applied wrenches, 6 each: set before dynamics() and bias()

    double length_scale;

  private:
    friend class Placement;
    Equations equations_;
    Eigen::VectorXd dynamics_, loops_, frames_;
    std::vector<bool> turns_;
};

// Where the links of a mechanism are, and the velocity of any of their points as a
// map of the joint velocities.
class Placement {
  public:
    explicit Placement(Multibody& body);
    void update(const double* q);
    Pose link(int i) const;
    // Velocities of all link origins and angular velocitys, world axes; 6 each.
    void velocities(const double* v, std::vector<Eigen::Matrix<double, 6, 1>>& out) const;
    // Accelerations of all link origins and angular accelerations with the joint velocities v held, from
    // velocities(v): J' v of each link.
    void bias_accelerations(const double* v, const std::vector<Eigen::Matrix<double, 6, 1>>& velocities,
                            std::vector<Eigen::Matrix<double, 6, 1>>& out) const;
    // Adds sign * frame^T * (velocity of `point` of link i per unit joint velocity) to the rows of H (3 x
    // nv).
    void add_point_map(int i, const Eigen::Vector3d& point, const Eigen::Matrix3d& frame, double sign,
                       Eigen::Ref<Multibody::RowMatrix> H) const;
    // The same of its angular velocity.
    void add_turn_map(int i, const Eigen::Matrix3d& frame, double sign,
                      Eigen::Ref<Multibody::RowMatrix> H) const;

  private:
    Multibody& body_;
    Eigen::VectorXd data_; // Quantity::kinematics
    Eigen::Vector3d origin(int i) const { return Eigen::Map<const Eigen::Vector3d>(&data_[12 * i]); }
    Eigen::Vector3d axis(int j) const { return Eigen::Map<const Eigen::Vector3d>(&data_[axes_ + 3 * j]); }
    int axes_;
};

} // namespace tamis
