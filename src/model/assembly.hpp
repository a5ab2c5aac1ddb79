// The start configuration of a model, the same for every method: driven coordinates where their drives are,
// loops closed from the start values, velocities that the loops allow.
#pragma once

#include "tamis/model/partition.hpp"
#include "tamis/model/view.hpp"

#include <span>

namespace tamis {

// The coordinates of one mechanism that move as prescribed: by a drive of the model, or guided from outside.
class DrivenCoordinates {
  public:
    // `guided`: coordinates of any mechanism, whose velocities are given by their number in this list.
    DrivenCoordinates(const Model& model, int mechanism, std::span<const Coordinate> guided = {});

    const std::vector<int>& index() const { return index_; } // ascending
    int count() const { return static_cast<int>(index_.size()); }
    // Positions of driven coordinates at time t; those of guided ones follow from their velocities.
    void place(double* q, double t) const;
    void velocities(double t, std::span<const double> guided, Eigen::VectorXd& v_c) const;
    bool is_guided(int i) const { return !motions_[i]; }

  private:
    const Mechanism& mechanism_;
    std::vector<int> index_;
    std::vector<const Motion*> motions_; // null: guided,
    std::vector<int> guide_;             // by this number, else -1
};

// One mechanism at t = 0. `v_c`: velocities of its driven coordinates. Leaves B
// and B_c of the partition at q.
struct AssembledMechanism {
    std::unique_ptr<Partition> partition;
    Eigen::VectorXd q, v;
};
AssembledMechanism assemble(const Model& model, Multibody& body, const DrivenCoordinates& driven,
                            const Eigen::VectorXd& v_c);

// Of all bodies of the model, by number.
std::vector<BodyMotion> start_motions(const Model& model);

} // namespace tamis
