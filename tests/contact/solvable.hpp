// Contact problems that are known to have a solution.
#pragma once

#include "contact/beds.hpp"

#include <numbers>

namespace tamis::beds {

// Random bodies and contacts, with prescribed velocities by which impulses chosen at random are a solution: some
// contacts stick, some slide, some open.
inline ContactProblem solvable(unsigned seed)
{
    Random random(seed);
    ContactProblem problem;
    const int bodies = 1 + static_cast<int>(random(0, 8)),
              contacts = 1 + static_cast<int>(random(0, 4 * bodies));
    for (int b = 0; b < bodies; ++b)
        add_grain(problem, random.vector(1), std::pow(10, random(-2, 2)), Eigen::Matrix3d::Identity(),
                  random.vector(1), random.vector(1));
    const double friction = seed % 5 == 0 ? 0.0 : random(0, 1.2);
    for (int a = 0; a < contacts; ++a) {
        const int one = static_cast<int>(random(0, bodies)), other = static_cast<int>(random(-1, bodies));
        if (one == other) continue;
        add_manifold(problem, other, one, random.vector(1), random.vector(1) + Eigen::Vector3d(0, 0, 1e-3), 1,
                     0, friction, 0, 0);
    }
    std::vector<Eigen::Vector3d> u(problem.contacts.size(), Eigen::Vector3d::Zero());
    for (std::size_t a = 0; a < u.size(); ++a) {
        Contact& contact = problem.contacts[a];
        const double choice = random(0, 3), angle = random(0, 2 * std::numbers::pi), n = random(0.1, 1);
        const Eigen::Vector3d along(0, std::cos(angle), std::sin(angle));
        if (choice < 1) {
            u[a] = Eigen::Vector3d(random(0, 1), 0, 0) + (friction > 0 ? random(0, 1) : 0.0) * along;
        } else {
            contact.r = Eigen::Vector3d(n, 0, 0) + (choice < 2 ? random(0, 1) : 1.0) * friction * n * along;
            if (choice > 2 && friction > 0) u[a] = -random(0, 1) * along;
        }
    }
    problem.v = problem.v_free;
    problem.rebuild_velocities();
    for (std::size_t a = 0; a < u.size(); ++a) {
        problem.contacts[a].drift = u[a] - problem.relative_velocity(problem.contacts[a]);
        problem.contacts[a].r.setZero();
    }
    return problem;
}

} // namespace tamis::beds
