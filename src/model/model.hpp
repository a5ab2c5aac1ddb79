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

class View; // what a state lets a model see; view.hpp

struct Material {
    double friction = 0;    // Coulomb coefficient
    double restitution = 0; // Newton's, 0 .. 1
    double rolling = 0;     // rolling resistance: length by which the normal force may be off the contact, m
    // Inelastic contacts look ahead: bodies about to touch within the step stop at contact instead of
    // overlapping first. For dense media; without it a contact acts once the gap is closed.
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
    std::string name; // empty: its number, or its grain's
    int body;         // number in Model::bodies(), -1: the ground
    Shape shape;
    Pose at;      // in the body's frame
    int material; // -1: drawn, but touches nothing
};

// A rigid grain. Its shape, or the parts of a cluster, stand in the frame that `at` places; mass and inertia
// follow from the density, or are given.
struct GrainSpec {
    std::string name; // for messages; by default its number
    Shape shape = Sphere{0};
    std::vector<std::pair<Shape, Pose>> parts; // of a cluster, instead of `shape`
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
    int first_shape, shapes;      // in Model::shapes(), where they are placed in this frame
    double mass, density, radius; // radius of the ball around it
    Eigen::Vector3d inertia;      // principal
    bool isotropic;
    bool ball;  // a sphere and nothing else: its orientation is of no consequence
    Pose frame; // the grain's own frame in the frame of its GrainSpec
    Pose at;    // start, of its own frame
    Eigen::Vector3d velocity, angular_velocity;
};

// Prescribed motion of a coordinate.
struct Motion {
    std::function<double(double)> position; // of time
    std::function<double(double)> velocity; // its derivative
};
// From one formula in t, its derivative found symbolically: motion([](Expr t) { return 0.01 * sin(94 * t);
// }).
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
struct PointSpring { // between two frames; pulls when longer than its rest length
    Frame a, b;
    SpringLaw law;
};
// A flexible beam, clamped to two frames; straight and free of load between their origins at the start.
struct BeamSpec {
    std::string name; // for messages
    Frame a, b;
    BeamSection section;
    int elements = 10; // with three nodes each
    Eigen::Vector3d y{0, 1,
                      0}; // axis of the sections, in the axes of frame a; made perpendicular to the beam
    double damping = 0;   // this time, s, times the stiffness
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
// A number that a controller keeps from step to step: a latch, an integral. It is a part of the state.
struct Memory {
    int index = -1;
};
using MemoryLaw = std::function<double(const View&, double now)>;
struct MemoryRecord {
    std::string name;
    double start;
    MemoryLaw next; // after each step, from the state that it leaves and the memories before
};

// A body of any mechanism, numbered through all of them.
struct BodyRecord {
    std::string name;
    int mechanism;
    int link; // that carries it, within its mechanism
    double mass;
    Eigen::Vector3d com;
    Eigen::Matrix3d inertia; // about the centre of mass, body axes
};

class Model {
  public:
    explicit Model(std::string name);

    // Mechanisms. Bodies of the first one are added directly.
    Mechanism& mechanism(const std::string& name); // makes it if it is new
    Body add(const BodySpec& spec);                // to the mechanism of its parent, else to the first
    Expr parameter(const std::string& name, double value);
    double value(const Expr& e) const;        // of a formula in the parameters
    void gravity(const Vector& acceleration); // of every mechanism
    void close(const LoopSpec& loop);
    Frame frame(const std::string& name, Body body, const Vector& at = {},
                const Eigen::Matrix3d& orientation = Eigen::Matrix3d::Identity());
    Coordinate coordinate(Body body, int k = 0) const;
    // Start values of the k-th coordinate of a body's joint; of dependent coordinates a guess of the
    // position.
    void start(Body body, double position, double velocity, int k = 0);
    void start(Body body, const Eigen::Quaterniond& orientation,
               const Eigen::Vector3d& angular_velocity); // spherical
    // The independent coordinates of the mechanism they belong to; without this call they are chosen by
    // pivoting.
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
    // Two shapes may touch if each is in a group (a bit of `group`) that the other one's mask has. By default
    // all are in group 1 and touch all.
    void groups(ShapeId shape, std::uint32_t group, std::uint32_t mask);

    // Forces.
    void spring(Coordinate on, const SpringLaw& law);
    void spring(Frame a, Frame b, const SpringLaw& law);
    void beam(const BeamSpec& spec);
    // Implicit: how the force changes with its own coordinate and velocity is found by differences.
    void force(Coordinate on, ScalarLaw law, ForceTreatment treatment = ForceTreatment::explicit_);
    void wrench(Frame at, WrenchLaw law);
    void grain_force(GrainLaw law); // on every grain, at its centre of mass
    // `start` at first, and after each step next(view, value so far); laws ask for it with view.memory().
    Memory memory(const std::string& name, double start, MemoryLaw next);

    // Checks all values and freezes the list of bodies. Called before a run.
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
    // Friction: geometric mean, restitution and rolling: the larger, anticipation: if either asks and neither
    // bounces; unless contact() said otherwise.
    Material pair(int material_a, int material_b) const;
    // Body and local pose of a named frame.
    struct FrameRecord {
        int body; // -1: the ground
        Pose local;
    };
    const FrameRecord& frame_record(Frame frame) const { return frames_[frame.mechanism][frame.index]; }
    // Which shapes may touch: of different bodies, not both on the ground, not on bodies joined by a joint,
    // not ignored.
    const PairFilter& filter() const { return filter_; }
    bool may_touch() const { return touching_shapes_ > 1; } // there is anything to detect
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
    // Wrench input numbers of the mechanisms, for point springs (a then b) and applied wrenches.
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
