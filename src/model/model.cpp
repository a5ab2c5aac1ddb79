// Building a model: every handle and value is checked where it is given, or at the latest in finish().
#include "tamis/model/model.hpp"

#include "tamis/base/error.hpp"
#include "tamis/mbs_symbolic/differentiate.hpp"
#include "tamis/mbs_symbolic/schedule.hpp"
#include "tamis/mbs_symbolic/tape.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

Motion motion(const std::function<Expr(Expr)>& formula)
{
    Graph graph;
    const Expr x = formula(graph.symbol(Input::t, 0));
    Derivative rate([](Input, int) { return Expr(1); });
    auto function = [](const Expr& e) {
        auto tape = std::make_shared<Tape>(make_schedule({e}));
        return [tape](double t) {
            Inputs in;
            in.t = &t;
            double out;
            (*tape)(in, &out);
            return out;
        };
    };
    return {function(x), function(rate(x))};
}

Model::Model(std::string name) : name_(std::move(name)) {}

Mechanism& Model::mechanism(const std::string& name)
{
    for (auto& m : mechanisms_)
        if (m->name() == name) return *m;
    mechanisms_.push_back(std::make_unique<Mechanism>(static_cast<int>(mechanisms_.size()), name));
    start_.push_back({});
    independent_.push_back({});
    return *mechanisms_.back();
}

Mechanism& Model::mechanism_of(int number)
{
    if (mechanisms_.empty() && number <= 0) return mechanism(name_);
    if (number < 0) return *mechanisms_.front();
    return *mechanisms_.at(number);
}

Body Model::add(const BodySpec& spec)
{
    return mechanism_of(spec.parent.mechanism).add(spec);
}
Expr Model::parameter(const std::string& name, double value)
{
    return mechanism_of(0).parameter(name, value);
}
double Model::value(const Expr& e) const
{
    return mechanisms_.empty() ? e.value() : mechanisms_.front()->value(e);
}
void Model::gravity(const Vector& acceleration)
{
    gravity_ = acceleration;
}

void Model::close(const LoopSpec& loop)
{
    mechanism_of(loop.a.is_ground() ? loop.b.mechanism : loop.a.mechanism).close(loop);
}

Frame Model::frame(const std::string& name, Body body, const Vector& at, const Eigen::Matrix3d& orientation)
{
    return mechanism_of(body.mechanism).add_frame(name, body, at, orientation);
}

Coordinate Model::coordinate(Body body, int k) const
{
    if (body.is_ground()) fail("The ground has no coordinates: name a body.");
    return mechanisms_.at(body.mechanism)->coordinate(body, k);
}

void Model::make_room(int number)
{
    const Mechanism& m = *mechanisms_.at(number);
    Start& s = start_[number];
    const auto old_q = s.q.size();
    s.q.conservativeResize(m.nq());
    const auto old_v = s.v.size();
    s.v.conservativeResize(m.nv());
    s.q.tail(m.nq() - old_q).setZero();
    s.v.tail(m.nv() - old_v).setZero();
    for (const Mechanism::Link& l : m.links())
        if (l.joint.kind == ElementaryJoint::spherical && l.q >= old_q) s.q[l.q] = 1;
}

void Model::start(Body body, double position, double velocity, int k)
{
    const Coordinate c = coordinate(body, k);
    const Mechanism& m = *mechanisms_[c.mechanism];
    if (!std::isfinite(position) || !std::isfinite(velocity))
        fail("Coordinate '{}' starts at {} with velocity {}: give finite numbers.",
             m.coordinate_name(c.index), position, velocity);
    make_room(c.mechanism);
    for (const Mechanism::Link& l : m.links())
        if (l.v <= c.index && c.index < l.v + l.nv() && l.nv() != 1)
            fail("Coordinate '{}' belongs to a spherical joint: start it with a quaternion.",
                 m.coordinate_name(c.index));
    start_[c.mechanism].q[m.position_index(c.index)] = position;
    start_[c.mechanism].v[c.index] = velocity;
}

void Model::start(Body body, const Eigen::Quaterniond& orientation, const Eigen::Vector3d& angular_velocity)
{
    if (body.is_ground()) fail("The ground has no coordinates: name a body.");
    const Mechanism& m = *mechanisms_.at(body.mechanism);
    make_room(body.mechanism);
    const Mechanism::Link& l = m.links()[m.link_of(body)];
    if (l.joint.kind != ElementaryJoint::spherical)
        fail("The joint of body '{}' is not spherical: start it with a position and a velocity.",
             m.bodies()[body.index].name);
    const Eigen::Quaterniond unit = orientation.normalized();
    start_[body.mechanism].q.segment<4>(l.q) << unit.w(), unit.x(), unit.y(), unit.z();
    start_[body.mechanism].v.segment<3>(l.v) = angular_velocity;
}

