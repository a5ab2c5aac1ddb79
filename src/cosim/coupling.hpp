// Solvers that advance together in macro steps and exchange inputs and outputs in between.
#pragma once

#include "tamis/cosim/fixed_point.hpp"
#include "tamis/cosim/peer.hpp"
#include "tamis/model/saved_state.hpp"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tamis {

enum class Sweep { jacobi, gauss_seidel }; // all at once, or each with what those before it have found

struct CouplingOptions {
    double H = 1e-3; // macro step, s
    Sweep sweep = Sweep::gauss_seidel;
    int first = 0; // the peer that goes first

    // What is not yet known at the end of the step: the outputs there, extrapolated by order 0, 1, 2 from
    // past communication points, or what peers predict themselves, where they can.
    int extrapolation = 0;
    bool predict = false;
    // Inputs within a step, from their value at its end and from past points: 0 (that value), 1, 2.
    int signal = 0;

    // A step is repeated until the change of the inputs (Gauss-Seidel: of the last peer's) is within
    // max(absolute, relative |inputs|), Euclidean norms.
    Repetition repeat = Repetition::none;
    double relaxation = 1;
    double absolute = 0, relative = 1e-9;
    int max_iterations = 50;    // in one step
    bool must_converge = false; // else steps that do not are only counted

    double growth = 1e6; // of inputs, steady and exponential, that is called divergence; infinity: none is
};

struct CouplingStatistics {
    long steps = 0;
    long iterations = 0;     // in all steps; one in each of an explicit coupling
    long not_converged = 0;  // steps
    double worst_change = 0; // in a step that did not converge: |change| / allowed |change|
};

// Tells exponential growth from what also happens in sound couplings: a load that sets in (a jump), resonance
// (linear in time) or a motion that starts (a power of time). The largest value so far is noted whenever it
// has grown by growth^(1/6). Growth over seven notes is steady if the last three took at most twice as many
// steps as the three before them (after a power p of time they take 10^(3/p) times as many with
// growth = 1e6), and if no single one makes up half of the decades.
class GrowthWatch {
  public:
    explicit GrowthWatch(double growth);
    // True if `value`, of this step, shows steady exponential growth.
    bool grows(long step, double value);
    double growth() const { return notes_.back().value / notes_.front().value; }
    long steps() const { return notes_.back().step - notes_.front().step; }
    std::vector<double> saved() const; // the notes: step and value of each
    void restore(std::span<const double> saved);

  private:
    struct Note {
        long step = 0;
        double value = 0;
    };
    double factor_;
    std::array<Note, 7> notes_{}; // the newest last
};

class Coupling {
  public:
    // u = c(y): the inputs of all peers from the outputs of all, each laid out peer after peer.
    using Connection = std::function<void(std::span<const double> y, std::span<double> u)>;

    // The peers must outlive the coupling. They stand at t = 0.
    Coupling(std::vector<Peer*> peers, Connection connection, const CouplingOptions& options);

    void step(); // to the next communication point

    // At the present communication point
    double time() const { return static_cast<double>(statistics_.steps) * options_.H; }
    std::span<const double> outputs(int peer) const { return at(peer).y.of(y_past_[0]); }
    std::span<const double> inputs(int peer) const { return at(peer).u.of(u_past_[0]); }
    const CouplingStatistics& statistics() const { return statistics_; }
    // What the coupling itself remembers; peers save their own states.
    void write(SavedState& out) const;
    void read(const SavedState& in);
    const CouplingOptions& options() const { return options_; }
    std::string scheme() const; // in words

  private:
    using Values = std::vector<double>;
    struct Block {
        std::size_t first, size;
        std::span<double> of(Values& all) const { return std::span(all).subspan(first, size); }
        std::span<const double> of(const Values& all) const { return std::span(all).subspan(first, size); }
    };
    struct Member {
        Peer* peer;
        Block u, y;
        Signal signal;
        GrowthWatch watch;
    };

    const Member& at(int i) const { return members_[static_cast<std::size_t>(i)]; }
    Member& at(int i) { return members_[static_cast<std::size_t>(i)]; }
    void guess();
    void jacobi();
    void gauss_seidel();
    void connect(Values& u) { connection_(y_, u); }
    void advance(Member& member, bool again);
    void output(Member& member) { member.peer->output(member.u.of(u_), member.y.of(y_)); }
    void settle();
    double change(const Member& member) const;
    void count_failure(double change);
    void watch();
    [[noreturn]] void diverged(const Member& member, const std::string& what) const;

    std::vector<Member> members_;
    std::vector<int> order_;
    Connection connection_;
    CouplingOptions options_;
    CouplingStatistics statistics_;
    Values y_, u_, g_; // at the end of the step: latest outputs, inputs in use, inputs from the outputs
    std::array<Values, 3> y_past_; // at communication points, the newest first
    std::array<Values, 2> u_past_;
    Values weights_;
    FixedPoint fixed_point_;
};

} // namespace tamis
