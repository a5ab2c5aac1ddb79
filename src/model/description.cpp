// Most of this is checks: what a user adds is refused where it is added, by name and with a remedy, so that no method
// has to look at it again.
#include "tamis/model/description.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

ModelDescription::ModelDescription(std::string name) : name_(std::move(name))
{
    features_.name = name_;
}

const Model& ModelDescription::finish()
{
    if (!model_) model_ = std::make_unique<Model>(std::move(features_));
    return *model_;
}

Features& ModelDescription::open()
{
    if (model_)
        fail("The model '{}' is finished already: add all that belongs to it before it is stepped.", name_);
    return features_;
}

Mechanism& ModelDescription::mechanism(const std::string& name)
{
    auto& all = open().mechanisms;
    for (Mechanism& m : all)
        if (m.name() == name) return m;
    features_.start.push_back({});
    features_.independent.push_back({});
    return all.emplace_back(static_cast<int>(all.size()), name);
}

Mechanism& ModelDescription::mechanism_of(int number)
{
    auto& all = open().mechanisms;
    if (all.empty() && number <= 0) return mechanism(name_);
    return number < 0 ? all.front() : all.at(number);
}

Body ModelDescription::add(const BodySpec& spec)
{
    return mechanism_of(spec.parent.mechanism).add(spec);
}
Expr ModelDescription::parameter(const std::string& name, double value)
{
    return mechanism_of(0).parameter(name, value);
}
void ModelDescription::gravity(const Vector& acceleration)
{
    open().gravity = acceleration;
}

void ModelDescription::close(const LoopSpec& loop)
{
    mechanism_of(loop.a.is_ground() ? loop.b.mechanism : loop.a.mechanism).close(loop);
}

Frame ModelDescription::frame(const std::string& name, Body body, const Vector& at,
                              const Eigen::Matrix3d& orientation)
{
    return mechanism_of(body.mechanism).add_frame(name, body, at, orientation);
}

Coordinate ModelDescription::coordinate(Body body, int k) const
{
    if (body.is_ground()) fail("The ground has no coordinates: name a body.");
    return mechanism_at(body.mechanism).coordinate(body, k);
}

StartValues& ModelDescription::start_of(int mechanism)
{
    StartValues& start = open().start[mechanism];
    start.make_room(mechanism_at(mechanism));
    return start;
}

void ModelDescription::start(Body body, double position, double velocity, int k)
{
    const Coordinate c = coordinate(body, k);
    const Mechanism& m = mechanism_at(c.mechanism);
    if (!std::isfinite(position) || !std::isfinite(velocity))
        fail("Coordinate '{}' starts at {} with velocity {}: give finite numbers.",
             m.coordinate_name(c.index), position, velocity);
    for (const Mechanism::Link& l : m.links())
        if (l.v <= c.index && c.index < l.v + l.nv() && l.nv() != 1)
            fail("Coordinate '{}' belongs to a spherical joint: start it with a quaternion.",
                 m.coordinate_name(c.index));
    StartValues& start = start_of(c.mechanism);
    start.q[m.position_index(c.index)] = position;
    start.v[c.index] = velocity;
}

void ModelDescription::start(Body body, const Eigen::Quaterniond& orientation,
                             const Eigen::Vector3d& angular_velocity)
{
    if (body.is_ground()) fail("The ground has no coordinates: name a body.");
    const Mechanism& m = mechanism_at(body.mechanism);
    const Mechanism::Link& l = m.links()[m.link_of(body)];
    if (l.joint.kind != ElementaryJoint::spherical)
        fail("The joint of body '{}' is not spherical: start it with a position and a velocity.",
             m.bodies()[body.index].name);
    const Eigen::Quaterniond unit = orientation.normalized();
    StartValues& start = start_of(body.mechanism);
    start.q.segment<4>(l.q) << unit.w(), unit.x(), unit.y(), unit.z();
    start.v.segment<3>(l.v) = angular_velocity;
}

void ModelDescription::independent(const std::vector<Coordinate>& coordinates)
{
    for (const Coordinate& c : coordinates) {
        if (c.mechanism != coordinates.front().mechanism)
            fail("Independent coordinates of two mechanisms were named in one call: call once for each "
                 "mechanism.");
        auto& named = open().independent.at(c.mechanism);
        if (std::find(named.begin(), named.end(), c.index) != named.end())
            fail("Coordinate '{}' is named twice as independent.",
                 mechanism_at(c.mechanism).coordinate_name(c.index));
        named.push_back(c.index);
    }
}

