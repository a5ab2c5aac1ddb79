// See dem.hpp for the scheme and penalty_bed.hpp for the balls. Materials give the linear law as they do for compliant
// contacts: stiffness, shear_ratio, damping or restitution; rolling is mu_R R_r of (6). Hertz's law has the stiffness
// of Young's modulus and Poisson's ratio, Mindlin's k_T / S = 4 G' / E' = 2 (1 - nu) / (2 - nu) of equal materials.
#include "tamis/dem/dem.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/description.hpp"
#include "tamis/model/laws.hpp"

#include <algorithm>
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

BodyMotion motion_of(const AttachedShape& shape, const View& bodies)
{
    if (shape.body < 0) return {shape.at};
    const BodyMotion& body = bodies.motion(shape.body);
    return {body.pose * shape.at, body.velocity + body.angular_velocity.cross(body.pose.R * shape.at.p),
            body.angular_velocity};
}

std::vector<BodyMotion> motions_of(const View& bodies, std::span<const int> walls)
{
    std::vector<BodyMotion> motions;
    for (const int s : walls) motions.push_back(motion_of(bodies.model().shapes()[s], bodies));
    return motions;
}

State started(Mechanisms& mechanisms, const Model& model)
{
    State state;
    mechanisms.start(state);
    for (const MemoryRecord& m : model.memories()) state.memory.push_back(m.start);
    return state;
}

// E' of two bodies of this material, and Mindlin's k_T / S = 4 G' / E'.
double modulus(const Material& m)
{
    return m.young / (2 * (1 - m.poisson * m.poisson));
}
double mindlin_ratio(const Material& m)
{
    return 2 * (1 - m.poisson) / (2 - m.poisson);
}

PenaltyLaw law_of(const Material& m)
{
    if (m.law == NormalLaw::hertz)
        return {modulus(m), mindlin_ratio(m), m.restitution, m.damping, m.friction, m.rolling, true};
    return {m.stiffness, m.shear_ratio, m.restitution, m.damping, m.friction, m.rolling};
}

// By material of a grain: the laws of its contacts with grains and walls, the stiffest linear one and the stiffest of
// Hertz.
class Stiffest {
  public:
    explicit Stiffest(const Features& features)
    {
        const int n = static_cast<int>(features.materials.size());
        ModelDescription materials(features.name);
        for (const Material& m : features.materials) materials.add(m);
        for (const PairRule& r : features.pair_rules) materials.contact({r.a}, {r.b}, r.material);
        const Model& model = materials.finish();
        std::vector<bool> touched(n);
        for (const AttachedShape& s : features.shapes)
            if (s.material >= 0 && s.group != 0) touched[s.material] = true;
        linear_.resize(n);
        hertz_.resize(n);
        for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b) {
                if (!touched[b]) continue;
                const PenaltyLaw law = law_of(model.pair(a, b));
                double& most = law.hertz ? hertz_[a] : linear_[a];
                most = std::max(most, law.stiffness);
            }
    }
    double hart_step(const GrainRecord& grain, int material, double alpha) const
    {
        const double hertz = hertz_[material];
        return tamis::hart_step(
            grain.mass,
            std::max(linear_[material], hertz > 0 ? hertz_tangent(1, grain.mass, grain.radius, hertz) : 0),
            alpha);
    }

  private:
    std::vector<double> linear_, hertz_; // k, E'
};

