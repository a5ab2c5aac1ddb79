// Rigid grains: free bodies in arrays, each a block of six velocities in the contact problem.
//
//     x_m = x_n + (1 - theta) h v_n                       q_m likewise by a finite turn          (29)
//     v_free = v_n + h (g + F / m),  omega_free = J^-1 (L_n + h T)                               (28)
//     x_n+1 = x_m + theta h v_n+1,  L_n+1 = J omega_n+1                                          (30)
//
// The state holds the angular momentum L instead of the angular velocity: a free tumbling body keeps it to
// the last digit. J is the inertia in the orientation that the end of the step is expected to have, which
// lies in the middle of two configurations q_m; the turn from one to the next is then of second order and
// energy does not drift.
#pragma once

#include "tamis/base/state_hash.hpp"
#include "tamis/contact/contact_problem.hpp"
#include "tamis/model/saved_state.hpp"
#include "tamis/model/view.hpp"
#include "tamis/nscd/moreau_jean_options.hpp"

namespace tamis {

// q turned by the rotation vector `angle`, world axes.
Eigen::Quaterniond turned(const Eigen::Quaterniond& q, const Eigen::Vector3d& angle);

class Grains {
  public:
    explicit Grains(const Model& model, int threads = 1);
    int count() const { return static_cast<int>(poses_.size()); }
    std::vector<GrainState> start() const;

    // Configuration q_m and the blocks of the contact problem there.
    void predict(std::span<const GrainState> state, double theta, double h, RigidBlock* blocks);
    // Start velocities as the contact problem sees them, 6 each, and free ones.
    void velocities(std::span<const GrainState> state, const RigidBlock* blocks, double* v) const;
    void free_velocities(double h, const View& view, const RigidBlock* blocks, const double* v,
                         double* v_free) const;
    // The end of the step from the velocities found, `before` those at its start.
    void update(std::span<GrainState> state, const StepTimes& times, const double* before,
                const double* v) const;
    // Sum of m (v - v_free) and of the impulses on all grains, relative to the sum of these.
    double momentum_error(const ContactProblem& problem, const double* v_free,
                          std::span<const GrainState> state) const;

    static void write(std::span<const GrainState> state, SavedState& out);
    static void read(const SavedState& in, std::span<GrainState> state);
    static void hash(std::span<const GrainState> state, StateHash& hash);

    const Pose& pose(int grain) const { return poses_[grain]; } // at q_m
    // Length scale: the mean diameter of the balls around the grains.
    double mean_size() const { return mean_size_; }

    // Upper bound of the speed of any point of a grain.
    double speed(int grain, const GrainState& state) const;

  private:
    const Model& model_;
    int threads_;
    double mean_size_ = 0;
    // predict
    std::vector<Pose> poses_;              // at q_m
    std::vector<Eigen::Quaterniond> q_m_;  // the same turn
    std::vector<Eigen::Matrix3d> inertia_; // J
};

} // namespace tamis
