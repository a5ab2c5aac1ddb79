// How the outcome of an analysis, or of a run, changes with the options of a model.
#pragma once

#include "tamis/app/script.hpp"
#include "tamis/app/study.hpp"

#include <functional>
#include <map>

namespace tamis {

// Outcomes by name, in an order that does not depend on the options.
using Outcomes = std::vector<std::pair<std::string, double>>;

// Derivatives by each option that --by names, printed and written to sensitivity.csv. `analysed`: the outcomes of a
// script's analysis, for --of modes and equilibrium.
nlohmann::json sensitivities(const Script& script, const std::vector<std::string>& arguments, Study& study,
                             const std::function<Outcomes(const Script&)>& analysed);

} // namespace tamis
