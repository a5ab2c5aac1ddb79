// Follows a run for its verdict: the balance of energy, and the fastest motion against the step.
//
//     E(t) - W(t)     energy minus the work of drives and laws until then: it may fall (impacts, friction, dampers),
//                     and what it rises above its lowest value so far was gained from nothing
//     W               drives: their mean force over a step times what the coordinate moves in it, as exact as the
//                     scheme; laws: the mean of their values at the two ends of the step times what their point moves
#pragma once

#include "tamis/model/view.hpp"

#include <string>

namespace tamis {

class Watch {
  public:
    Watch(const Model& model, double h, bool springs = false); // springs: steps resolve contacts
    void start(const View& view);                              // from where the first step goes
    void resume(const View& view);      // the same, of a run whose numbers were restored
    void step(const View& view, long n) // the n-th of the run is done
    {
        if (works_) add_work(view);
        if (n <= first_ || n % stride_ == 0) look(view);
    }
    void look(const View& view); // energies and speeds of this state

    double gain() const { return gain_; }
    double gain_time() const { return gain_t_; }
    // What a gain is compared with: the largest kinetic energy, the range of the potential one, or if these are tiny
    // the work of lifting everything by a tenth of the smallest shape, or a millionth of the largest energy.
    double energy_scale() const;
    bool balance_known() const { return known_ != 0; }
    bool finite() const { return finite_ != 0; }
    double turning() const { return turning_; }
    double travel() const { return travel_; }
    std::string turning_body() const { return name(turning_body_); }
    std::string travel_body() const { return name(travel_body_); }
    int smallest_shape() const { return smallest_; } // -1: none touches

    // f(name, number) for all that a run which goes on needs.
    template <class F>
    void each(F&& f)
    {
        f("watch_work", work_);
        f("watch_low", low_);
        f("watch_gain", gain_);
        f("watch_gain_t", gain_t_);
        f("watch_kinetic", kinetic_);
        f("watch_potential_least", least_);
        f("watch_potential_most", most_);
        f("watch_largest", largest_);
        f("watch_turning", turning_);
        f("watch_travel", travel_);
        f("watch_turning_body", turning_body_);
        f("watch_travel_body", travel_body_);
        f("watch_known", known_);
        f("watch_finite", finite_);
    }

  private:
    struct Load { // of a coordinate: generalised force, position and velocity
        Coordinate on;
        bool scalar;
        double force, q, v;
    };
    struct WrenchLoad { // of a frame or a grain
        Wrench wrench;
        Eigen::Vector3d x, omega;
    };
    void add_work(const View& view); // of drives and laws in the step that is done
    void loads(const View& view, std::vector<Load>& forces, std::vector<WrenchLoad>& wrenches) const;
    std::string name(int body) const;

    const Model& model_;
    double h_;
    bool laws_ = false;  // some do work
    bool works_ = false; // so do these, or drives
    int first_, stride_; // looks after each of the first steps, then at this interval: they cost something
    std::vector<int> touching_; // shapes of bodies
    int smallest_ = -1;
    double smallest_size_ = 0, lifting_ = 0;
    std::vector<double> drive_q_;
    std::vector<Load> forces_, next_forces_;
    std::vector<WrenchLoad> wrenches_, next_wrenches_;

    double work_ = 0, low_ = 0, gain_ = 0, gain_t_ = 0;
    double kinetic_ = 0, least_ = 0, most_ = 0, largest_ = 0;
    double turning_ = 0, travel_ = 0;
    int turning_body_ = -1, travel_body_ = -1, known_ = 1, finite_ = 1;
};

// The explicit spring that is fastest with the mass it acts on: omega h, or the decay c h / m of its damper if that is
// more; and where it is. The mass is that of the body behind the joint (its inertia about the axis of a hinge), or what
// two bodies have together against each other; bodies that hang on these make it larger.
struct StiffestSpring {
    double rate = 0; // h times
    std::string name;
};
StiffestSpring stiffest_spring(const Model& model, double h);

} // namespace tamis
