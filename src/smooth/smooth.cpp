// A model becomes a smooth system (smooth_model.cpp), which the two-step scheme steps (smooth_solver.cpp). What that
// has no equations for (contacts, grains, memories) is refused here.
#include "tamis/smooth/smooth.hpp"

namespace tamis {

namespace {

const Model& without_contacts(const Model& model)
{
    if (!model.grains().empty())
        fail("The smooth method has no grains: run the model by the Moreau-Jean scheme.");
    if (!model.memories().empty())
        fail("The smooth method has no memories, but the model has '{}': run it by the Moreau-Jean scheme.",
             model.memories().front().name);
    const std::vector<AttachedShape>& shapes = model.shapes();
    for (std::size_t a = 0; a < shapes.size(); ++a)
        for (std::size_t b = a + 1; b < shapes.size(); ++b)
            if (shapes[a].material >= 0 && shapes[b].material >= 0 &&
                model.filter()(static_cast<int>(a), static_cast<int>(b)))
                fail("The smooth method knows no contacts, but '{}' and '{}' may touch: only show() them, or "
                     "run the model by the Moreau-Jean scheme.",
                     model.shape_name(static_cast<int>(a)), model.shape_name(static_cast<int>(b)));
    return model;
}

} // namespace

Smooth::Smooth(const Model& model, const SmoothOptions& options)
    : model_(without_contacts(model)), solver_(model_.system(), options)
{
}

std::vector<std::string> Smooth::messages() const
{
    if (solver_.options().rho_inf <= 0.98 || solver_.system().rows() == 0) return {};
    return {fmt::format(
        "With rho_inf = {} forces in joints may oscillate and grow until the run fails: take 0.98 or less.",
        solver_.options().rho_inf)};
}

SavedState Smooth::save() const
{
    SavedState out;
    solver_.state().write(out);
    return out;
}

void Smooth::restore(const SavedState& saved)
{
    SmoothState state = solver_.state();
    state.read(saved);
    solver_.restore(state);
}

StepReport Smooth::step()
{
    StepReport report;
    clock_.start();
    solver_.predict();
    clock_.end(Phase::predict);
    solver_.solve();
    clock_.end(Phase::linearise);
    solver_.accept();
    report.loops = true;
    report.loop_error = solver_.constraint_error();
    clock_.end(Phase::update);
    return report;
}

} // namespace tamis
