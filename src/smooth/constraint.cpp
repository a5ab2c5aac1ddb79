// phi(q, t) = 0; r += G^T lambda, whose derivative is lambda H.
//
// Rates of a driven turn: with u(t) the axis in its node, u' = q' k x u and u'' = q'' k x u + q'^2 k x (k x
// u), X = R u has X' = w x X + R u' and X'' = w x (w x X) + 2 w x R u' + R u''.
#include "tamis/smooth/constraint.hpp"

#include "tamis/model/rotation.hpp"

namespace tamis {

using Eigen::Vector3d;

namespace {

void add_row(const RowTerms& row, int i, double lambda, ElementTerms& terms, bool tangent)
{
    terms.r.head<12>() += lambda * row.G;
    terms.r[12 + i] += row.phi;
    if (!tangent) return;
    terms.K.topLeftCorner<12, 12>() += lambda * row.H;
    terms.K.block<12, 1>(0, 12 + i) += row.G;
    terms.K.block<1, 12>(12 + i, 0) += row.G.transpose();
}

} // namespace

Constraint::Constraint(std::string name, int node_a, int node_b, std::vector<JointRow> rows)
    : Element(std::move(name), {node_a, node_b}), rows_(std::move(rows))
{
}

void Constraint::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    for (int i = 0; i < rows(); ++i)
        add_row(row_terms(rows_[i], state.nodes[0], state.nodes[1]), i, state.lambda[i], terms, tangent);
}

void Constraint::rates(const ElementState& state, std::span<double> phi_t, std::span<double> phi_tt) const
{
    for (int i = 0; i < rows(); ++i) {
        const RowRates rates = row_rates(rows_[i], state.nodes[0], state.nodes[1]);
        phi_t[i] = rates.first;
        phi_tt[i] = rates.second;
    }
}

DrivenRow::DrivenRow(std::string name, int node_a, int node_b, JointRow row, Follows follows,
                     const Vector3d& turn_axis, Motion motion)
    : Element(std::move(name), {node_a, node_b}), row_(row), follows_(follows), turn_axis_(turn_axis),
      motion_(std::move(motion))
{
}

JointRow DrivenRow::row_at(double t) const
{
    JointRow row = row_;
    const double q = motion_.position(t);
    if (follows_ == value) row.value = q;
    if (follows_ == axis_on_a) row.on_a = exp_turn(q * turn_axis_) * row_.on_a;
    if (follows_ == axis_on_b) row.on_b = exp_turn(-q * turn_axis_) * row_.on_b;
    return row;
}

void DrivenRow::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    add_row(row_terms(row_at(state.t), state.nodes[0], state.nodes[1]), 0, state.lambda[0], terms, tangent);
}

void DrivenRow::rates(const ElementState& state, std::span<double> phi_t, std::span<double> phi_tt) const
{
    const NodeMotion &a = state.nodes[0], &b = state.nodes[1];
    const JointRow row = row_at(state.t);
    const RowRates rates = row_rates(row, a, b);
    // Of the motion only position and velocity are known: its acceleration is a difference to second order.
    const double d = state.h / 100, q1 = motion_.velocity(state.t);
    const double q2 =
        (4 * motion_.velocity(state.t + d) - motion_.velocity(state.t + 2 * d) - 3 * q1) / (2 * d);
    phi_t[0] = rates.first;
    phi_tt[0] = rates.second;
    if (follows_ == value) {
        phi_t[0] -= q1;
        phi_tt[0] -= q2;
        return;
    }
    const bool on_a = follows_ == axis_on_a;
    const NodeMotion &own = on_a ? a : b, &other = on_a ? b : a;
    const double sign = on_a ? 1 : -1;
    const Vector3d u = on_a ? row.on_a : row.on_b;
    const Vector3d X1 = sign * q1 * (own.R * turn_axis_.cross(u));
    const Vector3d X2 =
        own.R * (sign * q2 * turn_axis_.cross(u) + q1 * q1 * turn_axis_.cross(turn_axis_.cross(u)));
    const Vector3d Y = other.R * (on_a ? row.on_b : row.on_a);
    phi_t[0] += row.scale * X1.dot(Y);
    phi_tt[0] += row.scale * ((2 * own.omega.cross(X1) + X2).dot(Y) + 2 * X1.dot(other.omega.cross(Y)));
}

} // namespace tamis
