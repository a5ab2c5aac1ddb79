// Which contacts can be solved at the same time: the rigid-rigid manifolds of a contact problem in regions
// for threads and, inside a region, in batches for SIMD lanes.
//
// A manifold is a run of contacts of the same two bodies. Bodies are cut into slabs of equal work along the
// longest direction of the bed and ordered along a space-filling curve inside each. Region s < slabs holds
// the manifolds inside slab s, region slabs + s those between slabs s and s + 1. All regions s, then all
// slabs + s with s even, then those with s odd can be worked on side by side: no two share a moving body.
// Batches of a region are worked on one after the other; no two manifolds of one share a moving body. What
// fits nowhere goes to `overflow`. Everything follows from the problem alone, not from the number of threads.
//
// For a device with thousands of lanes the regions are plain colours instead: no two manifolds of a region
// share a moving body.
#pragma once

#include "tamis/contact/contact_problem.hpp"

#include <cstdint>
#include <vector>

namespace tamis {

class Colouring {
  public:
    struct Manifold {
        int row[2];     // of the bodies
        int first;      // contact
        int count;      // of entries in the list of contacts
        int points;     // of them contacts; the others are their rolling resistance
        bool compliant; // any of them
    };

    // Batches of so many lanes. The same for any number of threads.
    void arrange(const ContactProblem& problem, int lanes, int threads = 1);
    void arrange_in_colours(const ContactProblem& problem, int lanes);

    // Rows of the bodies in contact: moving ones in space, prescribed ones, then one for the ground.
    std::vector<int> body; // rigid block of each row but the last
    int moving = 0;
    int ground() const { return static_cast<int>(body.size()); }
    int row(int rigid) const { return row_of_[rigid]; } // of a rigid block; -1: no contact

    std::vector<Manifold> manifolds;
    std::vector<int> lane; // manifold in each lane of each batch, -1: none; longest manifolds first
    static constexpr int most_slabs = 8;
    int slabs = 1;
    std::vector<int> region;   // first batch of each of the 2 slabs - 1 regions, or colours, and the end
    std::vector<int> overflow; // contacts, in an order that keeps rolling resistance behind its contact
    // Slabs whose bodies a region moves or, of the overflow (2 slabs - 1), reads: a bit for each.
    unsigned slabs_of(int r) const
    {
        return r < slabs ? 1u << r : r < 2 * slabs - 1 ? 3u << (r - slabs) : overflow_slabs_;
    }

  private:
    struct Part { // of the contacts
        std::vector<Manifold> manifolds;
        std::vector<int> overflow, overflow_bodies; // contacts, and the rigid blocks of their manifolds
        double arm_sum = 0;
        long arms = 0;
    };
    void collect(const ContactProblem& problem, int threads);
    static void collect(const ContactProblem& problem, int begin, int end_of_part, Part& part);
    void order_bodies(const ContactProblem& problem, int slabs_allowed);
    void order_manifolds();
    void pack(int lanes);
    void pack_colours(int lanes);
    std::uint64_t taken(int m) const; // batches or colours that manifold m cannot join
    void take(int m, int slot);
    void put_in_overflow(int m);
    void find_overflow_slabs(const ContactProblem& problem);

    std::vector<int> row_of_; // rigid block -> row, -1: in no contact
    std::vector<int> slab_;   // of a moving row
    std::vector<int> work_;   // manifolds on a rigid block, counting those of the overflow
    std::vector<Part> parts_;
    double arm_ = 0; // mean
    unsigned overflow_slabs_ = 0;
    std::vector<std::uint64_t> keys_, mask_;
    std::vector<double> coordinate_;
    std::vector<int> order_, sorted_, bin_, region_manifold_;
};

} // namespace tamis