// Refuses velocities of a spherical joint, which have no coordinate of their own.
void ModelDescription::require_scalar(Coordinate c, const char* cannot) const
{
    const Mechanism& m = mechanism_at(c.mechanism);
    for (const Mechanism::Link& l : m.links())
        if (l.joint.kind == ElementaryJoint::spherical && l.v <= c.index && c.index < l.v + 3)
            fail("Coordinate '{}' belongs to a spherical joint and cannot {}.", m.coordinate_name(c.index),
                 cannot);
}

void ModelDescription::drive(Coordinate on, const Motion& motion)
{
    require_scalar(on, "be driven: use hinges");
    const std::string name = mechanism_at(on.mechanism).coordinate_name(on.index);
    for (const Drive& d : open().drives)
        if (d.on.mechanism == on.mechanism && d.on.index == on.index)
            fail("Coordinate '{}' is driven twice.", name);
    if (!motion.position || !motion.velocity)
        fail("The drive of '{}' needs both position and velocity.", name);
    open().drives.push_back({on, motion});
}

namespace {
void check(const Material& material)
{
    if (!(material.friction >= 0) || !std::isfinite(material.friction))
        fail("A material has friction {}: the Coulomb coefficient must be finite and not negative.",
             material.friction);
    if (!(material.restitution >= 0 && material.restitution <= 1))
        fail("A material has restitution {}: it must lie between 0 and 1.", material.restitution);
    if (!(material.rolling >= 0) || !std::isfinite(material.rolling))
        fail("A material has rolling resistance {}: the length must be finite and not negative.",
             material.rolling);
    if (!(material.stiffness >= 0) || !std::isfinite(material.stiffness))
        fail("A material has the contact stiffness {} N/m: it must be finite and not negative; 0 is rigid.",
             material.stiffness);
    if (!(material.shear_ratio > 0) || !std::isfinite(material.shear_ratio))
        fail("A material has {} as the ratio of tangential to normal stiffness: it must be positive.",
             material.shear_ratio);
    if (!(material.damping >= 0) || !std::isfinite(material.damping))
        fail("A material has the contact damping {} s: it must be finite and not negative.",
             material.damping);
    if (material.damping > 0 && material.stiffness == 0)
        fail("A material has contact damping {} s but no stiffness: rigid contacts have restitution instead.",
             material.damping);
    if (material.damping > 0 && material.restitution > 0)
        fail("A material has both contact damping {} s and restitution {}: the damping of a compliant "
             "contact follows from its restitution; give one of them.",
             material.damping, material.restitution);
    if (!(material.young >= 0) || !std::isfinite(material.young) ||
        !(material.poisson > -1 && material.poisson <= 0.5))
        fail("A material has Young's modulus {} Pa and Poisson's ratio {}: give a finite modulus that is not "
             "negative and a ratio between -1 and 0.5.",
             material.young, material.poisson);
    if (material.anticipation && material.restitution > 0 && material.stiffness == 0)
        fail("A material has anticipation and restitution {}: bodies that stop at contact do not bounce; "
             "choose one.",
             material.restitution);
}
} // namespace

MaterialId ModelDescription::add(const Material& material)
{
    check(material);
    auto& all = open().materials;
    all.push_back(material);
    return {static_cast<int>(all.size()) - 1};
}

void ModelDescription::contact(MaterialId a, MaterialId b, const Material& pair)
{
    check(pair);
    require_known(a, "A contact rule");
    require_known(b, "A contact rule");
    open().pair_rules.push_back({a.index, b.index, pair});
}

void ModelDescription::comply(double stiffness, ContactForm form)
{
    const auto set = [&](Material& material) {
        material.stiffness = stiffness;
        material.form = form;
        if (stiffness == 0) material.damping = 0;
        check(material);
    };
    for (Material& material : open().materials) set(material);
    for (PairRule& rule : open().pair_rules) set(rule.material);
}

void ModelDescription::normal_law(NormalLaw law)
{
    for (Material& material : open().materials) material.law = law;
    for (PairRule& rule : open().pair_rules) rule.material.law = law;
}

void ModelDescription::require_known(MaterialId material, const std::string& what) const
{
    if (material.index < 0 || material.index >= static_cast<int>(features().materials.size()))
        fail("{} has an unknown material: add the material first.", what);
}

ShapeId ModelDescription::attach(Body body, const Shape& shape, MaterialId material, const Pose& at,
                                 std::string name)
{
    require_known(material, "Shape '" + name + "'");
    auto& all = open().shapes;
    all.push_back(
        {.name = std::move(name), .on = body, .shape = shape, .at = at, .material = material.index});
    return {static_cast<int>(all.size()) - 1};
}