void Model::independent(const std::vector<Coordinate>& coordinates)
{
    for (const Coordinate& c : coordinates) {
        if (c.mechanism != coordinates.front().mechanism)
            fail("Independent coordinates of two mechanisms were named in one call: call once for each "
                 "mechanism.");
        auto& named = independent_.at(c.mechanism);
        if (std::find(named.begin(), named.end(), c.index) != named.end())
            fail("Coordinate '{}' is named twice as independent.",
                 mechanisms_[c.mechanism]->coordinate_name(c.index));
        named.push_back(c.index);
    }
}

// Refuses velocities of a spherical joint, which have no coordinate of their own.
void Model::require_scalar(Coordinate c, const char* cannot) const
{
    const Mechanism& m = *mechanisms_.at(c.mechanism);
    for (const Mechanism::Link& l : m.links())
        if (l.joint.kind == ElementaryJoint::spherical && l.v <= c.index && c.index < l.v + 3)
            fail("Coordinate '{}' belongs to a spherical joint and cannot {}.", m.coordinate_name(c.index),
                 cannot);
}

void Model::drive(Coordinate on, const Motion& motion)
{
    require_scalar(on, "be driven: use hinges");
    const std::string name = mechanisms_[on.mechanism]->coordinate_name(on.index);
    for (const Drive& d : drives_)
        if (d.on.mechanism == on.mechanism && d.on.index == on.index)
            fail("Coordinate '{}' is driven twice.", name);
    if (!motion.position || !motion.velocity)
        fail("The drive of '{}' needs both position and velocity.", name);
    drives_.push_back({on, motion});
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
    if (material.anticipation && material.restitution > 0)
        fail("A material has anticipation and restitution {}: bodies that stop at contact do not bounce; "
             "choose one.",
             material.restitution);
}
} // namespace

MaterialId Model::add(const Material& material)
{
    check(material);
    materials_.push_back(material);
    return {static_cast<int>(materials_.size()) - 1};
}

void Model::contact(MaterialId a, MaterialId b, const Material& pair)
{
    check(pair);
    for (MaterialId id : {a, b})
        if (id.index < 0 || id.index >= static_cast<int>(materials_.size()))
            fail("A contact rule has an unknown material: add the material first.");
    pair_rules_.push_back({a.index, b.index, pair});
}

ShapeId Model::attach(Body body, const Shape& shape, MaterialId material, const Pose& at, std::string name)
{
    if (material.index < 0 || material.index >= static_cast<int>(materials_.size()))
        fail("Shape '{}' has an unknown material: add the material first.", name);
    const ShapeId id{static_cast<int>(shapes_.size())};
    shapes_.push_back({std::move(name), -1, shape, at, material.index});
    shape_bodies_.push_back({body, id});
    return id;
}

std::string Model::shape_name(int shape) const
{
    const AttachedShape& s = shapes_[shape];
    if (!s.name.empty()) return s.name;
    const int grain = finished_ ? grain_of(s.body) : -1;
    if (grain >= 0) return grain_name(grain);
    // By kind and number among those without a name.
    int number = 1;
    for (int k = 0; k < shape; ++k)
        number += shapes_[k].name.empty() && shapes_[k].shape.index() == s.shape.index() &&
                  !(finished_ && grain_of(shapes_[k].body) >= 0);
    const char* kind = std::holds_alternative<Plane>(s.shape)        ? "wall"
                       : std::holds_alternative<Hollow>(s.shape)     ? "container"
                       : std::holds_alternative<Sphere>(s.shape)     ? "sphere"
                       : std::holds_alternative<Box>(s.shape)        ? "box"
                       : std::holds_alternative<Cylinder>(s.shape)   ? "cylinder"
                       : std::holds_alternative<Capsule>(s.shape)    ? "capsule"
                       : std::holds_alternative<Polyhedron>(s.shape) ? "polyhedron"
                                                                     : "mesh";
    return fmt::format("{} {}", kind, number);
}

std::string Model::grain_name(int grain) const
{
    return grains_[grain].name.empty() ? fmt::format("grain {}", grain + 1) : grains_[grain].name;
}

