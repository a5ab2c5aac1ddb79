// Models that are cut, and runs of the whole to compare with.
#pragma once

#include "model/scenes.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/model/description.hpp"

#include <cmath>
#include <tuple>
#include <utility>

namespace tamis::scenes {

// In space: a carrier on a hinge askew, with a spring; on its far end, turned and aside, an arm on a
// spherical joint; on that a tip on a hinge. The arm is where it is cut.
struct Chain {
    ModelDescription model{"chain"};
    Body carrier, arm, tip;

    explicit Chain(double arm_mass = 0.3, const Eigen::Vector3d& g = {0, -gravity, 1})
    {
        Eigen::Matrix3d turned;
        turned = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized());
        model.gravity(Vector(g));
        carrier = model.add({.name = "carrier",
                             .joint = hinge({1, 2, 3}),
                             .mass = 2,
                             .com = {0.2, 0.1, 0},
                             .inertia = {0.2, 0.25, 0.3}});
        arm = model.add({.name = "arm",
                         .parent = carrier,
                         .joint = spherical(),
                         .at = {0.4, 0.1, -0.1},
                         .orientation = turned,
                         .mass = arm_mass,
                         .com = {0.1, 0, 0.05},
                         .inertia = {0.02, 0.03, 0.04}});
        tip = model.add({.name = "tip",
                         .parent = arm,
                         .joint = hinge_y(),
                         .at = {0.2, 0, 0},
                         .mass = 0.2,
                         .com = {0.1, 0, 0},
                         .inertia = {0.01, 0.02, 0.01}});
        model.start(carrier, 0.3, 1.5);
        model.start(arm, Eigen::Quaterniond(Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitZ())), {0.5, -1, 2});
        model.start(tip, -0.2, -1);
        model.spring(model.coordinate(carrier), {.stiffness = 40, .damping = 0.1});
        model.finish();
    }
};

// In a plane: a crank, its coupler and a rocker, closed to the ground; on the coupler, at the cut, a frame
// that carries two fingers tied by a rod.
struct Linkage {
    ModelDescription model{"linkage"};
    Body crank, coupler, rocker, frame, left, right;

    Linkage()
    {
        const auto add = [&](const std::string& name, Body parent, double along, double mass) {
            return model.add({.name = name,
                              .parent = parent,
                              .joint = hinge_z(),
                              .at = {along, 0, 0},
                              .mass = mass,
                              .com = {0.1, 0, 0},
                              .inertia = {0.05 * mass, 0.05 * mass, 0.05 * mass}});
        };
        model.gravity({0, -gravity, 0});
        crank = add("crank", ground, 0, 2);
        coupler = add("coupler", crank, 0.3, 2);
        rocker = add("rocker", coupler, 0.6, 2);
        model.close({.name = "rocker on the ground",
                     .kind = LoopKind::point_plane,
                     .a = rocker,
                     .point_a = {0.4, 0, 0},
                     .b = ground,
                     .point_b = {0.6, 0, 0}});
        frame = add("frame", coupler, 0.4, 0.2);
        left = add("left", frame, 0, 0.1);
        right = add("right", frame, 0.2, 0.1);
        model.close({.name = "rod",
                     .kind = LoopKind::rod,
                     .a = left,
                     .point_a = {0.15, 0, 0},
                     .b = right,
                     .point_b = {0.15, 0, 0},
                     .length = 0.22});
        model.start(crank, 1.2, 2);
        model.start(coupler, -1.0, 0);
        model.start(rocker, -1.5, 0);
        model.start(frame, -0.5, 1);
        model.start(left, -1.2, 0);
        model.start(right, -1.2, 0);
        model.finish();
    }
};

// A container on a spring, and balls that fall into it; their contacts are springs, too.
inline const Material soft{.friction = 0.3, .restitution = 0.6, .stiffness = 1e5};
inline std::pair<Body, ShapeId> add_container(ModelDescription& model, int balls = 5, double damping = 10)
{
    model.gravity({0, 0, -gravity});
    const Body body =
        model.add({.name = "container", .joint = slide_z(), .mass = 2, .inertia = {0.1, 0.1, 0.1}});
    model.spring(model.coordinate(body), {.stiffness = 2000, .damping = damping});
    const MaterialId steel = model.add(soft);
    const ShapeId inside = model.attach(body, hollow(box(0.5, 0.5, 0.5)), steel, {}, "inside");
    for (int k = 0; k < balls; ++k)
        model.grain({.shape = sphere(0.05),
                     .material = steel,
                     .density = 300,
                     .at = {.p = {0.1 * k - 0.2, 0.02 * (k % 2), -0.19 + 0.02 * k}},
                     .velocity = {0.1 * (k % 3), 0, -0.5}});
    return {body, inside};
}
struct Container {
    ModelDescription model{"container"};
    Body body;
    ShapeId inside;

    explicit Container(int balls = 5, double damping = 10)
    {
        std::tie(body, inside) = add_container(model, balls, damping);
    }
};

// The whole model at t_end, by the Moreau-Jean scheme of second order.
inline std::unique_ptr<MoreauJean> whole_run(const Model& model, double t_end, int steps)
{
    auto run = std::make_unique<MoreauJean>(model, MoreauJeanOptions{.h = t_end / steps});
    for (int n = 0; n < steps; ++n) run->step();
    return run;
}

} // namespace tamis::scenes
