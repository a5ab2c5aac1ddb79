// The Moreau-Jean theta-scheme in absolute coordinates, joints enforced at velocity level like contacts.
#pragma once

#include "tamis/absolute/absolute_system.hpp"
#include "tamis/contact/nlgs.hpp"
#include "tamis/model/stepper.hpp"

namespace tamis {

struct AbsoluteOptions {
    double h = 1e-6;
    double theta = 0.5;
    NlgsOptions contacts; // for joints and contacts together
};

class Absolute : public Stepper {
  public:
    Absolute(const Model& model, const AbsoluteOptions& options);

    StepReport step() override;
    const View& view() const override { return view_; }
    std::uint64_t state_hash() const override { return state_.hash(); }
    const AbsoluteState& state() const { return state_; }
    SavedState save() const override;
    void restore(const SavedState& saved) override;

  private:
    void predict();
    void detect();
    void free_velocity();
    void assemble_joints();
    void assemble_contacts();
    void update();
    // Writes H of a side into the pools, with Y = M^-1 H^T.
    template <class Map>
    void add_side(Contact& contact, int side, int body, const Map& H);

    const Model& model_;
    AbsoluteOptions options_;
    AbsoluteSystem system_;
    AbsoluteView view_;
    AbsoluteState state_;
    Detection detection_;
    Nlgs nlgs_;
    double t_m_ = 0, t_next_ = 0;
    std::vector<CentrePose> q_m_;
    Eigen::VectorXd scratch_;
    const std::vector<DetectedContact>* found_ = nullptr;
    ContactProblem problem_;                      // groups of joint rows, then contacts
    std::vector<Eigen::Vector3d> joint_impulses_; // of the last step, by group
    std::vector<ContactRecord> contacts_, last_contacts_;
    std::vector<double> sizes_; // of shapes
};

} // namespace tamis
