// Ctrl-C, `timeout` and batch systems end a run between two steps, with all files in order.
#pragma once

#include <array>
#include <string>

namespace tamis {

// Thrown where a signal ends what is not a run.
struct Interrupted {
    int signal;
    std::string where; // follows "interrupted"
};

class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    int caught() const; // number of the signal that came since construction; 0: none

  private:
    std::array<void (*)(int), 3> old_;
};

} // namespace tamis