PenaltyBed make_bed(const Model& model, const DemOptions& options, std::span<const int> walls,
                    std::span<const BodyMotion> motions)
{
    const Features& f = model.features();
    if (model.grains().empty())
        fail("The model has no grains: the method dem is for balls; run it by another method.");
    if (!model.grain_forces().empty())
        fail("The model has a force on grains: the method dem moves them by contacts and gravity only; leave "
             "it out, or run the model by the Moreau-Jean scheme.");
    std::vector<Ball> balls;
    for (std::size_t g = 0; g < f.grains.size(); ++g) {
        const GrainRecord& grain = f.grains[g];
        if (!grain.ball)
            fail("Grain '{}' is no single sphere: the method dem takes balls; choose spheres, or run the "
                 "model by the Moreau-Jean scheme.",
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
            const bool may_touch = first[a] >= 0 && first[b] >= 0 && (grainy[a] || grainy[b]);
            if (m.law == NormalLaw::hertz && !(m.young > 0) && may_touch)
                throw OptionError(
                    "normal-law",
                    fmt::format(
                        "Contacts of '{}' with '{}' have no Young's modulus, which Hertz's law needs: "
                        "give it and Poisson's ratio to both materials, or take the linear law.",
                        model.shape_name(first[a]), model.shape_name(first[b])));
            if (m.law == NormalLaw::linear && !(m.stiffness > 0) && may_touch)
                throw OptionError(
                    "stiffness",
                    fmt::format("Contacts of '{}' with '{}' have no stiffness: the method dem needs springs; "
                                "give their materials one in N/m.",
                                model.shape_name(first[a]), model.shape_name(first[b])));
            laws[a * n + b] = law_of(m);
        }

    const Stiffest stiffest(f);
    for (std::size_t g = 0; g < f.grains.size(); ++g) {
        const double most = stiffest.hart_step(f.grains[g], shape_of(f, f.grains[g]).material, 0.2);
        if (options.h > most * (1 + 1e-9))
            throw OptionError(
                "h",
                fmt::format("The step of {:g} s is beyond that of Hart for grain '{}', which is stable up "
                            "to {:.3g} s: give a step of {:.2g} s or less (in a coupling more substeps), "
                            "or softer contacts.",
                            options.h, model.grain_name(static_cast<int>(g)), most, most / 2));
    }

    BedOptions bed;
    bed.h = options.h;
    bed.gravity = model.gravity_value();
    bed.friction = options.friction;
    bed.threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    if (balls.size() < 2000) bed.threads = 1; // starting threads would cost more than the work
    bed.device = options.device;
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

// Bodies that move freely must not meet others without grains between them.
void refuse_contacts(const Model& model, std::span<const int> walls, const std::vector<bool>& prescribed)
{
    const auto fixed = [&](int shape) {
        const int body = model.shapes()[shape].body;
        return body < 0 || prescribed[model.bodies()[body].mechanism];
    };
    for (const int a : walls)
        for (const int b : walls)
            if (a < b && !(fixed(a) && fixed(b)) && model.filter()(a, b))
                fail("Shapes '{}' and '{}' may touch: the method dem has contacts of grains only; let them "
                     "ignore each other (model.ignore, model.groups), or run the model by the Moreau-Jean "
                     "scheme.",
                     model.shape_name(a), model.shape_name(b));
}

} // namespace

double hart_step(const Features& features, double alpha)
{
    const Stiffest stiffest(features);
    double least = std::numeric_limits<double>::infinity();
    for (const GrainRecord& g : features.grains)
        least = std::min(least, stiffest.hart_step(g, shape_of(features, g).material, alpha));
    return least;
}

Wrench DemView::contact_force(Body body, const Vector3d& about) const
{
    const int number = model().body_number(body);
    Wrench sum;
    for (std::size_t w = 0; w < walls_.shapes.size(); ++w) {
        if (model().shapes()[walls_.shapes[w]].body != number) continue;
        sum.force += walls_.on[w].force;
        sum.moment += walls_.on[w].moment;
    }
    sum.moment -= about.cross(sum.force);
    return sum;
}

Wrench DemView::contact_force(ShapeId shape, const Vector3d& about) const
{
    const auto found = std::ranges::find(walls_.shapes, shape.index);
    if (found == walls_.shapes.end()) return View::contact_force(shape, about); // of a grain
    const Wrench& on = walls_.on[found - walls_.shapes.begin()];
    return {on.force, on.moment - about.cross(on.force)};
}

Dem::Dem(const Model& model, const DemOptions& options)
    : model_(model), options_(options), mechanisms_(model, options.guided),
      state_(started(mechanisms_, model)), times_{.h = options.h,
                                                  .theta = model.beams().empty() ? 0.5 : 0.55,
                                                  .symplectic = true},
      walls_{walls_of(model), {}}, view_(model, mechanisms_.bodies(), walls_),
      motions_((view_.set(0, state_.q.data(), state_.v.data()), motions_of(view_, walls_.shapes))),
      bed_(make_bed(model, options, walls_.shapes, motions_)), blocks_(model, mechanisms_.without_freedom()),
      next_memory_(state_.memory), sizes_(model.sizes()), stable_step_(hart_step(model, 0.2))
{
    refuse_contacts(model, walls_.shapes, mechanisms_.without_freedom());
    walls_.on.resize(walls_.shapes.size());
    for (int m = 0; m < mechanisms_.count(); ++m)
        problem_.general_offset.push_back(problem_.general_offset.back() + mechanisms_.size(m));
    problem_.v = problem_.v_free = Eigen::VectorXd::Zero(problem_.velocities());
    for (const Drive& d : model.drives()) view_.drive_forces.emplace_back(d.on, 0.0);
    for (const Coordinate c : options.guided) view_.drive_forces.emplace_back(c, 0.0);
    for (RelativeView* view :
         {static_cast<RelativeView*>(&view_), &mechanisms_.middle(), &mechanisms_.ahead()}) {
        view->make_grains = [this] { return grains(); };
        view->set_memory(state_.memory);
        view->set_step(options.h);
    }
    view_.make_contacts = [this](std::vector<ContactRecord>& out) {
        out.clear();
        write_contacts(out);
    };
    view_.make_contact_energy = [this] { return bed_.spring_energy(); };
    view_.make_dissipated = [this] { return bed_.dissipated(); };
    view_.make_sections = [this](int beam) { return mechanisms_.sections(beam, state_, view_); };
    view_.make_beam_energy = [this] { return mechanisms_.beam_energy(state_, view_); };
    show();
}

StepReport Dem::step()
{
    clock_.start();
    times_.t = times_.t_m = state_.t;
    times_.t_next = grid_.next(state_.step, options_.h);
    mechanisms_.predict(state_, times_);
    clock_.end(Phase::predict);
    bed_.forces();
    clock_.end(Phase::contacts);
    move_mechanisms();
    clock_.end(Phase::linearise);
    bed_.advance(motions_);
    show();
    remember(model_, view_, state_.memory, next_memory_);
    clock_.end(Phase::update);

    StepReport report;
    report.contacts = bed_.contacts();
    report.loops = mechanisms_.has_loops();
    report.loop_error = mechanisms_.loop_error();
    if (const auto [a, b] = bed_.deepest(); a >= 0)
        report.add_gap(-bed_.largest_overlap(), shape_of(a), shape_of(b), sizes_);
    return report;
}

void Dem::move_mechanisms()
{
    for (std::size_t w = 0; w < motions_.size(); ++w) {
        const Wrench& wrench = bed_.wall_wrench(static_cast<int>(w));
        const Vector3d& origin = motions_[w].pose.p;
        walls_.on[w] = {wrench.force, wrench.moment + origin.cross(wrench.force)};
        const int body = model_.shapes()[walls_.shapes[w]].body;
        if (body < 0) continue;
        const Vector3d arm = origin - mechanisms_.middle().motion(body).pose.p;
        mechanisms_.push(body, {wrench.force, wrench.moment + arm.cross(wrench.force)});
    }
    mechanisms_.linearise(state_, times_);
    mechanisms_.free_velocities(state_, times_, problem_);
    problem_.v = problem_.v_free;
    if (!view_.drive_forces.empty())
        mechanisms_.drive_forces(state_, times_, problem_, blocks_, {}, {}, view_.drive_forces);
    mechanisms_.update(state_, times_, problem_);
    state_.t = times_.t_next;
    ++state_.step;
    view_.set(state_.t, state_.q.data(), state_.v.data());
    place_walls();
}

void Dem::place_walls()
{
    for (std::size_t w = 0; w < motions_.size(); ++w)
        motions_[w] = motion_of(model_.shapes()[walls_.shapes[w]], view_);
}

void Dem::show()
{
    view_.set(state_.t, state_.q.data(), state_.v.data());
    view_.new_contacts();
    grains_made_ = false;
}

int Dem::shape_of(int i) const
{
    return i < 0 ? walls_.shapes[-1 - i] : model_.grains()[i].first_shape;
}

std::span<const GrainState> Dem::grains() const
{
    if (grains_made_) return grains_;
    grains_made_ = true;
    const auto& records = model_.grains();
    grains_.resize(records.size());
    for (int g = 0; g < static_cast<int>(records.size()); ++g)
        grains_[g] = {bed_.position(g), Eigen::Quaterniond(records[g].at.R), bed_.velocity(g),
                      records[g].inertia[0] * bed_.angular_velocity(g)};
    return grains_;
}

void Dem::write_contacts(std::vector<ContactRecord>& out) const
{
    bed_.visit([&](const PenaltyBed::Contact& c) {
        ContactRecord& r = out.emplace_back();
        r.shape_a = shape_of(c.a);
        r.shape_b = shape_of(c.b);
        r.feature = c.surface;
        r.gap = c.gap;
        r.point = c.point;
        const Vector3d t = c.n.unitOrthogonal();
        r.frame << c.n, t, c.n.cross(t);
        r.u_minus = r.u_plus = r.frame.transpose() * c.u;
        r.impulse = options_.h * r.frame.transpose() * c.force;
    });
}

std::uint64_t Dem::state_hash() const
{
    StateHash hash;
    hash.add(&state_.t, 1);
    Mechanisms::hash(state_, hash);
    hash.add(state_.memory.data(), static_cast<std::ptrdiff_t>(state_.memory.size()));
    bed_.hash(hash);
    return hash.value;
}

Facts Dem::facts() const
{
    const Dissipation lost = bed_.dissipated();
    Facts facts{
        {"dem/friction_model", options_.friction == FrictionModel::elastic ? "elastic" : "directional"},
        {"dem/hart_step_s", hart_step(model_)},
        {"dem/wall_work_J", bed_.wall_work()},
        {"dem/dissipated_J/normal_damping", lost.normal},
        {"dem/dissipated_J/friction", lost.friction},
        {"dem/dissipated_J/rolling", lost.rolling}};
    if (mechanisms_.count() > 0) facts.merge(mechanisms_.facts());
    return facts;
}

SavedState Dem::save() const
{
    SavedState out;
    out.t = state_.t;
    out.step = state_.step;
    mechanisms_.write(state_, out);
    out.put("memory", state_.memory);
    bed_.write(out);
    std::vector<double> forces, wrenches;
    for (const auto& [on, force] : view_.drive_forces) forces.push_back(force);
    out.put("drive_forces", forces);
    for (const Wrench& w : walls_.on)
        for (const Vector3d* x : {&w.force, &w.moment})
            wrenches.insert(wrenches.end(), x->data(), x->data() + 3);
    out.put("wall_wrenches", wrenches);
    return out;
}

void Dem::restore(const SavedState& saved)
{
    const std::vector<double>& forces = saved.get("drive_forces", view_.drive_forces.size());
    const std::vector<double>& wrenches = saved.get("wall_wrenches", 6 * walls_.on.size());
    State state = state_;
    state.t = saved.t;
    state.step = saved.step;
    mechanisms_.read(saved, state);
    saved.get("memory", std::span(state.memory));
    go_on_from(state);
    bed_.read(saved, motions_);
    for (std::size_t k = 0; k < forces.size(); ++k) view_.drive_forces[k].second = forces[k];
    for (std::size_t w = 0; w < walls_.on.size(); ++w)
        walls_.on[w] = {Eigen::Map<const Vector3d>(&wrenches[6 * w]),
                        Eigen::Map<const Vector3d>(&wrenches[6 * w + 3])};
    show();
}

void Dem::go_on_from(const State& state)
{
    state_ = state;
    mechanisms_.adopt(state_);
    for (RelativeView* view :
         {static_cast<RelativeView*>(&view_), &mechanisms_.middle(), &mechanisms_.ahead()})
        view->set_memory(state_.memory);
    show();
    place_walls();
}

void Dem::set_step(double h)
{
    if (h > stable_step_ * (1 + 1e-9))
        throw OptionError("h", fmt::format("The step of {:g} s is beyond that of Hart, which is stable up to "
                                           "{:.3g} s: give a smaller one.",
                                           h, stable_step_));
    grid_ = {state_.t, state_.step};
    options_.h = times_.h = h;
    bed_.set_step(h);
    for (RelativeView* view :
         {static_cast<RelativeView*>(&view_), &mechanisms_.middle(), &mechanisms_.ahead()})
        view->set_step(h);
}

void Dem::start_from(const State& state)
{
    go_on_from(state);
    bed_ = make_bed(model_, options_, walls_.shapes, motions_);
    std::fill(walls_.on.begin(), walls_.on.end(), Wrench{});
    show();
}

void Dem::keep()
{
    if (options_.device)
        fail(
            "A device does not go back to an earlier step: couple without iterations, or step the balls on the "
            "processor.");
    if (!kept_) {
        kept_.emplace(Kept{state_, bed_, walls_.on});
        return;
    }
    kept_->state = state_;
    kept_->bed = bed_;
    kept_->on_walls = walls_.on;
}

void Dem::go_back()
{
    go_on_from(kept_->state);
    bed_ = kept_->bed;
    bed_.set_step(options_.h);
    walls_.on = kept_->on_walls;
    show();
}

} // namespace tamis
