// The nonsmooth side is written anew with the values of the whole model; see split.hpp.
#include "tamis/cosim/split.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/view.hpp"

#include <algorithm>

namespace tamis {

namespace {

Vector value(const Mechanism& m, const Vector& x)
{
    return {m.value(x[0]), m.value(x[1]), m.value(x[2])};
}

// The parts of a body's joint, of all links from its first to the one with its mass.
Joint joint_of(const Mechanism& m, const Mechanism::BodyRecord& record)
{
    Joint joint;
    for (int l = record.first_link; l <= record.link; ++l) joint.parts.push_back(m.links()[l].joint);
    return joint;
}

class Splitter {
  public:
    Splitter(const Model& whole, const Cut& cut, const View& view)
        : whole_(whole), cut_(cut), view_(view),
          model_(std::make_unique<Model>(whole.name() + " beyond the cut"))
    {
    }
    Split run();

  private:
    bool beyond(int body) const { return body >= 0 && new_body_[body].index >= 0; }
    void find_marker();
    void add_bodies();
    void add_loops();
    void add_materials();
    void add_shapes();
    void add_forces();
    Coordinate new_coordinate(Coordinate c) const; // index -1: it is on the smooth side
    Frame new_frame(Frame f);
    int body_of(Coordinate c) const;

