// Each value of an option makes a model of its own, by the arguments of the program; differences of what comes out are
// extrapolated (analysis/derivative.hpp), and where the option may not be smaller, taken to one side.
#include "tamis/app/sensitivity.hpp"

#include "tamis/analysis/derivative.hpp"
#include "tamis/app/analysis_options.hpp"
#include "tamis/app/simulation.hpp"
#include "tamis/io/file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace tamis {

namespace {

constexpr double change_of_zero = 1e-3; // first change of an option that is zero

// Numbers of the model, not of its stepping.
std::map<std::string, double> options_of(const Script& script)
{
    std::map<std::string, double> out;
    const nlohmann::json all = nlohmann::json::parse(script.identity());
    for (const auto& [name, value] : all[0].items())
        if (value.is_number_float()) out[name] = value.get<double>();
    return out;
}

std::vector<std::string> with_value(std::vector<std::string> arguments, const std::string& option,
                                    double value)
{
    const std::string name = "--" + option;
    for (auto a = arguments.begin(); a != arguments.end(); ++a) {
        if (*a != name && !a->starts_with(name + "=")) continue;
        arguments.erase(a, a + (*a == name ? 2 : 1));
        break;
    }
    arguments.push_back(name);
    arguments.push_back(fmt::format("{}", value));
    return arguments;
}

// Of a run without pictures, in a folder of its own.
Outcomes outcomes_of_run(std::vector<std::string> arguments, const std::filesystem::path& folder,
                         const std::string& column)
{
    for (std::size_t a = 0; a < arguments.size(); ++a)
        if (arguments[a] == "--out" || arguments[a] == "--frames")
            arguments.erase(arguments.begin() + static_cast<long>(a),
                            arguments.begin() + static_cast<long>(a) + 2),
                --a;
    std::erase_if(arguments, [](const std::string& a) {
        return a == "--quiet" || a == "--verbose" || a.starts_with("--out=") || a.starts_with("--frames=");
    });
    for (const std::string& word : {std::string("--quiet"), std::string("--frames"), std::string("0"),
                                    std::string("--out"), folder.string()})
        arguments.push_back(word);
    const std::unique_ptr<Script> script = make_script(arguments);
    script->prepare();
    if (const int code = simulate(*script); code > 128)
        throw Interrupted{code - 128, ""};
    else if (code != 0)
        fail("The run in '{}' is not believable, and nothing is derived of it: see its summary.json, or give "
             "--believe.",
             folder.string());
    const nlohmann::json summary = nlohmann::json::parse(read_file(folder / "summary.json"));
    Outcomes out;
    const auto add = [&](const std::string& name, const nlohmann::json& value) {
        out.emplace_back(name,
                         value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN());
    };
    if (column == "results") {
        const nlohmann::json results = summary.value("results", nlohmann::json());
        for (const Result& r : script->results())
            for (const std::string& name : r.names)
                add(name, results.is_object() ? results.value(name, nlohmann::json()) : nlohmann::json());
        if (out.empty())
            fail("The model '{}' has no results to derive: name a column of histories.csv by --of.",
                 script->model.name());
        return out;
    }
    const Columns columns = Columns::read(folder / "histories.csv");
    const auto values = columns[column];
    double sum = 0, squares = 0, least = values[0], most = values[0];
    for (const double x : values) {
        sum += x;
        squares += x * x;
        least = std::min(least, x);
        most = std::max(most, x);
    }
    const auto n = static_cast<double>(values.size());
    return {{column + " last", values.back()},
            {column + " mean", sum / n},
            {column + " rms", std::sqrt(squares / n)},
            {column + " least", least},
            {column + " most", most}};
}

} // namespace

nlohmann::json sensitivities(const Script& script, const std::vector<std::string>& arguments, Study& study,
                             const std::function<Outcomes(const Script&)>& analysed)
{
    const AnalysisOptions& a = *script.analysis();
    const std::map<std::string, double> known = options_of(script);
    std::vector<std::string> by = a.by;
    if (by.empty())
        for (const auto& [name, value] : known) by.push_back(name);
    std::vector<std::string> names;
    for (const auto& [name, value] : known) names.push_back(name);
    for (const std::string& name : by)
        if (!known.contains(name))
            refuse("--by names '{}', which is no number among the options of the model: there are {}.", name,
                   fmt::join(names, ", "));
    const bool of_run = a.of != "modes" && a.of != "equilibrium";
    // What is analysed has the options of analyses, too; a run has not.
    std::vector<std::string> words = arguments;
    if (of_run) {
        const std::vector<std::string> own{"--at",         "--modes",  "--hold",    "--by",   "--of",
                                           "--difference", "--levels", "--samples", "--move", "--sweep"};
        for (const std::string& name : own)
            for (std::size_t k = 0; k < words.size(); ++k) {
                const bool apart = words[k] == name;
                if (!apart && !words[k].starts_with(name + "=")) continue;
                words.erase(words.begin() + static_cast<long>(k),
                            words.begin() + static_cast<long>(k) + (apart ? 2 : 1));
                --k;
            }
    }
    const auto outcomes = [&](const std::string& option, double value) {
        study.progress(0, 1);
        const std::vector<std::string> own = option.empty() ? words : with_value(words, option, value);
        if (of_run)
            return outcomes_of_run(own, study.folder() / "runs" / fmt::format("{}_{}", option, value), a.of);
        const std::unique_ptr<Script> other = make_script(own);
        other->analyse(a.kinds);
        other->prepare();
        return analysed(*other);
    };
    if (of_run && !study.writes()) refuse("--of {} is read from files of runs: leave out --no-output.", a.of);

    nlohmann::json all = nlohmann::json::object();
    std::string csv = "outcome,value,option,option_value,derivative,error\n";
    study.say(fmt::format("  sensitivities: derivatives, relative ones p/y dy/dp, and estimates of error"));
    for (const std::string& option : by) {
        const double x = known.at(option);
        const double step = x != 0 ? a.difference * std::abs(x) : change_of_zero;
        const Outcomes here = outcomes(option, x);
        const auto values = [&](double at) {
            const Outcomes there = outcomes(option, at);
            std::vector<double> out;
            for (const auto& [name, value] : there) out.push_back(value);
            if (out.size() != here.size())
                fail("With --{} {} there are {} outcomes instead of {}: derive by a smaller --difference.",
                     option, at, out.size(), here.size());
            return out;
        };
        std::vector<Derivative> found;
        try {
            found = derivatives(values, x, step, a.levels);
        } catch (const UsageError&) { // out of its range on one side
            found = derivatives(values, x, step, a.levels, Differences::forward);
        }
        for (std::size_t k = 0; k < here.size(); ++k) {
            const auto& [name, value] = here[k];
            const Derivative& d = found[k];
            study.say(fmt::format("    {:<24} by {:<20} {:>13.6g} {:>11} +- {:.1e}", name, option, d.value,
                                  value != 0 && x != 0 ? fmt::format("({:.4f})", d.value * x / value) : "",
                                  d.error));
            all[name][option] = {{"value", value}, {"at", x}, {"derivative", d.value}, {"error", d.error}};
            csv += fmt::format("{},{},{},{},{},{}\n", csv_cell(name), value, csv_cell(option), x, d.value,
                               d.error);
        }
    }
    study.write("sensitivity.csv", csv);
    return all;
}

} // namespace tamis
