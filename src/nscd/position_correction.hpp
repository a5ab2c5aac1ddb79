// Overlaps of grains, taken back by moving the grains, not by giving them velocity.
//
// A contact that anticipates keeps what overlap there is: a corner that a turn of second order, a new normal
// or the tolerance of a solve has brought inside would stay there for good. After a step, with
//
//     g_a = g(q_m) + h u_n                    the gap of contact a as it will be at the next q_m
//     D_b = (dx_b, dtheta_b)                  the displacement of grain b, the least in the metric of mass,
//
//     min sum_b D_b^T M_b D_b / 2   with   g_a + H_n,a D >= g'_a,   g'_a = -slop if g_a >= -slop,
//                                                                 g_a + share (-slop - g_a) if not,
//
// that is D = M^-1 H_n^T l with 0 <= l_a _|_ g_a + H_n,a D - g'_a >= 0: a part of what is deeper than the
// slop is taken back in each step, and no other gap is pushed below the slop by it. Few passes of
// Gauss-Seidel, from l = 0 and in the order of the contacts, are enough, since the next step goes on with
// what they leave. Only grains move, as inversely to their mass and inertia as under impulses: two of them
// keep their centre of mass. Velocities and angular momenta are untouched.
//
// Without a contact deeper than the slop nothing is done. Contacts with restitution act on gaps below zero by
// their law and are left alone.
#pragma once

#include "tamis/model/detection.hpp"
#include "tamis/nscd/grains.hpp"

namespace tamis {

class PositionCorrection {
  public:
    // Slop: a length; infinity: overlaps stay.
    PositionCorrection(int grains, double slop) : slop_(slop), moved_(grains) {}

    // `contact_of`: the contact in the problem, solved, of each one found.
    void apply(const ContactProblem& problem, std::span<const DetectedContact> found,
               std::span<const int> contact_of, double h, std::span<GrainState> grains);

  private:
    struct Gap {
        int contact;
        double now, aim; // g, g'
        double push = 0; // l
    };
    void pass(const ContactProblem& problem);

    double slop_;
    std::vector<Gap> gaps_;
    std::vector<ContactProblem::Row6> moved_; // D, by grain
};

} // namespace tamis
