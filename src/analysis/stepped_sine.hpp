// Stepped sine: one frequency after the other, each until the response is steady, with or without control of its
// amplitude; Biondani et al. (2022), Sect. 2.4. The experiment may be anything that can be excited by a sine.
#pragma once

#include "tamis/analysis/steady_state.hpp"

#include <complex>
#include <functional>
#include <span>
#include <vector>

namespace tamis {

// What a period of the excitation brought.
struct PeriodResponse {
    double rms; // of the quantity that is measured, and controlled
    // Its harmonic at the excitation's frequency: y = |z| sin(omega t + arg z) under the excitation
    // amplitude sin(omega t).
    std::complex<double> harmonic;
};

class Experiment {
  public:
    virtual ~Experiment() = default;
    // From now on, at the state that it is in; best without a jump of the phase.
    virtual void excite(double frequency, double amplitude) = 0;
    virtual PeriodResponse run_period() = 0;
};

struct SteppedSine {
    SteadyCriterion steady{};
    int longest = 100; // periods at one amplitude; then the response counts as one that never settles
    // Control: the amplitude is changed until the rms of the steady response is that of the target. 0: none.
    double target = 0;
    double tolerance = 0.05; // of the target
    int trials = 15;         // amplitudes at one frequency
    // An amplitude is given up early if the response is certain to miss the target by more than this part of it: if the
    // limit that it tends to (limit_of) does, or if it grows beyond twice that.
    double early = 0.3;
};

// One frequency. Without control, and where control fails, some of it is not what was asked for:
struct SinePoint {
    double frequency = 0, amplitude = 0;      // of the excitation
    double rms = 0;                           // mean over the periods that the criterion judges
    std::complex<double> harmonic;            // mean over the same
    Steadiness steadiness = Steadiness::none; // none: it never settled
    bool reached = false;                     // the target; always without control
    int periods = 0, trials = 0;              // made at this frequency
};

// Control where it fails takes the steady response that came closest to the target, or if there was none, the
// closest of all.
SinePoint sine_point(Experiment& experiment, double frequency, double amplitude, const SteppedSine& how);

// Each frequency begins with the amplitude that the one before ended with, in the state that that left. `done` is
// called after each.
std::vector<SinePoint> stepped_sine(Experiment& experiment, std::span<const double> frequencies,
                                    double amplitude, const SteppedSine& how,
                                    const std::function<void(const SinePoint&)>& done = {});

} // namespace tamis
