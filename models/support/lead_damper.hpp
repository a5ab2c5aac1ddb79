// What models of the lead damper of Zhang et al. (2020, 2022) share: a steel beam, lead shot in a closed cylinder at
// its end, and the crank that moves its other end.
#pragma once

#include "tamis/analysis/time_series.hpp"
#include "tamis/model/beam_section.hpp"
#include "tamis/model/view.hpp"
#include "tamis/packing/packing.hpp"

namespace tamis {

struct SteelBeam { // 2020, Table 3; 2022, Table 2
    double thickness = 0.002, length = 0.25, width = 0.03, E = 210e9, nu = 0.33, rho = 7845;

    double mass() const { return rho * length * width * thickness; }
    // Of the reduced model (2020, eq. 35): of a load at the free end; what of the beam's mass moves with it.
    double stiffness() const
    {
        return E * width * thickness * thickness * thickness / (4 * length * length * length);
    }
    double moving_mass() const { return 0.24 * mass(); }
    BeamSection section() const;
};

struct LeadShot { // the same tables
    int count = 147;
    double radius = 1e-3, density = 11344, cylinder = 10e-3; // the last: inner radius of the container

    double mass() const;
    // Shaken with decreasing height until it sinks no further (2020, Sect. 3.2.1), on the floor z = 0.
    Packing packing(double friction) const;
    // Adds it to a container whose floor is centred at `floor`, with y up, in rigid rotation at `turning`, about the
    // origin.
    void fill(ModelDescription& model, const Packing& bed, MaterialId lead, const Eigen::Vector3d& floor,
              const Eigen::Vector3d& turning = {0, 0, 0}) const;
    // The cavity of this height, centred at the origin of the container, its axis along y.
    ShapeId enclose(ModelDescription& model, Body container, double height, MaterialId lead) const;
};

// Centre of mass of the shot in a container with a cavity of this height: x, y and z in its axes, from the floor.
std::vector<double> centre_of_shot(const View& view, Body container, double height);

// Moment about the beam's axis between its last two nodes.
double torque_at_end(const View& view, double torsional_stiffness);

// Of the second half of a series: rms of what deviates from the mean, and amplitude of its harmonic.
std::vector<double> late_vibration(const TimeSeries& series, double frequency);

// A crank at the origin, driven at the rate w from its upper dead point on, and a rod move a slider along y. The
// returned slider carries what it moves at its far end, (0, rod, 0) in its frame.
struct CrankDrive {
    double radius = 0.25e-3, rod = 10e-3, w = 0; // the slider is as long as the rod

    Body add(ModelDescription& model) const;
    double start() const { return radius + 2 * rod; }
    Expr height(Expr t) const; // of the slider's far end, 2022, eq. 50
};

} // namespace tamis
