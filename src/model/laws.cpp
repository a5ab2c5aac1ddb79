// All laws of forces and memories are called here. One that is not finite ends the run by its name and time, not some
// steps later by what it has done to the velocities.
#include "tamis/model/laws.hpp"

#include "tamis/base/error.hpp"

#include <cmath>

namespace tamis {

double law_force(const Model& model, const JointForce& force, const View& view)
{
    const double value = force.law(view);
    if (!std::isfinite(value))
        fail("The force on '{}' is {} at t = {:.6g} s.",
             model.mechanisms()[force.on.mechanism].coordinate_name(force.on.index), value, view.time());
    return value;
}

Wrench law_wrench(const Model& model, const AppliedWrench& wrench, const View& view)
{
    const Wrench value = wrench.law(view);
    if (!value.force.allFinite() || !value.moment.allFinite())
        fail("The wrench on frame '{}' is not finite at t = {:.6g} s.",
             model.mechanisms()[wrench.at.mechanism].frames()[wrench.at.index].name, view.time());
    return value;
}

Wrench law_wrench(const Model& model, const GrainLaw& law, const View& view, GrainId grain)
{
    const Wrench value = law(view, grain);
    if (!value.force.allFinite() || !value.moment.allFinite())
        fail("The force on '{}' is not finite at t = {:.6g} s: check the grain_force of the model.",
             model.grain_name(grain.index), view.time());
    return value;
}

void remember(const Model& model, const View& view, std::span<double> memory, std::span<double> next)
{
    for (std::size_t k = 0; k < next.size(); ++k) {
        const MemoryRecord& record = model.memories()[k];
        next[k] = record.next(view, memory[k]);
        if (!std::isfinite(next[k]))
            fail("The memory '{}' becomes {} at t = {:.6g} s.", record.name, next[k], view.time());
    }
    std::copy(next.begin(), next.end(), memory.begin());
}

} // namespace tamis
