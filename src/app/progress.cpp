// Progress on stderr, so that results on stdout stay clean.
#include "tamis/app/progress.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace tamis {

std::string duration(double seconds)
{
    const long s = static_cast<long>(seconds + 0.5);
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

Progress::Progress(long steps, long done, bool quiet, bool always)
    : steps_(steps), before_(done), shown_(!quiet && (always || isatty(fileno(stderr)))),
      terminal_(isatty(fileno(stderr))), start_(clock::now()), next_(start_ + std::chrono::milliseconds(200))
{
}

bool Progress::line_due()
{
    if (!shown_) return false;
    const auto now = clock::now();
    if (now < next_) return false;
    next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5000));
    return true;
}

std::optional<double> Progress::due(long done)
{
    if (!shown_ || done < next_look_) return {};
    const auto now = clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double rate = (done - before_) / std::max(elapsed, 1e-9);
    stride_ = std::max(1L, static_cast<long>(rate * 0.05));
    next_look_ = done + stride_;
    if (!line_due()) return {};
    return rate;
}

void Progress::print(const std::string& line) const
{
    if (terminal_)
        fmt::print(stderr, "\r\033[K{}", line);
    else
        fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
}

void Progress::step(long done, double t, const StepReport& report)
{
    if (const auto rate = due(done))
        print(fmt::format(
            "{:3.0f} %  t = {:.5g} s  {:.0f} steps/s  {} contacts  {} sweeps  residual {:.1e}  {} left",
            100.0 * done / steps_, t, *rate, report.contacts, report.sweeps, report.residual,
            duration((steps_ - done) / *rate)));
}

void Progress::step(long done)
{
    if (const auto rate = due(done))
        print(fmt::format("{:3.0f} %  {} left", 100.0 * done / steps_, duration((steps_ - done) / *rate)));
}

void Progress::clear()
{
    if (!shown_ || !terminal_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
}

} // namespace tamis
