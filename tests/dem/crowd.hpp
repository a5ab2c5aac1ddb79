// Balls of two sizes and materials, and a box that is shaken.
#pragma once

#include "tamis/dem/penalty_bed.hpp"

#include <numbers>
#include <random>

namespace tamis {

using std::numbers::pi;

constexpr double g = 9.81;

// In rows, moving at random.
inline std::vector<Ball> crowd(int side, double spacing, double speed)
{
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<Ball> balls;
    for (int i = 0; i < side * side * side; ++i) {
        const Eigen::Vector3d at(i % side, i / side % side, i / (side * side));
        const double radius = i % 3 == 0 ? 0.4e-2 : 0.5e-2;
        balls.push_back({.x = spacing * (at - Eigen::Vector3d::Constant((side - 1) / 2.0)),
                         .v = speed * Eigen::Vector3d(any(random), any(random), any(random)),
                         .omega = 100 * speed * Eigen::Vector3d(any(random), any(random), any(random)),
                         .radius = radius,
                         .mass = 7800 * 4 / 3 * pi * radius * radius * radius,
                         .material = i % 2});
    }
    return balls;
}
inline std::vector<PenaltyLaw> two_materials(double rolling = 0)
{
    const PenaltyLaw a{
        .stiffness = 2e4, .shear_ratio = 0.8, .restitution = 0.8, .friction = 0.3, .rolling = rolling};
    PenaltyLaw b = a;
    b.stiffness = 1e4;
    b.restitution = 0;
    b.damping = 1e-5;
    return {a, b, b, a};
}

inline std::vector<BallWall> shaken_box()
{
    return {{"box", hollow(box(0.08, 0.08, 0.09)), 0, {}}};
}
inline std::vector<BodyMotion> shaking(double t)
{
    BodyMotion m;
    const double w = 2 * pi * 20;
    m.pose.p = {0, 0, 5e-3 * std::sin(w * t)};
    m.velocity = {0, 0, 5e-3 * w * std::cos(w * t)};
    m.pose.R = Eigen::AngleAxisd(0.2 * std::sin(w * t), Eigen::Vector3d::UnitX()).toRotationMatrix();
    m.angular_velocity = {0.2 * w * std::cos(w * t), 0, 0};
    return {m};
}
inline void shake(PenaltyBed& bed, int from, int to, double h)
{
    for (int i = from; i < to; ++i) bed.step(shaking((i + 1) * h));
}

} // namespace tamis
