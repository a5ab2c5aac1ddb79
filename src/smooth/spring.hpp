// Linear springs with dampers: between two points, and on a coordinate of a joint.
#pragma once

#include "tamis/smooth/row.hpp"

namespace tamis {

// Pulls when longer than its rest length.
class PointSpringElement : public Element {
  public:
    PointSpringElement(std::string name, int node_a, const Eigen::Vector3d& point_a, int node_b,
                       const Eigen::Vector3d& point_b, const SpringLaw& law);

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    Energy energy(const ElementState& state) const override;

  private:
    Eigen::Vector3d on_a_, on_b_;
    SpringLaw law_;
};

// The angle of a turn between two nodes, and its gradient.
struct TurnCoordinate {
    Eigen::Vector3d axis_a, axis_b; // in the axes of a and b: one axis, or the two of a universal joint
    bool universal = false, second = false;
    Eigen::Vector3d from, to; // on a and b; parallel at zero, seen along the axis

    double angle(const NodeMotion& a, const NodeMotion& b) const; // in (-pi, pi]
    RowTerms terms(const NodeMotion& a, const NodeMotion& b) const;
};

class SlideSpring : public Element {
  public:
    // row: of kind point; its value is the length of the coordinate
    SlideSpring(std::string name, int node_a, int node_b, const JointRow& row, const SpringLaw& law);

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    Energy energy(const ElementState& state) const override;

  private:
    JointRow row_;
    SpringLaw law_;
};

class TurnSpring : public Element {
  public:
    // counted: the angle when last settled, from which full turns are counted; must outlive the element
    TurnSpring(std::string name, int node_a, int node_b, const TurnCoordinate& turn, const SpringLaw& law,
               const double* counted);

    void add(const ElementState& state, ElementTerms& terms, bool tangent) const override;
    Energy energy(const ElementState& state) const override;

  private:
    RowTerms coordinate(const ElementState& state) const;
    TurnCoordinate turn_;
    SpringLaw law_;
    const double* counted_;
};

} // namespace tamis
