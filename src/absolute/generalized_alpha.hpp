// The nonsmooth generalized-alpha scheme in absolute coordinates, joints and contacts enforced at position
// and at velocity level: Bruels, Acary and Cardona (2014), doi 10.1016/j.cma.2014.07.025.
#pragma once

#include "tamis/absolute/absolute_system.hpp"
#include "tamis/contact/nlgs.hpp"
#include "tamis/model/stepper.hpp"

namespace tamis {

struct GeneralizedAlphaOptions {
    double h = 1e-5;
    double rho_inf = 0.8; // spectral radius at infinite frequency, 0 .. 1
    // Of positions relative to the model's length, of velocities relative to the largest.
    double tolerance = 1e-11;
};

class GeneralizedAlpha : public Stepper {
  public:
    GeneralizedAlpha(const Model& model, const GeneralizedAlphaOptions& options);
    ~GeneralizedAlpha() override;

    StepReport step() override;
    const View& view() const override { return view_; }
    std::uint64_t state_hash() const override { return state_.hash(); }
    const AbsoluteState& state() const { return state_; }
    SavedState save() const override;
    void restore(const SavedState& saved) override;

  private:
    class Kkt; // factorised [M G^T; G -epsilon]
    struct Candidate {
        ContactRecord record; // its impulse starts as a guess
        Material material;
        double nu = 0;       // position correction
        bool active = false; // at velocity level
    };

    void predict();
    // One iteration of a step.
    void detect();
    bool converged() const;
    void linearise();
    void smooth();
    void correct_positions(StepReport& report);
    void correct_velocities(bool may_open, StepReport& report);
    void update();
    double norm(const Eigen::VectorXd& x) const; // largest translation or turn times the model's length

    const Model& model_;
    GeneralizedAlphaOptions options_;
    double alpha_m_, alpha_f_, gamma_, beta_;
    AbsoluteSystem system_;
    AbsoluteView view_;
    AbsoluteState state_;
    Detection detection_;
    Nlgs nlgs_;
    std::unique_ptr<Kkt> kkt_;
    double t_next_ = 0;
    Eigen::VectorXd a_, v_dot_; // a_n and v'~_n
    // Iterates at t_n+1.
    std::vector<CentrePose> q_;
    Eigen::VectorXd v_, a_next_, v_dot_next_;
    Eigen::VectorXd displacement_; // q_n+1 = q_n (+) displacement
    Eigen::VectorXd last_v_, last_displacement_;
    double alert_ = 0; // gap up to which contacts take part
    const std::vector<DetectedContact>* found_ = nullptr;
    std::vector<Candidate> candidates_, last_candidates_;
    ContactProblem problem_; // all velocities are one block, reduced by the joints: Y = (K^-1)_vv H^T
    std::vector<ContactRecord> contacts_;
    std::vector<double> sizes_; // of shapes
};

} // namespace tamis
