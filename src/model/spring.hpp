// Springs with dampers: value and energy, once for all methods, and the tangents along a coordinate. Those in space are
// with the methods, which differ in what they keep of them: nscd/applied_forces.cpp drops what would pull apart,
// smooth/spring.cpp has the coordinates of both bodies.
#pragma once

#include "tamis/model/model.hpp"

namespace tamis {

// Of a spring with a damper at the length (or angle) x and its rate v. Positive pulls x back.
struct SpringForce {
    double value;
    double stiffness, damping; // d value / dx, d value / dv
};
inline SpringForce spring_force(const SpringLaw& law, double x, double v)
{
    return {law.stiffness * (x - law.rest) + law.damping * v, law.stiffness, law.damping};
}
inline double spring_energy(const SpringLaw& law, double x)
{
    return law.stiffness * (x - law.rest) * (x - law.rest) / 2;
}

// Of a spring between two points, from the vector x = b - a and its rate: what pulls a towards b. Zero where the
// points meet, since there is no direction.
Eigen::Vector3d spring_force(const SpringLaw& law, const Eigen::Vector3d& x, const Eigen::Vector3d& rate);

} // namespace tamis
