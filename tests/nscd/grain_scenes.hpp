// What the tests of grains against closed forms share. A scene of size s has lengths proportional to s, times
// to sqrt(s) and the same g: its velocities are those of the scene of size 1 times sqrt(s).
#pragma once

#include "nscd/step_scenes.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>

namespace tamis::scenes {

using Eigen::Matrix3d;
using Eigen::Vector3d;

class AtEveryScale : public testing::TestWithParam<double> {
  protected:
    const double s = GetParam(), root = std::sqrt(s);
};
inline auto scales()
{
    return testing::Values(1e-3, 1.0, 1e3);
}

inline MoreauJeanOptions with_step(double h, double tolerance = 1e-12)
{
    MoreauJeanOptions options;
    options.h = h;
    options.contacts.tolerance = tolerance;
    return options;
}

inline void advance(MoreauJean& run, int steps)
{
    for (int k = 0; k < steps; ++k) run.step();
}

inline Matrix3d turn(double angle, const Vector3d& axis)
{
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

// Normal of a plane through the origin that rises with x at the given angle; x down the slope is -along().
struct Slope {
    explicit Slope(double angle) : R(turn(-angle, Vector3d::UnitY())) {}
    Matrix3d R; // axes: up the slope, across it, off it
    Vector3d up() const { return R.col(0); }
    Vector3d normal() const { return R.col(2); }
};

inline Vector3d angular_velocity(const MoreauJean& run, GrainId grain)
{
    return run.view().motion(grain).angular_velocity;
}

// Linear momentum of all grains, and angular momentum about the origin.
inline Eigen::Matrix<double, 6, 1> momenta(const MoreauJean& run)
{
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    const std::vector<GrainRecord>& records = run.view().model().grains();
    for (std::size_t i = 0; i < records.size(); ++i) {
        const GrainState& grain = run.state().grains[i];
        sum.head<3>() += records[i].mass * grain.v;
        sum.tail<3>() += records[i].mass * grain.x.cross(grain.v) + grain.L;
    }
    return sum;
}

inline bool all_finite(const MoreauJean& run)
{
    for (const GrainState& grain : run.state().grains)
        if (!grain.x.allFinite() || !grain.q.coeffs().allFinite() || !grain.v.allFinite() ||
            !grain.L.allFinite())
            return false;
    return true;
}

// Sum of the normal impulses of the last step between two grains, or a grain and what belongs to none (-1).
inline double normal_impulse(const MoreauJean& run, int grain_a, int grain_b)
{
    const Model& model = run.view().model();
    auto grain = [&](int shape) { return std::max(model.grain_of(model.shapes()[shape].body), -1); };
    double sum = 0;
    for (const ContactRecord& c : run.view().contacts())
        if (std::minmax(grain(c.shape_a), grain(c.shape_b)) == std::minmax(grain_a, grain_b))
            sum += c.impulse[0];
    return sum;
}

} // namespace tamis::scenes
