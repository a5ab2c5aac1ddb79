// Mechanisms in relative coordinates: each a general block in the contact problem, its independent velocities v_u,
// which the inner nodes of its beams follow.
//
//     predict          q_m = q_n + (1 - theta) h v_n,  h(q_m) = 0                                   (29)
//     linearise        M, c, B, forces f and their tangents at q_m                                  (25)
//     free velocities  v_free = v_n + M_red^-1 (h f_red - ...)                                      (28)
//     add side         H_red and Y = M_red^-1 H_red^T of a contact                                  (25, 31)
//     update           q_n+1 = q_m + theta h v_n+1,  h(q_n+1) = 0,  v_v = B v_u                     (30, 20)
//
// Implicit forces: with their stiffness K and damping C (tangents, in joint coordinates), evaluated at q_m and v_k,
//
//     (M + S) dv = h f(q_m, v_k) + h theta C dv_k - h^2 (2 theta - 1) K v_n,   S = h theta C + h^2 theta^2 K,
//
// which is f at (1 - theta) (q, v)_n + theta (q, v)_n+1 to first order; v_k = v_n + theta dv_k is v_n at first, and the
// midpoint velocity when forces are evaluated there. In Newton's method f, K and C are those at the last iterate, whose
// change stands for both corrections: (M + S) dv = h f + S dv_k.
#pragma once

#include "tamis/base/state_hash.hpp"
#include "tamis/contact/contact_problem.hpp"
#include "tamis/model/assembly.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/nscd/applied_forces.hpp"
#include "tamis/nscd/block_map.hpp"
#include "tamis/nscd/moreau_jean_options.hpp"
#include "tamis/nscd/state.hpp"

namespace tamis {

struct MechanismBlock;

class Mechanisms {
  public:
    Mechanisms(const Model& model, const std::vector<Coordinate>& guided);
    ~Mechanisms();

    int count() const;
    int size(int mechanism) const;             // velocities in the contact problem
    std::vector<bool> without_freedom() const; // by mechanism
    bool implicit() const;                     // some force is
    std::vector<Multibody*> bodies();          // by mechanism, for views
    // Closes loops from the start values and makes velocities consistent.
    void start(State& state);
    // Velocities of guided coordinates at the end of the steps to come.
    void guide(std::span<const double> velocities);

    // The phases of a step; `problem` gets and has the velocities of the first blocks.
    void predict(const State& state, const StepTimes& times);
    void linearise(const State& state, const StepTimes& times);
    // Adds a wrench on a body for this step, at its origin in q_m; after predict().
    void push(int body, const Wrench& wrench);
    void free_velocities(const State& state, const StepTimes& times, ContactProblem& problem);
    void look_ahead(const State& state, const StepTimes& times); // where the step would end without forces
    // At q_m, with the velocities just found.
    const RelativeView& end_velocities(const StepTimes& times, const ContactProblem& problem);
    // Evaluates forces again with the velocities just found: at the midpoint, or at the end of a Newton iteration.
    // Returns how much these differ from the ones before, relative to the largest.
    double evaluate_again(const State& state, const StepTimes& times, const ContactProblem& problem,
                          bool newton);
    void update(State& state, const StepTimes& times, const ContactProblem& problem);

    // One side of a contact on a body: its map, the prescribed velocity, and the velocity before.
    void add_side(const State& state, ContactProblem& problem, Contact& contact, int side, int body,
                  const Eigen::Vector3d& point, Eigen::Vector3d& u_minus);
    // H v at q_n+1 and at q_n instead of q_m; `again`: the contact there. After look_ahead().
    void add_end_velocities(const DetectedContact& d, const ContactPoint& again, double theta,
                            Contact& contact, Eigen::Vector3d& u_minus) const;
    // Bodies without freedom as rigid blocks: placed, with the velocities of both ends of the step.
    void place_driven(const BlockMap& map, ContactProblem& problem, double* v_start);

    // Drive forces of the step: the impulse that the driven rows of (17) lack, J^T dI_B eliminated by (18).
    void drive_forces(const State& state, const StepTimes& times, const ContactProblem& problem,
                      const BlockMap& map, std::span<const DetectedContact> found,
                      std::span<const int> contact_of, std::vector<std::pair<Coordinate, double>>& forces);
    // Largest of M_red (v_u - v_free) - sum of H^T r, relative to what was given.
    double momentum_error(const ContactProblem& problem) const;

    void write(const State& state, SavedState& out) const;
    void read(const SavedState& in, State& state) const; // refuses what does not fit
    void adopt(const State& state);                      // goes on from there

    RelativeView& middle() { return middle_.view; } // q_m with the velocity at which forces are evaluated
    RelativeView& ahead() { return ahead_.view; }   // after look_ahead()
    bool has_loops() const;
    double loop_error() const;
    int partition_changes() const;
    const std::vector<int>& independent(int mechanism) const;
    bool compiled() const;
    std::vector<std::string> messages() const;
    Facts facts() const;
    static void hash(const State& state, StateHash& hash);

    // Beams, by number in Model::beams(): sections at their nodes, and the energy of all.
    std::span<const BodyMotion> sections(int beam, const State& state, const RelativeView& view) const;
    Energy beam_energy(const State& state, const RelativeView& view) const;

  private:
    const Model& model_;
    std::vector<double> guided_;
    bool pushed_ = false; // some body, in this step
    std::vector<std::unique_ptr<MechanismBlock>> blocks_;
    Configuration middle_, ahead_; // q_m and the velocity at which f is evaluated; look_ahead()
    AppliedForces forces_;
    std::vector<Eigen::Matrix<double, 6, 1>> link_velocity_;
};

} // namespace tamis
