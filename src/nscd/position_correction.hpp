// Position correction: overlaps of grains are removed by moving the grains, not by giving them velocity.
//
// An anticipating contact keeps an existing overlap: a corner brought inside by a second-order rotation, a
// new normal or the tolerance of the solver would stay there forever. After a step, with
//
//     g_a = g(q_m) + h u_n                    the gap of contact a expected at the next q_m
//     D_b = (dx_b, dtheta_b)                  the displacement of grain b, the least in the metric of mass,
//
//     min sum_b D_b^T M_b D_b / 2   with   g_a + H_n,a D >= g'_a,   g'_a = -slop if g_a >= -slop,
//                                                                 g_a + share (-slop - g_a) if not,
//
// that is D = M^-1 H_n^T l with 0 <= l_a _|_ g_a + H_n,a D - g'_a >= 0: in each step a fraction of the depth
// beyond the slop is removed, without pushing any other gap below the slop. A few Gauss-Seidel passes from
// l = 0, in the order of the contacts, are enough, since the next step continues with the remainder. Only
// grains move, weighted by inverse mass and inertia as under impulses: the centre of mass of two grains
// stays. Velocities and angular momenta are unchanged.
//
// If no contact is deeper than the slop, nothing is done. Contacts with restitution act on negative gaps by
// their law and are not corrected.
#pragma once

#include "tamis/model/detection.hpp"
#include "tamis/nscd/grains.hpp"

namespace tamis {

class PositionCorrection {
  public:
    // Slop: a length; infinity: no correction.
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
