// The nonsmooth side of a model on a smooth side that another solver steps: a program of the user, an FMU, Simbody.
#pragma once

#include "tamis/cosim/coupled.hpp"

namespace tamis {

// The marker of a cut where the model has it at the start.
InterfaceMotion marker_at_start(const Model& model, const Cut& cut);

class Attached : public CoupledPeers {
  public:
    // `smooth` is told the wrench on a marker and gives the marker's motion, as SmoothPeer does. The model is cut as it
    // would be for its own smooth side, which is not stepped: the body at the cut is shown where the marker is, other
    // bodies of that side stay where they start.
    Attached(const Model& model, const Cut& cut, Peer& smooth, const CoupledOptions& options);
    Attached(const Model& model, const Cut& cut, std::unique_ptr<Peer> smooth, const CoupledOptions& options);

    const View& view() const override { return view_; }
    NonsmoothPeer& nonsmooth() { return nonsmooth_; }
    Wrench wrench() const { return read_wrench(coupling().inputs(0)); } // on the marker, over the last step

  private:
    InterfaceMotion marker() const;
    void show() override;

    std::unique_ptr<Peer> owned_; // if it is; the last to go
    CoupledView view_;
    Split split_;
    SmoothModel model_;
    Peer& smooth_;
    int node_; // of the body at the cut
    std::vector<NodeMotion> nodes_;
    std::vector<double> lambda_;
    NonsmoothPeer nonsmooth_;
};

} // namespace tamis
