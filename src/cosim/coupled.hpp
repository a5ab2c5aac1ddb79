// A model cut in two and run by co-simulation: a smooth and a nonsmooth solver, each with its part, exchange
// the motion of the cut and the wrench on it.
#pragma once

#include "tamis/cosim/coupled_peers.hpp"
#include "tamis/cosim/nonsmooth_peer.hpp"
#include "tamis/cosim/smooth_peer.hpp"
#include "tamis/cosim/split.hpp"

namespace tamis {

struct CoupledOptions {
    double H = 1e-3; // macro step, s
    CouplingScheme scheme = CouplingScheme::tight;
    BaumgarteWeights weights = index_1; // of the modified inputs
    Sweep sweep = Sweep::gauss_seidel;
    int extrapolation = 0;                           // of the wrench, in Jacobi sweeps
    int smooth_substeps = 1, nonsmooth_substeps = 1; // the latter 0, by the penalty method: Hart's
    // Of the tight scheme.
    Repetition repeat = Repetition::plain;
    double absolute = 1e-6, relative = 0; // change of the wrench, N and N m
    int max_iterations = 50;
    bool must_converge = false;

    SmoothOptions smooth;
    MoreauJeanOptions nonsmooth;   // h, theta, force and guided are set here
    std::optional<DemOptions> dem; // the nonsmooth side by the penalty method; h and guided are set here
};

// What they mean for the nonsmooth side, and for a coupling of the smooth peer, then the nonsmooth one, which goes
// first on the other one's prediction, unless staggered.
NonsmoothPeerOptions nonsmooth_options(const CoupledOptions& options);
CouplingOptions coupling_options(const CoupledOptions& options);
// Motion of the smooth side's marker to the nonsmooth side, wrench back.
void cross_the_cut(std::span<const double> y, std::span<double> u);
// The body of the smooth side on which the nonsmooth one hangs.
Body carrier_of(const Model& model, const Split& split);

// The whole model, as laws and records see it: bodies of either side, grains, contacts. Between communication
// points bodies beyond the cut are shown as at the last one, those of the smooth side as it last had them.
class CoupledView : public View {
  public:
    explicit CoupledView(const Model& model) : View(model) {}
    void show(SmoothView& smooth, const View& nonsmooth, const Split& split);

    using View::motion;
    double time() const override { return smooth_->time(); }
    double step_size() const override { return nonsmooth_->step_size(); }
    double q(Coordinate c) const override { return smooth_->q(c); }
    double v(Coordinate c) const override { return smooth_->v(c); }
    double drive_force(Coordinate c) const override;
    const BodyMotion& motion(int body) const override { return smooth_->motion(body); }
    std::span<const GrainState> grains() const override { return nonsmooth_->grains(); }
    double memory(Memory m) const override { return nonsmooth_->memory(m); }
    std::span<const BodyMotion> sections(int beam) const override { return smooth_->sections(beam); }
    Energy beam_energy() const override { return smooth_->beam_energy(); }
    double contact_energy() const override { return nonsmooth_->contact_energy(); }
    Wrench contact_force(Body body, const Eigen::Vector3d& about) const override;
    Wrench contact_force(ShapeId shape, const Eigen::Vector3d& about) const override
    {
        return nonsmooth_->contact_force(shape, about); // shapes keep their numbers
    }
    Dissipation dissipated() const override { return nonsmooth_->dissipated(); }
    std::span<const ContactRecord> contacts() const override { return nonsmooth_->contacts(); }

  private:
    const SmoothView* smooth_ = nullptr;
    const View* nonsmooth_ = nullptr;
    const Split* split_ = nullptr;
};

class Coupled : public CoupledPeers {
  public:
    Coupled(const Model& model, const Cut& cut, const CoupledOptions& options);

    const View& view() const override { return view_; }
    // Goes on from states of the two sides, as if they had just met.
    void restart(const SmoothState& smooth, const State& nonsmooth);

    SmoothPeer& smooth() { return smooth_; }
    NonsmoothPeer& nonsmooth() { return nonsmooth_; }
    Wrench wrench() const { return read_wrench(coupling().inputs(0)); } // on the marker, over the last step

  private:
    void show() override { view_.show(model_.view(), nonsmooth_.stepper().view(), split_); }

    CoupledView view_;
    Split split_;
    SmoothModel model_;
    SmoothPeer smooth_;
    NonsmoothPeer nonsmooth_;
};

} // namespace tamis
