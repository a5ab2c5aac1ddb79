// What follows from given values: rates of motions, by differentiation of their formulas; Hertzian stiffness; start
// values of coordinates that were added later; names for messages.
#include "tamis/model/features.hpp"

#include "tamis/base/error.hpp"
#include "tamis/mbs_symbolic/differentiate.hpp"
#include "tamis/mbs_symbolic/schedule.hpp"
#include "tamis/mbs_symbolic/tape.hpp"

#include <cmath>
#include <memory>

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

// F = 4/3 E* sqrt(R) d^(3/2), with 1/E* = 2 (1 - nu^2)/E, has dF/dd = (6 E*^2 R F)^(1/3).
double hertz_stiffness(double young, double poisson, double force, double radius)
{
    if (!(young > 0) || !(force > 0) || !(radius > 0) || !(poisson > -1 && poisson <= 0.5) ||
        !std::isfinite(young) || !std::isfinite(force) || !std::isfinite(radius))
        fail("The Hertzian stiffness of E = {} Pa, nu = {}, F = {} N, R = {} m was asked for: give positive "
             "numbers, and Poisson's ratio between -1 and 0.5.",
             young, poisson, force, radius);
    const double modulus = young / (2 * (1 - poisson * poisson));
    return std::cbrt(6 * modulus * modulus * radius * force);
}

void StartValues::make_room(const Mechanism& m)
{
    const auto old_q = q.size(), old_v = v.size();
    q.conservativeResize(m.nq());
    v.conservativeResize(m.nv());
    q.tail(m.nq() - old_q).setZero();
    v.tail(m.nv() - old_v).setZero();
    for (const Mechanism::Link& l : m.links())
        if (l.joint.kind == ElementaryJoint::spherical && l.q >= old_q) q[l.q] = 1;
}

double Features::value(const Expr& e) const
{
    return mechanisms.empty() ? e.value() : mechanisms.front().value(e);
}

Eigen::Vector3d Features::gravity_value() const
{
    return {value(gravity[0]), value(gravity[1]), value(gravity[2])};
}

Body Features::body(const std::string& wanted) const
{
    std::string known;
    for (const Mechanism& m : mechanisms)
        for (std::size_t k = 0; k < m.bodies().size(); ++k) {
            if (m.bodies()[k].name == wanted) return {m.number(), static_cast<int>(k)};
            known += (known.empty() ? "" : ", ") + m.bodies()[k].name;
        }
    fail("There is no body '{}'; the model has: {}.", wanted, known.empty() ? "none" : known);
}

std::string Features::shape_name(int shape) const
{
    const AttachedShape& s = shapes[shape];
    if (!s.name.empty()) return s.name;
    if (s.grain >= 0) return grain_name(s.grain);
    // By kind and number among those without a name.
    int number = 1;
    for (int k = 0; k < shape; ++k)
        number += shapes[k].name.empty() && shapes[k].shape.index() == s.shape.index() && shapes[k].grain < 0;
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

std::string Features::grain_name(int grain) const
{
    return grains[grain].name.empty() ? fmt::format("grain {}", grain + 1) : grains[grain].name;
}

} // namespace tamis
