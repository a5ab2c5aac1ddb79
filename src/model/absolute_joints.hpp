// The joints and loops of a model as constraints between bodies in absolute coordinates, and the joint
// coordinates recovered from the motion of the bodies.
#pragma once

#include "tamis/model/view.hpp"

namespace tamis {

// One constraint between bodies a and b:
//   point: n . (x_b - x_a) - value;  axes: scale (X . Y - value);  rod: (|x_b - x_a|^2 / value - value) / 2
struct JointRow {
    enum Kind { point, axes, rod } kind;
    int a, b;                   // numbers in Model::bodies(), -1: the ground
    Eigen::Vector3d on_a, on_b; // points x or axes X of a and Y of b, in the body's frame
    Eigen::Vector3d n{0, 0, 0};
    bool carried = false; // n turns with a, else it is fixed in the world
    double value = 0, scale = 1;
};
// Rows come in groups of one to three between the same two bodies, of a kind that one may compare.
struct JointGroup {
    int a, b;
    int first, count;
    std::string name; // of the joint's body or of the loop, for messages
};

// Slides come before turns; axes are written in the frame in which the joint starts.
struct AbsoluteJoint {
    int parent, body;                    // numbers in Model::bodies(), -1: the ground
    Pose frame;                          // in which the joint starts, on the parent
    std::vector<Eigen::Vector3d> slides; // dual to the axes: the coordinates are slides . displacement
    std::vector<Eigen::Vector3d> turns;  // none, one or two axes
    bool spherical = false;
};
struct JointCoordinate {
    enum Kind { slide, turn, spherical } kind;
    int joint, number; // among its kind within the joint
};

class AbsoluteJoints {
  public:
    // Refuses joints other than independent slides, then at most two turns or a spherical joint.
    explicit AbsoluteJoints(const Model& model);

    // Displacement, orientation and their rates of a body in the frame of its joint.
    struct RelativeMotion {
        Eigen::Matrix3d R_WJ, R;
        Eigen::Vector3d d, velocity, angular_velocity;
    };
    // Of a unit force on a coordinate: what acts on the body at its origin, and back on its parent.
    struct UnitLoad {
        const AbsoluteJoint* joint;
        Eigen::Vector3d force, moment; // world axes
    };

    const Model& model() const { return model_; }
    const std::vector<JointRow>& rows() const { return rows_; }
    const std::vector<JointGroup>& groups() const { return groups_; }
    const std::vector<AbsoluteJoint>& joints() const { return joints_; }
    const std::vector<JointCoordinate>& coordinates(int mechanism) const { return coordinates_[mechanism]; }
    const JointCoordinate& coordinate(Coordinate c) const { return coordinates_[c.mechanism][c.index]; }
    const AbsoluteJoint& joint(int number) const { return joints_[number]; }
    double length() const { return length_; } // largest length scale of the mechanisms
    double length(int mechanism) const { return lengths_[mechanism]; }

    RelativeMotion relative_motion(int joint, const View& view) const;
    // Dual of the axis of a turn, in the frame of the joint: its rate is the dual . angular velocity.
    Eigen::Vector3d turn_dual(int joint, int number, const Eigen::Matrix3d& R) const;
    double turn_angle(int joint, int number, const Eigen::Matrix3d& R) const; // in (-pi, pi]
    UnitLoad unit_load(Coordinate on, const View& view) const;

  private:
    void add_joint(const Mechanism& mechanism, const Mechanism::BodyRecord& record, double scale);
    void add_loop(const Mechanism& mechanism, const LoopSpec& loop, double scale);
    void add_group(const std::vector<JointRow>& rows, const std::string& name);

    const Model& model_;
    std::vector<AbsoluteJoint> joints_;
    std::vector<std::vector<JointCoordinate>> coordinates_; // by mechanism and velocity
    std::vector<JointRow> rows_;
    std::vector<JointGroup> groups_;
    std::vector<double> lengths_; // by mechanism
    double length_ = 0;
};

// View of bodies whose motions are known. Joint coordinates are recovered from the poses.
class JointView : public View {
  public:
    explicit JointView(const AbsoluteJoints& joints);
    void settle();                                // angles are counted on from here; once in every step
    std::span<double> angles() { return angle_; } // what it remembers for that; a part of the state
    std::span<const double> angles() const { return angle_; }

    using View::motion;
    double time() const override { return t_; }
    double q(Coordinate c) const override;
    double v(Coordinate c) const override;
    double drive_force(Coordinate c) const override;
    const BodyMotion& motion(int body) const override { return motion_[body]; }

  protected:
    const AbsoluteJoints& joints_;
    double t_ = 0;
    std::vector<BodyMotion> motion_;
    std::vector<double> angle_; // by mechanism and velocity, when last settled
    double& angle(Coordinate c) { return angle_[first_angle_[c.mechanism] + c.index]; }
    double angle(Coordinate c) const { return angle_[first_angle_[c.mechanism] + c.index]; }

  private:
    std::vector<int> first_angle_;
};

} // namespace tamis