    const Model& whole_;
    const Cut& cut_;
    const View& view_;
    std::unique_ptr<Model> model_;
    std::vector<Body> new_body_; // by number in the whole model; index -1: on the smooth side
    Split split_;
};

void Splitter::find_marker()
{
    const int number = whole_.body_number(cut_.body);
    if (cut_.kind == CutKind::contacts) {
        split_.carrier = number;
        split_.marker = {};
        return;
    }
    const Mechanism& m = *whole_.mechanisms()[cut_.body.mechanism];
    const Mechanism::Link& first = m.links()[m.bodies()[cut_.body.index].first_link];
    split_.carrier = -1;
    for (std::size_t b = 0; b < whole_.bodies().size(); ++b)
        if (whole_.bodies()[b].mechanism == m.number() && whole_.bodies()[b].link == first.parent)
            split_.carrier = static_cast<int>(b);
    split_.marker = {first.orientation, {m.value(first.at[0]), m.value(first.at[1]), m.value(first.at[2])}};
}

void Splitter::add_bodies()
{
    const Mechanism& m = *whole_.mechanisms()[cut_.body.mechanism];
    const int offset = whole_.body_number({m.number(), 0});
    const Model::Start& start = whole_.start_of(m.number());
    for (int k = cut_.body.index; k < static_cast<int>(m.bodies().size()); ++k) {
        const Mechanism::BodyRecord& record = m.bodies()[k];
        const Mechanism::Link &first = m.links()[record.first_link], &last = m.links()[record.link];
        const bool root = k == cut_.body.index;
        int parent = -1;
        for (int p = 0; p < k; ++p)
            if (m.bodies()[p].link == first.parent) parent = offset + p;
        if (!root && (cut_.kind == CutKind::contacts || !beyond(parent))) continue;
        Matrix3<Expr> tensor;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) tensor(i, j) = m.value(last.inertia(i, j));
        BodySpec spec{.name = record.name,
                      .joint = joint_of(m, record),
                      .mass = m.value(last.mass),
                      .com = value(m, last.com)};
        spec.inertia.tensor = tensor;
        if (root) {
            Joint all = free_joint();
            for (ElementaryJoint& part : all.parts) part.suffix = ".interface" + part.suffix;
            if (cut_.kind == CutKind::joint)
                for (const ElementaryJoint& part : spec.joint.parts)
                    if (part.kind != ElementaryJoint::fixed) all.parts.push_back(part);
            spec.joint = all;
        } else {
            spec.parent = new_body_[parent];
            spec.at = value(m, first.at);
            spec.orientation = first.orientation;
        }
        const Body body = new_body_[offset + k] = model_->add(spec);
        if (root) split_.interface = body;
        if (cut_.kind == CutKind::contacts) continue;
        split_.away.push_back({m.number(), k});
        int j = root ? 6 : 0;
        for (int l = record.first_link; l <= record.link; ++l) {
            const Mechanism::Link& link = m.links()[l];
            if (link.joint.kind == ElementaryJoint::spherical) {
                if (l != record.link)
                    fail("The joint of body '{}' has a spherical part that is not its last: it cannot be "
                         "beyond a cut.",
                         record.name);
                const auto q = start.q.segment<4>(link.q);
                model_->start(body, Eigen::Quaterniond(q[0], q[1], q[2], q[3]), start.v.segment<3>(link.v));
            } else if (link.nv() == 1) {
                model_->start(body, start.q[link.q], start.v[link.v], j++);
            }
        }
    }
}

void Splitter::add_loops()
{
    for (const auto& m : whole_.mechanisms())
        for (LoopSpec loop : m->loops()) {
            const int a = whole_.body_number(loop.a), b = whole_.body_number(loop.b);
            if (!beyond(a) && !beyond(b)) continue;
            if (cut_.kind == CutKind::contacts) continue; // the interface body is moved as a whole
            if (!(beyond(a) && beyond(b)))
                fail("Loop '{}' ties both sides of the cut at body '{}': cut the model elsewhere.", loop.name,
                     whole_.bodies()[whole_.body_number(cut_.body)].name);
            loop.a = new_body_[a];
            loop.b = new_body_[b];
            loop.point_a = value(*m, loop.point_a);
            loop.point_b = value(*m, loop.point_b);
            loop.length = m->value(loop.length);
            model_->close(loop);
        }
}

void Splitter::add_materials()
{
    for (int a = 0; a < whole_.materials(); ++a) model_->add(whole_.pair(a, a));
    for (int a = 0; a < whole_.materials(); ++a)
        for (int b = 0; b < a; ++b) model_->contact({a}, {b}, whole_.pair(a, b));
}

void Splitter::add_shapes()
{
    const auto& shapes = whole_.shapes();
    const PairFilter& filter = whole_.filter();
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        const AttachedShape& shape = shapes[s];
        if (const int g = whole_.grain_of(shape.body); g >= 0) {
            const GrainRecord& grain = whole_.grains()[g];
            GrainSpec spec{.name = grain.name,
                           .material = {shape.material},
                           .density = grain.density,
                           .at = grain.at,
                           .velocity = grain.velocity,
                           .angular_velocity = grain.angular_velocity,
                           .group = filter.group[s],
                           .mask = filter.mask[s]};
            for (int k = 0; k < grain.shapes; ++k)
                spec.parts.emplace_back(shapes[s + k].shape, shapes[s + k].at);
            if (grain.ball) spec.shape = shape.shape, spec.parts.clear();
            model_->grain(spec);
            s += grain.shapes - 1;
            continue;
        }
        if (shape.material < 0 || (shape.body >= 0 && !beyond(shape.body))) {
            if (shape.material >= 0)
                fail("Shape '{}' is on body '{}', which the smooth side of the cut moves and which may touch "
                     "nothing: cut the model nearer to the ground, or only show the shape.",
                     whole_.shape_name(static_cast<int>(s)), whole_.bodies()[shape.body].name);
            model_->show(beyond(shape.body) ? new_body_[shape.body] : ground, shape.shape, shape.at,
                         shape.name);
            continue;
        }
        const ShapeId id = model_->attach(shape.body >= 0 ? new_body_[shape.body] : ground, shape.shape,
                                          {shape.material}, shape.at, shape.name);
        model_->groups(id, filter.group[s], filter.mask[s]);
    }
    for (const auto& [a, b] : filter.excluded) model_->ignore({a}, {b});
}

