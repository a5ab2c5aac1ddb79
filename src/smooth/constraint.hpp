// Holonomic constraints between two nodes, or a node and the ground: joints, loops and driven coordinates.
#pragma once

#include "tamis/smooth/row.hpp"

namespace tamis {

// Rows that hold at all times. The bodies a and b of the rows are ignored: the nodes are given.
class Constraint : public Element {
  public:
    Constraint(std::string name, int node_a, int node_b, std::vector<JointRow> rows);

    int rows() const override { return static_cast<int>(rows_.size()); }
    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    void rates(const ElementState& state, std::span<double> phi_t, std::span<double> phi_tt) const override;

  private:
    std::vector<JointRow> rows_;
};

// A coordinate of a joint that follows a given motion. A slide is row.n . (x_b - x_a) = q(t); a turn turns
// the axis on one side of a row of axes by q(t), so that the row vanishes where the joint has that angle.
class DrivenRow : public Element {
  public:
    enum Follows { value, axis_on_a, axis_on_b };
    // turn_axis: unit, in the axes of the node whose axis turns
    DrivenRow(std::string name, int node_a, int node_b, JointRow row, Follows follows,
              const Eigen::Vector3d& turn_axis, Motion motion);

    int rows() const override { return 1; }
    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    void rates(const ElementState& state, std::span<double> phi_t, std::span<double> phi_tt) const override;
    // Generalised force on the coordinate for a multiplier.
    double force(double lambda) const { return -row_.scale * lambda; }

  private:
    JointRow row_at(double t) const;
    JointRow row_;
    Follows follows_;
    Eigen::Vector3d turn_axis_;
    Motion motion_;
};

} // namespace tamis
