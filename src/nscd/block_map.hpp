// Which block of velocities in the contact problem a body belongs to. Bodies are numbered as in Model: -1 is the
// ground, then the bodies of mechanisms, then the grains. Blocks are general ones, one for each mechanism, then rigid
// ones: the grains, then bodies of mechanisms without freedom, which grains meet as rigid blocks that move as
// prescribed.
#pragma once

#include "tamis/model/detection.hpp"

#include <utility>
#include <vector>

namespace tamis {

class BlockMap {
  public:
    // `driven`: of each mechanism, whether it has no freedom.
    BlockMap(const Model& model, const std::vector<bool>& driven)
        : bodies_(static_cast<int>(model.bodies().size())), grains_(static_cast<int>(model.grains().size())),
          general_(static_cast<int>(model.mechanisms().size())), driven_block_(model.bodies().size(), -1)
    {
        for (const BodyRecord& body : model.bodies()) mechanism_.push_back(body.mechanism);
        if (grains_ == 0) return;
        for (int b = 0; b < bodies_; ++b)
            if (driven[mechanism_[b]]) {
                driven_block_[b] = general_ + grains_ + static_cast<int>(driven_bodies_.size());
                driven_bodies_.push_back(b);
            }
    }

    bool is_grain(int body) const { return body >= bodies_; }
    int grain(int body) const { return body - bodies_; }
    int mechanism(int body) const { return mechanism_[body]; } // of a body that is not a grain
    int first_grain_block() const { return general_; }
    int rigid_blocks() const { return grains_ + static_cast<int>(driven_bodies_.size()); }
    // In their order among the rigid blocks, after the grains.
    const std::vector<int>& driven_bodies() const { return driven_bodies_; }

    bool with_grain(const DetectedContact& d) const { return is_grain(d.body_a) || is_grain(d.body_b); }
    // The rigid block of a body in a contact that has a grain or not; -1: its mechanism's general block.
    int rigid_block(int body, bool with_grain) const
    {
        return is_grain(body) ? general_ + body - bodies_ : with_grain ? driven_block_[body] : -1;
    }
    // Maps of general blocks share memory: such contacts are assembled by one thread.
    bool meets_mechanism(const DetectedContact& d) const
    {
        const bool grain = with_grain(d);
        const auto general = [&](int body) { return body >= 0 && rigid_block(body, grain) < 0; };
        return general(d.body_a) || general(d.body_b);
    }
    // Where a contact acts on its two bodies: each at its own surface, or, when a grain takes part, both at the
    // point between, so that action and reaction have no moment.
    std::pair<Eigen::Vector3d, Eigen::Vector3d> points(const DetectedContact& d) const
    {
        if (!with_grain(d)) return {d.point.on_a, d.point.on_b};
        const Eigen::Vector3d middle = (d.point.on_a + d.point.on_b) / 2;
        return {middle, middle};
    }

  private:
    int bodies_, grains_, general_;
    std::vector<int> mechanism_;    // by body
    std::vector<int> driven_block_; // by body, or -1
    std::vector<int> driven_bodies_;
};

} // namespace tamis
