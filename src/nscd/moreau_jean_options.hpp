// How the Moreau-Jean scheme steps.
#pragma once

#include "tamis/contact/contact_problem.hpp"
#include "tamis/model/model.hpp"

#include <string>
#include <vector>

namespace tamis {

// Where f is evaluated.
enum class ForceEvaluation {
    // At (q_m, v_n): as published, first order.
    explicit_,
    // At (q_m, (1 - theta) v_n + theta v_n+1) by one correction: second order between impacts. Contact
    // velocities are those at the ends of the step, to the same order.
    midpoint,
};

// How contacts are solved. Without grains the tolerance bounds the largest natural-map residual of a contact.
// With grains it bounds the rms over all contacts; ten times it the violation that a step leaves anywhere,
// over the mean size of the grains; and fifty times it the change of the wrench on each mechanism and driven
// body, relative to the sum of what contacts do there, over a hundred sweeps or so.
struct ContactOptions {
    double tolerance = 1e-10;
    int max_sweeps = 10000;
    std::string solver = "auto"; // solver_names()
    int threads = 0;             // 0: all
    Law friction = Law::contact; // Coulomb's, or `associated`, which only the solver nlgs knows
};

struct MoreauJeanOptions {
    double h = 1e-5;
    double theta = 0.5;
    ForceEvaluation force = ForceEvaluation::midpoint;
    ContactOptions contacts;
    // Anticipating contacts are looked for within this part of the size of a body, and as far as it moves in
    // a step.
    double alert = 0.01;
    // Where contacts anticipate, overlaps of grains deeper than this part of their mean size are reduced,
    // little by little, by moving the grains; infinity: they stay. See position_correction.hpp.
    double overlap = 0.005;
    // Coordinates whose velocity at the end of each step is set from outside; guided_stepper.hpp.
    std::vector<Coordinate> guided;
    // Implicit forces (ForceTreatment::implicit, beams): linearised once at q_m, or solved for by Newton's
    // method, each iteration with a contact solve, until velocities change by less than this part.
    int newton_iterations = 1;
    double newton_tolerance = 1e-10;
};

// Times of steps of one size, which no sum of steps enters: t_0 + (k - k_0) h.
struct StepGrid {
    double t = 0;
    long step = 0;
    double next(long done, double h) const { return t + static_cast<double>(done + 1 - step) * h; }
};

// The step under way.
struct StepTimes {
    double h, theta;
    double t = 0, t_m = 0, t_next = 0; // start, where everything is linearised, end
    // Symplectic: q_m = q_n and q_n+1 = q_n + h v_n+1 whatever theta is. Velocities then lag by half a step, forces are
    // central between them, and theta = 1/2 is Newmark's scheme with beta = 1/4 for implicit forces.
    bool symplectic = false;

    double before() const { return symplectic ? 0 : (1 - theta) * h; } // from q_n to q_m
    double after() const { return symplectic ? h : theta * h; }        // from q_m to q_n+1
};

} // namespace tamis
