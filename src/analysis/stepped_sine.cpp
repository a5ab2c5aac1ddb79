// Stepped sine with control of the response, by the strategies of Biondani et al. (2022), Sect. 2.4.2:
//
// - large tolerances, and cycles of two periods count as steady (steady_state.hpp);
// - an amplitude is changed before the response is steady if there is no doubt that it is wrong;
// - the next amplitude A follows from the slope d ln(rms) / d ln(A) of the last two steady responses if these differ
//   by more than the tolerance, so that the slope means something, else from the ratio of target and response (slope
//   1, a linear system). It stays between the amplitudes that were found too small and too large, as long as the
//   response grows with the amplitude;
// - when all fails, the steady response closest to the target is taken.
#include "tamis/analysis/stepped_sine.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tamis {

namespace {

// The response at one amplitude; if it was given up early, what it tends to.
struct Trial {
    double amplitude = 0, rms = 0;
    std::complex<double> harmonic;
    Steadiness steadiness = Steadiness::none;
    int periods = 0;
};

// Whether a response is certain to miss the target. Transients beat, so that neither its size nor its trend tells; but
// if it approaches the same limit three times in a row, within a tenth, it will get there. And a response that grows
// beyond twice of what it should be is wrong even if half of it is a transient.
class Doubt {
  public:
    explicit Doubt(const SteppedSine& how) : how_(how) {}
    // What the response tends to, if it is certain to miss.
    std::optional<double> certain(std::span<const double> by_period)
    {
        const std::size_t n = by_period.size();
        if (n < 2) return {};
        const double now = by_period[n - 1], limit = limit_of(by_period);
        const double high = (1 + how_.early) * how_.target, low = (1 - how_.early) * how_.target;
        const bool misses = limit > high || (limit >= 0 && limit < low);
        same_ = !misses ? 0 : std::abs(limit - limit_) <= 0.1 * limit ? same_ + 1 : 1;
        limit_ = limit;
        if (same_ >= 3) return limit;
        beyond_ = now > 2 * high && now >= by_period[n - 2] ? beyond_ + 1 : 0;
        if (beyond_ >= 3) return now;
        return {};
    }

  private:
    const SteppedSine& how_;
    double limit_ = 0;
    int same_ = 0, beyond_ = 0;
};

Trial try_amplitude(Experiment& experiment, double frequency, double amplitude, const SteppedSine& how)
{
    experiment.excite(frequency, amplitude);
    Trial trial{.amplitude = amplitude};
    std::vector<double> rms;
    std::vector<std::complex<double>> harmonics;
    Doubt doubt(how);
    int judged = 1; // periods
    while (trial.periods < how.longest) {
        const PeriodResponse r = experiment.run_period();
        if (!std::isfinite(r.rms))
            fail("The response at {:g} Hz under an excitation of {:g} is not finite: reduce the amplitude or "
                 "the step.",
                 frequency, amplitude);
        ++trial.periods;
        rms.push_back(r.rms);
        harmonics.push_back(r.harmonic);
        judged = std::min(how.steady.periods, trial.periods);
        trial.steadiness = steadiness(rms, how.steady);
        if (trial.steadiness == Steadiness::two_periods) judged = 2 * how.steady.periods;
        if (trial.steadiness != Steadiness::none) break;
        if (how.target > 0)
            if (const auto end = doubt.certain(rms)) {
                trial.rms = *end;
                trial.harmonic = harmonics.back();
                return trial;
            }
    }
    for (int k = 1; k <= judged; ++k) {
        trial.rms += rms[rms.size() - static_cast<std::size_t>(k)] / judged;
        trial.harmonic += harmonics[rms.size() - static_cast<std::size_t>(k)] / static_cast<double>(judged);
    }
    return trial;
}

double next_amplitude(const std::vector<Trial>& trials, const SteppedSine& how)
{
    const Trial& last = trials.back();
    double slope = 1;
    if (trials.size() > 1) {
        const Trial& before = trials[trials.size() - 2];
        const double rise = std::log(last.rms / before.rms),
                     run = std::log(last.amplitude / before.amplitude);
        if (std::abs(rise) > how.tolerance && rise * run > 0) slope = std::clamp(rise / run, 0.25, 4.0);
    }
    constexpr double most = 5; // the amplitude's change at once
    const double factor =
        last.rms > 0 ? std::clamp(std::pow(how.target / last.rms, 1 / slope), 1 / most, most) : most;
    const double guess = last.amplitude * factor;
    double small = 0, large = 0; // the closest amplitudes on both sides
    for (const Trial& t : trials)
        if (t.rms < how.target)
            small = std::max(small, t.amplitude);
        else
            large = large == 0 ? t.amplitude : std::min(large, t.amplitude);
    // They mean nothing if a larger one gave less, or if they are so close that the target should have been met.
    const bool between = small > 0 && large > (1 + how.tolerance / 4) * small;
    return between && !(guess > small && guess < large) ? std::sqrt(small * large) : guess;
}

} // namespace

SinePoint sine_point(Experiment& experiment, double frequency, double amplitude, const SteppedSine& how)
{
    if (!(frequency > 0) || !(amplitude > 0))
        fail("A sine of {} Hz with amplitude {} excites nothing: give positive numbers.", frequency,
             amplitude);
    if (how.longest < how.steady.periods || how.trials < 1)
        fail("{} periods at most for a steady state over {}, in {} trials, cannot do: give more.",
             how.longest, how.steady.periods, how.trials);
    SinePoint point{.frequency = frequency};
    std::vector<Trial> trials;
    const auto miss = [&](const Trial& t) { return std::abs(t.rms - how.target); };
    const auto take = [&](const Trial& t) {
        point.amplitude = t.amplitude;
        point.rms = t.rms;
        point.harmonic = t.harmonic;
        point.steadiness = t.steadiness;
        point.trials = static_cast<int>(trials.size());
    };
    while (static_cast<int>(trials.size()) < (how.target > 0 ? how.trials : 1)) {
        trials.push_back(try_amplitude(experiment, frequency, amplitude, how));
        const Trial& last = trials.back();
        point.periods += last.periods;
        point.reached = how.target == 0 ||
                        (last.steadiness != Steadiness::none && miss(last) <= how.tolerance * how.target);
        if (point.reached) {
            take(last);
            return point;
        }
        amplitude = next_amplitude(trials, how);
    }
    const auto better = [&](const Trial& a, const Trial& b) {
        const bool steady_a = a.steadiness != Steadiness::none, steady_b = b.steadiness != Steadiness::none;
        return steady_a != steady_b ? steady_a : miss(a) < miss(b);
    };
    take(*std::min_element(trials.begin(), trials.end(), better));
    return point;
}

std::vector<SinePoint> stepped_sine(Experiment& experiment, std::span<const double> frequencies,
                                    double amplitude, const SteppedSine& how,
                                    const std::function<void(const SinePoint&)>& done)
{
    std::vector<SinePoint> points;
    for (const double frequency : frequencies) {
        points.push_back(sine_point(experiment, frequency, amplitude, how));
        amplitude = points.back().amplitude;
        if (done) done(points.back());
    }
    return points;
}

} // namespace tamis
