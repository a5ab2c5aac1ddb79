// A model: mechanisms, the shapes their bodies carry, materials, forces and drives. Constant while it runs.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/mbs_symbolic/mechanism.hpp"
#include "tamis/model/beam_section.hpp"

#include <Eigen/Geometry>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tamis {

class View; // read access to a state; view.hpp

struct Material {
    double friction = 0;    // Coulomb coefficient
    double restitution = 0; // Newton's coefficient, 0 .. 1
    double rolling = 0;     // rolling resistance: largest offset of the normal force from the contact, m
    // Inelastic contacts look ahead: bodies about to touch within the step stop at contact instead of
    // overlapping first. For dense media; without it, a contact acts once the gap is closed.
    bool anticipation = false;
};
struct MaterialId {
    int index = 0;
};

// A shape attached to a body or a grain.
struct ShapeId {
    int index = -1;
};
struct AttachedShape {
    std::string name; // if empty, its number or that of its grain is used
    int body;         // number in Model::bodies(); -1: the ground
    Shape shape;
    Pose at;      // in the body's frame
    int material; // -1: drawn, but touches nothing
};

// A rigid grain. `at` is the pose of the frame in which its shape, or the parts of a cluster, are given; mass
// and inertia follow from the density.
struct GrainSpec {
    std::string name; // for messages; by default its number
    Shape shape = Sphere{0};
    std::vector<std::pair<Shape, Pose>> parts; // a cluster, instead of `shape`
    MaterialId material;
    double density = 0; // kg/m3
    Pose at;
    Eigen::Vector3d velocity{0, 0, 0}, angular_velocity{0, 0, 0}; // of its centre of mass, world axes
    std::uint32_t group = 1, mask = ~0u;                          // see Model::groups
};
struct GrainId {
    int index = -1;
};
// A grain in its own frame: origin at the centre of mass, principal axes of inertia.
struct GrainRecord {
    std::string name;
    int first_shape, shapes;      // range in Model::shapes(), where they are placed in this frame
    double mass, density, radius; // radius of the enclosing sphere
    Eigen::Vector3d inertia;      // principal
    bool isotropic;
    bool ball;  // a single sphere: its orientation does not matter
    Pose frame; // the grain's own frame in the frame of its GrainSpec
    Pose at;    // initial pose of its own frame
    Eigen::Vector3d velocity, angular_velocity;
};

// Prescribed motion of a coordinate.
struct Motion {
    std::function<double(double)> position; // of time
    std::function<double(double)> velocity; // its derivative
};
// From one formula in t, which is differentiated symbolically:
//     motion([](Expr t) { return 0.01 * sin(94 * t); })
Motion motion(const std::function<Expr(Expr)>& formula);

// How the Moreau-Jean scheme treats a force. An implicit one adds its stiffness and damping to the mass matrix, and
// does not bound the step.
enum class ForceTreatment { explicit_, implicit };

// Linear spring and damper; `rest` is the coordinate or the length at which the spring is free.
struct SpringLaw {
    double stiffness = 0, damping = 0, rest = 0;
    ForceTreatment treatment = ForceTreatment::explicit_;
};
struct Wrench {
    Eigen::Vector3d force{0, 0, 0}, moment{0, 0, 0}; // world axes, at the point of application
};
using ScalarLaw = std::function<double(const View&)>;
using WrenchLaw = std::function<Wrench(const View&)>;
using GrainLaw = std::function<Wrench(const View&, GrainId)>;

struct JointForce { // generalised force on one coordinate
    Coordinate on;
    ScalarLaw law;
    ForceTreatment treatment = ForceTreatment::explicit_;
};
struct JointSpring {
    Coordinate on;
    SpringLaw law;
};
struct PointSpring { // between the origins of two frames; pulls when longer than its rest length
    Frame a, b;
    SpringLaw law;
};
// A flexible beam, clamped to two frames; initially straight and unloaded between their origins.
struct BeamSpec {
    std::string name; // for messages
    Frame a, b;
    BeamSection section;
    int elements = 10; // with three nodes each
    // Axis of the sections, in the axes of frame a; made perpendicular to the beam.
    Eigen::Vector3d y{0, 1, 0};
    double damping = 0; // over the stiffness, s
    BeamInertia inertia = BeamInertia::consistent;
};
struct AppliedWrench {
    Frame at;
    WrenchLaw law;
};
struct Drive {
    Coordinate on;
    Motion motion;
};
// A number that a controller keeps from step to step: a latch, an integral. It is part of the state.
struct Memory {
    int index = -1;
};
using MemoryLaw = std::function<double(const View&, double now)>;
struct MemoryRecord {
    std::string name;
    double start;
    MemoryLaw next; // called after each step with the new state and the previous memories
};

// A body of any mechanism; the numbers run through all mechanisms.
struct BodyRecord {
    std::string name;
    int mechanism;
    int link; // the link of its mechanism that carries it
    double mass;
    Eigen::Vector3d com;
    Eigen::Matrix3d inertia; // about the centre of mass, body axes
};

