// A model in absolute coordinates: six velocities per body, and joints as
// bilateral constraints between bodies.
//
//   v     of a body: velocity of its centre of mass c in world axes, angular velocity omega in body axes, so
//         that M is constant
//   q     of a body: c and orientation R; q (+) delta adds to c and multiplies R by exp(delta) on the right
//   g, G  constraints of all joints and loops, in metres, and their gradient: g' = G v
//   f     gravity, gyroscopic moments, springs, joint forces and wrenches
#pragma once

#include "tamis/model/absolute_joints.hpp"
#include "tamis/model/detection.hpp"
#include "tamis/model/saved_state.hpp"

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
    void write(SavedState& out) const;
    void read(const SavedState& in); // of the same size
};

class AbsoluteView;

class AbsoluteSystem {
  public:
    // Refuses joints that are not among those below, driven coordinates and bodies without inertia.
    explicit AbsoluteSystem(const Model& model);

    const Model& model() const { return model_; }
    int bodies() const { return static_cast<int>(model_.bodies().size()); }
    int rows() const { return static_cast<int>(rows_.size()); }
    const std::vector<JointGroup>& groups() const { return joints_.groups(); }
    const AbsoluteState& start() const { return start_; } // assembled
    double length() const { return joints_.length(); }
    const AbsoluteJoints& joints() const { return joints_; }

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
    void constraints(const std::vector<CentrePose>& q);                          // g and G
    void bias(const std::vector<CentrePose>& q, const Eigen::VectorXd& v);       // G' v
    void forces(const std::vector<CentrePose>& q, const AbsoluteView& view);     // f
    double error() const { return rows_.empty() ? 0 : g.cwiseAbs().maxCoeff(); } // after constraints()
    // sign * velocity of a point of a body, in the frame of a contact, per unit velocities of the body.
    static Eigen::Matrix<double, 3, 6> point_map(const CentrePose& q, const Eigen::Vector3d& point,
                                                 const Eigen::Matrix3d& frame, double sign);

    static ContactRecord record(const DetectedContact& contact); // without velocities and impulse: zero

    Eigen::VectorXd g, G_dot_v, f;
    Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor> G; // columns of body a, then of body b

  private:
    // What all rows need to know of one side.
    struct Side;
    Side side(const std::vector<CentrePose>& q, int body, const Eigen::Vector3d& local) const;

    const Model& model_;
    std::vector<Eigen::Matrix3d> inverse_inertia_;
    AbsoluteJoints joints_;
    std::vector<JointRow> rows_; // points from the centres of mass
    AbsoluteState start_;
};

class AbsoluteView : public JointView {
  public:
    explicit AbsoluteView(const AbsoluteSystem& system);
    void set(double t, const std::vector<CentrePose>& q, const Eigen::VectorXd& v);
    void set_contacts(std::span<const ContactRecord> contacts) { contacts_ = contacts; }
    void add_contacts(std::span<const ContactRecord> contacts) // of a step
    {
        set_contacts(contacts);
        for (const ContactRecord& c : contacts) taken_ += energy_taken(c.impulse, c.u_minus, c.u_plus);
    }
    Dissipation dissipated() const override { return taken_; }
    void set_dissipated(const Dissipation& taken) { taken_ = taken; }
    double step_size() const override { return h_; }
    void set_step(double h) { h_ = h; }
    std::span<const ContactRecord> contacts() const override { return contacts_; }

  private:
    const AbsoluteSystem& system_;
    std::span<const ContactRecord> contacts_;
    Dissipation taken_;
    double h_ = 0;
};

// What methods in absolute coordinates save alike: the state, the angles that joints have come to, contacts.
SavedState save(const AbsoluteState& state, const AbsoluteView& view,
                std::span<const ContactRecord> contacts);
// Goes back to it and shows it; returns the contacts.
std::vector<ContactRecord> restore(const SavedState& saved, AbsoluteState& state, AbsoluteView& view);

} // namespace tamis
