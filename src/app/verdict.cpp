// The rules of a verdict; see verdict.hpp. Each compares one number with its limits, and a number that is not one is
// absurd.
#include "tamis/app/verdict.hpp"

#include "tamis/app/usage_error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tamis {

namespace {

constexpr std::array<const char*, 3> severity_names = {"good", "doubtful", "absurd"};
constexpr std::array<const char*, 3> believable_names = {"yes", "doubtful", "no"};

Severity severity(double value, const Limit& limit)
{
    if (!(value <= limit.absurd)) return Severity::absurd;
    return value <= limit.doubtful ? Severity::good : Severity::doubtful;
}

// A step that brings a number which grows with it down to its limit, rounded down to one digit.
double shorter(double h, double value, double limit)
{
    const double x = h * limit / value;
    if (!(x > 0) || !std::isfinite(x)) return 0;
    const double digit = std::pow(10, std::floor(std::log10(x)));
    return std::max(1.0, std::floor(x / digit * (1 + 1e-9))) * digit;
}

std::string percent(double part)
{
    return fmt::format("{:.3g} %", 100 * part);
}

bool read(std::string_view text, double& x)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    return error == std::errc() && end == text.data() + text.size() && x > 0;
}

} // namespace

Limits::Limits() : spring{2, std::numeric_limits<double>::infinity()} {}

std::array<std::pair<const char*, Limit*>, 7> Limits::all()
{
    return {{{"unconverged", &unconverged},
             {"penetration", &penetration},
             {"energy", &energy},
             {"momentum", &momentum},
             {"turning", &turning},
             {"travel", &travel},
             {"spring", &spring}}};
}

Limits::Limits(const std::string& text) : Limits()
{
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
        const std::string_view name = item.substr(0, item.find('='));
        std::string_view value = item.substr(std::min(name.size() + 1, item.size()));
        const auto known = all();
        const auto found =
            std::ranges::find_if(known, [&](const auto& limit) { return name == limit.first; });
        if (found == known.end()) {
            std::string names;
            for (const auto& limit : known) names += (names.empty() ? "" : ", ") + std::string(limit.first);
            refuse("--limits has none called '{}'; there are {}.", name, names);
        }
        Limit& limit = *found->second;
        const std::string_view doubtful = value.substr(0, value.find(':'));
        value.remove_prefix(std::min(doubtful.size() + 1, value.size()));
        if (!read(doubtful, limit.doubtful) || (!value.empty() && !read(value, limit.absurd)))
            refuse("--limits has '{}': give {}=DOUBTFUL or {}=DOUBTFUL:ABSURD with positive numbers.", item,
                   name, name);
        if (value.empty()) limit.absurd = std::max(limit.absurd, limit.doubtful);
        if (limit.absurd < limit.doubtful)
            refuse("--limits has '{}': what is absurd cannot be less than what is doubtful.", item);
    }
}

Severity Verdict::worst() const
{
    Severity worst = Severity::good;
    for (const Finding& f : findings) worst = std::max(worst, f.severity);
    return worst;
}

std::string Verdict::line() const
{
    std::string out = worst() == Severity::good       ? "believable"
                      : worst() == Severity::doubtful ? "doubtful"
                                                      : "not believable";
    for (std::size_t k = 0; k < findings.size(); ++k) {
        const Finding& f = findings[k];
        out += fmt::format("{} {} {:.2g}", k == 0 ? ":" : ",", f.name, f.value);
        if (f.severity != Severity::good)
            out += fmt::format(" ({})", severity_names[static_cast<int>(f.severity)]);
    }
    return out;
}

nlohmann::json Verdict::json() const
{
    nlohmann::json all = nlohmann::json::array();
    for (const Finding& f : findings)
        all.push_back({{"name", f.name},
                       {"severity", severity_names[static_cast<int>(f.severity)]},
                       {"value", f.value},
                       {"doubtful_beyond", f.limit.doubtful},
                       {"absurd_beyond", f.limit.absurd},
                       {"sentence", f.sentence}});
    return {{"believable", believable_names[static_cast<int>(worst())]}, {"findings", all}};
}

