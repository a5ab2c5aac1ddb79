// `--vary OPTION=VALUES`, which every program of models understands: instead of one run, one for each value, in folders
// of their own, and a table of what came out.
//
//     --vary frequency=8:15:15 --vary particles=200,250
#pragma once

#include <string>
#include <vector>

namespace tamis {

struct Variation {
    std::string option;
    std::vector<std::string> values;
};

// Takes all `--vary` out of the arguments: values by commas, n from one to another as from:to:n, or whole
// numbers as from..to.
std::vector<Variation> take_variations(std::vector<std::string>& arguments);

// Runs of a model with all combinations of values, the last option varying fastest, in <out>/<option>_<value>...; each
// line of <out>/variation.csv has the values of a run and its results (Script::result). With --resume, runs that have
// finished with the same options are not made again, and one that was stopped goes on. Returns the exit code: that of
// a signal, of a run that failed (the others are made all the same), 3 if one is not believable, else 0.
int run_variations(const std::vector<Variation>& variations, const std::vector<std::string>& arguments);

} // namespace tamis
