// A multibody system of Simbody as the smooth side of a coupling: it is told the wrench on a marker, and gives the
// marker's motion.
#pragma once

#include "tamis/cosim/interface_motion.hpp"
#include "tamis/cosim/peer.hpp"
#include "tamis/simbody/simbody.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace tamis {

struct SimbodyOptions {
    int substeps = 1; // of a macro step, each with the wrench at its end
    // Makes the integrator; empty: Runge-Kutta-Merson. It starts anew in every sub-step, so that a step depends on the
    // state alone.
    std::function<std::unique_ptr<SimTK::Integrator>(const SimTK::System&)> integrator;
    double accuracy = 1e-9; // of the integrator, relative
};

class SimbodyPeer : public Peer {
  public:
    // The marker is at `offset` in the frame of `body`. The system must not have been realized yet: a force is added to
    // it here. It must outlive the peer.
    SimbodyPeer(SimTK::MultibodySystem& system, SimTK::GeneralForceSubsystem& forces,
                const SimTK::SimbodyMatterSubsystem& matter, const SimTK::MobilizedBody& body,
                const Pose& offset = {}, SimbodyOptions options = {});

    std::string name() const override { return "Simbody's side"; }
    int inputs() const override { return wrench_size; }
    int outputs() const override { return InterfaceMotion::size; }
    void output(std::span<const double> u, std::span<double> y) const override;
    bool predict(double H, std::span<double> y) override;
    void advance(double H, const Signal& u) override;
    void save() override { saved_ = state_; }
    void restore() override { state_ = saved_; }
    // Time, q, u and z; discrete variables of the user's own are not written.
    void write(SavedState& out) const override;
    void read(const SavedState& in) override;
    std::uint64_t state_hash() const override;

    // At the present time; to be given its start before the first step.
    const SimTK::State& state() const { return state_; }
    SimTK::State& state() { return state_; }
    InterfaceMotion marker() const;

  private:
    void apply(std::span<const double> wrench); // on the marker, world axes

    const SimTK::MultibodySystem& system_;
    const SimTK::MobilizedBody body_;
    Pose offset_;
    SimbodyOptions options_;
    std::optional<SimTK::Force::DiscreteForces> wrench_;
    std::unique_ptr<SimTK::Integrator> integrator_;
    SimTK::State state_, saved_;
    std::array<double, wrench_size> wire_;
};

} // namespace tamis
