// The stepped sine of src/analysis on a model of Tamis, as a study: one frequency after the other, with or without
// control of the response, a row of response.csv each.
#pragma once

#include "tamis/analysis/damping.hpp"
#include "tamis/analysis/stepped_sine.hpp"
#include "tamis/analysis/time_series.hpp"
#include "tamis/app/study.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/model/view.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace tamis {

// amplitude sin(2 pi f (t - start) + phase); frequency and amplitude may change, without a jump of the phase.
struct Sine {
    double frequency = 0, amplitude = 0, phase = 0, start = 0;
    double at(double t) const
    {
        return t < start ? 0 : amplitude * std::sin(2 * std::numbers::pi * frequency * (t - start) + phase);
    }
    double rate(double t) const
    {
        const double w = 2 * std::numbers::pi * frequency;
        return t < start ? 0 : w * amplitude * std::cos(w * (t - start) + phase);
    }
    void change(double t, double f, double a)
    {
        phase = std::remainder(2 * std::numbers::pi * frequency * (t - start) + phase, 2 * std::numbers::pi);
        start = t;
        frequency = f;
        amplitude = a;
    }
};

enum class Response {
    measured,  // as it is
    rate_of_it // omega times the first harmonic: the acceleration, of a velocity
};

// A model under a sine, period by period.
class ShakenModel : public Experiment {
  public:
    ShakenModel(std::unique_ptr<Stepper> stepper, std::shared_ptr<Sine> sine,
                std::function<double(const View&)> measured, Response response)
        : stepper_(std::move(stepper)), sine_(std::move(sine)), measured_(std::move(measured)),
          response_(response)
    {
        note();
    }
    void run_until(double t)
    {
        while (view().time() < t) advance();
    }
    void excite(double frequency, double amplitude) override
    {
        sine_->change(view().time(), frequency, amplitude);
        from_ = view().time();
    }
    PeriodResponse run_period() override
    {
        const double f = sine_->frequency, to = from_ + 1 / f, w = 2 * std::numbers::pi * f;
        while (view().time() < to) advance();
        const Harmonic y = harmonic({t_, y_}, f, {from_, to});
        const bool rate = response_ == Response::rate_of_it; // ahead by a quarter
        const double a = rate ? w * y.amplitude : y.amplitude,
                     ahead = rate ? y.phase + std::numbers::pi / 2 : y.phase;
        const double of_sine = sine_->phase - w * sine_->start;
        const auto keep = std::upper_bound(t_.begin(), t_.end(), to) - t_.begin() - 1;
        t_.erase(t_.begin(), t_.begin() + keep);
        y_.erase(y_.begin(), y_.begin() + keep);
        from_ = to;
        return {a / std::sqrt(2), std::polar(a, ahead - of_sine)};
    }

  private:
    const View& view() const { return stepper_->view(); }
    void advance()
    {
        stepper_->step();
        note();
    }
    void note()
    {
        t_.push_back(view().time());
        y_.push_back(measured_(view()));
    }
    std::unique_ptr<Stepper> stepper_;
    std::shared_ptr<Sine> sine_;
    std::function<double(const View&)> measured_;
    Response response_;
    double from_ = 0;
    std::vector<double> t_, y_;
};

struct SineSweep {
    double from = 0, to = 0; // Hz
    int points = 1;
    double amplitude = 0;        // the first one to be tried
    std::string excitation = ""; // name of its column
    double settle = 0;           // time before, s
    SteppedSine how = {};
    double frequency(long row) const
    {
        return points > 1 ? from + static_cast<double>(row) * (to - from) / (points - 1) : from;
    }
};

// With --resume, rows that are there are kept, and the model starts anew, with the amplitude of the last one. Results:
// resonance and damping ratio by half-power points, or why there is none; `name` is told with them.
inline void sine_sweep(Study& s, const SineSweep& sweep, ShakenModel& model, const std::string& name)
{
    Study::Table& table =
        s.resumed_table("response.csv", {"frequency", sweep.excitation, "rms", "gain", "phase", "settled",
                                         "reached", "periods", "trials"});
    if (table.rows() < sweep.points) model.run_until(sweep.settle);
    double amplitude = table.rows() > 0 ? table.columns()[sweep.excitation].back() : sweep.amplitude;
    s.fill(table, sweep.points, [&](long row) {
        const double f = sweep.frequency(row);
        const SinePoint point = sine_point(model, f, amplitude, sweep.how);
        amplitude = point.amplitude;
        return std::vector<double>{f,
                                   point.amplitude,
                                   point.rms,
                                   std::abs(point.harmonic) / point.amplitude,
                                   std::arg(point.harmonic),
                                   point.steadiness != Steadiness::none ? 1.0 : 0.0,
                                   point.reached ? 1.0 : 0.0,
                                   static_cast<double>(point.periods),
                                   static_cast<double>(point.trials)};
    });
    try {
        const HalfPower found = half_power(table.columns()["frequency"], table.columns()["gain"]);
        s.results["damping"] = found.damping;
        s.results["frequency_Hz"] = found.f0;
        s.say(fmt::format("{}: {:.3f} Hz, damping ratio {:.3f} %", name, found.f0, 100 * found.damping));
    } catch (const Error& error) {
        s.results["no_damping"] = error.what();
        s.say(std::string("No damping ratio: ") + error.what());
    }
}

} // namespace tamis
