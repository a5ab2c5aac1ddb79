// Small scenes and measures that the tests of the scheme share.
#pragma once

#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>

namespace tamis::scenes {

inline constexpr double g = 9.81;
inline constexpr auto as_published = ForceEvaluation::explicit_;

inline void advance(MoreauJean& stepper, long steps)
{
    for (long k = 0; k < steps; ++k) stepper.step();
}

// |error| for h and for h / 2 differ by 2^order.
inline double order(double coarse, double fine)
{
    return std::log2(std::abs(coarse / fine));
}

// Point mass on a hinge, hanging down at zero.
inline Body pendulum(ModelDescription& model, double length, double start)
{
    model.gravity({0, -g, 0});
    const Body bob = model.add({.name = "bob", .joint = hinge_z(), .mass = 1, .com = {0, -length, 0}});
    model.start(bob, start, 0);
    model.finish();
    return bob;
}

inline Body cart(ModelDescription& model, const std::string& name, double mass)
{
    return model.add({.name = name, .joint = slide_x(), .mass = mass});
}

// A solid sphere.
inline Body ball(ModelDescription& model, double mass, double radius, const Eigen::Vector3d& at)
{
    const double I = 0.4 * mass * radius * radius;
    const Body body = model.add({.name = "ball", .joint = free_joint(), .mass = mass, .inertia = {I, I, I}});
    for (int k = 0; k < 3; ++k) model.start(body, at[k], 0, k);
    return body;
}

} // namespace tamis::scenes
