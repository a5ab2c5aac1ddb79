// The Moreau-Jean theta-scheme on mechanisms in relative coordinates, beams and grains: Algorithm 1 of Docquier et
// al. (2020).
#pragma once

#include "tamis/contact/contact_solver.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/nscd/contact_assembly.hpp"
#include "tamis/nscd/grains.hpp"
#include "tamis/nscd/guided_stepper.hpp"
#include "tamis/nscd/mechanisms.hpp"
#include "tamis/nscd/position_correction.hpp"
#include "tamis/nscd/reach.hpp"

namespace tamis {

class MoreauJean : public GuidedStepper {
  public:
    // Assembles the model: closes its loops from the start values, makes velocities consistent.
    MoreauJean(const Model& model, const MoreauJeanOptions& options);
    ~MoreauJean() override;

    StepReport step() override;
    const View& view() const override { return *now_; }
    std::uint64_t state_hash() const override;
    std::vector<std::string> messages() const override { return mechanisms_.messages(); }
    Facts facts() const override;
    double momentum_error() const override;
    SavedState save() const override;
    void restore(const SavedState& saved) override;

    const std::vector<Coordinate>& guided() const override { return options_.guided; }
    void guide(std::span<const double> velocities) override { mechanisms_.guide(velocities); }
    const State& state() const override { return state_; }
    void start_from(const State& state) override { restore(state); }
    void set_step(double h) override;
    void keep() override { kept_ = state_; }
    void go_back() override { restore(kept_); }

    const MoreauJeanOptions& options() const { return options_; }
    void set_tolerance(double tolerance); // of contacts, ContactOptions::tolerance, in the steps to come
    void restore(const State& state);     // of this model, taken from state()
    const ContactProblem& problem() const { return problem_; } // of the last step, solved
    int partition_changes() const { return mechanisms_.partition_changes(); }
    const std::vector<int>& independent(int mechanism) const { return mechanisms_.independent(mechanism); }
    bool compiled() const { return mechanisms_.compiled(); } // the equations of every mechanism are

  private:
    // The phases of a step, in the order of Algorithm 1.
    void predict();
    void detect();
    void linearise();
    void free_velocity();
    void assemble_contacts();
    SolverReport solve_contacts(StepReport& report);
    SolverReport solve_found(StepReport& report);
    bool add_unforeseen();
    void update();

    bool midpoint() const { return options_.force == ForceEvaluation::midpoint && mechanisms_.count() > 0; }

    const Model& model_;
    MoreauJeanOptions options_;
    int threads_;
    State state_, kept_;
    StepTimes times_;
    StepGrid grid_;
    Mechanisms mechanisms_;
    Grains grains_;
    std::unique_ptr<BlockMap> blocks_;
    Detection detection_;
    std::unique_ptr<Reach> reach_;
    std::vector<double> sizes_; // by shape
    std::span<const DetectedContact> found_;
    std::unique_ptr<ContactAssembly> assembly_;
    ContactProblem problem_;
    Eigen::VectorXd v_start_; // of the rigid blocks, 6 each, as at the start of the step
    std::unique_ptr<ContactSolver> solver_;
    PositionCorrection position_correction_;
    std::unique_ptr<RelativeView> now_;
    std::vector<double> next_memory_;
};

} // namespace tamis
