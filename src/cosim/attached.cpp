// The coupling of `Coupled`, with a peer from elsewhere as the smooth side.
#include "tamis/cosim/attached.hpp"

#include "tamis/base/error.hpp"

namespace tamis {

namespace {

// To be known before the nonsmooth side is made.
InterfaceMotion first_motion(Peer& smooth)
{
    if (smooth.inputs() != wrench_size || smooth.outputs() != InterfaceMotion::size)
        fail("{} has {} inputs and {} outputs: to carry a nonsmooth side it must take a wrench, {} numbers, "
             "and give the motion of a marker, {}.",
             smooth.name(), smooth.inputs(), smooth.outputs(), wrench_size, InterfaceMotion::size);
    std::array<double, wrench_size> u{};
    std::array<double, InterfaceMotion::size> y{};
    smooth.output(u, y);
    return InterfaceMotion::read(y);
}

} // namespace

Attached::Attached(const Model& model, const Cut& cut, Peer& smooth, const CoupledOptions& options)
    : smooth_(smooth), side_(model, cut, options, first_motion(smooth))
{
    connect({&smooth_, &side_.peer()}, cross_the_cut, coupling_options(options));
    show();
}

Attached::Attached(const Model& model, const Cut& cut, std::unique_ptr<Peer> smooth,
                   const CoupledOptions& options)
    : Attached(model, cut, *smooth, options)
{
    owned_ = std::move(smooth);
}

InterfaceMotion Attached::marker() const
{
    std::array<double, InterfaceMotion::size> y{};
    smooth_.output(coupling().inputs(0), y);
    return InterfaceMotion::read(y);
}

} // namespace tamis