int Splitter::body_of(Coordinate c) const
{
    const Mechanism& m = *whole_.mechanisms()[c.mechanism];
    for (int k = 0; k < static_cast<int>(m.bodies().size()); ++k) {
        const auto &first = m.links()[m.bodies()[k].first_link], &last = m.links()[m.bodies()[k].link];
        if (first.v <= c.index && c.index < last.v + last.nv()) return whole_.body_number({c.mechanism, k});
    }
    return -1;
}

Coordinate Splitter::new_coordinate(Coordinate c) const
{
    const int body = body_of(c);
    if (!beyond(body) || cut_.kind == CutKind::contacts) return {};
    const Mechanism& m = *whole_.mechanisms()[c.mechanism];
    const int k = body - whole_.body_number({c.mechanism, 0});
    const int within = c.index - m.links()[m.bodies()[k].first_link].v;
    return model_->coordinate(new_body_[body], within + (new_body_[body] == split_.interface ? 6 : 0));
}

Frame Splitter::new_frame(Frame f)
{
    const Model::FrameRecord& record = whole_.frame_record(f);
    return model_->frame(whole_.mechanisms()[f.mechanism]->frames()[f.index].name,
                         record.body >= 0 ? new_body_[record.body] : ground, Vector(record.local.p),
                         record.local.R);
}

void Splitter::add_forces()
{
    model_->gravity(Vector(whole_.gravity_value()));
    for (const Drive& d : whole_.drives())
        if (const Coordinate c = new_coordinate(d.on); c.index >= 0) {
            model_->drive(c, d.motion);
            split_.drives.emplace_back(d.on, c);
        }
    for (const JointSpring& s : whole_.joint_springs())
        if (const Coordinate c = new_coordinate(s.on); c.index >= 0) model_->spring(c, s.law);
    const View& view = view_;
    for (const JointForce& f : whole_.joint_forces())
        if (const Coordinate c = new_coordinate(f.on); c.index >= 0)
            model_->force(
                c, [law = f.law, &view](const View&) { return law(view); }, f.treatment);
    if (cut_.kind == CutKind::joint) {
        for (const PointSpring& s : whole_.point_springs()) {
            const int a = whole_.frame_record(s.a).body, b = whole_.frame_record(s.b).body;
            if (!beyond(a) && !beyond(b)) continue;
            if ((a >= 0 && !beyond(a)) || (b >= 0 && !beyond(b)))
                fail("A spring between bodies '{}' and '{}' ties both sides of the cut: cut the model "
                     "elsewhere.",
                     whole_.bodies()[a].name, whole_.bodies()[b].name);
            model_->spring(new_frame(s.a), new_frame(s.b), s.law);
        }
        for (const AppliedWrench& w : whole_.wrenches())
            if (beyond(whole_.frame_record(w.at).body))
                model_->wrench(new_frame(w.at), [law = w.law, &view](const View&) { return law(view); });
    }
    for (const GrainLaw& law : whole_.grain_forces())
        model_->grain_force([law, &view](const View&, GrainId g) { return law(view, g); });
    for (const MemoryRecord& r : whole_.memories())
        model_->memory(r.name, r.start,
                       [next = r.next, &view](const View&, double now) { return next(view, now); });
}

Split Splitter::run()
{
    if (cut_.body.is_ground()) fail("The ground was to be cut off: name the body that hangs on the cut.");
    if (cut_.kind == CutKind::joint && !whole_.independent_of(cut_.body.mechanism).empty())
        fail("Independent coordinates are named for the mechanism that is cut: they lose their sense on its "
             "parts, leave them to be chosen.");
    new_body_.assign(whole_.bodies().size(), Body{0, -1});
    find_marker();
    add_bodies();
    add_loops();
    add_materials();
    add_shapes();
    add_forces();
    model_->finish();
    for (const Body& b : new_body_) split_.number.push_back(b.index < 0 ? -1 : model_->body_number(b));
    split_.nonsmooth = std::move(model_);
    return std::move(split_);
}

} // namespace

Split split(const Model& whole, const Cut& cut, const View& view)
{
    return Splitter(whole, cut, view).run();
}

} // namespace tamis
