// Constraints, springs and wrenches: their derivatives.
#include "tamis/smooth/constraint.hpp"

#include "model/random_motion.hpp"
#include "tamis/smooth/load.hpp"
#include "tamis/smooth/spring.hpp"

#include <cmath>

namespace constraint_test {

using namespace tamis;
using Eigen::Vector3d;

namespace {

std::vector<NodeMotion> two_nodes(int seed)
{
    std::mt19937 random(seed);
    NodeMotion a = random_motion(random);
    return {a, random_motion(random)};
}

// A node b that is turned against a about an axis fixed in a.
std::vector<NodeMotion> turned(const Vector3d& axis, double angle, int seed)
{
    std::vector<NodeMotion> nodes = two_nodes(seed);
    nodes[1].R = nodes[0].R * exp_turn(angle * axis.normalized()).toRotationMatrix();
    return nodes;
}

const JointRow carried{JointRow::point, 0, 0, {0.3, -0.2, 0.5}, {0.1, 0.7, -0.4}, {0.6, 0, 0.8}, true, 0.2};

} // namespace

TEST(Constraint, DerivativesOfEveryKindOfRowAreExact)
{
    JointRow fixed = carried, axes = carried, rod = carried;
    fixed.carried = rod.carried = false;
    axes.kind = JointRow::axes;
    axes.scale = 1.7;
    rod.kind = JointRow::rod;
    rod.value = 0.9;
    for (const JointRow& row : {carried, fixed, axes, rod})
        expect_exact_derivatives(Constraint("row", 0, 1, {row}), two_nodes(2), {-2.5});
}

TEST(Constraint, RatesAreDerivativesInTime)
{
    JointRow fixed = carried, axes = carried, rod = carried;
    fixed.carried = rod.carried = false;
    axes.kind = JointRow::axes;
    rod.kind = JointRow::rod;
    rod.value = 0.9;
    const Motion swing{[](double t) { return 0.3 + std::sin(2 * t); },
                       [](double t) { return 2 * std::cos(2 * t); }};
    const Vector3d k = Vector3d(1, 2, 2) / 3;
    std::vector<std::unique_ptr<Element>> elements;
    for (const JointRow& row : {carried, fixed, axes, rod})
        elements.push_back(std::make_unique<Constraint>("row", 0, 1, std::vector{row}));
    elements.push_back(std::make_unique<DrivenRow>("slide", 0, 1, carried, DrivenRow::value, k, swing));
    elements.push_back(std::make_unique<DrivenRow>("turn", 0, 1, axes, DrivenRow::axis_on_a, k, swing));
    elements.push_back(std::make_unique<DrivenRow>("turn", 0, 1, axes, DrivenRow::axis_on_b, k, swing));
    const std::vector<NodeMotion> nodes = two_nodes(3);
    for (const auto& e : elements) {
        double lambda = 0, rate = 0, second = 0;
        const double t = 0.4, d = 1e-4;
        e->rates({t, 1e-3, nodes, {&lambda, 1}}, {&rate, 1}, {&second, 1});
        double phi[3];
        ElementTerms terms;
        for (int s = -1; s <= 1; ++s) {
            std::vector<NodeMotion> moved = nodes; // at constant v and omega
            for (NodeMotion& m : moved) {
                m.x += s * d * m.v;
                m.R = exp_turn(s * d * m.omega).toRotationMatrix() * m.R;
            }
            terms.resize(2, 1);
            e->add({t + s * d, 1e-3, moved, {&lambda, 1}}, terms, false);
            phi[s + 1] = terms.r[12];
        }
        EXPECT_NEAR(rate, (phi[2] - phi[0]) / (2 * d), 2e-6) << e->name();
        EXPECT_NEAR(second, (phi[2] - 2 * phi[1] + phi[0]) / (d * d), 2e-5) << e->name();
    }
}

TEST(DrivenRow, DerivativesAreExact)
{
    const Motion swing{[](double t) { return 0.3 + std::sin(2 * t); },
                       [](double t) { return 2 * std::cos(2 * t); }};
    JointRow axes = carried;
    axes.kind = JointRow::axes;
    for (const auto follows : {DrivenRow::axis_on_a, DrivenRow::axis_on_b})
        expect_exact_derivatives(DrivenRow("turn", 0, 1, axes, follows, {0, 0.6, 0.8}, swing), two_nodes(4),
                                 {1.5});
    expect_exact_derivatives(DrivenRow("slide", 0, 1, carried, DrivenRow::value, {0, 0, 1}, swing),
                             two_nodes(4), {1.5});
}

TEST(Spring, DerivativesAreExact)
{
    const SpringLaw law{300, 7, 0.4};
    expect_exact_derivatives(PointSpringElement("spring", 0, {0.3, -0.2, 0.5}, 1, {0.1, 0.7, -0.4}, law),
                             two_nodes(5));
    expect_exact_derivatives(SlideSpring("slide", 0, 1, carried, law), two_nodes(6));
    const double counted = 12.6; // two turns on
    const Vector3d axis = Vector3d(2, -1, 2) / 3, across = Vector3d(1, 2, 0) / std::sqrt(5.0);
    const TurnCoordinate hinge{axis, axis, false, false, across, across};
    expect_exact_derivatives(TurnSpring("hinge", 0, 1, hinge, law, &counted), turned(axis, 0.8, 7));
    const Vector3d first = Vector3d::UnitX(), second = Vector3d(0.6, 0.8, 0);
    const TurnCoordinate one{first, second, true, false, second, second},
        two{first, second, true, true, first, first};
    expect_exact_derivatives(TurnSpring("universal, first", 0, 1, one, law, &counted), two_nodes(8));
    expect_exact_derivatives(TurnSpring("universal, second", 0, 1, two, law, &counted), two_nodes(9));
}

TEST(MarkerWrench, DerivativesAreExact)
{
    std::mt19937 random(10);
    MarkerWrench wrench("hook", 0, {0.3, -0.2, 0.5});
    wrench.set({{2, -3, 4}, {0.1, 0.2, 0.3}});
    expect_exact_derivatives(wrench, {random_motion(random)});
}

} // namespace constraint_test