class Model {
  public:
    explicit Model(std::string name);

    // Mechanisms. Bodies of the first one are added directly.
    Mechanism& mechanism(const std::string& name); // created at the first call
    Body add(const BodySpec& spec);                // to the mechanism of its parent, else to the first
    Expr parameter(const std::string& name, double value);
    double value(const Expr& e) const;        // of a formula in the parameters
    void gravity(const Vector& acceleration); // of every mechanism
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
    void contact(MaterialId a, MaterialId b, const Material& pair); // instead of the rule below
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

    // Checks all values and closes the list of bodies. Called before a run.
    void finish();

    const std::string& name() const { return name_; }
    const std::vector<std::unique_ptr<Mechanism>>& mechanisms() const { return mechanisms_; }
    const std::vector<BodyRecord>& bodies() const { return bodies_; }
    int body_number(Body body) const; // in bodies(), -1 for the ground
    Body body(const std::string& name) const;
    const std::vector<AttachedShape>& shapes() const { return shapes_; }
    std::string shape_name(int shape) const;
    // Grains are bodies, too: grain g has the number bodies().size() + g.
    const std::vector<GrainRecord>& grains() const { return grains_; }
    int body_number(GrainId grain) const { return static_cast<int>(bodies_.size()) + grain.index; }
    int grain_of(int body) const { return body - static_cast<int>(bodies_.size()); } // negative: not a grain
    std::string grain_name(int grain) const;
    // Unless contact() said otherwise: friction is the geometric mean; restitution and rolling the larger
    // value; anticipation is on if either material has it and neither has restitution.
    Material pair(int material_a, int material_b) const;
    // Body and local pose of a named frame.
    struct FrameRecord {
        int body; // -1: the ground
        Pose local;
    };
    const FrameRecord& frame_record(Frame frame) const { return frames_[frame.mechanism][frame.index]; }
    // Which shapes may touch: those of different bodies that are not both on the ground, not connected by a
    // joint and not ignored.
    const PairFilter& filter() const { return filter_; }
    bool may_touch() const { return touching_shapes_ > 1; } // whether any contact is possible
    int materials() const { return static_cast<int>(materials_.size()); }
    const Eigen::Vector3d& gravity_value() const { return gravity_value_; }
    // Parameters, start values, independent coordinates and forces, by mechanism where that matters.
    struct Start {
        Eigen::VectorXd q, v;
    };
    const Start& start_of(int mechanism) const { return start_[mechanism]; }
    const std::vector<int>& independent_of(int mechanism) const { return independent_[mechanism]; }
    const std::vector<Drive>& drives() const { return drives_; }
    const std::vector<JointForce>& joint_forces() const { return joint_forces_; }
    const std::vector<JointSpring>& joint_springs() const { return joint_springs_; }
    const std::vector<PointSpring>& point_springs() const { return point_springs_; }
    const std::vector<BeamSpec>& beams() const { return beams_; }
    const std::vector<AppliedWrench>& wrenches() const { return wrenches_; }
    const std::vector<GrainLaw>& grain_forces() const { return grain_forces_; }
    const std::vector<MemoryRecord>& memories() const { return memories_; }
    // Numbers of the mechanisms' wrench inputs, for point springs (a, then b) and applied wrenches.
    struct WrenchInput {
        int mechanism, number;
    };
    const std::vector<WrenchInput>& wrench_inputs() const { return wrench_inputs_; }

  private:
    void require_scalar(Coordinate c, const char* cannot) const;
    void make_room(int mechanism); // start values and partition of a mechanism that grew
    Mechanism& mechanism_of(int number);

    std::string name_;
    std::vector<std::unique_ptr<Mechanism>> mechanisms_;
    Vector gravity_;
    Eigen::Vector3d gravity_value_{0, 0, 0};
    std::vector<std::vector<FrameRecord>> frames_; // by mechanism
    std::vector<BodyRecord> bodies_;
    std::vector<int> body_offset_;
    std::vector<AttachedShape> shapes_;
    std::vector<std::pair<Body, ShapeId>> shape_bodies_;
    std::vector<Material> materials_;
    struct PairRule {
        int a, b;
        Material material;
    };
    std::vector<PairRule> pair_rules_;
    std::vector<std::pair<int, int>> ignored_;
    PairFilter filter_;
    int touching_shapes_ = 0;
    std::vector<GrainRecord> grains_;
    std::vector<GrainLaw> grain_forces_;
    std::vector<MemoryRecord> memories_;
    struct Groups {
        int shape;
        std::uint32_t group, mask;
    };
    std::vector<Groups> groups_; // that differ from the default
    std::vector<Start> start_;
    std::vector<std::vector<int>> independent_;
    std::vector<Drive> drives_;
    std::vector<JointForce> joint_forces_;
    std::vector<JointSpring> joint_springs_;
    std::vector<PointSpring> point_springs_;
    std::vector<BeamSpec> beams_;
    std::vector<AppliedWrench> wrenches_;
    std::vector<WrenchInput> wrench_inputs_;
    bool finished_ = false;
};

} // namespace tamis
