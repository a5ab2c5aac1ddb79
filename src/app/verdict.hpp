// Whether the result of a run can be believed: numbers of the run in, findings in words out. What the numbers are and
// where the limits come from: docs/models.md, "Can it be believed?".
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tamis {

enum class Severity { good, doubtful, absurd };

// A number is doubtful beyond the first value, absurd beyond the second.
struct Limit {
    double doubtful, absurd;
};

struct Limits {
    Limit unconverged{1e-3, 0.5}; // part of the steps
    Limit penetration{0.05, 0.5}; // over the size of the smaller body
    Limit energy{0.05, 0.5};      // gained beyond work done, over the energy that moves
    Limit momentum{1e-6, 1e-2};   // error over contact impulses
    Limit turning{0.3, 3.14};     // rad in a step
    Limit travel{1, 10};          // in a step, over the smallest shape that touches
    Limit spring;                 // omega h of explicit springs

    Limits();
    // From "energy=0.1:0.9,travel=2": doubtful, and if given absurd. Throws UsageError.
    explicit Limits(const std::string& text);
    std::array<std::pair<const char*, Limit*>, 7> all();
};

// What a run showed. Names are for the sentences.
struct RunQuality {
    double h = 0;
    bool finite = true;
    long steps = 0, unconverged = 0;
    std::string unconverged_note; // where it was worst, and what helps
    double penetration = 0, penetration_m = 0, penetration_t = 0;
    std::array<std::string, 2> deepest;
    std::optional<double> gain; // J; not known if a law of the model failed
    double gain_t = 0, energy_scale = 0;
    std::optional<double> momentum; // known with grains
    double turning = 0, travel = 0, spring = 0;
    std::string turning_body, travel_body, smallest_shape, spring_name;
    bool touching = false; // some shapes may touch
    bool implicit = true;  // the method has implicit forces
};

struct Finding {
    std::string name; // of its limit
    Severity severity;
    double value;
    Limit limit;
    std::string sentence; // with culprit and remedy, unless good
};

struct Verdict {
    std::vector<Finding> findings;
    Severity worst() const;
    std::string line() const; // one line, for the terminal
    nlohmann::json json() const;
};

Verdict judge(const RunQuality& run, Limits limits);

} // namespace tamis
