// Cost of one step of the slider-crank in every formulation, output off, one core: ./tamis bench slider_crank
//
// Every formulation runs the two revolutions of the benchmark several times, in turn; the table gives the
// median and the range of the repetitions in microseconds per step.
#include "tamis/app/script.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace {

double microseconds_per_step(const std::vector<std::string>& arguments, long& steps)
{
    const auto script = tamis::make_script("slider_crank", arguments);
    script->prepare();
    const auto stepper = script->make_stepper();
    steps = std::lround(script->settings().t_end / script->settings().h);
    const auto start = std::chrono::steady_clock::now();
    for (long n = 0; n < steps; ++n) stepper->step();
    return 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps;
}

} // namespace

int main(int argc, char** argv)
{
    const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
    struct Case {
        std::string formulation, force, h;
        std::vector<double> cost;
        long steps;
    };
    std::vector<Case> cases;
    for (const char* formulation : {"chain", "cut-xy", "cut-y", "auto"})
        for (const char* force : {"explicit", "midpoint"})
            cases.push_back({formulation, force, "1e-5", {}, 0});
    cases.push_back({"absolute", "explicit", "1e-5", {}, 0});
    cases.push_back({"absolute", "explicit", "2e-6", {}, 0});
    cases.push_back({"generalized-alpha", "explicit", "1e-5", {}, 0});
    for (int k = 0; k < repetitions; ++k)
        for (Case& c : cases)
            c.cost.push_back(microseconds_per_step(
                {"--formulation", c.formulation, "--force", c.force, "--h", c.h}, c.steps));
    fmt::print("{:18} {:9} {:>6} {:>8} {:>12} {:>17} {:>16}\n", "formulation", "force", "h [s]", "steps",
               "us per step", "range", "whole run [ms]");
    for (Case& c : cases) {
        std::sort(c.cost.begin(), c.cost.end());
        const double median = c.cost[c.cost.size() / 2];
        fmt::print("{:18} {:9} {:>6} {:>8} {:12.3f} {:>17} {:16.1f}\n", c.formulation, c.force, c.h, c.steps,
                   median, fmt::format("{:.3f}..{:.3f}", c.cost.front(), c.cost.back()),
                   median * c.steps / 1000);
    }
}
