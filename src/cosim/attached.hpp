// The nonsmooth side of a model on a smooth side that another solver steps: a program of the user, an FMU, Simbody.
#pragma once

#include "tamis/cosim/guided_side.hpp"

namespace tamis {

class Attached : public CoupledPeers {
  public:
    // `smooth` is told the wrench on a marker and gives the marker's motion, as SmoothPeer does.
    Attached(const Model& model, const Cut& cut, Peer& smooth, const CoupledOptions& options);
    Attached(const Model& model, const Cut& cut, std::unique_ptr<Peer> smooth, const CoupledOptions& options);

    const View& view() const override { return side_.view(); }
    NonsmoothPeer& nonsmooth() { return side_.peer(); }
    Wrench wrench() const { return read_wrench(coupling().inputs(0)); } // on the marker, over the last step

  private:
    InterfaceMotion marker() const;
    void show() override { side_.show(marker()); }

    std::unique_ptr<Peer> owned_; // if it is; the last to go
    Peer& smooth_;
    GuidedSide side_;
};

} // namespace tamis
