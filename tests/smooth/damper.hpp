// A cantilever with a body on its tip, and its frequencies.
#pragma once

#include "tamis/model/rigid_body.hpp"
#include "tamis/smooth/beam_layout.hpp"
#include "tamis/smooth/load.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tamis::scenes {

// Zhang et al. (2020), Table 3; the bodies on the tip as in Zhang et al. (2022), Table 2: sensor and
// container, and particles of which only the mass is given.
inline constexpr double damper_length = 0.25;
inline BeamSection damper_section()
{
    return beam_section(RectangularSection{210e9, 0.33, 7845, 0.03, 0.002});
}
inline constexpr double tip_mass = 12.7e-3 + 35.8e-3 + 7e-3, tip_inertia = 2.66e-6;

// Of the given freedoms of all nodes but the first, which is clamped.
inline std::vector<double> beam_frequencies(const SmoothSystem& system, const std::vector<int>& nodes,
                                            const std::vector<int>& freedoms)
{
    const int f = static_cast<int>(freedoms.size()), n = static_cast<int>(nodes.size()) - 1;
    std::vector<int> position(system.nodes(), -1);
    for (int k = 1; k <= n; ++k) position[nodes[k]] = k - 1;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(f * n, f * n), M = K;
    Gather gather(system);
    for (const auto& element : system.elements()) {
        if (element->rows() > 0) continue;
        ElementTerms terms;
        const int size = static_cast<int>(element->nodes().size());
        terms.resize(size, 0);
        element->add({.nodes = gather(*element, system.start())}, terms, true);
        for (int i = 0; i < f * size; ++i)
            for (int j = 0; j < f * size; ++j) {
                const int row = position[element->nodes()[i / f]], column = position[element->nodes()[j / f]];
                if (row < 0 || column < 0) continue;
                const int from_i = 6 * (i / f) + freedoms[i % f], from_j = 6 * (j / f) + freedoms[j % f];
                K(f * row + i % f, f * column + j % f) += terms.K(from_i, from_j);
                M(f * row + i % f, f * column + j % f) += terms.M(from_i, from_j);
            }
    }
    // 1 / omega^2, since rounding is relative to the largest.
    const Eigen::VectorXcd inverse = K.partialPivLu().solve(M).eval().eigenvalues();
    std::vector<double> frequencies;
    for (const std::complex<double>& square : inverse) {
        EXPECT_LT(std::abs(square.imag()), 1e-13 * inverse.cwiseAbs().maxCoeff()); // none grows
        frequencies.push_back(1 / (2 * std::numbers::pi * std::sqrt(square.real())));
    }
    std::sort(frequencies.begin(), frequencies.end());
    return frequencies;
}

// The cantilever with its tip body, clamped to the ground.
struct Damper {
    SmoothSystem system;
    std::vector<int> nodes;
    MarkerWrench* load;
    explicit Damper(int elements, BeamInertia inertia = BeamInertia::consistent)
    {
        const int clamp = carried_node(system, "clamp", ground_node, {});
        NodeMotion end;
        end.x = {damper_length, 0, 0};
        const int tip = system.add_node("tip", end);
        nodes = lay_beam(
            system, {.name = "beam", .elements = elements, .section = damper_section(), .inertia = inertia},
            clamp, tip);
        const Eigen::Vector3d J(2.66e-6, 4.85e-6, tip_inertia); // Zhang et al. (2020), Table 3
        system.add<RigidBody>(RigidBodySpec{"tip", tip, tip_mass, {0, 0, 0}, J.asDiagonal()});
        load = &system.add<MarkerWrench>("force", tip, Eigen::Vector3d::Zero());
    }
    // In the plane of y and the turn about z.
    std::vector<double> frequencies() const { return beam_frequencies(system, nodes, {1, 5}); }
};

} // namespace tamis::scenes
