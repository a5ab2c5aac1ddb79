// `--analysis KINDS`, which every program of models understands: instead of a run, analyses of the mechanism.
#pragma once

#include "tamis/app/options.hpp"

#include <string>
#include <vector>

namespace tamis {

struct AnalysisOptions {
    std::vector<std::string> kinds;                   // of analysis_kinds, in their order
    bool at_start = false;                            // modes: about the start instead of an equilibrium
    std::vector<std::string> hold;                    // coordinates
    std::vector<std::pair<std::string, double>> move; // coordinates with their speeds
    std::string sweep;                                // a coordinate
    double from, to;                                  // its limits
    int modes, samples, levels;
    std::vector<std::string> by; // options of the model
    std::string of;
    double difference;

    bool has(const std::string& kind) const;
};
inline constexpr const char* analysis_kinds[] = {"equilibrium", "modes", "inverse", "range", "sensitivity"};

// Takes `--analysis KINDS`, names by commas, out of the arguments; none if it is not among them.
std::vector<std::string> take_analysis(std::vector<std::string>& arguments);

// Those that belong to the kinds.
void read_analysis(Options& options, AnalysisOptions& analysis);

} // namespace tamis
