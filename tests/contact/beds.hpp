// Contact problems like those of granular beds, without collision detection: grains on a jittered lattice
// that touch their neighbours, each other's middle between them, by one to four points.
#pragma once

#include "tamis/contact/contact_problem.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

namespace tamis::beds {

struct BedOptions {
    Eigen::Vector3i cells{6, 6, 6};
    double size = 1; // of a grain, m
    double friction = 0.4;
    int most_points = 4;   // of a manifold
    bool spheres = false;  // isotropic inertia, one point per pair
    double rolling = 0;    // length over size
    double mass_ratio = 1; // of the heaviest to the lightest grain
    bool walls = true;     // around the floor
    unsigned seed = 1;
};

struct Random {
    std::mt19937 generator;
    explicit Random(unsigned seed) : generator(seed) {}
    double operator()(double low, double high) // the same on every platform
    {
        return low + (high - low) * (generator() * (1.0 / 4294967296.0));
    }
    Eigen::Vector3d vector(double size)
    {
        return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)};
    }
    Eigen::Matrix3d rotation()
    {
        return Eigen::Quaterniond((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), 1.5)
            .normalized()
            .toRotationMatrix();
    }
};

inline Eigen::Matrix3d frame_of(const Eigen::Vector3d& n)
{
    Eigen::Matrix3d frame;
    frame.col(0) = n.normalized();
    frame.col(1) = frame.col(0).unitOrthogonal();
    frame.col(2) = frame.col(0).cross(frame.col(1));
    return frame;
}

inline void add_grain(ContactProblem& problem, const Eigen::Vector3d& centre, double mass,
                      const Eigen::Matrix3d& inertia, const Eigen::Vector3d& v, const Eigen::Vector3d& w)
{
    problem.rigid.push_back({centre, 1 / mass, inertia.inverse()});
    const int start = problem.offset(problem.blocks() - 1);
    problem.v_free.conservativeResize(start + 6);
    problem.v_free.segment<6>(start) << v, w;
}

// Points around `middle` with normal n from rigid block a to b; blocks count from 0, -1 is the ground.
inline void add_manifold(ContactProblem& problem, int a, int b, const Eigen::Vector3d& middle,
                         const Eigen::Vector3d& n, int points, double radius, double friction, double rolling,
                         double shift)
{
    Contact contact;
    contact.frame = frame_of(n);
    contact.friction = friction;
    contact.bias[0] = shift;
    const int rigid[2] = {a, b};
    for (int k = 0; k < points; ++k) {
        Eigen::Vector3d point = middle;
        if (points > 1)
            point += radius * (contact.frame.col(1) * std::cos(2 * M_PI * k / points + 0.3) +
                               contact.frame.col(2) * std::sin(2 * M_PI * k / points + 0.3));
        for (int s = 0; s < 2; ++s) {
            contact.side[s].block = rigid[s] < 0 ? -1 : problem.general() + rigid[s];
            if (rigid[s] >= 0) contact.arm[s] = point - problem.rigid[rigid[s]].centre;
        }
        problem.contacts.push_back(contact);
        if (rolling > 0) {
            Contact roll = contact;
            roll.law = Law::rolling;
            roll.normal = static_cast<int>(problem.contacts.size()) - 1;
            roll.friction = rolling;
            roll.bias.setZero();
            problem.contacts.push_back(roll);
        }
    }
}

inline ContactProblem bed(const BedOptions& options)
{
    ContactProblem problem;
    Random random(options.seed);
    const Eigen::Vector3i cells = options.cells;
    const double d = options.size, step = 1e-3 * std::sqrt(d);
    const auto index = [&](int x, int y, int z) { return (z * cells[1] + y) * cells[0] + x; };
    for (int z = 0; z < cells[2]; ++z)
        for (int y = 0; y < cells[1]; ++y)
            for (int x = 0; x < cells[0]; ++x) {
                const double mass = 1300 * d * d * d * std::pow(options.mass_ratio, random(-0.5, 0.5));
                const Eigen::Vector3d centre = d * (Eigen::Vector3d(x, y, z) + random.vector(0.15));
                Eigen::Matrix3d inertia = mass * d * d * 0.1 * Eigen::Matrix3d::Identity();
                if (!options.spheres) {
                    const Eigen::Matrix3d R = random.rotation();
                    inertia = mass * d * d * R *
                              Eigen::Vector3d(random(0.08, 0.12), random(0.08, 0.12), random(0.08, 0.12))
                                  .asDiagonal() *
                              R.transpose();
                }
                add_grain(problem, centre, mass, inertia,
                          step * (Eigen::Vector3d(0, 0, -9.81) + random.vector(2)),
                          step / d * random.vector(5));
            }
    const auto touch = [&](int a, int b) {
        if (random(0, 1) < 0.15) return;
        const Eigen::Vector3d &x = problem.rigid[a].centre, &y = problem.rigid[b].centre;
        const Eigen::Vector3d n = (y - x).normalized() + random.vector(options.spheres ? 0 : 0.15);
        const int points = options.spheres ? 1 : 1 + static_cast<int>(random(0, options.most_points));
        add_manifold(problem, a, b, (x + y) / 2, n, points, 0.2 * d, options.friction, options.rolling * d,
                     random(0, 1) < 0.2 ? step * random(0, 1) : 0);
    };
    const auto touch_wall = [&](int a, const Eigen::Vector3d& n) {
        const int points = options.spheres ? 1 : 1 + static_cast<int>(random(0, options.most_points));
        add_manifold(problem, -1, a, problem.rigid[a].centre - d / 2 * n, n, points, 0.2 * d,
                     options.friction, options.rolling * d, 0);
    };
    for (int z = 0; z < cells[2]; ++z)
        for (int y = 0; y < cells[1]; ++y)
            for (int x = 0; x < cells[0]; ++x) {
                const int a = index(x, y, z);
                if (x + 1 < cells[0]) touch(a, index(x + 1, y, z));
                if (y + 1 < cells[1]) touch(a, index(x, y + 1, z));
                if (z + 1 < cells[2]) touch(a, index(x, y, z + 1));
                if (x + 1 < cells[0] && z + 1 < cells[2] && random(0, 1) < 0.3)
                    touch(a, index(x + 1, y, z + 1));
                if (z == 0) touch_wall(a, Eigen::Vector3d::UnitZ());
                if (!options.walls) continue;
                if (x == 0) touch_wall(a, Eigen::Vector3d::UnitX());
                if (y == 0) touch_wall(a, Eigen::Vector3d::UnitY());
                if (x == cells[0] - 1) touch_wall(a, -Eigen::Vector3d::UnitX());
                if (y == cells[1] - 1) touch_wall(a, -Eigen::Vector3d::UnitY());
            }
    return problem;
}

// Two contacts in three yield, by R up to `size` over the mass of a grain, and have a bias of `speed` at most.
inline void soften(ContactProblem& problem, double size, double speed, unsigned seed = 2)
{
    Random random(seed);
    double mass = 0;
    for (const RigidBlock& body : problem.rigid) mass = std::max(mass, body.inverse_mass);
    mass = mass > 0 ? 1 / mass : 1;
    int count = 0;
    for (Contact& contact : problem.contacts) {
        if (contact.law == Law::rolling || count++ % 3 == 0) continue;
        contact.compliance = {size / mass * random(0.3, 1), size / mass * random(0.3, 1)};
        contact.bias = random.vector(speed);
    }
}

} // namespace tamis::beds