// Mass, principal axes, and the shapes placed in them. Axes that are principal already are kept.
GrainId ModelDescription::grain(const GrainSpec& spec)
{
    Features& all = open();
    const int number = static_cast<int>(all.grains.size());
    const std::string name = spec.name.empty() ? fmt::format("grain {}", number + 1) : spec.name;
    require_known(spec.material, "'" + name + "'");
    if (!(spec.density > 0) || !std::isfinite(spec.density))
        fail("'{}' has density {} kg/m3: give a positive one.", name, spec.density);
    if (!spec.at.p.allFinite() || !spec.at.R.allFinite() || !spec.velocity.allFinite() ||
        !spec.angular_velocity.allFinite())
        fail("'{}' starts at a place or with a velocity that is not finite.", name);
    if ((spec.at.R.transpose() * spec.at.R - Eigen::Matrix3d::Identity()).norm() > 1e-6)
        fail("'{}' starts with an orientation that is not a rotation matrix.", name);

    const std::vector<std::pair<Shape, Pose>> one{{spec.shape, {}}};
    const auto& parts = spec.parts.empty() ? one : spec.parts;
    const MassProperties solid =
        parts.size() == 1 && spec.parts.empty() ? mass_properties(spec.shape) : mass_properties(parts);
    if (!(solid.volume > 0)) fail("'{}' has no volume: give it a shape with a positive size.", name);
    GrainRecord record;
    record.name = spec.name;
    record.mass = spec.density * solid.volume;
    record.density = spec.density;
    record.frame.p = solid.com;
    const Eigen::Vector3d diagonal = solid.inertia.diagonal();
    Eigen::Matrix3d off = solid.inertia;
    off.diagonal().setZero();
    record.inertia = spec.density * diagonal;
    if (off.cwiseAbs().maxCoeff() > 1e-12 * diagonal.sum()) {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(solid.inertia);
        record.frame.R = principal.eigenvectors();
        if (record.frame.R.determinant() < 0) record.frame.R.col(2) *= -1;
        record.inertia = spec.density * principal.eigenvalues();
    }
    record.isotropic =
        record.inertia.maxCoeff() - record.inertia.minCoeff() <= 1e-12 * record.inertia.maxCoeff();
    record.ball =
        record.isotropic && parts.size() == 1 && std::holds_alternative<Sphere>(parts.front().first);
    record.at = spec.at * record.frame;
    record.velocity = spec.velocity;
    record.angular_velocity = spec.angular_velocity;
    record.first_shape = static_cast<int>(all.shapes.size());
    record.shapes = static_cast<int>(parts.size());
    record.radius = 0;
    const Pose inverse{record.frame.R.transpose(), -(record.frame.R.transpose() * record.frame.p)};
    for (const auto& [shape, pose] : parts) {
        const Pose at = inverse * pose;
        const double reach = bounding_radius(shape);
        if (!std::isfinite(reach)) fail("'{}' has a part without end: grains are solid bodies.", name);
        record.radius = std::max(record.radius, at.p.norm() + reach);
        all.shapes.push_back({.name = "",
                              .grain = number,
                              .shape = shape,
                              .at = at,
                              .material = spec.material.index,
                              .group = spec.group,
                              .mask = spec.mask});
    }
    all.grains.push_back(std::move(record));
    return {number};
}

void ModelDescription::show(Body body, const Shape& shape, const Pose& at, std::string name)
{
    open().shapes.push_back({.name = std::move(name), .on = body, .shape = shape, .at = at});
}

void ModelDescription::ignore(ShapeId a, ShapeId b)
{
    for (const ShapeId id : {a, b})
        if (id.index < 0 || id.index >= static_cast<int>(features().shapes.size()))
            fail("A pair to ignore has an unknown shape: use what attach() returned.");
    if (a.index == b.index)
        fail("Shape '{}' is to ignore itself: name two shapes; one never touches itself.",
             features().shape_name(a.index));
    open().ignored.emplace_back(std::minmax(a.index, b.index));
}

void ModelDescription::groups(ShapeId shape, std::uint32_t group, std::uint32_t mask)
{
    auto& all = open().shapes;
    if (shape.index < 0 || shape.index >= static_cast<int>(all.size()))
        fail("Groups were given to an unknown shape: use what attach() returned.");
    all[shape.index].group = group;
    all[shape.index].mask = mask;
}

