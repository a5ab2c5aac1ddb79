// The nonsmooth side of a cut model whose marker is moved from outside, and the whole model as laws and records see it.
#pragma once

#include "tamis/cosim/coupled.hpp"

namespace tamis {

// The marker of a cut where the model has it at the start.
InterfaceMotion marker_at_start(const Model& model, const Cut& cut);

class GuidedSide {
  public:
    // The model is cut as it would be for its own smooth side, which is not stepped: the body at the cut is shown where
    // the marker is, other bodies of that side stay where they start.
    GuidedSide(const Model& model, const Cut& cut, const CoupledOptions& options,
               const InterfaceMotion& start);

    NonsmoothPeer& peer() { return peer_; }
    const View& view() const { return view_; }
    void show(const InterfaceMotion& marker); // at the present time of the peer

  private:
    CoupledView view_;
    Split split_;
    SmoothModel model_;
    int node_; // of the body at the cut
    std::vector<NodeMotion> nodes_;
    std::vector<double> lambda_;
    NonsmoothPeer peer_;
};

} // namespace tamis
