// See damper_results.hpp. Of the rms of the velocity, not of the position: it has no offset by weight.
#include "support/damper_results.hpp"

#include "tamis/analysis/damping.hpp"
#include "tamis/analysis/spectrum.hpp"
#include "tamis/base/error.hpp"
#include "tamis/io/columns.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

struct Periods {
    int all, steady; // whole ones in the run; at its end
};

Periods periods(const TimeSeries& velocity, double period)
{
    const std::vector<double> rms = rms_by_period(velocity, period);
    const int all = static_cast<int>(rms.size());
    return {all, all - steady_from(rms, damper_steady)};
}

// Whole periods of the steady state, or of the last half.
int judged(const TimeSeries& velocity, double period)
{
    const Periods n = periods(velocity, period);
    return n.steady > 0 ? n.steady : std::max(n.all / 2, 1);
}

} // namespace

std::vector<Result> damper_results(const DamperColumns& of)
{
    const double period = 1 / of.frequency;
    std::vector<Result> results;
    results.push_back({{"steady_from_s"}, "s", [=](const Columns& c) {
                           const Periods n = periods({c["t"], c[of.velocity]}, period);
                           if (n.steady == 0)
                               fail("The rms of '{}' did not stay within {} % over {} periods until the end: "
                                    "let the run go on for longer.",
                                    of.velocity, 100 * damper_steady.tolerance, damper_steady.periods);
                           return std::vector{c["t"].back() - n.steady * period};
                       }});
    results.push_back(
        {{"steady_rms_m", "steady_peak_m"}, "m", [=](const Columns& c) {
             const TimeSeries x{c["t"], c[of.position]};
             const Window w = last_periods(c["t"], period, judged({c["t"], c[of.velocity]}, period));
             const double offset = mean(x, w);
             std::vector<double> about(x.x.begin(), x.x.end());
             for (double& value : about) value -= offset;
             return std::vector{rms({x.t, about}, w), peak({x.t, about}, w)};
         }});
    results.push_back({{"dominant_Hz"}, "Hz", [=](const Columns& c) {
                           const TimeSeries v{c["t"], c[of.velocity]};
                           const Window w = last_periods(v.t, period, judged(v, period));
                           // Two lines are what Hann's window smears a constant over.
                           return std::vector{
                               spectrum(v, w, Taper::hann).largest(1.5 / w.length(), INFINITY)};
                       }});
    if (of.particle_mass > 0)
        results.push_back(
            {{"energy_per_cycle_J", "energy_deviation", "zeta_PD"}, "", [=](const Columns& c) {
                 const TimeSeries v{c["t"], c[of.velocity]};
                 const int n = judged(v, period);
                 const Spread energy = spread(growth_by_period({v.t, c["dissipated"]}, period, n));
                 const double speed = harmonic(v, of.frequency, last_periods(v.t, period, n)).amplitude;
                 return std::vector{energy.mean, energy.deviation,
                                    equivalent_damping(energy.mean, of.particle_mass, speed)};
             }});
    return results;
}

} // namespace tamis
