// Lengths without prime factors beyond 5 are transformed by Eigen's FFT (kissfft). Others, on which that would
// take n^2 operations, by Bluestein's way: with j k = (j^2 + k^2 - (k - j)^2) / 2 the transform is a convolution
// with a chirp w_j = exp(pi i j^2 / n), and that a product of transforms of a length that is a power of two,
//
//     X_k = conj(w_k) sum (x_j conj(w_j)) w_(k-j).
#include "tamis/analysis/spectrum.hpp"

#include "tamis/base/error.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace tamis {

using Complex = std::complex<double>;

static bool smooth(std::size_t n)
{
    for (const std::size_t factor : {2, 3, 5})
        while (n % factor == 0) n /= factor;
    return n == 1;
}

std::vector<Complex> fourier(std::span<const double> x)
{
    const std::size_t n = x.size();
    std::vector<Complex> result, in(x.begin(), x.end());
    if (n < 2) return in;
    Eigen::FFT<double> fft;
    if (smooth(n)) {
        fft.fwd(result, in);
        return result;
    }
    const std::size_t m = std::bit_ceil(2 * n - 1);
    std::vector<Complex> chirp(n), a(m), b(m), fa, fb, c;
    for (std::size_t j = 0; j < n;
         ++j) { // j^2 modulo the period 2 n of the chirp, so that no digits are lost
        const double turn = static_cast<double>(static_cast<unsigned __int128>(j) * j % (2 * n));
        chirp[j] = std::polar(1.0, std::numbers::pi * turn / static_cast<double>(n));
        a[j] = x[j] * std::conj(chirp[j]);
        b[j] = chirp[j];
        if (j > 0) b[m - j] = chirp[j];
    }
    fft.fwd(fa, a);
    fft.fwd(fb, b);
    for (std::size_t k = 0; k < m; ++k) fa[k] *= fb[k];
    fft.inv(c, fa);
    result.resize(n);
    for (std::size_t k = 0; k < n; ++k) result[k] = c[k] * std::conj(chirp[k]);
    return result;
}

Spectrum spectrum(const TimeSeries& series, const Window& window, Taper taper)
{
    mean(series, window); // checks both
    std::size_t first = 0, last = series.t.size() - 1;
    const double step = series.t[1] - series.t[0];
    while (first < last && series.t[first] < window.from - 0.5 * step) ++first;
    while (last > first && series.t[last] > window.to - 0.5 * step) --last;
    const std::size_t n = last - first + 1;
    if (n < 2) fail("A window with {} samples has no spectrum: give a longer one.", n);
    for (std::size_t k = first + 1; k <= last; ++k)
        if (std::abs(series.t[k] - series.t[k - 1] - step) > 1e-4 * step)
            fail("A spectrum needs equal steps, but the one to t = {:g} s is {} s and not {} s.", series.t[k],
                 series.t[k] - series.t[k - 1], step);
    std::vector<double> x(series.x.begin() + static_cast<long>(first),
                          series.x.begin() + static_cast<long>(last) + 1);
    double scale = 2.0 / static_cast<double>(n);
    if (taper == Taper::hann) {
        double offset = 0; // would leak, too
        for (const double v : x) offset += v / static_cast<double>(n);
        for (std::size_t k = 0; k < n; ++k)
            x[k] = (x[k] - offset) *
                   (1 - std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
    }
    const std::vector<Complex> lines = fourier(x);
    Spectrum s;
    for (std::size_t k = 0; k <= n / 2; ++k) {
        const bool single = k == 0 || 2 * k == n; // has no mirror image
        s.frequency.push_back(static_cast<double>(k) / (static_cast<double>(n) * step));
        s.amplitude.push_back((single ? 0.5 : 1.0) * scale * std::abs(lines[k]));
        s.phase.push_back(std::arg(lines[k] * Complex(0, 1)));
    }
    return s;
}

double Spectrum::largest(double from, double to) const
{
    double found = std::nan(""), most = -1;
    for (std::size_t k = 0; k < frequency.size(); ++k)
        if (frequency[k] >= from && frequency[k] <= to && amplitude[k] > most) {
            most = amplitude[k];
            found = frequency[k];
        }
    return found;
}

} // namespace tamis
