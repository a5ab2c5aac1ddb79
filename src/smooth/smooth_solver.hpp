// Integrates a smooth mechanical system: the two-step scheme, constraints at position level, Newton's method.
//
//     solver.predict();        // the motion at the end of the step, as far as it is known before it
//     solver.solve();          // with the wrenches that are set; may be called again with others
//     solver.accept();         // the step is done
#pragma once

#include "tamis/model/newton_matrix.hpp"
#include "tamis/model/saved_state.hpp"
#include "tamis/smooth/smooth_system.hpp"
#include "tamis/smooth/two_step.hpp"

#include <Eigen/Geometry>
#include <cstdint>

namespace tamis {

struct SmoothOptions {
    double h = 1e-3;
    double rho_inf = 0.6;
    double tolerance = 1e-10; // of the last Newton correction: lengths over the system's length, and turns
    int max_iterations = 30;
    bool modified = false; // Newton with the derivatives of the step's first iteration
};

struct NodeState {
    NodeMotion now;
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity(); // of now.R
    // Of the step that led here: displacement, rotation vector, and rates at its start.
    Eigen::Vector3d step_x{0, 0, 0}, step_theta{0, 0, 0};
    Eigen::Vector3d v{0, 0, 0}, omega{0, 0, 0}, a{0, 0, 0}, alpha{0, 0, 0};
};

// All that the next step depends on, but for wrenches set from outside.
struct SmoothState {
    double t = 0;
    long step = 0;
    std::vector<NodeState> nodes;
    Eigen::VectorXd lambda;
    std::vector<double> memory; // of the observers
    std::uint64_t hash() const;
    void write(SavedState& out) const;
    void read(const SavedState& in); // of the same size
};

class SmoothSolver {
  public:
    // Makes accelerations and multipliers consistent with the motion at the start. Refuses joints
    // that are open there, velocities against them, constraints that others imply, and nodes that
    // nothing holds or slows down.
    SmoothSolver(SmoothSystem& system, const SmoothOptions& options);

    void predict();
    void solve();
    void accept();

    // At the end of the step under way, as predicted or solved for; between steps, now.
    const NodeMotion& node(int number) const { return nodes_[number]; }
    std::span<const NodeMotion> motion() const { return nodes_; }
    const Eigen::VectorXd& lambda() const { return lambda_; } // of all constraints
    int iterations() const { return iterations_; }            // of the last solve
    double constraint_error();                                // largest, m
    double energy() const { return system_.energy(t_, nodes_).sum(); }

    const SmoothState& state() const { return state_; } // after the last accept
    void restore(const SmoothState& state);
    const SmoothOptions& options() const { return options_; }
    const SmoothSystem& system() const { return system_; }

  private:
    void require_closed_and_independent();
    void start_accelerations();
    void begin_step();
    void update_motion();
    void observe();
    void evaluate(bool tangent);
    void evaluate(std::size_t element, bool tangent);
    void scale_for(double c);
    void scatter(double c); // residual and, if c is positive, the derivatives for a step; c = 0: M and G only
    void require_small_turns() const;
    double correct();

    SmoothSystem& system_;
    SmoothOptions options_;
    TwoStep scheme_;
    double length_, mass_ = 1;
    SmoothState state_;

    // The step under way.
    double t_ = 0, c_ = 0; // c = h b0
    bool under_way_ = false, factorised_ = false;
    int iterations_ = 0;
    std::vector<NodeMotion> nodes_;
    Eigen::VectorXd lambda_;
    struct Increment {
        Eigen::Vector3d x, theta;             // unknowns
        Eigen::Vector3d x_known, theta_known; // of the scheme, relative to the last step
        Eigen::Vector3d v_known, omega_known;
        Eigen::Matrix3d omega_theta; // d omega / (delta theta), the turn on the left
    };
    std::vector<Increment> increments_;

    Gather gather_;
    std::vector<ElementTerms> terms_;    // by element
    std::vector<std::vector<int>> dofs_; // by element; -1: the ground's
    struct Place {                       // of an entry of an element's K in the matrix
        int slot, row, column;
        double scale;
    };
    std::vector<std::vector<Place>> places_; // by element
    double scaled_for_ = -1;                 // c of scatter()
    NewtonMatrix matrix_;
    Eigen::VectorXd residual_, row_scale_, column_scale_;
};

} // namespace tamis
