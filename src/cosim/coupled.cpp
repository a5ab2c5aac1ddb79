// Zhang et al. (2020), Figs 3 and 4, and Zhang et al. (2022): the nonsmooth side steps first, on the motion that the
// smooth side predicts, then the smooth side under the wrench that it returns; tight coupling repeats both.
#include "tamis/cosim/coupled.hpp"

#include "tamis/base/error.hpp"

namespace tamis {

namespace {

Body body_numbered(const Model& model, int number)
{
    const BodyRecord& record = model.bodies()[number];
    return {record.mechanism, number - model.body_number({record.mechanism, 0})};
}

} // namespace

NonsmoothPeerOptions nonsmooth_options(const CoupledOptions& o)
{
    const bool weighs = o.scheme == CouplingScheme::modified;
    return {.substeps = o.nonsmooth_substeps,
            .original = o.scheme == CouplingScheme::original,
            .weights = weighs ? o.weights : index_3,
            .dem = o.dem};
}

CouplingOptions coupling_options(const CoupledOptions& o)
{
    const bool tight = o.scheme == CouplingScheme::tight;
    return {.H = o.H,
            .sweep = o.sweep,
            .first = o.scheme == CouplingScheme::staggered ? 0 : 1,
            .extrapolation = o.extrapolation,
            .predict = true,
            .signal = 1, // the start of the step matters, too
            .repeat = tight ? o.repeat : Repetition::none,
            .absolute = o.absolute,
            .relative = o.relative,
            .max_iterations = o.max_iterations,
            .must_converge = o.must_converge};
}

void cross_the_cut(std::span<const double> y, std::span<double> u)
{
    std::copy_n(y.begin() + InterfaceMotion::size, wrench_size, u.begin());
    std::copy_n(y.begin(), InterfaceMotion::size, u.begin() + wrench_size);
}

Body carrier_of(const Model& model, const Split& split)
{
    if (split.carrier < 0)
        fail("The cut of model '{}' is at a joint on the ground: nothing is left for the smooth side; cut "
             "at a body that hangs on another one.",
             model.name());
    return body_numbered(model, split.carrier);
}

void CoupledView::show(SmoothView& smooth, const View& nonsmooth, const Split& split)
{
    smooth_ = &smooth;
    nonsmooth_ = &nonsmooth;
    split_ = &split;
    for (std::size_t b = 0; b < split.number.size(); ++b)
        if (split.number[b] >= 0 && split.carrier != static_cast<int>(b))
            smooth.set(static_cast<int>(b), nonsmooth.motion(split.number[b]));
}

double CoupledView::drive_force(Coordinate c) const
{
    for (const auto& [whole, beyond] : split_->drives)
        if (whole.mechanism == c.mechanism && whole.index == c.index) return nonsmooth_->drive_force(beyond);
    return smooth_->drive_force(c);
}

Wrench CoupledView::contact_force(Body body, const Eigen::Vector3d& about) const
{
    const int number = model().body_number(body), beyond = number < 0 ? -1 : split_->number[number];
    if (number >= 0 && beyond < 0) return {}; // nothing touches it
    return nonsmooth_->contact_force(beyond < 0 ? ground : body_numbered(nonsmooth_->model(), beyond), about);
}

Coupled::Coupled(const Model& model, const Cut& cut, const CoupledOptions& options)
    : view_(model), split_(split(model, cut, view_)), model_(model, split_.away),
      smooth_(model_, carrier_of(model, split_), split_.marker, options.H, options.smooth_substeps,
              options.smooth),
      nonsmooth_(split_, cut.kind, options.nonsmooth, options.H, smooth_.marker(), nonsmooth_options(options))
{
    connect({&smooth_, &nonsmooth_}, cross_the_cut, coupling_options(options));
    show();
}

void Coupled::restart(const SmoothState& smooth, const State& nonsmooth)
{
    smooth_.restart(smooth);
    nonsmooth_.restart(nonsmooth);
    couple();
}

} // namespace tamis
