// The hash of a state (state_hash.hpp) over all numbers of a model, each list after its length.
#include "tamis/model/model_hash.hpp"

#include "tamis/base/state_hash.hpp"

namespace tamis {

namespace {

class Sum {
  public:
    void number(double x) { hash_.add(&x, 1); }
    void number(std::integral auto x) { hash_.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x))); }
    void matrix(const Eigen::MatrixXd& m)
    {
        number(m.size());
        hash_.add(m.data(), m.size());
    }
    void pose(const Pose& p)
    {
        matrix(p.R);
        matrix(p.p);
    }
    template <class Add>
    void each(const auto& list, Add&& add)
    {
        number(list.size());
        for (const auto& item : list) add(item);
    }
    void law(const SpringLaw& l)
    {
        for (const double x : {l.stiffness, l.damping, l.rest}) number(x);
        number(static_cast<int>(l.treatment));
    }
    void place(const auto& on) // a coordinate or a frame
    {
        number(on.mechanism);
        number(on.index);
    }

    void operator()(const Sphere& s) { number(s.radius); }
    void operator()(const Box& b) { matrix(b.half); }
    void operator()(const Cylinder& c) { matrix(Eigen::Vector2d(c.radius, c.half_length)); }
    void operator()(const Capsule& c) { matrix(Eigen::Vector2d(c.radius, c.half_length)); }
    void operator()(const Plane& p)
    {
        matrix(p.normal);
        number(p.offset);
    }
    void operator()(const Polyhedron& p)
    {
        each(p.hull->vertices, [&](const Eigen::Vector3d& x) { matrix(x); });
    }
    void operator()(const Hollow& h) { shape(h.cavity); }
    void operator()(const Mesh& m)
    {
        each(m.mesh->vertices, [&](const Eigen::Vector3d& x) { matrix(x); });
        each(m.mesh->triangles, [&](const std::array<int, 3>& t) {
            for (const int k : t) number(k);
        });
    }
    void shape(const auto& s)
    {
        number(s.index());
        std::visit(*this, s);
    }
    std::uint64_t value() const { return hash_.value; }

  private:
    StateHash hash_;
};

} // namespace

std::uint64_t model_hash(const Model& model)
{
    Sum sum;
    sum.matrix(model.gravity_value());
    sum.each(model.mechanisms(), [&](const Mechanism& m) {
        sum.number(m.hash());
        sum.matrix(m.parameter_values());
        sum.matrix(model.start_of(m.number()).q);
        sum.matrix(model.start_of(m.number()).v);
        sum.each(model.independent_of(m.number()), [&](int c) { sum.number(c); });
    });
    sum.each(model.bodies(), [&](const BodyRecord& b) {
        sum.number(b.mass);
        sum.matrix(b.com);
        sum.matrix(b.inertia);
    });
    sum.each(model.shapes(), [&](const AttachedShape& s) {
        sum.number(s.body);
        sum.number(s.material);
        sum.pose(s.at);
        sum.shape(s.shape);
    });
    sum.number(model.materials());
    for (int a = 0; a < model.materials(); ++a)
        for (int b = 0; b <= a; ++b) {
            const Material pair = model.pair(a, b);
            sum.matrix(Eigen::Vector3d(pair.friction, pair.restitution, pair.rolling));
            sum.number(pair.anticipation);
            if (pair.law == NormalLaw::hertz) sum.matrix(Eigen::Vector2d(pair.young, pair.poisson));
            if (pair.stiffness == 0) continue;
            sum.matrix(Eigen::Vector3d(pair.stiffness, pair.shear_ratio, pair.damping));
            sum.number(static_cast<int>(pair.form));
        }
    sum.each(model.filter().group, [&](std::uint32_t g) { sum.number(g); });
    sum.each(model.filter().mask, [&](std::uint32_t m) { sum.number(m); });
    sum.each(model.filter().excluded, [&](const std::pair<int, int>& p) {
        sum.number(p.first);
        sum.number(p.second);
    });
    sum.each(model.grains(), [&](const GrainRecord& g) {
        sum.number(g.mass);
        sum.matrix(g.inertia);
        sum.pose(g.at);
        sum.matrix(g.velocity);
        sum.matrix(g.angular_velocity);
    });
    sum.each(model.drives(), [&](const Drive& d) { sum.place(d.on); });
    sum.each(model.joint_forces(), [&](const JointForce& f) {
        sum.place(f.on);
        sum.number(static_cast<int>(f.treatment));
    });
    sum.each(model.wrenches(), [&](const AppliedWrench& w) { sum.place(w.at); });
    sum.number(model.grain_forces().size());
    sum.each(model.memories(), [&](const MemoryRecord& m) { sum.number(m.start); });
    sum.each(model.joint_springs(), [&](const JointSpring& s) {
        sum.place(s.on);
        sum.law(s.law);
    });
    sum.each(model.beams(), [&](const BeamSpec& b) {
        sum.place(b.a);
        sum.place(b.b);
        sum.matrix(b.section.stiffness);
        sum.number(b.section.mass);
        sum.matrix(b.section.inertia);
        sum.number(b.elements);
        sum.matrix(b.y);
        sum.number(b.damping);
        sum.number(static_cast<int>(b.inertia));
    });
    sum.each(model.point_springs(), [&](const PointSpring& s) {
        sum.place(s.a);
        sum.place(s.b);
        sum.law(s.law);
    });
    return sum.value();
}

} // namespace tamis
