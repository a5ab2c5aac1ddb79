// Amplitudes by frequency.
#pragma once

#include "tamis/analysis/time_series.hpp"

#include <complex>
#include <vector>

namespace tamis {

// Discrete Fourier transform X_k = sum x_j exp(-2 pi i j k / n), of any length n.
std::vector<std::complex<double>> fourier(std::span<const double> x);

enum class Taper {
    none, // for windows of whole periods
    hann, // for all others: what leaks from a line falls with the third power of the distance
};

// One line for each k / length from 0 to half the sampling rate. A sine on a line has its amplitude there.
struct Spectrum {
    std::vector<double> frequency, amplitude,
        phase; // Hz; of sines, as in Harmonic, from the start of the window
    double largest(double from, double to) const; // frequency of the largest line in this range
};
// The series must have equal steps in the window, of which it takes the samples from its start to one step
// before its end.
Spectrum spectrum(const TimeSeries& series, const Window& window, Taper taper = Taper::none);

} // namespace tamis
