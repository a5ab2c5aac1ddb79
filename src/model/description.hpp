// A model as a user writes it: mechanisms, the shapes their bodies carry, materials, grains, forces and drives. Every
// handle and value is checked where it is given, or at the latest in finish().
#pragma once

#include "tamis/model/model.hpp"

#include <memory>

namespace tamis {

class ModelDescription {
  public:
    explicit ModelDescription(std::string name);

    // Mechanisms. Bodies of the first one are added directly.
    Mechanism& mechanism(const std::string& name); // created at the first call
    Body add(const BodySpec& spec);                // to the mechanism of its parent, else to the first
    Expr parameter(const std::string& name, double value);
    double value(const Expr& e) const { return features().value(e); } // of a formula in the parameters
    void gravity(const Vector& acceleration);                         // of every mechanism
    void close(const LoopSpec& loop);
    Frame frame(const std::string& name, Body body, const Vector& at = {},
                const Eigen::Matrix3d& orientation = Eigen::Matrix3d::Identity());
    Coordinate coordinate(Body body, int k = 0) const;
    // Initial values of the k-th coordinate of a body's joint; the position of a dependent coordinate is an
    // initial guess. The second form is for spherical and free joints, angular velocity in body axes.
    void start(Body body, double position, double velocity, int k = 0);
    void start(Body body, const Eigen::Quaterniond& orientation, const Eigen::Vector3d& angular_velocity);
    // The independent coordinates of the mechanism that they belong to; without this call
    // they are chosen by pivoting.
    void independent(const std::vector<Coordinate>& coordinates);
    void drive(Coordinate on, const Motion& motion);

    // Shapes and materials.
    MaterialId add(const Material& material);
    void contact(MaterialId a, MaterialId b, const Material& pair); // instead of the rule of Model::pair()
    // Of all materials and rules so far: stiffness along the normal, N/m (0: rigid), and form of the contacts.
    void comply(double stiffness, ContactForm form);
    // Of all materials and rules for pairs of them, for the method dem.
    void normal_law(NormalLaw law);
    ShapeId attach(Body body, const Shape& shape, MaterialId material, const Pose& at = {},
                   std::string name = "");
    GrainId grain(const GrainSpec& spec);
    void show(Body body, const Shape& shape, const Pose& at = {}, std::string name = ""); // only drawn
    void ignore(ShapeId a, ShapeId b); // never touch each other
    // Two shapes may touch if each is in a group (a bit of `group`) contained in the mask of the other. By
    // default all shapes are in group 1 and may touch all others.
    void groups(ShapeId shape, std::uint32_t group, std::uint32_t mask);

    // Forces.
    void spring(Coordinate on, const SpringLaw& law);
    void spring(Frame a, Frame b, const SpringLaw& law);
    void beam(const BeamSpec& spec);
    // Implicit: how the force changes with its own coordinate and velocity is found by differences.
    void force(Coordinate on, ScalarLaw law, ForceTreatment treatment = ForceTreatment::explicit_);
    void wrench(Frame at, WrenchLaw law);
    void grain_force(GrainLaw law); // on every grain, at its centre of mass
    // `start` at first, and next(view, previous value) after each step; laws read it with view.memory().
    Memory memory(const std::string& name, double start, MemoryLaw next);

    // The model to be stepped, which lives as long as its description. Made at the first call, after which nothing can
    // be added.
    const Model& finish();

    const std::string& name() const { return name_; }
    Body body(const std::string& name) const { return features().body(name); }
    const std::vector<GrainRecord>& grains() const { return features().grains; }
    const Features& features() const { return model_ ? model_->features() : features_; }

  private:
    Features& open(); // to be written; refused once finished
    const Mechanism& mechanism_at(int number) const { return features().mechanisms.at(number); }
    Mechanism& mechanism_of(int number);
    StartValues& start_of(int mechanism); // with room for all of its coordinates
    void require_scalar(Coordinate c, const char* cannot) const;
    void require_known(MaterialId material, const std::string& what) const;

    std::string name_;
    Features features_;
    std::unique_ptr<Model> model_;
};

} // namespace tamis
