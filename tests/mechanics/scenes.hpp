// Mechanisms with closed forms.
#pragma once

#include "tamis/model/description.hpp"

#include <cmath>

namespace tamis::mechanics_test {

constexpr double g = 9.81;

// Two bars that hang from each other; angles from the hanging position.
struct DoublePendulum {
    ModelDescription model{"double pendulum"};
    Body first, second;
    double L = 0.4, m = 1.3, J = 0.02;

    explicit DoublePendulum(double angle1 = 0, double angle2 = 0)
    {
        model.gravity({0, -g, 0});
        const auto bar = [&](const char* name, Body parent, double at) {
            return model.add({.name = name,
                              .parent = parent,
                              .joint = hinge_z(),
                              .at = {0, -at, 0},
                              .mass = m,
                              .com = {0, -L / 2, 0},
                              .inertia = {J, J, J}});
        };
        first = bar("first", ground, 0);
        second = bar("second", first, L);
        model.start(first, angle1, 0);
        model.start(second, angle2, 0);
    }
};

// A four-bar linkage in the plane: crank a at the origin, coupler b, rocker c at (d, 0), each a uniform bar.
struct FourBar {
    ModelDescription model{"four-bar"};
    Body crank, coupler, rocker;
    double a, b, c, d;

    FourBar(double crank_length, double coupler_length, double rocker_length, double base, double angle,
            double gravity = 0)
        : a(crank_length), b(coupler_length), c(rocker_length), d(base)
    {
        model.gravity({0, -gravity, 0});
        const auto bar = [&](const char* name, Body parent, double at, double length) {
            return model.add({.name = name,
                              .parent = parent,
                              .joint = hinge_z(),
                              .at = {at, 0, 0},
                              .mass = length,
                              .com = {length / 2, 0, 0},
                              .inertia = {length * length * length / 24, length * length * length / 24,
                                          length * length * length / 12}});
        };
        crank = bar("crank", ground, 0, a);
        coupler = bar("coupler", crank, a, b);
        rocker = bar("rocker", ground, d, c);
        model.close({.name = "pin",
                     .kind = LoopKind::point_plane,
                     .a = coupler,
                     .point_a = {b, 0, 0},
                     .b = rocker,
                     .point_b = {c, 0, 0},
                     .axis = {0, 0, 1}});
        const auto [third, fourth] = angles(angle);
        model.start(crank, angle, 0);
        model.start(coupler, third - angle, 0);
        model.start(rocker, fourth, 0);
    }
    // Absolute angles of coupler and rocker with the pin above the line from the crank's end to the rocker's hinge.
    std::pair<double, double> angles(double angle) const
    {
        const double x = d - a * std::cos(angle), y = -a * std::sin(angle), e = std::hypot(x, y);
        const double base = std::atan2(y, x), at = std::acos((b * b + e * e - c * c) / (2 * b * e));
        const double third = base + at;
        const double px = a * std::cos(angle) + b * std::cos(third),
                     py = a * std::sin(angle) + b * std::sin(third);
        return {third, std::atan2(py, px - d)};
    }
    // Height of the centre of mass times the mass, with the bars' lengths as their masses.
    double potential(double angle) const
    {
        const auto [third, fourth] = angles(angle);
        return a * a / 2 * std::sin(angle) + b * (a * std::sin(angle) + b / 2 * std::sin(third)) +
               c * c / 2 * std::sin(fourth);
    }
};

// A slider-crank with a slide along x: crank r, rod l, uniform bars, and a slider.
struct SliderCrank {
    ModelDescription model{"slider-crank"};
    Body crank, rod, slider;
    double r, l, m1 = 0.4, m2 = 0.7, m3 = 1.1;

    explicit SliderCrank(double crank_length = 0.15, double rod_length = 0.4, double angle = 0.3,
                         double gravity = 0)
        : r(crank_length), l(rod_length)
    {
        model.gravity({0, -gravity, 0});
        const auto bar = [&](const char* name, Body parent, double at, double length, double mass) {
            const double J = mass * length * length / 12;
            return model.add({.name = name,
                              .parent = parent,
                              .joint = hinge_z(),
                              .at = {at, 0, 0},
                              .mass = mass,
                              .com = {length / 2, 0, 0},
                              .inertia = {J / 2, J / 2, J}});
        };
        crank = bar("crank", ground, 0, r, m1);
        rod = bar("rod", crank, r, l, m2);
        slider = model.add({.name = "slider", .joint = slide_x(), .mass = m3, .inertia = {1e-3, 1e-3, 1e-3}});
        model.close({.name = "pin",
                     .kind = LoopKind::point_plane,
                     .a = rod,
                     .point_a = {l, 0, 0},
                     .b = slider,
                     .axis = {0, 0, 1}});
        const double phi = -std::asin(r / l * std::sin(angle));
        model.start(crank, angle, 0);
        model.start(rod, phi - angle, 0);
        model.start(slider, r * std::cos(angle) + l * std::cos(phi), 0);
    }
};

} // namespace tamis::mechanics_test
