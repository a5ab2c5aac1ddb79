// A spring on a coordinate y with gradient G adds G F to the residual, F = k (y - rest) + c G v; between two
// points a distance l apart, y = l.
#include "tamis/smooth/spring.hpp"

#include "tamis/model/rotation.hpp"
#include "tamis/model/spring.hpp"

#include <cmath>
#include <numbers>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

void add_spring(const RowTerms& y, const SpringLaw& law, const ElementState& state, ElementTerms& terms,
                bool tangent)
{
    const Row12 v = velocities(state.nodes[0], state.nodes[1]);
    const SpringForce spring = spring_force(law, y.phi, y.G.dot(v));
    const double F = spring.value;
    terms.r += F * y.G;
    if (!tangent) return;
    terms.K.noalias() += F * y.H;
    const Row12 F_q = spring.stiffness * y.G + spring.damping * (y.H.transpose() * v);
    terms.K.noalias() += y.G * F_q.transpose();
    terms.C.noalias() += spring.damping * y.G * y.G.transpose();
}

} // namespace

PointSpringElement::PointSpringElement(std::string name, int node_a, const Vector3d& point_a, int node_b,
                                       const Vector3d& point_b, const SpringLaw& law)
    : Element(std::move(name), {node_a, node_b}), on_a_(point_a), on_b_(point_b), law_(law)
{
}

void PointSpringElement::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    const NodeMotion &a = state.nodes[0], &b = state.nodes[1];
    // |e| is a rod's row but for its scale: phi = (|e|^2 / l - l) / 2 has the gradient of |e| where |e| = l.
    const double l = (b.x + b.R * on_b_ - a.x - a.R * on_a_).norm();
    if (l == 0) return; // no direction to pull in
    RowTerms y = row_terms({JointRow::rod, 0, 0, on_a_, on_b_, {0, 0, 0}, false, l}, a, b);
    y.phi = l;
    y.H -= y.G * y.G.transpose() / l;
    add_spring(y, law_, state, terms, tangent);
}

Energy PointSpringElement::energy(const ElementState& state) const
{
    const NodeMotion &a = state.nodes[0], &b = state.nodes[1];
    return {.potential = spring_energy(law_, (b.x + b.R * on_b_ - a.x - a.R * on_a_).norm())};
}

double TurnCoordinate::angle(const NodeMotion& a, const NodeMotion& b) const
{
    const Vector3d axis = second ? (b.R * axis_b).eval() : (a.R * axis_a).eval();
    const Vector3d f = a.R * from, t = b.R * to;
    return std::atan2(axis.dot(f.cross(t)), f.dot(t) - axis.dot(f) * axis.dot(t));
}

// G = (0, -n, 0, n) with n dual to the axes: n . omega_ba is the rate.
RowTerms TurnCoordinate::terms(const NodeMotion& a, const NodeMotion& b) const
{
    const Vector3d A = a.R * axis_a, B = b.R * axis_b;
    Vector3d n = A;
    Eigen::Matrix<double, 3, 6> dn; // with respect to delta theta_a, delta theta_b
    dn << -cross_matrix(A), Matrix3d::Zero();
    if (universal) {
        const double s = A.dot(B), q = 1 - s * s;
        Eigen::Matrix<double, 3, 6> own = dn, other;
        other << Matrix3d::Zero(), -cross_matrix(B);
        Eigen::Matrix<double, 1, 6> ds = B.transpose() * own + A.transpose() * other;
        if (second) own.swap(other);
        const Vector3d &x = second ? B : A, &y = second ? A : B;
        n = (x - s * y) / q;
        dn = (own - s * other + (2 * s * n - y) * ds) / q;
    }
    RowTerms out;
    out.phi = angle(a, b);
    out.G << Vector3d::Zero(), -n, Vector3d::Zero(), n;
    out.H.setZero();
    out.H.block<3, 3>(3, 3) = -dn.leftCols<3>();
    out.H.block<3, 3>(3, 9) = -dn.rightCols<3>();
    out.H.block<3, 3>(9, 3) = dn.leftCols<3>();
    out.H.block<3, 3>(9, 9) = dn.rightCols<3>();
    return out;
}

SlideSpring::SlideSpring(std::string name, int node_a, int node_b, const JointRow& row, const SpringLaw& law)
    : Element(std::move(name), {node_a, node_b}), row_(row), law_(law)
{
}

void SlideSpring::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    add_spring(row_terms(row_, state.nodes[0], state.nodes[1]), law_, state, terms, tangent);
}

Energy SlideSpring::energy(const ElementState& state) const
{
    return {.potential = spring_energy(law_, row_terms(row_, state.nodes[0], state.nodes[1]).phi)};
}

TurnSpring::TurnSpring(std::string name, int node_a, int node_b, const TurnCoordinate& turn,
                       const SpringLaw& law, const double* counted)
    : Element(std::move(name), {node_a, node_b}), turn_(turn), law_(law), counted_(counted)
{
}

RowTerms TurnSpring::coordinate(const ElementState& state) const
{
    RowTerms y = turn_.terms(state.nodes[0], state.nodes[1]);
    const double turn = 2 * std::numbers::pi;
    y.phi += turn * std::round((*counted_ - y.phi) / turn);
    return y;
}

void TurnSpring::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    add_spring(coordinate(state), law_, state, terms, tangent);
}

Energy TurnSpring::energy(const ElementState& state) const
{
    return {.potential = spring_energy(law_, coordinate(state).phi)};
}

} // namespace tamis
