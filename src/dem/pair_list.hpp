// Pairs of balls that are near each other, with the histories of their contacts: the outer ones within a wide skin, and
// of these the inner ones within a narrow skin, which forces are asked for. Of a range of balls: the pairs i < j with j
// in it, ascending; those with i before the range come first.
#pragma once

#include "tamis/dem/penalty_kernel.hpp"

#include <span>
#include <utility>
#include <vector>

namespace tamis {

// A contact with history, by rows or numbers of balls.
struct KeptContact {
    int i, j;
    double u[3];
};

class PairList {
  public:
    void clear(); // of outer pairs
    void add(int i, int j);
    void sort(); // if they were not added in order
    // Inner pairs anew, with these histories, which are sorted.
    void refresh(const PenaltyKernels& kernels, const BallRows& rows, double margin,
                 std::span<const KeptContact> kept);
    int histories() const; // number of pairs with one
    // These, in order; returns where they end.
    KeptContact* keep(KeptContact* to) const;

    int size() const { return used_; }
    int i(int slot) const { return i_[slot]; }
    int j(int slot) const { return j_[slot]; }
    bool touched(int slot) const { return touched_[slot / 8] >> slot % 8 & 1; }
    Vec<double> history(int slot) const;
    PairSlots slots();
    int before(int begin) const; // number of pairs whose i is before this
    std::size_t bytes() const;

  private:
    std::vector<int> outer_i_, outer_j_, i_, j_;
    std::vector<std::pair<int, int>> sorted_; // while sorting
    std::vector<double> u_;
    std::vector<unsigned char> touched_;
    int used_ = 0; // without those that fill up
};

} // namespace tamis
