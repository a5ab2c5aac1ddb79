// A handler does nothing but note its signal in a variable, which the loop of the run looks at between two steps. The
// handlers from before are put back at the end.
#include "tamis/app/stop_signals.hpp"

#include <csignal>

namespace tamis {

namespace {

volatile std::sig_atomic_t stop_signal = 0;
void stop(int number)
{
    stop_signal = number;
}
constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};

} // namespace

StopSignals::StopSignals()
{
    stop_signal = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) old_[k] = std::signal(numbers[k], stop);
}

StopSignals::~StopSignals()
{
    for (std::size_t k = 0; k < numbers.size(); ++k) std::signal(numbers[k], old_[k]);
}

int StopSignals::caught() const
{
    return stop_signal;
}

} // namespace tamis
