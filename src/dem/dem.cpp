// A model as a bed of balls; see penalty_bed.hpp for the scheme. Materials give the linear law as they do for compliant
// contacts: stiffness, shear_ratio, damping or restitution; rolling is mu_R R_r of (6).
#include "tamis/dem/dem.hpp"

#include "tamis/base/error.hpp"

#include <limits>
#include <thread>

namespace tamis {

using Eigen::Vector3d;

namespace {

const AttachedShape& shape_of(const Features& f, const GrainRecord& grain)
{
    return f.shapes[grain.first_shape];
}

// Shapes that grains may touch.
std::vector<int> walls_of(const Model& model)
{
    std::vector<int> walls;
    for (int s = 0; s < static_cast<int>(model.shapes().size()); ++s) {
        const AttachedShape& shape = model.shapes()[s];
        if (shape.grain < 0 && shape.material >= 0 && shape.group != 0) walls.push_back(s);
    }
    return walls;
}

BodyMotion motion_of(const AttachedShape& shape, const DrivenBodies& bodies)
{
    if (shape.body < 0) return {shape.at};
    const BodyMotion& body = bodies.motion(shape.body);
    return {body.pose * shape.at, body.velocity + body.angular_velocity.cross(body.pose.R * shape.at.p),
            body.angular_velocity};
}

std::vector<BodyMotion> motions_of(const Model& model, const DrivenBodies& bodies, std::span<const int> walls)
{
    std::vector<BodyMotion> motions;
    for (const int s : walls) motions.push_back(motion_of(model.shapes()[s], bodies));
    return motions;
}

// By material of a grain: largest stiffness of its contacts with grains and walls.
std::vector<double> stiffnesses(const Model& model)
{
    const int n = model.materials();
    std::vector<double> most(n, 0);
    std::vector<bool> touched(n);
    for (const AttachedShape& s : model.shapes())
        if (s.material >= 0 && s.group != 0) touched[s.material] = true;
    for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
            if (touched[b]) most[a] = std::max(most[a], model.pair(a, b).stiffness);
    return most;
}

PenaltyBed make_bed(const Model& model, const DemOptions& options, std::span<const int> walls,
                    std::span<const BodyMotion> motions)
{
    const Features& f = model.features();
    if (model.grains().empty())
        fail("The model has no grains: the method dem is for balls; choose another --method.");
    std::vector<Ball> balls;
    for (std::size_t g = 0; g < f.grains.size(); ++g) {
        const GrainRecord& grain = f.grains[g];
        if (!grain.ball)
            fail("Grain '{}' is no single sphere: the method dem takes balls; choose spheres, or --method "
                 "moreau-jean.",
                 model.grain_name(static_cast<int>(g)));
        balls.push_back({grain.at.p, grain.velocity, grain.angular_velocity, grain.radius, grain.mass,
                         shape_of(f, grain).material});
    }
    std::vector<BallWall> parts;
    for (std::size_t w = 0; w < walls.size(); ++w) {
        const AttachedShape& shape = model.shapes()[walls[w]];
        parts.push_back({model.shape_name(walls[w]), shape.shape, shape.material, motions[w]});
    }

    // Every contact that may occur needs a spring.
    const int n = model.materials();
    std::vector<int> first(n, -1); // shape of each material: a grain if there is one
    std::vector<bool> grainy(n);
    for (const GrainRecord& g : f.grains)
        if (const int m = shape_of(f, g).material; !grainy[m]) {
            grainy[m] = true;
            first[m] = g.first_shape;
        }
    for (const int s : walls)
        if (int& shape = first[model.shapes()[s].material]; shape < 0) shape = s;
    std::vector<PenaltyLaw> laws(static_cast<std::size_t>(n) * n);
    for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) {
            const Material m = model.pair(a, b);
            if (!(m.stiffness > 0) && first[a] >= 0 && first[b] >= 0 && (grainy[a] || grainy[b]))
                fail("Contacts of '{}' with '{}' have no stiffness: the method dem needs springs; give their "
                     "materials "
                     "one, or --contact-stiffness in N/m.",
                     model.shape_name(first[a]), model.shape_name(first[b]));
            laws[a * n + b] = {m.stiffness, m.shear_ratio, m.restitution, m.damping, m.friction, m.rolling};
        }

    const std::vector<double> stiffness = stiffnesses(model);
    for (std::size_t g = 0; g < f.grains.size(); ++g) {
        const double most = hart_step(f.grains[g].mass, stiffness[shape_of(f, f.grains[g]).material], 0.2);
        if (options.h > most * (1 + 1e-9))
            fail("The step of {:g} s is beyond that of Hart for grain '{}', which is stable up to {:.3g} s: "
                 "give --h {:.2g} "
                 "or less, or softer contacts.",
                 options.h, model.grain_name(static_cast<int>(g)), most, most / 2);
    }

    BedOptions bed;
    bed.h = options.h;
    bed.gravity = model.gravity_value();
    bed.friction = options.friction;
    bed.threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    if (balls.size() < 2000) bed.threads = 1; // starting threads would cost more than the work
    const PairFilter& filter = model.filter();
    const auto special = [](const AttachedShape& s) { return s.group != 1 || s.mask != ~0u; };
    if (!filter.excluded.empty() || std::ranges::any_of(model.shapes(), special)) {
        bed.balls_touch = [&](int a, int b) {
            return filter(f.grains[a].first_shape, f.grains[b].first_shape);
        };
        bed.wall_touches = [&filter, &f, list = std::vector<int>(walls.begin(), walls.end())](
                               int ball, int wall) { return filter(f.grains[ball].first_shape, list[wall]); };
    }
    return PenaltyBed(balls, parts, std::move(laws), bed);
}

} // namespace

