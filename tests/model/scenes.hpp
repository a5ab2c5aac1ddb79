// Models and measures that tests of several formulations share.
#pragma once

#include "tamis/model/description.hpp"
#include "tamis/model/view.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

// A chain of joints of every kind, among them these planar ones, three at most, with start values that are nowhere
// special.
inline std::vector<Body> chain_of_every_joint(ModelDescription& model, const std::vector<Joint>& planar)
{
    Eigen::Matrix3d turned;
    turned = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized());
    std::vector<Body> bodies;
    using Start = std::vector<std::pair<double, double>>; // position and velocity of each coordinate
    const auto add = [&](const Joint& joint, const Start& start) {
        bodies.push_back(model.add({.name = "body " + std::to_string(bodies.size()),
                                    .parent = bodies.empty() ? ground : bodies.back(),
                                    .joint = joint,
                                    .at = {0.3, -0.2, 0.1},
                                    .orientation = turned,
                                    .mass = 1,
                                    .com = {0.1, 0.2, -0.3},
                                    .inertia = {0.1, 0.12, 0.14}}));
        for (std::size_t k = 0; k < start.size(); ++k)
            model.start(bodies.back(), start[k].first, start[k].second, static_cast<int>(k));
    };
    add(hinge({1, 2, 3}), {{7.3, 1.5}}); // beyond a full turn
    add(slide({1, -1, 2}), {{0.4, -2}});
    add(cylindrical({0, 1, 2}), {{-0.3, 1}, {2.5, 3}});
    add(universal({1, 0, 0}, {1, 1, 0}), {{-2.8, 0.5}, {1.2, -0.7}});
    const std::vector<Start> of_planar = {{{0.1, 0.2}, {-0.3, 0.4}, {-0.5, 0.6}},
                                          {{0.2, -0.2}, {0.3, 0.1}, {0.4, -0.6}},
                                          {{-0.1, 0.1}, {0.2, -0.4}, {0.7, 0.5}}};
    for (std::size_t k = 0; k < planar.size(); ++k) add(planar[k], of_planar.at(k));
    add(spherical(), {});
    model.start(bodies.back(), Eigen::Quaterniond(0.5, 0.1, -0.7, 0.3), {1, -2, 3});
    add(fixed_joint(), {});
    add(free_joint(), {{0.9, -0.8}, {0.7, -0.6}, {0.5, -0.4}});
    return bodies;
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
