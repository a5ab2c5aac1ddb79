// Springs with dampers: value, energy and tangents along a coordinate, once for all methods. How that coordinate turns
// is with the methods, which differ in their own coordinates: of joints in nscd/applied_forces.cpp, which leaves out
// what would pull apart; of both bodies in smooth/spring.cpp.
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