double hart_step(const Model& model, double alpha)
{
    const std::vector<double> stiffness = stiffnesses(model);
    double least = std::numeric_limits<double>::infinity();
    for (const GrainRecord& g : model.grains())
        least = std::min(least, hart_step(g.mass, stiffness[shape_of(model.features(), g).material], alpha));
    return least;
}

void DemView::set(double t)
{
    t_ = t;
    grains_made_ = contacts_made_ = false;
}

std::span<const GrainState> DemView::grains() const
{
    if (grains_made_) return grains_;
    grains_made_ = true;
    const auto& records = model().grains();
    grains_.resize(records.size());
    for (int g = 0; g < static_cast<int>(records.size()); ++g)
        grains_[g] = {bed_.position(g), Eigen::Quaterniond(records[g].at.R), bed_.velocity(g),
                      records[g].inertia[0] * bed_.angular_velocity(g)};
    return grains_;
}

std::span<const ContactRecord> DemView::contacts() const
{
    if (contacts_made_) return contacts_;
    contacts_made_ = true;
    contacts_.clear();
    bed_.visit([&](const PenaltyBed::Contact& c) {
        ContactRecord& r = contacts_.emplace_back();
        const auto shape = [&](int i) { return i < 0 ? walls_[-1 - i] : model().grains()[i].first_shape; };
        r.shape_a = shape(c.a);
        r.shape_b = shape(c.b);
        r.feature = c.surface;
        r.gap = c.gap;
        r.point = c.point;
        const Vector3d t = c.n.unitOrthogonal();
        r.frame << c.n, t, c.n.cross(t);
        r.u_minus = r.u_plus = r.frame.transpose() * c.u;
        r.impulse = h_ * r.frame.transpose() * c.force;
    });
    return contacts_;
}

Dem::Dem(const Model& model, const DemOptions& options)
    : model_(model), options_(options), bodies_(model), walls_(walls_of(model)),
      motions_(motions_of(model, bodies_, walls_)), bed_(make_bed(model, options, walls_, motions_)),
      view_(model, bodies_, bed_, walls_, options.h), sizes_(model.sizes()), on_bodies_(model.bodies().size())
{
    view_.set(0);
}

StepReport Dem::step()
{
    clock_.start();
    ++step_;
    t_ = step_ * options_.h;
    bodies_.move(t_, options_.h);
    place_walls();
    clock_.end(Phase::predict);
    bed_.step(motions_);
    clock_.end(Phase::contacts);
    std::fill(on_bodies_.begin(), on_bodies_.end(), Wrench{});
    for (std::size_t w = 0; w < walls_.size(); ++w) {
        const AttachedShape& shape = model_.shapes()[walls_[w]];
        if (shape.body < 0) continue;
        Wrench& on = on_bodies_[shape.body];
        const Wrench& wrench = bed_.wall_wrench(static_cast<int>(w));
        const Vector3d arm = bodies_.motion(shape.body).pose.R * shape.at.p;
        on.force += wrench.force;
        on.moment += wrench.moment + arm.cross(wrench.force);
    }
    bodies_.drive_forces(on_bodies_);
    view_.set(t_);
    clock_.end(Phase::update);

    StepReport report;
    report.contacts = bed_.contacts();
    if (const auto [a, b] = bed_.deepest(); a >= 0) {
        const auto shape = [&](int i) { return i < 0 ? walls_[-1 - i] : model_.grains()[i].first_shape; };
        report.add_gap(-bed_.largest_overlap(), shape(a), shape(b), sizes_);
    }
    return report;
}

void Dem::place_walls()
{
    for (std::size_t w = 0; w < walls_.size(); ++w)
        motions_[w] = motion_of(model_.shapes()[walls_[w]], bodies_);
}

const Wrench& Dem::wall_wrench(ShapeId shape) const
{
    const auto found = std::ranges::find(walls_, shape.index);
    if (found == walls_.end())
        fail("Shape '{}' is no wall: grains do not touch it.", model_.shape_name(shape.index));
    return bed_.wall_wrench(static_cast<int>(found - walls_.begin()));
}

std::uint64_t Dem::state_hash() const
{
    StateHash hash;
    hash.add(&t_, 1);
    bed_.hash(hash);
    return hash.value;
}

Facts Dem::facts() const
{
    const Dissipation lost = bed_.dissipated();
    const auto joule = [](double energy) { return fmt::format("{:.6g}", energy); };
    return {{"dem/friction_model", options_.friction == FrictionModel::elastic ? "elastic" : "directional"},
            {"dem/hart_step_s", fmt::format("{:.6g}", hart_step(model_))},
            {"dem/wall_work_J", joule(bed_.wall_work())},
            {"dem/dissipated_J/normal_damping", joule(lost.normal)},
            {"dem/dissipated_J/friction", joule(lost.friction)},
            {"dem/dissipated_J/rolling", joule(lost.rolling)}};
}

SavedState Dem::save() const
{
    SavedState out;
    out.t = t_;
    out.step = step_;
    bed_.write(out);
    out.put("drive_forces", bodies_.forces());
    return out;
}

void Dem::restore(const SavedState& saved)
{
    const std::vector<double>& forces =
        saved.get("drive_forces", static_cast<std::size_t>(bodies_.coordinates()));
    bodies_.place(saved.t);
    bodies_.set_forces(forces);
    place_walls();
    bed_.read(saved, motions_);
    t_ = saved.t;
    step_ = saved.step;
    view_.set(t_);
}

} // namespace tamis