namespace {
void check(const SpringLaw& law, const std::string& where)
{
    if (!(law.stiffness >= 0) || !(law.damping >= 0) || !std::isfinite(law.stiffness) ||
        !std::isfinite(law.damping) || !std::isfinite(law.rest))
        fail("The spring {} has stiffness {}, damping {} and rest {}: stiffness and damping must be finite "
             "and "
             "not negative, and rest finite; for a force that pushes away or feeds energy, use model.force.",
             where, law.stiffness, law.damping, law.rest);
}
} // namespace

void ModelDescription::spring(Coordinate on, const SpringLaw& law)
{
    require_scalar(on, "carry a joint spring: use springs between points");
    check(law, fmt::format("on '{}'", mechanism_at(on.mechanism).coordinate_name(on.index)));
    open().joint_springs.push_back({on, law});
}
void ModelDescription::spring(Frame a, Frame b, const SpringLaw& law)
{
    const auto name = [&](Frame f) { return mechanism_at(f.mechanism).frames().at(f.index).name; };
    check(law, fmt::format("between '{}' and '{}'", name(a), name(b)));
    open().point_springs.push_back({a, b, law});
}
void ModelDescription::beam(const BeamSpec& spec)
{
    for (const Frame& end : {spec.a, spec.b})
        if (end.index < 0)
            fail("Beam '{}' has an end without a frame: give both ends what frame() returned.", spec.name);
    if (spec.elements < 1)
        fail("Beam '{}' has {} elements: it needs at least one.", spec.name, spec.elements);
    const auto& C = spec.section.stiffness;
    if (!C.allFinite() || !C.isApprox(C.transpose()) || C.llt().info() != Eigen::Success)
        fail("The stiffness of beam '{}' is not symmetric and positive definite: make its section by "
             "beam_section().",
             spec.name);
    if (!(spec.section.mass > 0) || !(spec.section.inertia.minCoeff() > 0) ||
        !std::isfinite(spec.section.mass) || !spec.section.inertia.allFinite())
        fail("The section of beam '{}' needs a positive mass and three positive rotary inertias.", spec.name);
    if (!(spec.damping >= 0) || !std::isfinite(spec.damping))
        fail("Beam '{}' has a damping of {} s: it must not be negative.", spec.name, spec.damping);
    open().beams.push_back(spec);
}
namespace {

struct LawError : Error {
    using Error::Error;
};

[[noreturn]] void fail_in(const std::string& what, const std::exception& error)
{
    const std::string_view said = error.what();
    if (dynamic_cast<const LawError*>(&error)) throw LawError(error.what()); // of a law that was handed on
    throw LawError(fmt::format("The {} failed: {}{}", what, said, said.ends_with('.') ? "" : "."));
}

// Calls a law of the user; what it throws tells which one it was.
template <class Law>
auto named(const std::string& what, Law&& law)
{
    try {
        return law();
    } catch (const std::exception& error) {
        fail_in(what, error);
    }
}

} // namespace

void ModelDescription::force(Coordinate on, ScalarLaw law, ForceTreatment treatment)
{
    if (treatment == ForceTreatment::implicit) require_scalar(on, "carry an implicit force: use wrenches");
    const std::string what =
        fmt::format("force on '{}'", mechanism_at(on.mechanism).coordinate_name(on.index));
    open().joint_forces.push_back(
        {on, [=, law = std::move(law)](const View& s) { return named(what, [&] { return law(s); }); },
         treatment});
}
void ModelDescription::wrench(Frame at, WrenchLaw law)
{
    const std::string what =
        fmt::format("wrench at '{}'", mechanism_at(at.mechanism).frames().at(at.index).name);
    open().wrenches.push_back(
        {at, [=, law = std::move(law)](const View& s) { return named(what, [&] { return law(s); }); }});
}
void ModelDescription::grain_force(GrainLaw law)
{
    open().grain_forces.push_back({[law = std::move(law)](const View& s, GrainId g) {
        try {
            return law(s, g);
        } catch (const std::exception& error) {
            fail_in(fmt::format("force on grain {}", g.index + 1), error);
        }
    }});
}

Memory ModelDescription::memory(const std::string& name, double start, MemoryLaw next)
{
    if (!next) fail("The memory '{}' has no law: give the function that tells its next value.", name);
    if (!std::isfinite(start)) fail("The memory '{}' starts with {}: give a finite number.", name, start);
    auto& all = open().memories;
    all.push_back({name, start,
                   [what = fmt::format("memory '{}'", name), next = std::move(next)](
                       const View& s, double now) { return named(what, [&] { return next(s, now); }); }});
    return {static_cast<int>(all.size()) - 1};
}

} // namespace tamis
