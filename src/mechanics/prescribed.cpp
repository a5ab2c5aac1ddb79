// A model is plain values: a copy of them with other drives makes another model. (Its wrenches are inputs of the
// equations anew, behind those of the first model, which stay zero.)
#include "tamis/mechanics/prescribed.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>

namespace tamis {

namespace {

bool same(Coordinate a, Coordinate b)
{
    return a.mechanism == b.mechanism && a.index == b.index;
}

} // namespace

std::string coordinate_name(const Model& model, Coordinate c)
{
    return model.mechanisms()[c.mechanism].coordinate_name(c.index);
}

Coordinate coordinate_named(const Model& model, const std::string& name)
{
    std::string known;
    for (const Mechanism& m : model.mechanisms())
        for (const Mechanism::Link& l : m.links())
            for (int k = 0; k < l.nv(); ++k) {
                const std::string own = m.coordinate_name(l.v + k);
                if (own != name) {
                    known += (known.empty() ? "" : ", ") + own;
                    continue;
                }
                if (l.joint.kind == ElementaryJoint::spherical)
                    fail(
                        "Coordinate '{}' belongs to a spherical joint, whose angles are no single numbers: take "
                        "one of a hinge or a slide.",
                        name);
                return {m.number(), l.v + k};
            }
    if (known.empty())
        fail("There is no coordinate '{}': the model '{}' has no joints that move.", name, model.name());
    fail("There is no coordinate '{}' in the model '{}'; it has: {}.", name, model.name(), known);
}

Drive steady_motion(const Model& model, Coordinate on, double speed)
{
    const double x0 =
        model.start_of(on.mechanism).q[model.mechanisms()[on.mechanism].position_index(on.index)];
    return {on, {[=](double t) { return x0 + speed * t; }, [=](double) { return speed; }}};
}

Model with_drives(const Model& model, const std::vector<Drive>& drives,
                  const std::vector<Coordinate>& released)
{
    Features features = model.features();
    for (StartValues& start : features.start) start.v.setZero();
    for (const Coordinate c : released)
        if (std::erase_if(features.drives, [&](const Drive& d) { return same(d.on, c); }) > 0)
            features.independent[c.mechanism].clear();
    for (const Drive& d : drives) {
        for (const Drive& other : features.drives)
            if (same(other.on, d.on))
                fail("Coordinate '{}' would be moved twice, since it is driven already: leave it out.",
                     coordinate_name(model, d.on));
        features.drives.push_back(d);
        features.independent[d.on.mechanism].clear();
    }
    return Model(std::move(features));
}

} // namespace tamis
