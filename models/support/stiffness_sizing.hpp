// How soft the contacts of a particle damper may be: Biondani et al., Efficient discrete element modeling of particle
// dampers, Processes 10 (2022) 1247, Sects 2.2 and 3.3.
//
//     --> x_base = A sin 2 pi f t          A mass on a spring and a damper, excited by its base, carries a cavity with
//     |-k,c-[ o oo ]                       balls (Saeki 2002). The softer the contacts, the longer the step may be, and
//                                          the deeper balls overlap.
//
//     eta = s / r        largest overlap over the radius
//     beta = s / s_ref   over that of one ball that hits a wall at the largest speed v of the cavity,
//                        s_ref = sqrt(m / k) v
#pragma once

#include "tamis/dem/penalty_law.hpp"

#include <string>
#include <vector>

namespace tamis {

// What the sizing rule saves: the step with sized contacts over that with contacts of the material, sqrt(k_mat / k),
// for steel balls of 3 mm shaken at f with an amplitude of the acceleration in g; beta = 3, eta = 5 %, contacts
// shorter than a hundredth of a period (Fig. 2).
struct Speedup {
    double ratio;
    bool by_duration; // that asks for more than the overlap
};
Speedup sizing_speedup(double frequency, double acceleration);

// A configuration of Table 5; lengths in m, eta and beta as published.
struct SizingCase {
    std::string name;
    double length = 0.058, height = 0.038; // of the cavity along the motion, and across
    double amplitude = 1e-3, diameter = 6e-3;
    int balls = 200;
    double density = 1190, friction = 0.52;
    bool capsule = false; // with its axis along the motion
    double tilt = 0;      // of gravity from the vertical against the motion, rad
    double eta, beta;
};
const std::vector<SizingCase>& sizing_cases();
// Of contacts between balls of the material (12); the published 9.06e4 N/m for balls of 6 mm, 1190 kg/m3.
double sizing_material(const SizingCase& c);

struct SizingRun {
    double stiffness = 0; // among balls; 2^0.6 times as much at walls
    double frequency = 0;
    int cycles = 40;    // of the base; the second half counts
    double alpha = 0.1; // Hart's
    FrictionModel friction = FrictionModel::elastic;
};
struct SizingResponse {
    double rms;     // of the mass about its mean, m
    double speed;   // largest of the mass
    double overlap; // largest
};
SizingResponse sizing_response(const SizingCase& c, const SizingRun& run);

} // namespace tamis
