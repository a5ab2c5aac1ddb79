// One way to advance a model in time. Formulations differ in what lies behind it,
// not in what a run asks of it.
#pragma once

#include "tamis/model/saved_state.hpp"
#include "tamis/model/view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tamis {

enum class Phase { predict, detect, linearise, contacts, update };
inline constexpr std::array<const char*, 5> phase_names = {"predict", "detect", "linearise", "contacts",
                                                           "update"};

// Adds the time between two calls to a phase.
class PhaseClock {
  public:
    void start() { last_ = clock::now(); }
    void end(Phase phase)
    {
        const auto now = clock::now();
        seconds_[static_cast<int>(phase)] += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }
    const std::array<double, 5>& seconds() const { return seconds_; }

  private:
    using clock = std::chrono::steady_clock;
    clock::time_point last_;
    std::array<double, 5> seconds_{};
};

struct StepReport {
    int contacts = 0; // active
    int sweeps = 0;
    bool converged = true;
    // Of the contact problem (contact/contact_problem.hpp): natural map, largest and rms, and the relative
    // change of the wrench on mechanisms.
    double residual = 0, residual_rms = 0, wrench_change = 0;
    std::array<int, 2> worst{-1, -1}; // shapes of the contact with the largest residual, if not converged
    // If impulses grow without end (contact/wedge.hpp): the two shapes that carry most of the growth.
    std::array<int, 2> wedged{-1, -1};
    const char* solver = "";
    double violation = 0;   // that the step leaves where bodies approach: h max(-w_n, 0), m
    double penetration = 0; // largest, at q_m, m
    // Largest penetration over the size of the smaller body (Model::sizes), and the two shapes.
    double overlap = 0;
    std::array<int, 2> deepest{-1, -1};
    bool loops = false;    // joints or loops are closed, to this error:
    double loop_error = 0; // m

    void add_gap(double gap, int shape_a, int shape_b, std::span<const double> sizes)
    {
        penetration = std::max(penetration, -gap);
        const double size = std::min(sizes[shape_a], sizes[shape_b]);
        if (!(-gap > overlap * size)) return;
        overlap = -gap / size;
        deepest = {shape_a, shape_b};
    }
};

// What a method tells of itself for the summary of a run, by name; "a/b" is b of a group a.
using Fact = std::variant<std::string, long, double, std::vector<std::string>>;
using Facts = std::map<std::string, Fact>;

class Stepper {
  public:
    virtual ~Stepper() = default;
    virtual StepReport step() = 0;
    virtual const View& view() const = 0; // the state after the last step
    virtual std::uint64_t state_hash() const = 0;
    virtual std::vector<std::string> messages() const { return {}; } // what the user should know
    virtual Facts facts() const { return {}; }
    // Momentum balance of the last step, where there are grains: the change of the grains' momentum, and of
    // the generalised momentum of each mechanism, beyond free flight, minus the contact impulses, over the
    // sum of these impulses (for a mechanism, and those of its forces); the largest of these ratios.
    virtual double momentum_error() const { return 0; }
    // All that a later run needs to go on from here to the same bits.
    virtual SavedState save() const = 0;
    virtual void restore(const SavedState& saved) = 0;
    const PhaseClock& clock() const { return clock_; }

  protected:
    PhaseClock clock_;
};

} // namespace tamis
