// Independent, dependent and driven coordinates of one mechanism (17-27).
//
// The velocities split into u (independent), v (dependent, as many as there are independent loop equations)
// and c (driven). With J the gradient of the loop equations, at a given configuration
//
//     v = B v_u + B_c v_c,     B_vu = -J_v^-1 J_u (20),   B_vc = -J_v^-1 J_c
//
// The dependent set is named by the model or chosen by complete pivoting, with angles scaled by the
// mechanism's length so that they compare with lengths. A chosen set is replaced before it becomes singular;
// since the state holds all coordinates, nothing jumps when it is. Redundant loop equations are found by the
// same factorisation and left out.
#pragma once

#include "tamis/model/multibody.hpp"

#include <Eigen/LU>
#include <limits>
#include <string>

namespace tamis {

class Partition {
  public:
    // `named`: the model's independent velocities; empty: chosen here. `q`: a
    // configuration close to the start.
    Partition(Multibody& body, const std::vector<int>& named, const std::vector<int>& driven,
              const double* q);

    // Newton on the dependent coordinates until h(q) = 0; leaves J at q. Throws if that fails.
    void close(double* q, double t);
    // B and B_c from J at the configuration of the last close().
    void project();
    // v = B v_u + B_c v_c of all coordinates.
    void velocities(const double* v_u, const double* v_c, double* v) const;
    // Replaces a chosen partition that comes close to singular, refuses a named one that does; once per step,
    // after project(). True if it was replaced.
    bool maintain();

    // Velocities that satisfy the loops at the configuration of the last close(). With a named partition the
    // independent ones are those given and the others follow; else those that are given and not zero are
    // kept, the others follow where loops demand it and are zero where not.
    Eigen::VectorXd start_velocity(const Eigen::VectorXd& given, const Eigen::VectorXd& driven) const;

    // What tells one partition of a mechanism from another; adopt() takes over one
    // that an earlier run had come to.
    struct Sets {
        std::vector<int> u, v, loop_rows;
    };
    Sets sets() const { return {u, v, loop_rows}; }
    void adopt(const Sets& sets);

    bool trivial() const { return body_.rows == 0 && c.empty(); } // B is the identity
    int nu() const { return static_cast<int>(u.size()); }
    double loop_error() const { return loop_error_; } // largest |h| after the last close(), in metres
    int changes() const { return changes_; }          // how often the dependent set was replaced
    const std::string& redundant() const { return redundant_; } // a sentence, empty if none is

    std::vector<int> u, v, c;
    std::vector<int> loop_rows;                                     // the independent loop equations
    Eigen::MatrixXd B, B_c;                                         // nv x n_u, nv x n_c
    const Eigen::MatrixXd& J_v_inverse() const { return inverse_; } // of the kept loop equations

  private:
    void choose(bool only_if_better); // the sets u, v and the loop equations kept
    void set_up();                    // memory for them
    void invert();                    // J_v^-1 from J
    double worst_ratio() const;       // largest |B| with angles scaled
    std::string names(const std::vector<int>& velocities) const;

    Multibody& body_;
    bool named_;
    std::vector<int> free_; // all but driven
    Eigen::MatrixXd J_v_, inverse_;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
    Eigen::VectorXd rhs_, delta_, q_try_;
    double loop_error_ = 0;
    int changes_ = 0;
    double last_ratio_ = std::numeric_limits<double>::infinity(); // worst_ratio() one step ago
    std::string redundant_;
};

} // namespace tamis
