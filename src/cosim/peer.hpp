// One solver that takes part in a coupling. It knows its inputs u and outputs y, and nothing of the others.
#pragma once

#include "tamis/base/error.hpp"
#include "tamis/cosim/signal.hpp"
#include "tamis/model/stepper.hpp"

#include <span>
#include <string>

namespace tamis {

class Peer {
  public:
    virtual ~Peer() = default;

    virtual std::string name() const = 0;
    virtual int inputs() const = 0;
    virtual int outputs() const = 0;

    // The outputs at the present time; u are the inputs at this time, for peers with direct feed-through.
    virtual void output(std::span<const double> u, std::span<double> y) const = 0;

    // What it expects its outputs to be H from now, by its own history; false, and y as it was, if it cannot
    // tell. Its state stays as it is.
    virtual bool predict([[maybe_unused]] double H, [[maybe_unused]] std::span<double> y) { return false; }

    // One macro step, in sub-steps of its own; u(t) with t from 0 to H.
    virtual void advance(double H, const Signal& u) = 0;

    // save() marks the present time, between macro steps. restore() goes back to the mark, as often as
    // wanted, and a step from there with the same inputs has the same result; what is only a better starting
    // guess may be kept. Needed by iterated couplings.
    virtual void save()
    {
        fail("{} cannot repeat a macro step: couple it without iteration, or use a peer that can go back.",
             name());
    }
    virtual void restore() {}
    // Told to the peer that goes last in Gauss-Seidel sweeps: the advance to come is the last one of this macro step.
    virtual void conclude() {}
    // The macro step is done and will not be repeated: what it holds is its present state.
    virtual void accept() {}

    // Between macro steps, for a run: its state, to be gone on from in another program to the same bits, and a
    // hash of it; what it has to say of its last step, and of itself.
    virtual void write([[maybe_unused]] SavedState& out) const { cannot_be_saved(); }
    virtual void read([[maybe_unused]] const SavedState& in) { cannot_be_saved(); }
    virtual std::uint64_t state_hash() const { return 0; }
    virtual void report([[maybe_unused]] StepReport& report) {}
    virtual double momentum_error() const { return 0; }
    virtual Facts facts() const { return {}; }

  private:
    [[noreturn]] void cannot_be_saved() const
    {
        fail("The state of {} cannot be saved or restored: run without checkpoints.", name());
    }
};

} // namespace tamis
