// The nonsmooth side of a cut as a peer, by the Moreau-Jean scheme or the penalty method: it is told the motion of the
// marker on which it hangs, and gives the wrench that it exerts there.
#pragma once

#include "tamis/cosim/coupling_scheme.hpp"
#include "tamis/cosim/interface_motion.hpp"
#include "tamis/cosim/peer.hpp"
#include "tamis/cosim/split.hpp"
#include "tamis/dem/dem.hpp"
#include "tamis/nscd/moreau_jean.hpp"

namespace tamis {

struct NonsmoothPeerOptions {
    int substeps = 1; // in a macro step; 0, of the penalty method: as many as Hart's step asks for
    // How the interface follows: position at the start of the step and velocity at its end (`original`), or
    // position, velocity and acceleration at its end, with these weights. Zhang et al. (2022), eqs 20, 26.
    bool original = false;
    BaumgarteWeights weights = index_3;
    Pose frame; // of the other side's world in this one's
    // By the penalty method instead of the Moreau-Jean scheme; h and guided are set here.
    std::optional<DemOptions> dem;
};

class NonsmoothPeer : public Peer {
  public:
    // options.theta and options.guided are set here: the semi-implicit Euler scheme, the interface guided.
    // It starts with the marker where `start` says.
    NonsmoothPeer(const Split& split, CutKind kind, MoreauJeanOptions options, double H,
                  const InterfaceMotion& start, const NonsmoothPeerOptions& peer);

    std::string name() const override { return "nonsmooth side"; }
    int inputs() const override { return InterfaceMotion::size; }
    int outputs() const override { return wrench_size; }
    void output(std::span<const double> u, std::span<double> y) const override;
    void advance(double H, const Signal& u) override;
    void save() override { stepper_->keep(); }
    void restore() override { stepper_->go_back(); }
    void write(SavedState& out) const override;
    void read(const SavedState& in) override;
    std::uint64_t state_hash() const override { return stepper_->state_hash(); }
    void report(StepReport& report) override; // of the last sub-step
    double momentum_error() const override { return stepper_->momentum_error(); }
    Facts facts() const override { return stepper_->facts(); }

    // Macro steps to come are of this length, in as many sub-steps, whatever they were.
    void divide(double H, int substeps);
    int unconverged() const { return unconverged_; } // sub-steps of the last macro step
    void restart(const State& state);                // goes on from there, with no wrench yet
    const GuidedStepper& stepper() const { return *stepper_; }
    GuidedStepper& stepper() { return *stepper_; }
    int substeps() const { return options_.substeps; }

  private:
    void follow(const InterfaceMotion& before, const InterfaceMotion& after); // one sub-step

    const Split& split_;
    CutKind kind_;
    NonsmoothPeerOptions options_;
    double h_;
    std::unique_ptr<GuidedStepper> stepper_;
    StepReport report_;
    int unconverged_ = 0;
    Wrench wrench_; // on the marker, mean over the last macro step; world of the other side
    std::array<double, InterfaceMotion::size> wire_;
};

} // namespace tamis
