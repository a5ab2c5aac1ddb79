// Motions of nodes for tests of elements, and derivatives of an element by differences.
#pragma once

#include "tamis/model/element.hpp"
#include "tamis/model/rotation.hpp"

#include <gtest/gtest.h>
#include <random>

namespace tamis {

// Vectors and rotations of about a size.
class RandomVectors {
  public:
    Eigen::Vector3d vector(double size)
    {
        return size * Eigen::Vector3d(number_(engine_), number_(engine_), number_(engine_));
    }
    Eigen::Matrix3d rotation(double size) { return RotationVector(vector(size)).exp(); }

  private:
    std::mt19937 engine_{1};
    std::uniform_real_distribution<double> number_{-1, 1};
};

inline NodeMotion random_motion(std::mt19937& random)
{
    std::uniform_real_distribution<double> u(-1, 1);
    auto vector = [&] { return Eigen::Vector3d(u(random), u(random), u(random)); };
    NodeMotion m;
    m.R = exp_turn(2 * vector()).toRotationMatrix();
    m.x = vector();
    m.v = 2 * vector();
    m.omega = 3 * vector();
    m.a = 5 * vector();
    m.alpha = 5 * vector();
    return m;
}

// Compares K, C and M with central differences of r, for nodes that move as given.
inline void expect_exact_derivatives(const Element& element, std::vector<NodeMotion> nodes,
                                     std::vector<double> lambda = {}, double t = 0.3)
{
    const int n = static_cast<int>(nodes.size()), rows = element.rows();
    ASSERT_EQ(static_cast<int>(element.nodes().size()), n);
    ElementTerms terms, other;
    terms.resize(n, rows);
    other.resize(n, rows);
    element.add({t, 1e-3, nodes, lambda}, terms, true);
    const double d = 1e-5;
    auto column = [&](auto&& move) {
        Eigen::VectorXd sides[2];
        for (int s = 0; s < 2; ++s) {
            std::vector<NodeMotion> moved = nodes;
            std::vector<double> multipliers = lambda;
            move(moved, multipliers, s == 0 ? d : -d);
            other.clear();
            element.add({t, 1e-3, moved, multipliers}, other, false);
            sides[s] = other.r;
        }
        return ((sides[0] - sides[1]) / (2 * d)).eval();
    };
    const double scale = 1 + terms.K.cwiseAbs().maxCoeff() + terms.C.cwiseAbs().maxCoeff();
    auto compare = [&](const auto& exact, const Eigen::VectorXd& difference, const char* what, int j) {
        EXPECT_LT((exact - difference).cwiseAbs().maxCoeff(), 1e-8 * scale)
            << what << " of " << element.name() << ", column " << j;
    };
    for (int j = 0; j < 6 * n; ++j) {
        const int k = j / 6;
        const Eigen::Vector3d axis = Eigen::Vector3d::Unit(j % 3);
        const bool turn = j % 6 > 2;
        compare(terms.K.col(j), column([&](auto& m, auto&, double s) {
                    if (turn)
                        m[k].R = exp_turn(s * axis).toRotationMatrix() * m[k].R;
                    else
                        m[k].x += s * axis;
                }),
                "K", j);
        compare(terms.C.col(j),
                column([&](auto& m, auto&, double s) { (turn ? m[k].omega : m[k].v) += s * axis; }), "C", j);
        compare(terms.M.col(j),
                column([&](auto& m, auto&, double s) { (turn ? m[k].alpha : m[k].a) += s * axis; }), "M", j);
    }
    for (int i = 0; i < rows; ++i)
        compare(terms.K.col(6 * n + i), column([&](auto&, auto& l, double s) { l[i] += s; }), "K", 6 * n + i);
}

} // namespace tamis
