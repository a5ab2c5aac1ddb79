// See inquiry.hpp. Whether a method can run a model is known by asking it: each is made as a run would make it, and
// what it says when it refuses is the reason. A way is a method with options: Moreau-Jean also with forces evaluated
// elsewhere, with other contacts and in the other descriptions of its mechanism that a model declares
// (alternatives).
#include "tamis/app/inquiry.hpp"

#include "tamis/app/script.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tamis {

namespace {

constexpr const char* no_cut = "The model names no body to be cut at.";

struct Way {
    std::string name;
    std::vector<std::pair<std::string, std::string>> options;
    std::string reason; // why not, if it is known without a try
};

// Removes the option and its value; whether they were there.
bool take(std::vector<std::string>& arguments, const std::string& option)
{
    for (auto a = arguments.begin(); a != arguments.end(); ++a) {
        const bool apart = *a == "--" + option;
        if (!apart && !a->starts_with("--" + option + "=")) continue;
        arguments.erase(a, apart && a + 1 != arguments.end() ? a + 2 : a + 1);
        return true;
    }
    return false;
}

std::vector<Way> ways(const Script& script)
{
    const nlohmann::json parameters = script.options().values();
    const auto moreau_jean = [](const std::string& name, const std::string& value) {
        return std::vector<std::pair<std::string, std::string>>{{"method", "moreau-jean"}, {name, value}};
    };
    std::vector<Way> all{{"moreau-jean", {{"method", "moreau-jean"}}, ""}};
    const std::string other = parameters["force"] == "explicit" ? "midpoint" : "explicit";
    all.push_back({"moreau-jean-" + other, moreau_jean("force", other), ""});
    for (const auto& [option, values] : script.alternatives())
        for (const std::string& value : values)
            if (parameters[option] != value)
                all.push_back({"moreau-jean-" + value, moreau_jean(option, value), ""});
    if (parameters.contains("contact-stiffness")) {
        if (parameters["contact-stiffness"] != 0.0)
            all.push_back({"moreau-jean-rigid", moreau_jean("contact-stiffness", "0"), ""});
        else if (parameters.contains("stiffness-from"))
            all.push_back({"moreau-jean-compliant", moreau_jean("stiffness-from", "material"), ""});
        else
            all.push_back({"moreau-jean-compliant",
                           {},
                           "The model names no stiffness of its contacts: give --contact-stiffness."});
    }
    for (std::size_t k = 1; k < method_names.size(); ++k)
        all.push_back({method_names[k], {{"method", method_names[k]}}, ""});
    for (const char* coupling : {"loose", "staggered", "tight", "explicit-original", "explicit-index1",
                                 "explicit-index2", "explicit-index3"}) {
        all.push_back({coupling, moreau_jean("coupling", coupling), ""});
        if (!parameters.contains("coupling")) all.back().reason = no_cut;
    }
    if (parameters.contains("coupling"))
        all.push_back({"dem-loose", {{"method", "dem"}, {"coupling", "loose"}}, ""});
    const std::string uncut = parameters.contains("coupling") ? "" : no_cut;
    all.push_back({"fmu",
                   {},
                   !uncut.empty()
                       ? uncut
                       : "It needs an FMU of the smooth side: tamis run MODEL --peer fmu --fmu FILE."});
    all.push_back({"simbody",
                   {},
                   !uncut.empty()
                       ? uncut
                       : "It needs a system of Simbody, which is written in a program of one's own: "
                         "docs/cosimulation.md."});
    return all;
}

nlohmann::json description(const Script& script)
{
    nlohmann::json j{{"model", script.model.name()},
                     {"parameters", script.options().values()},
                     {"study", static_cast<bool>(script.study())},
                     {"columns", nlohmann::json::array()},
                     {"results", nlohmann::json::object()}};
    for (const Record& r : script.records())
        for (const std::string& column : r.columns) {
            nlohmann::json entry{{"name", column}, {"unit", r.unit}};
            const auto exact = script.exact_columns().find(column);
            if (exact != script.exact_columns().end()) entry["exact"] = exact->second;
            j["columns"].push_back(entry);
        }
    for (const Result& r : script.results())
        for (const std::string& name : r.names) j["results"][name] = r.unit;
    j["compared"] = script.compared_columns();
    return j;
}

// The step that the way has, or its reason.
nlohmann::json tried(const Way& way, std::vector<std::string> arguments)
{
    nlohmann::json j{{"name", way.name}, {"options", nlohmann::json::object()}, {"reason", way.reason}};
    for (const auto& [option, value] : way.options) {
        j["options"][option] = value;
        take(arguments, option);
        for (const std::string& word : {"--" + option, value}) arguments.push_back(word);
    }
    if (!way.reason.empty()) return j;
    arguments.emplace_back("--quiet");
    try {
        const std::unique_ptr<Script> script = make_script(arguments);
        script->prepare();
        script->make_stepper();
        j["h"] = script->settings().h;
    } catch (const Error& error) {
        j["reason"] = error.what();
    }
    return j;
}

} // namespace

Inquiry take_inquiry(std::vector<std::string>& arguments)
{
    if (std::erase(arguments, "--describe") > 0) return Inquiry::description;
    return std::erase(arguments, "--methods") > 0 ? Inquiry::methods : Inquiry::none;
}

void answer(Inquiry inquiry, const std::vector<std::string>& arguments)
{
    const std::unique_ptr<Script> script = make_script(arguments);
    inquiry == Inquiry::methods ? script->prepare() : script->look();
    nlohmann::json j = description(*script);
    if (inquiry == Inquiry::methods) {
        if (script->study())
            refuse("The model '{}' is a study, which has no method to choose.", script->model.name());
        for (const char* option : {"method", "coupling"})
            if (std::vector<std::string> words = arguments; take(words, option))
                refuse("--{} is chosen by the comparison: leave it out.", option);
        j["h"] = script->settings().h;
        j["t_end"] = script->settings().t_end;
        j["record_every"] = script->settings().record_every;
        j["grains"] = script->has_grains();
        for (const Way& way : ways(*script)) j["ways"].push_back(tried(way, arguments));
    }
    fmt::print("{}\n", j.dump());
}

} // namespace tamis
