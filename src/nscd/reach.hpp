// How far each shape reaches for others in a step: a part of its size, and what it moves at the speed it starts with.
// If no shape moves farther than that with the velocities found, none has met another unseen: two that do together
// come through a gap larger than both reach.
#pragma once

#include "tamis/nscd/block_map.hpp"
#include "tamis/nscd/grains.hpp"
#include "tamis/nscd/relative_view.hpp"

namespace tamis {

class Reach {
  public:
    // `alert`: part of the size.
    Reach(const Model& model, const BlockMap& blocks, const Grains& grains, double alert, double h,
          int threads);

    void set_step(double h) { h_ = h; }
    void set(const RelativeView& middle, std::span<const GrainState> start);
    // With the velocities at the end of the step, six for each grain: whether some shapes move farther than they
    // reached. These then reach as far.
    bool widen(const RelativeView& end, const double* v_grains);

    std::span<const double> of_shapes() const { return reach_; }
    std::span<const char> widened() const { return widened_; } // shapes, by the last widen()

  private:
    double speed(const AttachedShape& shape, const RelativeView& view) const; // of a mechanism's body
    double farthest(const Eigen::Vector3d& from, const RelativeView& view) const;
    double margin(const AttachedShape& shape) const;
    template <class Work>
    void each_grain(const Work& work); // work(shape, grain) for the shapes of grains, by all threads

    const Model& model_;
    const BlockMap& blocks_;
    const Grains& grains_;
    double alert_, h_;
    int threads_;
    std::vector<int> grain_;  // of shapes; -1: a mechanism's, or the ground's
    std::vector<int> others_; // shapes of mechanisms
    std::vector<double> margin_, reach_;
    std::vector<char> widened_;
};

} // namespace tamis
