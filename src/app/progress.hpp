// The line that tells how far a run is, rewritten in place on a terminal.
#pragma once

#include "tamis/model/stepper.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace tamis {

class Progress {
  public:
    // Lines are printed on a terminal, or everywhere if `always`; never if `quiet`.
    // `done` steps were made by earlier runs.
    Progress(long steps, long done, bool quiet, bool always);
    Progress(bool quiet, bool always) : Progress(0, 0, quiet, always) {} // of work without a known end
    void step(long done, double t, const StepReport& report);
    void step(long done); // of a study
    // Of work without a known end; the line is made only if it is due.
    template <class Line>
    void line(Line&& make)
    {
        if (line_due()) print(make());
    }
    void clear(); // removes the line

  private:
    bool line_due();
    // Whether a line is due; then steps per second so far.
    std::optional<double> due(long done);
    void print(const std::string& line) const;
    using clock = std::chrono::steady_clock;
    long steps_, before_;
    bool shown_, terminal_;
    clock::time_point start_, next_;
    long stride_ = 1, next_look_ = 0; // looks at the clock every so many steps
};

std::string duration(double seconds); // 7 s, 1:23, 2:03:04

} // namespace tamis
