// The Moreau-Jean theta-scheme on mechanisms in relative coordinates and grains: Algorithm
// 1 of Docquier et al. (2020).
#pragma once

#include "tamis/contact/contact_solver.hpp"
#include "tamis/model/detection.hpp"
#include "tamis/model/multibody.hpp"
#include "tamis/model/partition.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/nscd/grains.hpp"
#include "tamis/nscd/position_correction.hpp"

#include <Eigen/Cholesky>

namespace tamis {

// Where f is evaluated.
enum class ForceEvaluation {
    // At (q_m, v_n): as published, first order.
    explicit_,
    // At (q_m, (1 - theta) v_n + theta v_n+1) by one correction: second order between impacts. Contact
    // velocities are those at the ends of the step, to the same order.
    midpoint,
};

// How contacts are solved. Without grains the tolerance bounds the largest natural-map residual of a contact.
// With grains it bounds the rms over all contacts; ten times the tolerance bounds the violation that a step
// leaves at any contact, over the mean grain size; and fifty times the tolerance bounds the change of the
// contact wrench on each mechanism and driven body over about a hundred sweeps, relative to the sum of the
// contributions of its contacts.
struct ContactOptions {
    double tolerance = 1e-10;
    int max_sweeps = 10000;
    std::string solver = "auto"; // solver_names()
    int threads = 0;             // 0: all
    Law friction = Law::contact; // Coulomb's, or `associated`, which only the solver nlgs knows
};

struct MoreauJeanOptions {
    double h = 1e-5;
    double theta = 0.5;
    ForceEvaluation force = ForceEvaluation::midpoint;
    ContactOptions contacts;
    // Anticipating contacts are detected within this fraction of the size of a
    // body plus its travel in a step.
    double alert = 0.01;
    // Overlaps of grains at anticipating contacts that exceed this fraction of the mean grain size are
    // corrected gradually by moving the grains; infinity: no correction. See position_correction.hpp.
    double overlap = 0.005;
    // Coordinates whose velocity at the end of each step is set from outside, by guide(); their positions
    // follow. Their drive_force() is what that takes; of a spherical joint, moments in body axes.
    std::vector<Coordinate> guided;
};

// What moves, and all that a restart needs.
struct State {
    double t = 0;
    long step = 0;
    Eigen::VectorXd q, v; // of all mechanisms, one after the other
    std::vector<GrainState> grains;
    struct Impulse {
        int shape_a, shape_b, feature;
        Eigen::Vector3d r, rolling; // of the contact and of its rolling resistance; world axes
    };
    std::vector<Impulse> impulses;           // of the last step, to start the next contact solve; by pair
    std::vector<Partition::Sets> partitions; // by mechanism
    std::vector<double> memory;              // of Model::memories()
};

class RelativeView;

class MoreauJean : public Stepper {
  public:
    // Assembles the model: closes its loops from the start values, makes velocities consistent.
    MoreauJean(const Model& model, const MoreauJeanOptions& options);
    ~MoreauJean() override;

    StepReport step() override;
    const View& view() const override;
    std::uint64_t state_hash() const override;
    std::vector<std::string> messages() const override;
    double momentum_error() const override;

    // Velocities at the end of the steps to come, in the order of MoreauJeanOptions::guided. At the start
    // they are those of the model.
    void guide(std::span<const double> velocities);

    const MoreauJeanOptions& options() const { return options_; }
    const State& state() const { return state_; }
    const ContactProblem& problem() const { return problem_; } // of the last step, solved
    const State* saved() const override { return &state_; }
    void restore(const State& state) override;
    int partition_changes() const;
    const std::vector<int>& independent(int mechanism) const;
    bool compiled() const; // the equations of every mechanism are

  private:
    struct Block; // one mechanism: a block of velocities in the contact problem

    // The phases of a step, in the order of Algorithm 1.
    void predict();
    void detect();
    void linearise();
    void free_velocity();
    void update();

    void assemble_contacts();
    void assemble_contact(int k);                         // of the contacts found
    bool meets_mechanism(const DetectedContact& d) const; // one that has freedom
    void add_general_side(Contact& contact, int side, int body, const Eigen::Vector3d& point,
                          Eigen::Vector3d& u_minus);
    void add_rigid_side(Contact& contact, int side, int block, const Eigen::Vector3d& point,
                        Eigen::Vector3d& u_minus);
    void add_end_velocities(const DetectedContact& d, Contact& contact, Eigen::Vector3d& u_minus);
    using Impulses = std::vector<State::Impulse>;
    Impulses::const_iterator first_impulse(int k) const; // that may belong to contact k found
    void recall_impulse(int k, Impulses::const_iterator& first);
    int threads_for(int contacts) const;
    void write_contacts(std::vector<ContactRecord>& records) const;
    void place_driven_bodies();
    void look_ahead();
    void evaluate_forces();
    void correct_midpoint_velocity();
    void drive_forces();
    void remember();
    void fail_diverged() const; // names the grain
    void set_driven(Block& block, double* q, double t) const;
    // Of the i-th driven or guided coordinate of a block.
    double driven_velocity(const Block& block, std::size_t i, double t) const;

    const Model& model_;
    MoreauJeanOptions options_;
    int threads_;
    State state_;
    double t_m_ = 0, t_next_ = 0;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<int> body_block_; // by body
    Grains grains_;
    std::vector<int> driven_bodies_; // of mechanisms without freedom: rigid blocks after those of the grains
    std::vector<int> driven_block_;  // by body: their block, or -1
    std::vector<Eigen::Matrix<double, 6, 1>> link_velocity_;
    Detection detection_;
    std::vector<double> reach_; // by shape
    const std::vector<DetectedContact>* found_ = nullptr;
    ContactProblem problem_;
    PositionCorrection position_correction_;
    std::vector<double> guided_;
    Eigen::VectorXd v_start_; // of the rigid blocks, 6 each, as at the start of the step
    std::unique_ptr<ContactSolver> solver_;
    std::vector<int> contact_of_; // contact in problem_ of each one found; its rolling resistance follows
    std::vector<Eigen::Vector3d> u_minus_; // of each contact found
    Eigen::VectorXd middle_q_, middle_v_;  // q_m and the velocity at which f is evaluated, of all mechanisms
    Eigen::VectorXd ahead_q_, ahead_v_;    // q_n+1 and v as the start of the step predicts them
    std::unique_ptr<RelativeView> now_, middle_, ahead_;
    std::vector<double> next_memory_;
};

} // namespace tamis
