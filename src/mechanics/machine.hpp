// The mechanisms of a model at rest in a configuration: the forces that act there, and its small motions.
//
//     x        independent coordinates of all mechanisms, then displacement and turn of the inner nodes of beams
//     g(x)     generalised force on them, loops closed; zero in equilibrium
//     M, C, K  of small motions:  M x'' + C x' + K x = 0,  K = -dg/dx,  C = -dg/dx'
//
// Drives hold their coordinates where they are at t = 0; laws of forces see that time, the memories and the grains of
// the start, and no contacts.
#pragma once

#include "tamis/mechanics/beam_nodes.hpp"
#include "tamis/mechanics/parts.hpp"

namespace tamis {

class Machine {
  public:
    // At the start of the model, with independent coordinates chosen by the solver.
    explicit Machine(const Model& model);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Model& model() const { return parts_.model; }
    const View& view() const { return parts_.at.view; }
    void show_time(double t) { parts_.at.show(t); } // what the view tells as time, until the machine moves
    int size() const { return coordinates_ + (beams_ ? 6 * beams_->inner() : 0); }
    std::vector<std::string> names() const;      // of x
    std::vector<Coordinate> independent() const; // the first ones of x
    // What a displacement of each x is small against: the length of the mechanism, and 1 rad.
    Eigen::VectorXd scale() const;
    double
    weight() const; // of all bodies, times the largest length of a mechanism: what g is small against, J
    // The coordinates that the model names as independent, where it does and they determine the others here.
    void take_named();

    struct Place { // a configuration
        Eigen::VectorXd q;
        std::vector<NodeMotion> nodes;
        std::vector<Partition::Sets> sets;
    };
    Place place() const;
    void go_to(const Place& place);
    // Adds dx and closes loops. False, and nothing has changed, if they cannot be closed.
    bool move(const Eigen::VectorXd& dx);
    // Exchanges independent coordinates that come close to a dead point; x is another then.
    void maintain();

    Eigen::VectorXd force();     // g
    Eigen::MatrixXd stiffness(); // K
    struct SmallMotions {
        Eigen::MatrixXd M, C, K;
    };
    SmallMotions small_motions();

  private:
    using Matrix = Eigen::MatrixXd;

    Part* part_of(int body);
    void number_coordinates();
    void evaluate();                                         // f_ at the present configuration and velocities
    void balance_loops();                                    // lambda, from f_
    void add_loop_forces(const Part& part);                  // f_ -= J^T lambda
    Eigen::VectorXd reduced(const Eigen::VectorXd& f) const; // B^T f
    Matrix end_map(const BeamNodes::Node& end);              // of its velocity, 6 x nv of its mechanism
    Matrix node_map();                                       // of the velocities of all nodes, by x'
    Matrix slopes(bool of_velocity);                         // of the mechanisms' part of g, by differences

    Parts parts_;
    std::unique_ptr<BeamNodes> beams_; // null: none
    ElementTerms terms_;               // of the beams, as evaluated last
    Eigen::VectorXd f_;                // on all joint coordinates
    int coordinates_ = 0;              // independent ones
};

} // namespace tamis