// Mass, principal axes, and the shapes placed in them. Axes that are principal already are kept.
GrainId Model::grain(const GrainSpec& spec)
{
    const int number = static_cast<int>(grains_.size());
    const std::string name = spec.name.empty() ? fmt::format("grain {}", number + 1) : spec.name;
    if (finished_) fail("{} comes too late: add grains before the run starts.", name);
    if (spec.material.index < 0 || spec.material.index >= static_cast<int>(materials_.size()))
        fail("'{}' has an unknown material: add the material first.", name);
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
    record.first_shape = static_cast<int>(shapes_.size());
    record.shapes = static_cast<int>(parts.size());
    record.radius = 0;
    const Pose inverse{record.frame.R.transpose(), -(record.frame.R.transpose() * record.frame.p)};
    for (const auto& [shape, pose] : parts) {
        const Pose at = inverse * pose;
        const double reach = bounding_radius(shape);
        if (!std::isfinite(reach)) fail("'{}' has a part without end: grains are solid bodies.", name);
        record.radius = std::max(record.radius, at.p.norm() + reach);
        const int id = static_cast<int>(shapes_.size());
        shapes_.push_back({"", number, shape, at, spec.material.index});
        if (spec.group != 1 || spec.mask != ~0u) groups_.push_back({id, spec.group, spec.mask});
    }
    grains_.push_back(std::move(record));
    return {number};
}

void Model::show(Body body, const Shape& shape, const Pose& at, std::string name)
{
    const ShapeId id{static_cast<int>(shapes_.size())};
    shapes_.push_back({std::move(name), -1, shape, at, -1});
    shape_bodies_.push_back({body, id});
}

void Model::ignore(ShapeId a, ShapeId b)
{
    for (const ShapeId id : {a, b})
        if (id.index < 0 || id.index >= static_cast<int>(shapes_.size()))
            fail("A pair to ignore has an unknown shape: use what attach() returned.");
    if (a.index == b.index)
        fail("Shape '{}' is to ignore itself: name two shapes; one never touches itself.",
             shape_name(a.index));
    ignored_.emplace_back(std::minmax(a.index, b.index));
}

void Model::groups(ShapeId shape, std::uint32_t group, std::uint32_t mask)
{
    if (shape.index < 0 || shape.index >= static_cast<int>(shapes_.size()))
        fail("Groups were given to an unknown shape: use what attach() returned.");
    groups_.push_back({shape.index, group, mask});
}

void Model::spring(Coordinate on, const SpringLaw& law)
{
    require_scalar(on, "carry a joint spring: use springs between points");
    joint_springs_.push_back({on, law});
}
void Model::spring(Frame a, Frame b, const SpringLaw& law)
{
    point_springs_.push_back({a, b, law});
}
void Model::beam(const BeamSpec& spec)
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
    beams_.push_back(spec);
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

// Principal moments a <= b <= c of a solid satisfy a + b >= c. One that is zero is taken as not given: the
// body does not turn about that axis.
void require_possible(const BodyRecord& body)
{
    const Eigen::Vector3d I =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (I[0] > 1e-9 * I[2] && I[0] + I[1] < (1 - 1e-6) * I[2])
        fail("Body '{}' has the principal inertias {:.6g}, {:.6g} and {:.6g} kg m2: no body has one that is "
             "larger "
             "than the two others together; correct it.",
             body.name, I[0], I[1], I[2]);
}

} // namespace

void Model::force(Coordinate on, ScalarLaw law, ForceTreatment treatment)
{
    if (treatment == ForceTreatment::implicit) require_scalar(on, "carry an implicit force: use wrenches");
    const std::string what =
        fmt::format("force on '{}'", mechanisms_.at(on.mechanism)->coordinate_name(on.index));
    joint_forces_.push_back(
        {on, [=, law = std::move(law)](const View& s) { return named(what, [&] { return law(s); }); },
         treatment});
}
void Model::wrench(Frame at, WrenchLaw law)
{
    const std::string what =
        fmt::format("wrench at '{}'", mechanisms_.at(at.mechanism)->frames().at(at.index).name);
    wrenches_.push_back(
        {at, [=, law = std::move(law)](const View& s) { return named(what, [&] { return law(s); }); }});
}
void Model::grain_force(GrainLaw law)
{
    grain_forces_.push_back([law = std::move(law)](const View& s, GrainId g) {
        try {
            return law(s, g);
        } catch (const std::exception& error) {
            fail_in(fmt::format("force on grain {}", g.index + 1), error);
        }
    });
}

Memory Model::memory(const std::string& name, double start, MemoryLaw next)
{
    if (!next) fail("The memory '{}' has no law: give the function that tells its next value.", name);
    if (!std::isfinite(start)) fail("The memory '{}' starts with {}: give a finite number.", name, start);
    memories_.push_back(
        {name, start,
         [what = fmt::format("memory '{}'", name), next = std::move(next)](const View& s, double now) {
             return named(what, [&] { return next(s, now); });
         }});
    return {static_cast<int>(memories_.size()) - 1};
}

