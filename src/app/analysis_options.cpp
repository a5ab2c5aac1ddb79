// Options of analyses. Only those of the analyses asked for are declared, so that they do not stand in the way of a
// model's own.
#include "tamis/app/analysis_options.hpp"

#include "tamis/app/usage_error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>

namespace tamis {

namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        if (end > start) parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

double number(const std::string& text, const std::string& option, const std::string& wants)
{
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x))
        refuse("--{} needs {}, but '{}' is no number.", option, wants, text);
    return x;
}

// NAME=FROM:TO; either limit may be left out.
void read_sweep(const std::string& text, AnalysisOptions& a)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    a.from = -infinite;
    a.to = infinite;
    const std::size_t equals = text.find('=');
    a.sweep = text.substr(0, equals);
    if (equals == std::string::npos) return;
    const std::string limits = text.substr(equals + 1), wants = "a coordinate, or NAME=FROM:TO";
    const std::size_t colon = limits.find(':');
    if (colon == std::string::npos) refuse("--sweep is '{}', but needs {}.", text, wants);
    if (colon > 0) a.from = number(limits.substr(0, colon), "sweep", wants);
    if (colon + 1 < limits.size()) a.to = number(limits.substr(colon + 1), "sweep", wants);
    if (!(a.from < a.to)) refuse("--sweep is '{}': give a lower limit first, then a higher one.", text);
}

} // namespace

bool AnalysisOptions::has(const std::string& kind) const
{
    return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<std::string> take_analysis(std::vector<std::string>& arguments)
{
    const std::string name = "--analysis";
    const auto found = std::ranges::find_if(
        arguments, [&](const std::string& a) { return a == name || a.starts_with(name + "="); });
    if (found == arguments.end()) return {};
    const bool apart = *found == name;
    std::string text;
    if (!apart)
        text = found->substr(name.size() + 1);
    else if (found + 1 != arguments.end())
        text = found[1];
    const std::vector<std::string> asked = split(text, ',');
    for (const std::string& kind : asked)
        if (std::ranges::find(analysis_kinds, kind) == std::end(analysis_kinds))
            refuse("There is no analysis '{}': there are {}.", kind, fmt::join(analysis_kinds, ", "));
    if (asked.empty()) refuse("--analysis needs one or more of {}.", fmt::join(analysis_kinds, ", "));
    arguments.erase(found, found + (apart ? 2 : 1));
    std::vector<std::string> kinds;
    for (const char* kind : analysis_kinds)
        if (std::ranges::find(asked, kind) != asked.end()) kinds.emplace_back(kind);
    return kinds;
}

void read_analysis(Options& options, AnalysisOptions& a)
{
    options.group("Analysis");
    a.hold = split(options.text("hold", "", "coordinates that stay where they start, by commas"), ',');
    if (a.has("modes") || a.has("sensitivity")) {
        a.at_start = options.choice("at", "equilibrium", {"equilibrium", "start"},
                                    "where small motions are looked at; at rest") == "start";
        a.modes =
            options.integer("modes", 3, "that are animated for ParaView, from the lowest", not_negative);
    }
    if (a.has("inverse")) {
        const std::string wants = "coordinates with their speeds, as crank=150,slider=0";
        for (const std::string& part :
             split(options.text("move", "", "coordinates moved at a steady speed, as crank=150"), ',')) {
            const std::size_t equals = part.find('=');
            if (equals == std::string::npos || equals == 0)
                refuse("--move is '{}', but needs {}.", part, wants);
            a.move.emplace_back(part.substr(0, equals), number(part.substr(equals + 1), "move", wants));
        }
        a.samples = options.integer("samples", 1000, "lines of histories.csv up to --t-end", {2});
    }
    if (a.has("range")) {
        read_sweep(options.text("sweep", "", "the coordinate to move, or NAME=FROM:TO"), a);
        if (a.sweep.empty() && !options.help_asked())
            refuse("The range of which coordinate? --sweep names it.");
    }
    if (!a.has("sensitivity")) return;
    a.by =
        split(options.text("by", "", "options of the model to derive by, by commas; all its numbers"), ',');
    a.of = options.text("of", "modes",
                        "what to derive: modes, equilibrium, results of runs, or a column of histories.csv");
    a.difference =
        options.number("difference", 1e-2, "first change of an option, relative to its value", "", positive);
    a.levels = options.integer("levels", 4, "halvings of it that are extrapolated", {2, 10});
}

} // namespace tamis
