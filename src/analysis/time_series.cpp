// Integrals by the trapezoidal rule,
//
//     int f dt = sum (f_k + f_k+1) / 2 (t_k+1 - t_k),
//
// with values at the ends of the window interpolated. For a smooth periodic f and a window of whole periods that
// consists of whole steps, its error falls faster than any power of the step; otherwise it is of second order.
#include "tamis/analysis/time_series.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace tamis {

namespace {

// A window may end beyond the series by what rounding makes of t = n h.
double slack(std::span<const double> t)
{
    return 1e-9 * (t.back() - t.front());
}

void check(const TimeSeries& s)
{
    if (s.t.size() != s.x.size())
        fail("A series of {} values at {} times cannot be analysed: give one value for each time.",
             s.x.size(), s.t.size());
    if (s.t.size() < 2) fail("A series of {} values is too short to be analysed: record more.", s.t.size());
    for (std::size_t k = 1; k < s.t.size(); ++k)
        if (!(s.t[k] > s.t[k - 1]))
            fail("Time {} of the series, {} s, does not follow {} s: times must rise.", k + 1, s.t[k],
                 s.t[k - 1]);
}

void check(const TimeSeries& s, const Window& w)
{
    check(s);
    if (!(w.to > w.from))
        fail("A window from {} s to {} s holds no time: give a positive length.", w.from, w.to);
    if (w.from < s.t.front() - slack(s.t) || w.to > s.t.back() + slack(s.t))
        fail("The time from {:g} s to {:g} s is not within the {:g} s to {:g} s that were recorded: let the "
             "run go on for longer, or ask for less.",
             w.from, w.to, s.t.front(), s.t.back());
}

double interpolate(const TimeSeries& s, std::size_t k, double t) // in the interval behind k
{
    const double part = (t - s.t[k]) / (s.t[k + 1] - s.t[k]);
    return s.x[k] + part * (s.x[k + 1] - s.x[k]);
}

std::size_t interval(const TimeSeries& s, double t)
{
    const auto next = std::upper_bound(s.t.begin() + 1, s.t.end() - 1, t);
    return static_cast<std::size_t>(next - s.t.begin()) - 1;
}

// visit(t, x) at both ends of the window and at all times in between.
template <class Visit>
void walk(const TimeSeries& s, const Window& w, Visit&& visit)
{
    check(s, w);
    const double from = std::max(w.from, s.t.front()), to = std::min(w.to, s.t.back());
    std::size_t k = interval(s, from);
    visit(from, interpolate(s, k, from));
    while (++k < s.t.size() && s.t[k] < to)
        if (s.t[k] > from) visit(s.t[k], s.x[k]);
    visit(to, interpolate(s, k - 1, to));
}

template <class F>
double integrate(const TimeSeries& s, const Window& w, F&& f)
{
    double sum = 0, t_before = 0, f_before = 0;
    bool first = true;
    walk(s, w, [&](double t, double x) {
        const double now = f(t, x);
        if (!first) sum += (now + f_before) / 2 * (t - t_before);
        first = false;
        t_before = t;
        f_before = now;
    });
    return sum;
}

} // namespace

Window last_periods(std::span<const double> t, double period, int n)
{
    if (t.empty()) fail("An empty series has no last {} periods: record something.", n);
    if (!(period > 0) || n < 1) fail("{} periods of {} s are no window: give positive numbers.", n, period);
    return {t.back() - n * period, t.back()};
}

double integral(const TimeSeries& series, const Window& window)
{
    return integrate(series, window, [](double, double x) { return x; });
}

double mean(const TimeSeries& series, const Window& window)
{
    return integral(series, window) / window.length();
}

double rms(const TimeSeries& series, const Window& window)
{
    return std::sqrt(integrate(series, window, [](double, double x) { return x * x; }) / window.length());
}

double peak(const TimeSeries& series, const Window& window)
{
    double most = 0;
    walk(series, window, [&](double, double x) { most = std::max(most, std::abs(x)); });
    return most;
}

double at(const TimeSeries& series, double t)
{
    check(series);
    if (t < series.t.front() - slack(series.t) || t > series.t.back() + slack(series.t))
        fail("The time {:g} s is not within the {:g} s to {:g} s that were recorded: ask for another.", t,
             series.t.front(), series.t.back());
    return interpolate(series, interval(series, t), t);
}

Harmonic harmonic(const TimeSeries& series, double frequency, const Window& window)
{
    const double omega = 2 * std::numbers::pi * frequency;
    if (!(frequency * window.length() > 0.499))
        fail("A window of {} s is too short for a harmonic of {} Hz: give at least half a period.",
             window.length(), frequency);
    // Projection on 1, sin, cos: they are orthogonal only in windows of whole periods.
    Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero(), before = right;
    double t_before = 0, x_before = 0;
    bool first = true;
    walk(series, window, [&](double t, double x) {
        const Eigen::Vector3d now(1, std::sin(omega * t), std::cos(omega * t));
        if (!first) {
            const double half = (t - t_before) / 2;
            products += half * (now * now.transpose() + before * before.transpose());
            right += half * (now * x + before * x_before);
        }
        first = false;
        t_before = t;
        x_before = x;
        before = now;
    });
    const Eigen::Vector3d part = products.ldlt().solve(right);
    return {part[0], std::hypot(part[1], part[2]), std::atan2(part[2], part[1])};
}

std::vector<double> rms_by_period(const TimeSeries& series, double period)
{
    check(series);
    std::vector<double> all;
    const double end = series.t.back();
    const int n = static_cast<int>((end - series.t.front() + slack(series.t)) / period);
    for (int k = n; k >= 1; --k) all.push_back(rms(series, {end - k * period, end - (k - 1) * period}));
    return all;
}

std::vector<double> growth_by_period(const TimeSeries& count, double period, int n)
{
    const Window all = last_periods(count.t, period, n);
    check(count, all);
    std::vector<double> growth;
    for (int k = n; k >= 1; --k)
        growth.push_back(at(count, all.to - (k - 1) * period) - at(count, all.to - k * period));
    return growth;
}

std::vector<double> work_by_period(std::span<const double> t, std::span<const double> force,
                                   std::span<const double> velocity, double period, int n)
{
    check({t, force});
    check({t, velocity});
    std::vector<double> power(t.size());
    for (std::size_t k = 0; k < t.size(); ++k) power[k] = force[k] * velocity[k];
    const Window all = last_periods(t, period, n);
    std::vector<double> work;
    for (int k = n; k >= 1; --k)
        work.push_back(integral({t, power}, {all.to - k * period, all.to - (k - 1) * period}));
    return work;
}

Spread spread(std::span<const double> values)
{
    if (values.empty()) fail("No values have no mean: give at least one.");
    const double n = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (const double x : values) sum += x;
    const double mean = sum / n;
    for (const double x : values) squares += (x - mean) * (x - mean);
    if (values.size() == 1 || squares == 0) return {mean, 0};
    return {mean, std::sqrt(squares / (n - 1)) / std::abs(mean)};
}

} // namespace tamis
