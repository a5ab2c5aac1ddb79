// A model in absolute coordinates: six velocities a body, and joints as bilateral constraints between bodies.
//
//   v     of a body: velocity of its centre of mass c in world axes, turning rate omega in body axes; M is
//   constant q     of a body: c and orientation R; q (+) delta moves c by a sum and turns R by exp(delta) on
//   the right g, G  constraints of all joints and loops, in metres, and their gradient: g' = G v f gravity,
//   gyroscopic moments, springs, joint forces and wrenches
#pragma once

#include "nscd/detection.hpp"
#include "nscd/view.hpp"

#include <cstdint>

namespace tamis {

struct CentrePose { // of the axes through a body's centre of mass
    Eigen::Vector3d c{0, 0, 0};
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity(); // of `turn`
};

struct AbsoluteState {
    double t = 0;
    long step = 0;
    std::vector<CentrePose> q;
    Eigen::VectorXd v; // 6 for each body
    std::uint64_t hash() const;
};

class AbsoluteView;

class AbsoluteSystem {
  public:
    // Refuses joints that are not among those below, driven coordinates and bodies without inertia.
    explicit AbsoluteSystem(const Model& model);

    // The model's joints. Slides come before turns; axes are written in the frame in which the joint starts.
    struct AbsoluteJoint {
        int parent, body;                    // numbers in Model::bodies(), -1: the ground
        Pose frame;                          // in which the joint starts, on the parent
        std::vector<Eigen::Vector3d> slides; // dual to the axes: the coordinates are slides . displacement
        std::vector<Eigen::Vector3d> turns;  // none, one or two axes
        bool spherical = false;
    };
    // Displacement, orientation and their rates of a body in the frame of its joint.
    struct RelativeMotion {
        Eigen::Matrix3d R_WJ, R;
        Eigen::Vector3d d, velocity, turning_rate;
    };
    struct JointCoordinate {
        enum Kind { slide, turn, spherical } kind;
        int joint, number; // among its kind within the joint
    };
    // Constraints come in groups of one to three rows between the same two bodies, of a kind that one may
    // compare.
    struct Group {
        int a, b; // bodies, -1: the ground
        int first, count;
    };

    const Model& model() const { return model_; }
    int bodies() const { return static_cast<int>(model_.bodies().size()); }
    int rows() const { return static_cast<int>(rows_.size()); }
    const std::vector<Group>& groups() const { return groups_; }
    const std::vector<JointCoordinate>& coordinates(int mechanism) const { return coordinates_[mechanism]; }
    const AbsoluteJoint& joint(int number) const { return joints_[number]; }
    const AbsoluteState& start() const { return start_; } // assembled
    double length() const { return length_; }             // largest length scale of the mechanisms

    Pose body_pose(const std::vector<CentrePose>& q, int body) const
    {
        return {q[body].R, q[body].c - q[body].R * model_.bodies()[body].com};
    }
    void advance(const std::vector<CentrePose>& q, const Eigen::VectorXd& delta,
                 std::vector<CentrePose>& out) const;
    // Multiplies by M^-1, six values of one body.
    template <class In, class Out>
    void divide_by_mass(int body, const In& in, Out&& out) const
    {
        out.template head<3>() = in.template head<3>() / model_.bodies()[body].mass;
        out.template tail<3>().noalias() = inverse_inertia_[body] * in.template tail<3>();
    }
    RelativeMotion relative_motion(int joint, const AbsoluteView& view) const;
    // Dual of the axis of a turn, in the frame of the joint: its rate is the dual . turning rate.
    Eigen::Vector3d turn_dual(int joint, int number, const Eigen::Matrix3d& R) const;
    double turn_angle(int joint, int number, const Eigen::Matrix3d& R) const; // in (-pi, pi]

    void constraints(const std::vector<CentrePose>& q);                          // g and G
    void bias(const std::vector<CentrePose>& q, const Eigen::VectorXd& v);       // G' v
    void forces(const std::vector<CentrePose>& q, const AbsoluteView& view);     // f
    double error() const { return rows_.empty() ? 0 : g.cwiseAbs().maxCoeff(); } // after constraints()
    // sign * velocity of a point of a body, in the frame of a contact, per unit velocities of the body.
    static Eigen::Matrix<double, 3, 6> point_map(const CentrePose& q, const Eigen::Vector3d& point,
                                                 const Eigen::Matrix3d& frame, double sign);

    Eigen::VectorXd g, G_dot_v, f;
    Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor> G; // columns of body a, then of body b

  private:
    struct Row {
        // point: n . (x_b - x_a);  axes: scale (X . Y - value);  rod: (|x_b - x_a|^2 / value - value) / 2
        enum Kind { point, axes, rod } kind;
        int a, b;
        Eigen::Vector3d on_a, on_b; // points, from the centres of mass in body axes; axes X of a and Y of b
        Eigen::Vector3d n{0, 0, 0};
        bool carried = false; // n turns with a, else it is fixed in the world
        double value = 0, scale = 1;
    };
    void add_joint(const Mechanism& mechanism, const Mechanism::BodyRecord& record, double scale);
    void add_loop(const Mechanism& mechanism, const LoopSpec& loop, double scale);
    void add_group(const std::vector<Row>& rows);
    Eigen::Vector3d from_centre(int body, const Eigen::Vector3d& point) const;
    // What all rows need to know of one side.
    struct Side;
    Side side(const std::vector<CentrePose>& q, int body, const Eigen::Vector3d& local) const;

    const Model& model_;
    std::vector<Eigen::Matrix3d> inverse_inertia_;
    std::vector<AbsoluteJoint> joints_;
    std::vector<std::vector<JointCoordinate>> coordinates_; // by mechanism and velocity
    std::vector<Row> rows_;
    std::vector<Group> groups_;
    AbsoluteState start_;
    double length_ = 0;
};

// View of a state in absolute coordinates. Joint coordinates are recovered from the poses.
class AbsoluteView : public View {
  public:
    explicit AbsoluteView(const AbsoluteSystem& system);
    void set(double t, const std::vector<CentrePose>& q, const Eigen::VectorXd& v);
    void settle(); // angles are counted on from here; once in every step
    void set_contacts(std::span<const ContactRecord> contacts) { contacts_ = contacts; }

    using View::motion;
    double time() const override { return t_; }
    double q(Coordinate c) const override;
    double v(Coordinate c) const override;
    double drive_force(Coordinate c) const override;
    const BodyMotion& motion(int body) const override { return motion_[body]; }
    std::span<const ContactRecord> contacts() const override { return contacts_; }

  private:
    const AbsoluteSystem& system_;
    double t_ = 0;
    std::vector<BodyMotion> motion_;
    std::vector<std::vector<double>> angle_; // by mechanism and velocity, when last settled
    std::span<const ContactRecord> contacts_;
};

} // namespace tamis