Verdict judge(const RunQuality& run, Limits limits)
{
    Verdict verdict;
    // `good` and `bad` are sentences, of which one is taken.
    const auto add = [&](const char* name, double value, const Limit& limit, const std::string& good,
                         const std::string& bad) {
        const Severity s = severity(value, limit);
        verdict.findings.push_back({name, s, value, limit, s == Severity::good ? good : bad});
    };
    const auto reduce = [&](double value, const Limit& limit) {
        const double h = shorter(run.h, value, limit.doubtful);
        return h > 0 ? fmt::format("reduce --h to {:g}", h) : std::string("reduce --h");
    };
    const char* by_method = run.implicit ? "" : " and take --method moreau-jean";

    if (!run.finite)
        verdict.findings.push_back({"finite",
                                    Severity::absurd,
                                    std::numeric_limits<double>::quiet_NaN(),
                                    {0, 0},
                                    "Positions or energies are not finite any more: reduce --h."});
    if (run.steps > 0) {
        const double part = static_cast<double>(run.unconverged) / static_cast<double>(run.steps);
        add("unconverged", part, limits.unconverged,
            run.unconverged == 0 ? "All steps converged."
                                 : fmt::format("{} of the steps converged.", percent(1 - part)),
            run.unconverged_note);
    }
    if (run.touching)
        add("penetration", run.penetration, limits.penetration,
            fmt::format("Bodies overlap by {} of the smaller one at most.", percent(run.penetration)),
            fmt::format(
                "'{}' and '{}' overlap by {:.2g} m at t = {:g} s, {} of the smaller one's size: {}{}.",
                run.deepest[0], run.deepest[1], run.penetration_m, run.penetration_t,
                percent(run.penetration), reduce(run.penetration, limits.penetration),
                run.unconverged > 0 ? ", or raise --max-sweeps, since steps stopped at that limit" : ""));
    if (run.gain) {
        const double part = *run.gain > 0 ? *run.gain / run.energy_scale : 0;
        add("energy", part, limits.energy,
            fmt::format("The energy gained beyond work done is {} of the energy that moves.", percent(part)),
            fmt::format("The energy grew by {:.3g} J beyond the work done until t = {:g} s, {} of the energy "
                        "that moves: "
                        "the step of {:g} s is too long for this motion; reduce --h, or make stiff forces "
                        "implicit{}.",
                        *run.gain, run.gain_t, percent(part), run.h, by_method));
    }
    if (run.momentum)
        add("momentum", *run.momentum, limits.momentum,
            fmt::format("The momentum balance is kept to {:.1e}.", *run.momentum),
            fmt::format("The momentum balance of a step is off by {:.1e} of its contact impulses: lower "
                        "--tolerance, or take a --solver in double precision.",
                        *run.momentum));
    add("turning", run.turning, limits.turning,
        fmt::format("Bodies turn by {:.2g} rad in a step at most.", run.turning),
        fmt::format("'{}' turns by {:.2g} rad in a step of {:g} s: {}.", run.turning_body, run.turning, run.h,
                    reduce(run.turning, limits.turning)));
    const bool alone = run.travel_body == run.smallest_shape;
    if (run.touching)
        add("travel", run.travel, limits.travel,
            fmt::format("Bodies move by {} of the smallest shape in a step at most.", percent(run.travel)),
            fmt::format("'{}' moves by {:.2g} times {} in a step of {:g} s, and may pass through {}: {}.",
                        run.travel_body, run.travel,
                        alone ? "its size" : fmt::format("the size of '{}'", run.smallest_shape), run.h,
                        alone ? "others" : "it", reduce(run.travel, limits.travel)));
    if (!run.spring_name.empty())
        add("spring", run.spring, limits.spring,
            fmt::format("The stiffest explicit spring has omega h = {:.2g}.", run.spring),
            fmt::format(
                "The spring {} has omega h = {:.2g}, and an explicit one is unstable beyond 2: make it "
                "implicit (.treatment = ForceTreatment::implicit){}, or {}.",
                run.spring_name, run.spring, by_method, reduce(run.spring, limits.spring)));
    return verdict;
}

} // namespace tamis
