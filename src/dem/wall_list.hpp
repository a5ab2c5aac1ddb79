// Balls that are near surfaces of walls, with the histories of their contacts, by blocks of balls: in each, by surface.
#pragma once

#include "tamis/dem/pair_list.hpp"
#include "tamis/dem/wall_surface.hpp"

#include <functional>
#include <span>

namespace tamis {

class WallList {
  public:
    static constexpr int block_size = 256;
    // may_touch(ball, wall) may be empty; kept: j is the surface, sorted as the list is.
    void renew(const BallRows& rows, const std::vector<WallSurface>& surfaces,
               const std::vector<WallMotion>& walls, double skin,
               const std::function<bool(int, int)>& may_touch, const std::vector<KeptContact>& kept);
    void keep(std::vector<KeptContact>& kept) const;
    static bool in_order(const KeptContact& a, const KeptContact& b);

    using Group = WallGroup;
    std::span<const Group> groups() const { return groups_; } // of all blocks, one after the other
    std::span<const int> first_groups() const { return first_; }
    std::span<const Group> groups(int block) const
    {
        return {groups_.data() + first_[block], groups_.data() + first_[block + 1]};
    }
    WallSlots slots(const Group& group);
    WallSlots slots(); // of all groups
    // use(ball, surface, history)
    void visit(const std::function<void(int, int, const Vec<double>&)>& use) const;
    // Largest distance of a ball from a wall's origin when the list was made.
    double reach(int wall) const { return reach_[wall]; }
    std::size_t bytes() const;

  private:
    std::vector<Group> groups_;
    std::vector<int> first_, ball_; // groups of a block
    std::vector<double> u_, reach_;
    std::vector<unsigned char> touched_;
};

} // namespace tamis
