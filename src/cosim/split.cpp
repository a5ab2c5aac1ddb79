// The features of the whole model are filtered: those beyond the cut stay, with their places in the mechanism that is
// left, and the rest goes. Only that mechanism is built anew, from the values of the whole. See split.hpp.
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
        : whole_(whole), cut_(cut), view_(view), mechanism_(0, whole.name() + " beyond the cut")
    {
    }
    Split run();

  private:
    bool beyond(int body) const { return body >= 0 && new_body_[body].index >= 0; }
    void find_marker();
    void add_bodies();
    void add_loops();
    int body_of(Coordinate c) const;
    int body_of(Frame f) const { return whole_.frame_record(f).body; }
    template <class Feature>
    bool leave_out(Feature& feature) const;
    void translate(Coordinate& c) const;
    void translate(Frame& f);
    template <class... Arguments, class Value>
    void translate(std::function<Value(const View&, Arguments...)>& law) const;
    void translate(AttachedShape& shape, int number) const;

    const Model& whole_;
    const Cut& cut_;
    const View& view_;
    Mechanism mechanism_;
    StartValues start_;
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
    const Mechanism& m = whole_.mechanisms()[cut_.body.mechanism];
    const Mechanism::Link& first = m.links()[m.bodies()[cut_.body.index].first_link];
    split_.carrier = -1;
    for (std::size_t b = 0; b < whole_.bodies().size(); ++b)
        if (whole_.bodies()[b].mechanism == m.number() && whole_.bodies()[b].link == first.parent)
            split_.carrier = static_cast<int>(b);
    split_.marker = {first.orientation, {m.value(first.at[0]), m.value(first.at[1]), m.value(first.at[2])}};
}

void Splitter::add_bodies()
{
    const Mechanism& m = whole_.mechanisms()[cut_.body.mechanism];
    const int offset = whole_.body_number({m.number(), 0});
    const StartValues& start = whole_.start_of(m.number());
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
        const Body body = new_body_[offset + k] = mechanism_.add(spec);
        start_.make_room(mechanism_);
        if (root) split_.interface = body;
        if (cut_.kind == CutKind::contacts) continue;
        split_.away.push_back({m.number(), k});
        // Its own coordinates are the last of its joint.
        const int nq = last.q + last.nq() - first.q, nv = last.v + last.nv() - first.v;
        start_.q.tail(nq) = start.q.segment(first.q, nq);
        start_.v.tail(nv) = start.v.segment(first.v, nv);
    }
}

void Splitter::add_loops()
{
    if (cut_.kind == CutKind::contacts) return; // the interface body is moved as a whole
    for (const Mechanism& m : whole_.mechanisms())
        for (LoopSpec loop : m.loops()) {
            const int a = whole_.body_number(loop.a), b = whole_.body_number(loop.b);
            if (!beyond(a) && !beyond(b)) continue;
            if (!(beyond(a) && beyond(b)))
                fail("Loop '{}' ties both sides of the cut at body '{}': cut the model elsewhere.", loop.name,
                     whole_.bodies()[whole_.body_number(cut_.body)].name);
            loop.a = new_body_[a];
            loop.b = new_body_[b];
            loop.point_a = value(m, loop.point_a);
            loop.point_b = value(m, loop.point_b);
            loop.length = m.value(loop.length);
            mechanism_.close(loop);
        }
}

int Splitter::body_of(Coordinate c) const
{
    const Mechanism& m = whole_.mechanisms()[c.mechanism];
    for (int k = 0; k < static_cast<int>(m.bodies().size()); ++k) {
        const auto &first = m.links()[m.bodies()[k].first_link], &last = m.links()[m.bodies()[k].link];
        if (first.v <= c.index && c.index < last.v + last.nv()) return whole_.body_number({c.mechanism, k});
    }
    return -1;
}

// Whether a feature acts on the smooth side. One without a place acts on grains, which are all beyond the cut.
template <class Feature>
bool Splitter::leave_out(Feature& feature) const
{
    std::vector<int> bodies;
    std::apply(
        [&](auto&... part) {
            const auto note = [&](auto& p) {
                if constexpr (requires { body_of(p); }) bodies.push_back(body_of(p));
            };
            (note(part), ...);
        },
        feature.parts());
    if (bodies.empty()) return false;
    const auto stays = [&](int body) { return beyond(body); };
    if (cut_.kind == CutKind::contacts || std::none_of(bodies.begin(), bodies.end(), stays)) return true;
    const auto name = [&](int body) {
        return body < 0 ? "the ground" : "'" + whole_.bodies()[body].name + "'";
    };
    for (const int body : bodies)
        if (body >= 0 && !beyond(body))
            fail("{} between bodies {} and {} ties both sides of the cut: cut the model elsewhere.",
                 Feature::kind, name(bodies.front()), name(bodies.back()));
    return false;
}

void Splitter::translate(Coordinate& c) const
{
    const int body = body_of(c);
    const Mechanism& m = whole_.mechanisms()[c.mechanism];
    const int k = body - whole_.body_number({c.mechanism, 0});
    const int within = c.index - m.links()[m.bodies()[k].first_link].v;
    c = mechanism_.coordinate(new_body_[body], within + (new_body_[body] == split_.interface ? 6 : 0));
}

void Splitter::translate(Frame& f)
{
    const Model::FrameRecord& record = whole_.frame_record(f);
    f = mechanism_.add_frame(whole_.mechanisms()[f.mechanism].frames()[f.index].name,
                             record.body >= 0 ? new_body_[record.body] : ground, Vector(record.local.p),
                             record.local.R);
}

// Laws see the whole model.
template <class... Arguments, class Value>
void Splitter::translate(std::function<Value(const View&, Arguments...)>& law) const
{
    law = [law, &view = view_](const View&, Arguments... more) { return law(view, more...); };
}

void Splitter::translate(AttachedShape& shape, int number) const
{
    if (shape.grain >= 0) return;
    if (shape.body >= 0 && !beyond(shape.body) && shape.material >= 0)
        fail("Shape '{}' is on body '{}', which the smooth side of the cut moves and which may touch "
             "nothing: cut the model nearer to the ground, or only show the shape.",
             whole_.shape_name(number), whole_.bodies()[shape.body].name);
    shape.on = beyond(shape.body) ? new_body_[shape.body] : ground;
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

    Features part = whole_.features();
    part.name = mechanism_.name();
    part.gravity = Vector(whole_.gravity_value());
    part.start = {start_};
    part.independent = {{}};
    for (std::size_t s = 0; s < part.shapes.size(); ++s) translate(part.shapes[s], static_cast<int>(s));
    const auto filter = [&](auto& list) {
        std::erase_if(list, [&](auto& feature) { return leave_out(feature); });
        for (auto& feature : list)
            std::apply([&](auto&... each) { (translate(each), ...); }, feature.parts());
    };
    std::apply([&](auto&... list) { (filter(list), ...); }, part.acting());
    for (const Drive& d : whole_.drives())
        if (Coordinate c = d.on; cut_.kind == CutKind::joint && beyond(body_of(c))) {
            translate(c);
            split_.drives.emplace_back(d.on, c);
        }
    part.mechanisms = {std::move(mechanism_)};
    split_.nonsmooth = std::make_unique<Model>(std::move(part));
    for (const Body& b : new_body_)
        split_.number.push_back(b.index < 0 ? -1 : split_.nonsmooth->body_number(b));
    return std::move(split_);
}

} // namespace

Split split(const Model& whole, const Cut& cut, const View& view)
{
    return Splitter(whole, cut, view).run();
}

} // namespace tamis
