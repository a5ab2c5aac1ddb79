// A coupling as a method that steps a model: peers of any kind, connected, stepped, saved and reported as one.
#pragma once

#include "tamis/cosim/coupling.hpp"
#include "tamis/model/stepper.hpp"

#include <optional>

namespace tamis {

class CoupledPeers : public Stepper {
  public:
    StepReport step() override;
    std::uint64_t state_hash() const override;
    std::vector<std::string> messages() const override;
    Facts facts() const override;
    double momentum_error() const override;
    SavedState save() const override; // the state of each peer under its name, and that of the coupling
    void restore(const SavedState& saved) override;

    const Coupling& coupling() const { return *coupling_; }

  protected:
    // Told by the constructor of a derived class, which owns the peers and shows what they hold by its view.
    void connect(std::vector<Peer*> peers, Coupling::Connection connection, const CouplingOptions& options);
    void couple();           // anew, at the present states of the peers
    virtual void show() = 0; // the view is to show the present communication point

  private:
    std::vector<Peer*> peers_;
    Coupling::Connection connection_;
    CouplingOptions options_;
    std::optional<Coupling> coupling_;
};

} // namespace tamis