void Model::finish()
{
    if (finished_) return;
    finished_ = true;
    for (int i = 0; i < 3; ++i)
        gravity_value_[i] =
            mechanisms_.empty() ? gravity_[i].value() : mechanisms_.front()->value(gravity_[i]);
    for (auto& m : mechanisms_) {
        m->set_gravity(m == mechanisms_.front() ? gravity_ : Vector(gravity_value_));
        make_room(m->number());
        m->validate();
        body_offset_.push_back(static_cast<int>(bodies_.size()));
        for (const auto& b : m->bodies()) {
            const Mechanism::Link& l = m->links()[b.link];
            BodyRecord record{b.name, m->number(), b.link, m->value(l.mass), {}, {}};
            for (int i = 0; i < 3; ++i) {
                record.com[i] = m->value(l.com[i]);
                for (int j = 0; j < 3; ++j) record.inertia(i, j) = m->value(l.inertia(i, j));
            }
            require_possible(record);
            bodies_.push_back(record);
        }
        frames_.push_back({});
        for (const Mechanism::NamedFrame& f : m->frames()) {
            FrameRecord record{-1,
                               {f.orientation, {m->value(f.at[0]), m->value(f.at[1]), m->value(f.at[2])}}};
            for (std::size_t b = 0; b < bodies_.size(); ++b)
                if (bodies_[b].mechanism == m->number() && bodies_[b].link == f.link)
                    record.body = static_cast<int>(b);
            frames_.back().push_back(record);
        }
    }
    auto input = [&](Frame f) {
        Mechanism& m = *mechanisms_[f.mechanism];
        wrench_inputs_.push_back({f.mechanism, m.frames()[f.index].link < 0 ? -1 : m.add_wrench(f)});
    };
    for (const PointSpring& s : point_springs_) {
        input(s.a);
        input(s.b);
    }
    for (const AppliedWrench& w : wrenches_) input(w.at);

    for (std::size_t g = 0; g < grains_.size(); ++g)
        for (int k = 0; k < grains_[g].shapes; ++k)
            shapes_[grains_[g].first_shape + k].body = body_number(GrainId{static_cast<int>(g)});
    for (const auto& [body, id] : shape_bodies_) shapes_[id.index].body = body_number(body);
    std::vector<std::pair<int, int>> joined; // moving bodies with a joint or a pin between them
    auto join = [&](int a, int b) {
        if (a >= 0 && b >= 0) joined.emplace_back(std::minmax(a, b));
    };
    for (auto& m : mechanisms_) {
        for (std::size_t k = 0; k < m->bodies().size(); ++k) {
            const int parent_link = m->links()[m->bodies()[k].first_link].parent;
            for (std::size_t p = 0; p < m->bodies().size(); ++p)
                if (m->bodies()[p].link == parent_link)
                    join(body_number({m->number(), static_cast<int>(k)}),
                         body_number({m->number(), static_cast<int>(p)}));
        }
        for (const LoopSpec& l : m->loops())
            if (l.kind != LoopKind::rod) join(body_number(l.a), body_number(l.b));
    }
    for (const AttachedShape& shape : shapes_) {
        filter_.body.push_back(shape.body);
        filter_.group.push_back(shape.material < 0 ? 0 : 1);
        filter_.mask.push_back(~0u);
        touching_shapes_ += shape.material >= 0;
    }
    for (const Groups& g : groups_) {
        if (shapes_[g.shape].material < 0) continue;
        filter_.group[g.shape] = g.group;
        filter_.mask[g.shape] = g.mask;
    }
    filter_.excluded = ignored_;
    std::vector<std::vector<int>> shapes_of(bodies_.size());
    for (const auto& [body, id] : shape_bodies_)
        if (shapes_[id.index].body >= 0) shapes_of[shapes_[id.index].body].push_back(id.index);
    for (const auto& [a, b] : joined)
        for (int i : shapes_of[a])
            for (int j : shapes_of[b]) filter_.excluded.emplace_back(std::minmax(i, j));
    std::sort(filter_.excluded.begin(), filter_.excluded.end());
}

int Model::body_number(Body body) const
{
    if (body.is_ground()) return -1;
    return body_offset_.at(body.mechanism) + body.index;
}

Body Model::body(const std::string& name) const
{
    std::string known;
    for (const auto& m : mechanisms_)
        for (std::size_t k = 0; k < m->bodies().size(); ++k) {
            if (m->bodies()[k].name == name) return {m->number(), static_cast<int>(k)};
            known += (known.empty() ? "" : ", ") + m->bodies()[k].name;
        }
    fail("There is no body '{}'; the model has: {}.", name, known.empty() ? "none" : known);
}

Material Model::pair(int a, int b) const
{
    for (const PairRule& r : pair_rules_)
        if ((r.a == a && r.b == b) || (r.a == b && r.b == a)) return r.material;
    const Material &A = materials_[a], &B = materials_[b];
    Material both{a == b ? A.friction : std::sqrt(A.friction * B.friction),
                  std::max(A.restitution, B.restitution), std::max(A.rolling, B.rolling)};
    both.anticipation = both.restitution == 0 && (A.anticipation || B.anticipation);
    return both;
}

} // namespace tamis
