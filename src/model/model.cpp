// What is made once of the features: numbers of bodies through all mechanisms, wrenches on frames as inputs of the
// equations, and the pairs of shapes that never touch, since they are ignored or on bodies that a joint connects.
#include "tamis/model/model.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

// Principal moments a <= b <= c of a solid satisfy a + b >= c. One that is zero is taken as not given: the
// body does not turn about that axis.
void require_possible(const BodyRecord& body)
{
    const Eigen::Vector3d I =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (I[0] > 1e-9 * I[2] && I[0] + I[1] < (1 - 1e-6) * I[2])
        fail("Body '{}' has the principal inertias {:.6g}, {:.6g} and {:.6g} kg m2: no body has one that is "
             "larger than the two others together; correct it.",
             body.name, I[0], I[1], I[2]);
}

// Two springs of 2 k each; 0: rigid.
double in_series(double a, double b)
{
    return a == 0 || b == 0 ? 2 * (a + b) : a == b ? a : 2 * a * b / (a + b);
}

} // namespace

Model::Model(Features features) : features_(std::move(features)), gravity_value_(features_.gravity_value())
{
    number_bodies();
    add_wrench_inputs();
    filter_pairs();
}

std::vector<double> Model::sizes() const
{
    std::vector<double> all;
    for (const AttachedShape& s : shapes())
        all.push_back(2 * (s.grain >= 0 ? grains()[s.grain].radius : bounding_radius(s.shape)));
    return all;
}

void Model::number_bodies()
{
    for (Mechanism& m : features_.mechanisms) {
        m.set_gravity(m.number() == 0 ? features_.gravity : Vector(gravity_value_));
        features_.start[m.number()].make_room(m);
        m.validate();
        body_offset_.push_back(static_cast<int>(bodies_.size()));
        for (const auto& b : m.bodies()) {
            const Mechanism::Link& l = m.links()[b.link];
            BodyRecord record{b.name, m.number(), b.link, m.value(l.mass), {}, {}};
            for (int i = 0; i < 3; ++i) {
                record.com[i] = m.value(l.com[i]);
                for (int j = 0; j < 3; ++j) record.inertia(i, j) = m.value(l.inertia(i, j));
            }
            require_possible(record);
            bodies_.push_back(record);
        }
        frames_.push_back({});
        for (const Mechanism::NamedFrame& f : m.frames()) {
            FrameRecord record{-1, {f.orientation, {m.value(f.at[0]), m.value(f.at[1]), m.value(f.at[2])}}};
            for (std::size_t b = 0; b < bodies_.size(); ++b)
                if (bodies_[b].mechanism == m.number() && bodies_[b].link == f.link)
                    record.body = static_cast<int>(b);
            frames_.back().push_back(record);
        }
    }
    for (AttachedShape& s : features_.shapes)
        s.body = s.grain >= 0 ? body_number(GrainId{s.grain}) : body_number(s.on);
}

void Model::add_wrench_inputs()
{
    auto input = [&](Frame f) {
        Mechanism& m = features_.mechanisms[f.mechanism];
        wrench_inputs_.push_back({f.mechanism, m.frames()[f.index].link < 0 ? -1 : m.add_wrench(f)});
    };
    for (const PointSpring& s : features_.point_springs) {
        input(s.a);
        input(s.b);
    }
    for (const AppliedWrench& w : features_.wrenches) input(w.at);
}

void Model::filter_pairs()
{
    std::vector<std::pair<int, int>> joined; // moving bodies with a joint or a pin between them
    auto join = [&](int a, int b) {
        if (a >= 0 && b >= 0) joined.emplace_back(std::minmax(a, b));
    };
    for (const Mechanism& m : mechanisms()) {
        for (std::size_t k = 0; k < m.bodies().size(); ++k) {
            const int parent_link = m.links()[m.bodies()[k].first_link].parent;
            for (std::size_t p = 0; p < m.bodies().size(); ++p)
                if (m.bodies()[p].link == parent_link)
                    join(body_number({m.number(), static_cast<int>(k)}),
                         body_number({m.number(), static_cast<int>(p)}));
        }
        for (const LoopSpec& l : m.loops())
            if (l.kind != LoopKind::rod) join(body_number(l.a), body_number(l.b));
    }
    std::vector<std::vector<int>> shapes_of(bodies_.size());
    for (std::size_t s = 0; s < shapes().size(); ++s) {
        const AttachedShape& shape = shapes()[s];
        const bool touches = shape.material >= 0;
        filter_.body.push_back(shape.body);
        filter_.group.push_back(touches ? shape.group : 0);
        filter_.mask.push_back(touches ? shape.mask : ~0u);
        touching_shapes_ += touches;
        if (shape.grain < 0 && shape.body >= 0) shapes_of[shape.body].push_back(static_cast<int>(s));
    }
    filter_.excluded = features_.ignored;
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

Material Model::pair(int a, int b) const
{
    for (const PairRule& r : features_.pair_rules)
        if ((r.a == a && r.b == b) || (r.a == b && r.b == a)) return r.material;
    const Material &A = features_.materials[a], &B = features_.materials[b];
    Material both{a == b ? A.friction : std::sqrt(A.friction * B.friction),
                  std::max(A.restitution, B.restitution), std::max(A.rolling, B.rolling)};
    both.stiffness = in_series(A.stiffness, B.stiffness);
    both.anticipation = (both.restitution == 0 || both.stiffness > 0) && (A.anticipation || B.anticipation);
    if (both.stiffness > 0) {
        both.shear_ratio =
            in_series(A.stiffness * A.shear_ratio, B.stiffness * B.shear_ratio) / both.stiffness;
        both.damping = std::max(A.damping, B.damping);
        both.form = std::max(A.form, B.form);
        if (both.restitution > 0) both.damping = 0; // follows from it
    }
    // One material in place of two: 1/E' and 1/G' are the sums of (1 - nu^2) / E and (2 - nu) / G, G = E / 2 (1 + nu).
    if (A.law == NormalLaw::hertz && B.law == NormalLaw::hertz) {
        both.law = NormalLaw::hertz;
        if (A.young > 0 && B.young > 0) {
            const auto normal = [](const Material& m) { return (1 - m.poisson * m.poisson) / m.young; };
            const auto shear = [](const Material& m) {
                return 2 * (1 + m.poisson) * (2 - m.poisson) / m.young;
            };
            const double c = normal(A) + normal(B), mindlin = 4 * c / (shear(A) + shear(B));
            both.poisson = a == b ? A.poisson : 2 * (1 - mindlin) / (2 - mindlin);
            both.young = a == b ? A.young : 2 * (1 - both.poisson * both.poisson) / c;
        }
    }
    return both;
}

} // namespace tamis
