// A model as a smooth system: a node in the frame of each body, its joints, loops and drives as constraints.
#pragma once

#include "tamis/smooth/constraint.hpp"
#include "tamis/smooth/load.hpp"
#include "tamis/smooth/smooth_system.hpp"

namespace tamis {

// What laws and records see of the nodes. Between steps, forces of drives are those at the end of the last.
class SmoothView : public JointView, public Observer {
  public:
    explicit SmoothView(const AbsoluteJoints& joints) : JointView(joints) {}

    double drive_force(Coordinate c) const override;
    std::span<const ContactRecord> contacts() const override { return {}; }
    std::span<const BodyMotion> sections(int beam) const override { return beams_[beam].sections; }
    Energy beam_energy() const override;
    void set(int body, const BodyMotion& motion) { motion_[body] = motion; } // of a body that is left out

    void see(double t, std::span<const NodeMotion> nodes, std::span<const double> lambda) override;
    void settle() override { JointView::settle(); }
    std::span<double> memory() override { return angle_; }

  private:
    friend class SmoothModel;
    using JointView::angle;
    std::vector<int> node_; // by body
    struct Driven {
        Coordinate on;
        const DrivenRow* element;
        int row;
    };
    std::vector<Driven> driven_;
    std::vector<double> drive_forces_; // by driven coordinate
    struct BeamParts {
        std::vector<int> nodes;            // from a to b
        std::vector<Eigen::Matrix3d> turn; // from the axes of each node to those of its section
        std::vector<const Element*> elements;
        std::vector<BodyMotion> sections;
    };
    std::vector<BeamParts> beams_;
    std::vector<NodeMotion> nodes_; // as last seen, if there are beams
};

class SmoothModel {
  public:
    // Bodies in `left_out`, those that hang on them, and all joints and forces of these bodies are left to
    // another solver: what it gives back acts by wrenches on markers. Contacts are not known here.
    explicit SmoothModel(const Model& model, const std::vector<Body>& left_out = {});
    SmoothModel(const SmoothModel&) = delete;
    SmoothModel& operator=(const SmoothModel&) = delete;

    SmoothSystem& system() { return system_; }
    SmoothView& view() { return view_; }
    const SmoothView& view() const { return view_; }
    int node(Body body) const;
    // A wrench set from outside on a point of a body; to be added before a solver is made.
    MarkerWrench& marker(const std::string& name, Body body, const Eigen::Vector3d& point = {0, 0, 0});

  private:
    bool has(int body) const { return body < 0 || view_.node_[body] >= 0; }
    int node_of(int body) const { return body < 0 ? ground_node : view_.node_[body]; }
    void add_bodies(const std::vector<Body>& left_out);
    void add_joints();
    void add_drives();
    void add_springs();
    void add_beams();
    void add_loads();
    JointRow slide_row(const JointCoordinate& c) const;

    const Model& model_;
    AbsoluteJoints joints_;
    SmoothView view_;
    SmoothSystem system_;
};

} // namespace tamis
