// The coupling of `Coupled`, with a peer from elsewhere as the smooth side. The model's own smooth side is kept to be
// shown: its body at the cut is where the marker is, x = x_marker - R p, with the marker at p on the body.
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

InterfaceMotion marker_at_start(const Model& model, const Cut& cut)
{
    const CoupledView view(model);
    const Split parts = split(model, cut, view);
    SmoothModel smooth(model, parts.away);
    const NodeMotion& n = smooth.system().start()[smooth.node(carrier_of(model, parts))];
    return InterfaceMotion{n.x, Eigen::Quaterniond(n.R), n.v, n.omega, n.a, n.alpha}.carried(parts.marker);
}

Attached::Attached(const Model& model, const Cut& cut, Peer& smooth, const CoupledOptions& options)
    : view_(model), split_(split(model, cut, view_)), model_(model, split_.away), smooth_(smooth),
      node_(model_.node(carrier_of(model, split_))), nodes_(model_.system().start()),
      lambda_(static_cast<std::size_t>(model_.system().rows())),
      nonsmooth_(split_, cut.kind, options.nonsmooth, options.H, first_motion(smooth),
                 nonsmooth_options(options))
{
    connect({&smooth_, &nonsmooth_}, cross_the_cut, coupling_options(options));
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

void Attached::show()
{
    const Pose& on = split_.marker; // on the carrier
    const InterfaceMotion carrier = marker().carried({on.R.transpose(), -(on.R.transpose() * on.p)});
    nodes_[node_] = {
        carrier.turn.toRotationMatrix(), carrier.x, carrier.v, carrier.omega, carrier.a, carrier.alpha};
    model_.view().see(nonsmooth_.stepper().view().time(), nodes_, lambda_);
    model_.view().settle();
    view_.show(model_.view(), nonsmooth_.stepper().view(), split_);
}

} // namespace tamis
