// Quantities that were recorded over time, and what is computed of them over a window of it.
#pragma once

#include <span>
#include <vector>

namespace tamis {

// Values at rising times, of any distance; straight lines in between. Both must outlive it.
struct TimeSeries {
    std::span<const double> t, x;
};

struct Window {
    double from, to; // s
    double length() const { return to - from; }
};

// The last n periods of a series with these times.
Window last_periods(std::span<const double> t, double period, int n);

// Of what a window holds. All of them throw an Error if the series does not cover the window.
double integral(const TimeSeries& series, const Window& window);
double mean(const TimeSeries& series, const Window& window);
double rms(const TimeSeries& series, const Window& window);  // offset included
double peak(const TimeSeries& series, const Window& window); // largest modulus
double at(const TimeSeries& series, double t);

// x(t) = offset + amplitude sin(2 pi f t + phase) + rest, where the rest is orthogonal to the other terms in
// the window, which holds at least half a period.
struct Harmonic {
    double offset, amplitude, phase;
};
Harmonic harmonic(const TimeSeries& series, double frequency, const Window& window);

// One value for each whole period, counted back from the end of the series, oldest first.
std::vector<double> rms_by_period(const TimeSeries& series, double period);

// By how much a quantity that is counted from the start, such as a dissipated energy, grew in each of the
// last n periods, oldest first.
std::vector<double> growth_by_period(const TimeSeries& count, double period, int n);

// Work of a force on a moving point in each of the last n periods, oldest first: the integral of f v.
std::vector<double> work_by_period(std::span<const double> t, std::span<const double> force,
                                   std::span<const double> velocity, double period, int n);

// Mean, and standard deviation relative to it (over n - 1 values, as of a sample; 0 of a single one).
struct Spread {
    double mean, deviation;
};
Spread spread(std::span<const double> values);

} // namespace tamis
