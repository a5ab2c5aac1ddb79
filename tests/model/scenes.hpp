// Models and measures that tests of several formulations share.
#pragma once

#include "tamis/model/description.hpp"
#include "tamis/model/view.hpp"

#include <algorithm>

namespace tamis::scenes {

inline constexpr double gravity = 10;

inline Body add_link(ModelDescription& model, const std::string& name, Body parent, const Joint& joint,
                     const Eigen::Vector3d& at)
{
    return model.add({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .at = at,
                      .mass = 0.7,
                      .com = {0.1, -0.2, 0.05},
                      .inertia = {0.02, 0.03, 0.04, 0.002, -0.001, 0.003}});
}

// Docquier et al. (2020), Sect. 5.
inline Body slider_crank(ModelDescription& model)
{
    const double l1 = 0.153, l2 = 0.306, b = 0.025, c = 0.001;
    model.gravity({0, -gravity, 0});
    const Body crank = model.add({.name = "crank",
                                  .joint = hinge_z(),
                                  .mass = 0.038,
                                  .com = {l1 / 2, 0, 0},
                                  .inertia = {3.75e-5, 3.75e-5, 7.5e-5}});
    const Body rod = model.add({.name = "rod",
                                .parent = crank,
                                .joint = hinge_z(),
                                .at = {l1, 0, 0},
                                .mass = 0.038,
                                .com = {l2 / 2, 0, 0},
                                .inertia = {2.95e-4, 2.95e-4, 5.9e-4}});
    const Body slider = model.add({.name = "slider",
                                   .parent = rod,
                                   .joint = hinge_z(),
                                   .at = {l2, 0, 0},
                                   .mass = 0.076,
                                   .inertia = {1.35e-6, 1.35e-6, 2.7e-6}});
    const MaterialId steel = model.add(Material{.friction = 0, .restitution = 0.4});
    model.attach(slider, rectangle(0.10, 0.05), steel);
    model.attach(ground, wall({0, +1, 0}, -(b + c)), steel);
    model.attach(ground, wall({0, -1, 0}, -(b + c)), steel);
    model.start(crank, 0, 150);
    model.start(rod, 0, -225);
    model.start(slider, 0, 75);
    model.finish();
    return slider;
}

// Of bodies in two views: positions, and entries of rotations.
inline double largest_distance(const View& a, const View& b)
{
    double largest = 0;
    for (std::size_t k = 0; k < a.model().bodies().size(); ++k) {
        const BodyMotion &x = a.motion(static_cast<int>(k)), &y = b.motion(static_cast<int>(k));
        largest = std::max({largest, (x.pose.p - y.pose.p).norm(), (x.pose.R - y.pose.R).norm()});
    }
    return largest;
}

} // namespace tamis::scenes
