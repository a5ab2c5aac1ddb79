// Read access to a state for forces, records and pictures, the same for every formulation.
#pragma once

#include "tamis/model/energy.hpp"
#include "tamis/model/model.hpp"

#include <Eigen/Geometry>
#include <span>

namespace tamis {

// Pose of a body, velocity of its origin and angular velocity; world axes.
struct BodyMotion {
    Pose pose;
    Eigen::Vector3d velocity{0, 0, 0}, angular_velocity{0, 0, 0};
};

// A grain in its own frame (GrainRecord).
struct GrainState {
    Eigen::Vector3d x;    // centre of mass
    Eigen::Quaterniond q; // orientation
    Eigen::Vector3d v, L; // velocity, angular momentum about the centre of mass; world axes
};

// A contact that was active in the step that led to this state.
struct ContactRecord {
    int shape_a, shape_b; // numbers in Model::shapes()
    int feature;
    double gap;                      // at q_m
    Eigen::Vector3d point;           // where it acts on b, world
    Eigen::Matrix3d frame;           // columns n, t1, t2, world; n from a to b
    Eigen::Vector3d u_minus, u_plus; // relative velocity before and after, in the contact's frame
    Eigen::Vector3d impulse;         // r, in the contact's frame
    Eigen::Vector3d growth{0, 0, 0}; // of the impulse in a wedge, world; the largest of all contacts is 1
};

// What an impulse r, from u_minus to u_plus, takes from the kinetic energy: -r . (u_minus + u_plus) / 2.
inline Dissipation energy_taken(const Eigen::Vector3d& r, const Eigen::Vector3d& u_minus,
                                const Eigen::Vector3d& u_plus)
{
    const Eigen::Vector3d work = r.cwiseProduct(u_minus + u_plus) / 2;
    return {-work[0], -work[1] - work[2], 0};
}

class View {
  public:
    explicit View(const Model& model) : model_(model) {}
    virtual ~View() = default;

    virtual double time() const = 0;
    virtual double step_size() const { return 0; } // of the last step
    virtual double q(Coordinate c) const = 0;      // position (not for spherical joints)
    virtual double v(Coordinate c) const = 0;
    virtual double drive_force(Coordinate c) const = 0;   // mean force of the drive over the last step
    virtual const BodyMotion& motion(int body) const = 0; // by number in Model::bodies(), not of a grain
    virtual std::span<const GrainState> grains() const { return {}; }
    virtual double memory(Memory m) const; // as the last step left it
    // The sections of a beam at its nodes, from a to b, x along the beam; by number in Model::beams().
    virtual std::span<const BodyMotion> sections(int /*beam*/) const { return {}; }
    virtual Energy beam_energy() const { return {}; }
    virtual double contact_energy() const { return 0; } // of the springs of compliant contacts
    // Energy that contacts took from the motion since the start, and that is not in their springs.
    virtual Dissipation dissipated() const { return {}; }
    virtual std::span<const ContactRecord> contacts() const = 0;

    const Model& model() const { return model_; }
    BodyMotion motion(Body body) const;
    BodyMotion motion(GrainId grain) const; // in its own frame
    BodyMotion body_motion(int body) const; // of a body or a grain, by number; of the ground for -1
    Pose pose(GrainId grain) const;         // of the frame that its GrainSpec placed
    Eigen::Vector3d position(GrainId grain) const { return grains()[grain.index].x; }
    Eigen::Vector3d velocity(GrainId grain) const { return grains()[grain.index].v; }
    Eigen::Vector3d position(Body body, const Eigen::Vector3d& point = {0, 0, 0}) const;
    Eigen::Vector3d velocity(Body body, const Eigen::Vector3d& point = {0, 0, 0}) const;
    Eigen::Matrix3d rotation(Body body) const;
    Eigen::Vector3d angular_velocity(Body body) const;
    Eigen::Vector3d position(Frame frame) const;
    Eigen::Vector3d velocity(Frame frame) const;
    Eigen::Matrix3d rotation(Frame frame) const;
    double kinetic_energy() const;
    double potential_energy() const; // gravity, springs, beams and compliant contacts
    double energy() const { return kinetic_energy() + potential_energy(); }
    double gap(ShapeId a, ShapeId b, int feature = 0) const; // in the current configuration, however large
    // Of the last step; zero if the contact was not active.
    double normal_impulse(ShapeId a, ShapeId b, int feature = 0) const;
    // Force of all contacts on a body or a shape, mean over the last step, and its
    // moment about a point; world axes.
    virtual Wrench contact_force(Body body, const Eigen::Vector3d& about = {0, 0, 0}) const;
    virtual Wrench contact_force(ShapeId shape, const Eigen::Vector3d& about = {0, 0, 0}) const;
    Eigen::Vector3d momentum() const; // of all bodies and grains

  private:
    BodyMotion frame_motion(Frame frame) const;
    template <class Acts>
    Wrench sum_forces(const Eigen::Vector3d& about, Acts&& acts) const;
    const Model& model_;
};

} // namespace tamis
