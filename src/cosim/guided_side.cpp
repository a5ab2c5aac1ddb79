// The model's own smooth side is kept to be shown: its body at the cut is where the marker is, x = x_marker - R p, with
// the marker at p on the body.
#include "tamis/cosim/guided_side.hpp"

namespace tamis {

InterfaceMotion marker_at_start(const Model& model, const Cut& cut)
{
    const CoupledView view(model);
    const Split parts = split(model, cut, view);
    SmoothModel smooth(model, parts.away);
    const NodeMotion& n = smooth.system().start()[smooth.node(carrier_of(model, parts))];
    return InterfaceMotion{n.x, Eigen::Quaterniond(n.R), n.v, n.omega, n.a, n.alpha}.carried(parts.marker);
}

GuidedSide::GuidedSide(const Model& model, const Cut& cut, const CoupledOptions& options,
                       const InterfaceMotion& start)
    : view_(model), split_(split(model, cut, view_)), model_(model, split_.away),
      node_(model_.node(carrier_of(model, split_))), nodes_(model_.system().start()),
      lambda_(static_cast<std::size_t>(model_.system().rows())),
      peer_(split_, cut.kind, options.nonsmooth, options.H, start, nonsmooth_options(options))
{
}

void GuidedSide::show(const InterfaceMotion& marker)
{
    const Pose& on = split_.marker; // on the carrier
    const InterfaceMotion carrier = marker.carried({on.R.transpose(), -(on.R.transpose() * on.p)});
    nodes_[node_] = {
        carrier.turn.toRotationMatrix(), carrier.x, carrier.v, carrier.omega, carrier.a, carrier.alpha};
    model_.view().see(peer_.stepper().view().time(), nodes_, lambda_);
    model_.view().settle();
    view_.show(model_.view(), peer_.stepper().view(), split_);
}

} // namespace tamis
