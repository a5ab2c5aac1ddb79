// What a model consists of, as plain values: mechanisms, shapes and materials, grains, forces, drives. Written by a
// ModelDescription, or by a cut of a model that is finished.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/mbs_symbolic/mechanism.hpp"
#include "tamis/model/beam_section.hpp"

#include <Eigen/Geometry>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tamis {

class View; // read access to a state; view.hpp

// How the spring of a compliant contact is kept from step to step; docs/theory.md, section on compliance.
enum class ContactForm {
    rate,    // by the impulse of the last step: the force changes as the bodies approach
    overlap, // normal to the contact by the overlap of the bodies itself
};

// What the method dem takes the normal force of an overlap to be.
enum class NormalLaw {
    linear, // stiffness times overlap
    hertz,  // Hertz's law for balls of this Young's modulus, along the contact Mindlin's stiffness
};

struct Material {
    double friction = 0; // Coulomb coefficient
    double restitution =
        0;              // Newton's coefficient, 0 .. 1; of a compliant contact its damping is derived from it
    double rolling = 0; // rolling resistance: largest offset of the normal force from the contact, m
    // Inelastic contacts look ahead: bodies about to touch within the step stop at contact instead of
    // overlapping first. For dense media; without it, a contact acts once the gap is closed.
    bool anticipation = false;
    // Compliance. `stiffness` is that of a contact between two bodies of this material, along the normal; 0: rigid.
    double stiffness = 0;   // N/m; see also hertz_stiffness
    double shear_ratio = 1; // tangential over normal stiffness
    double damping = 0;     // of normal and tangential spring: damper over spring constant, s
    ContactForm form = ContactForm::rate;
    NormalLaw law = NormalLaw::linear;
    double young = 0,
           poisson = 0; // Young's modulus of the body, Pa, and Poisson's ratio; of Hertz's law alone
};
// Tangent stiffness of a Hertzian contact between two bodies of one material (Young's modulus, Pa, and Poisson's ratio)
// under a reference force, N. `radius` is that of a sphere on a plane, or of the edge of a stone, m.
double hertz_stiffness(double young, double poisson, double force, double radius);

struct MaterialId {
    int index = 0;
};

// A shape attached to a body or a grain.
struct ShapeId {
    int index = -1;
};
struct AttachedShape {
    std::string name; // if empty, its number or that of its grain is used
    Body on = ground; // that carries it, unless a grain does
    int grain = -1;   // its number
    Shape shape;
    Pose at;           // in the frame of the body or grain
    int material = -1; // -1: drawn, but touches nothing
    std::uint32_t group = 1, mask = ~0u;
    int body = -1; // number in Model::bodies(), -1: the ground; known once the model is finished
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
    std::uint32_t group = 1, mask = ~0u;                          // see ModelDescription::groups
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

// How the Moreau-Jean scheme and the penalty method treat a force. An implicit one adds its stiffness and damping to
// the mass matrix, and does not bound the step. Absolute and GeneralizedAlpha refuse implicit ones.
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

// What acts on bodies names its places (coordinates or frames), and the laws of the user that it calls, by parts(): all
// that a cut of the model translates. `kind` is for messages.
struct JointForce { // generalised force on one coordinate
    Coordinate on;
    ScalarLaw law;
    ForceTreatment treatment = ForceTreatment::explicit_;
    static constexpr const char* kind = "A force";
    auto parts() { return std::tie(on, law); }
};
struct JointSpring {
    Coordinate on;
    SpringLaw law;
    static constexpr const char* kind = "A spring";
    auto parts() { return std::tie(on); }
};
struct PointSpring { // between the origins of two frames; pulls when longer than its rest length
    Frame a, b;
    SpringLaw law;
    static constexpr const char* kind = "A spring";
    auto parts() { return std::tie(a, b); }
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
    static constexpr const char* kind = "A beam";
    auto parts() { return std::tie(a, b); }
};
struct AppliedWrench {
    Frame at;
    WrenchLaw law;
    static constexpr const char* kind = "A wrench";
    auto parts() { return std::tie(at, law); }
};
struct GrainForce { // on every grain
    GrainLaw law;
    static constexpr const char* kind = "A force on grains";
    auto parts() { return std::tie(law); }
};
struct Drive {
    Coordinate on;
    Motion motion;
    static constexpr const char* kind = "A drive";
    auto parts() { return std::tie(on); }
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
    static constexpr const char* kind = "A memory";
    auto parts() { return std::tie(next); }
};

struct PairRule { // of two materials
    int a, b;
    Material material;
};
struct StartValues { // of a mechanism
    Eigen::VectorXd q, v;
    void make_room(const Mechanism& mechanism); // for coordinates that were added: zero, or not turned
};

struct Features {
    std::string name;
    std::deque<Mechanism> mechanisms;
    std::vector<StartValues> start;            // by mechanism
    std::vector<std::vector<int>> independent; // coordinates, by mechanism; empty: to be chosen
    Vector gravity;
    std::vector<Material> materials;
    std::vector<PairRule> pair_rules;
    std::vector<AttachedShape> shapes;
    std::vector<std::pair<int, int>> ignored; // pairs of shapes
    std::vector<GrainRecord> grains;
    // What acts on bodies and grains, and all of these lists.
    std::vector<Drive> drives;
    std::vector<JointForce> joint_forces;
    std::vector<JointSpring> joint_springs;
    std::vector<PointSpring> point_springs;
    std::vector<BeamSpec> beams;
    std::vector<AppliedWrench> wrenches;
    std::vector<GrainForce> grain_forces;
    std::vector<MemoryRecord> memories;
    auto acting()
    {
        return std::tie(drives, joint_forces, joint_springs, point_springs, beams, wrenches, grain_forces,
                        memories);
    }

    double value(const Expr& e) const; // of a formula in the parameters of the first mechanism
    Eigen::Vector3d gravity_value() const;
    Body body(const std::string& wanted) const; // by its name
    std::string shape_name(int shape) const;
    std::string grain_name(int grain) const;
};

} // namespace tamis
