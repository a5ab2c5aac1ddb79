// FMI 2.0.4, Sects. 2.2 and 4.3; FMI 3.0.1, Sects. 2.4 and 4.4. Elements are in the order of the schemas. Outputs
// change by steps only, so that none depends directly on an input; at the start they follow from whatever is set.
#include "tamis/fmi/export_description.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <set>

namespace tamis {

namespace {

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\n' || c == '\t' || c == '\r')
            out += fmt::format("&#{};", code);
        else if (code >= 0x20) // XML has no other control characters
            out += c;
    }
    return out;
}

std::string attribute(const char* name, const std::string& value)
{
    return fmt::format(" {}=\"{}\"", name, escaped(value));
}
std::string attribute(const char* name, double value)
{
    return attribute(name, fmt::format("{}", value));
}

bool is_text(const ExportVariable& v)
{
    return std::holds_alternative<std::string>(v.start);
}
bool is_real(const ExportVariable& v)
{
    return std::holds_alternative<double>(v.start);
}

const char* causality(const ExportVariable& v)
{
    switch (v.causality) {
    case ExportCausality::parameter:
        return "parameter";
    case ExportCausality::input:
        return "input";
    default:
        return "output";
    }
}

const char* variability(const ExportVariable& v)
{
    return v.causality == ExportCausality::parameter ? "fixed" : is_real(v) ? "continuous" : "discrete";
}

std::string start_text(const ExportValue& value)
{
    if (const auto* x = std::get_if<double>(&value)) return fmt::format("{}", *x);
    if (const auto* n = std::get_if<int>(&value)) return fmt::format("{}", *n);
    if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    return std::get<std::string>(value);
}

// Attributes of the type of a variable: unit, range, and unless it is a text or an output, its start.
std::string type_attributes(const ExportVariable& v)
{
    std::string out;
    if (is_real(v) && !v.unit.empty()) out += attribute("unit", v.unit);
    const bool number = is_real(v) || std::holds_alternative<int>(v.start);
    const auto bound = [&](double x) { // of the type
        if (is_real(v)) return x;
        return std::clamp(x, static_cast<double>(std::numeric_limits<int>::min()),
                          static_cast<double>(std::numeric_limits<int>::max()));
    };
    if (number && std::isfinite(v.least)) out += attribute("min", bound(v.least));
    if (number && std::isfinite(v.most)) out += attribute("max", bound(v.most));
    if (v.causality != ExportCausality::output && !is_text(v)) out += attribute("start", start_text(v.start));
    return out;
}

std::string common_attributes(const ExportVariable& v, std::size_t reference)
{
    std::string out = attribute("name", v.name) + attribute("valueReference", std::to_string(reference));
    if (!v.description.empty()) out += attribute("description", v.description);
    out += attribute("causality", causality(v)) + attribute("variability", variability(v));
    if (v.causality == ExportCausality::parameter) out += attribute("initial", "exact");
    if (v.causality == ExportCausality::output) out += attribute("initial", "calculated");
    return out;
}

std::string units(const ExportContent& content)
{
    std::set<std::string> names{"s"}; // of time
    for (const ExportVariable& v : content.variables)
        if (is_real(v) && !v.unit.empty()) names.insert(v.unit);
    std::string out;
    for (const std::string& name : names) {
        out += "    <Unit" + attribute("name", name);
        const auto base = base_units(name);
        if (!base) {
            out += "/>\n";
            continue;
        }
        out += ">\n      <BaseUnit";
        for (std::size_t k = 0; k < base->exponents.size(); ++k)
            if (base->exponents[k] != 0)
                out += attribute(base_unit_names[k], std::to_string(base->exponents[k]));
        if (base->factor != 1) out += attribute("factor", base->factor);
        out += "/>\n    </Unit>\n";
    }
    return "  <UnitDefinitions>\n" + out + "  </UnitDefinitions>\n";
}

constexpr const char* log_categories = "  <LogCategories>\n"
                                       "    <Category name=\"logStatusWarning\" description=\"Warnings\"/>\n"
                                       "    <Category name=\"logStatusError\" description=\"Errors\"/>\n"
                                       "  </LogCategories>\n";

std::string experiment(const ExportContent& content)
{
    return "  <DefaultExperiment" + attribute("startTime", 0.0) + attribute("stopTime", content.stop) +
           attribute("stepSize", content.step) + "/>\n";
}

// The first lines, but for what the versions call differently.
std::string head(const ExportContent& content, const char* fmi, const char* token)
{
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription" +
           attribute("fmiVersion", std::string(fmi)) + attribute("modelName", content.model) +
           attribute(token, content.token) + attribute("description", content.description) +
           attribute("generationTool", content.tool) +
           attribute("variableNamingConvention", std::string("structured")) + ">\n";
}

std::string description_2(const ExportContent& content)
{
    std::string out = head(content, "2.0", "guid");
    out += "  <CoSimulation" + attribute("modelIdentifier", content.model) +
           " canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"false\""
           " maxOutputDerivativeOrder=\"0\" canRunAsynchronuously=\"false\""
           " canBeInstantiatedOnlyOncePerProcess=\"false\" canNotUseMemoryManagementFunctions=\"true\""
           " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
           " providesDirectionalDerivative=\"false\"/>\n";
    out += units(content) + log_categories + experiment(content) + "  <ModelVariables>\n";
    for (std::size_t k = 0; k < content.variables.size(); ++k) {
        const ExportVariable& v = content.variables[k];
        const char* type = is_real(v)                              ? "Real"
                           : std::holds_alternative<int>(v.start)  ? "Integer"
                           : std::holds_alternative<bool>(v.start) ? "Boolean"
                                                                   : "String";
        out += "    <ScalarVariable" + common_attributes(v, k) + ">\n      <" + type + type_attributes(v);
        if (is_text(v) && v.causality != ExportCausality::output)
            out += attribute("start", start_text(v.start));
        out += "/>\n    </ScalarVariable>\n";
    }
    std::string outputs, initial;
    for (std::size_t k = 0; k < content.variables.size(); ++k) {
        if (content.variables[k].causality != ExportCausality::output) continue;
        outputs += fmt::format("      <Unknown index=\"{}\" dependencies=\"\"/>\n", k + 1);
        initial += fmt::format("      <Unknown index=\"{}\"/>\n", k + 1);
    }
    out += "  </ModelVariables>\n  <ModelStructure>\n    <Outputs>\n" + outputs +
           "    </Outputs>\n    <InitialUnknowns>\n" + initial +
           "    </InitialUnknowns>\n  </ModelStructure>\n</fmiModelDescription>\n";
    return out;
}

std::string description_3(const ExportContent& content)
{
    std::string out = head(content, "3.0", "instantiationToken");
    out += "  <CoSimulation" + attribute("modelIdentifier", content.model) +
           " canHandleVariableCommunicationStepSize=\"true\" canBeInstantiatedOnlyOncePerProcess=\"false\""
           " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
           " providesDirectionalDerivatives=\"false\" maxOutputDerivativeOrder=\"0\""
           " providesIntermediateUpdate=\"false\" mightReturnEarlyFromDoStep=\"false\""
           " canReturnEarlyAfterIntermediateUpdate=\"false\" hasEventMode=\"false\"/>\n";
    out += units(content) + log_categories + experiment(content) + "  <ModelVariables>\n";
    out += fmt::format("    <Float64 name=\"time\" valueReference=\"{}\" causality=\"independent\""
                       " variability=\"continuous\" description=\"Simulation time\" unit=\"s\"/>\n",
                       content.variables.size());
    for (std::size_t k = 0; k < content.variables.size(); ++k) {
        const ExportVariable& v = content.variables[k];
        const std::string all = common_attributes(v, k) + type_attributes(v);
        if (is_text(v) && v.causality != ExportCausality::output)
            out += "    <String" + all + ">\n      <Start" + attribute("value", start_text(v.start)) +
                   "/>\n    </String>\n";
        else
            out += fmt::format("    <{}{}/>\n",
                               is_real(v)                              ? "Float64"
                               : std::holds_alternative<int>(v.start)  ? "Int32"
                               : std::holds_alternative<bool>(v.start) ? "Boolean"
                                                                       : "String",
                               all);
    }
    std::string outputs, initial;
    for (std::size_t k = 0; k < content.variables.size(); ++k) {
        if (content.variables[k].causality != ExportCausality::output) continue;
        outputs += fmt::format("    <Output valueReference=\"{}\" dependencies=\"\"/>\n", k);
        initial += fmt::format("    <InitialUnknown valueReference=\"{}\"/>\n", k);
    }
    out += "  </ModelVariables>\n  <ModelStructure>\n" + outputs + initial +
           "  </ModelStructure>\n</fmiModelDescription>\n";
    return out;
}

const std::map<std::string, BaseUnits, std::less<>> known_units = {
    //        kg m  s  A  K mol cd rad
    {"kg", {{1, 0, 0, 0, 0, 0, 0, 0}, 1}},
    {"g", {{1, 0, 0, 0, 0, 0, 0, 0}, 1e-3}},
    {"m", {{0, 1, 0, 0, 0, 0, 0, 0}, 1}},
    {"mm", {{0, 1, 0, 0, 0, 0, 0, 0}, 1e-3}},
    {"s", {{0, 0, 1, 0, 0, 0, 0, 0}, 1}},
    {"ms", {{0, 0, 1, 0, 0, 0, 0, 0}, 1e-3}},
    {"A", {{0, 0, 0, 1, 0, 0, 0, 0}, 1}},
    {"K", {{0, 0, 0, 0, 1, 0, 0, 0}, 1}},
    {"mol", {{0, 0, 0, 0, 0, 1, 0, 0}, 1}},
    {"cd", {{0, 0, 0, 0, 0, 0, 1, 0}, 1}},
    {"rad", {{0, 0, 0, 0, 0, 0, 0, 1}, 1}},
    {"deg", {{0, 0, 0, 0, 0, 0, 0, 1}, std::numbers::pi / 180}},
    {"Hz", {{0, 0, -1, 0, 0, 0, 0, 0}, 1}},
    {"N", {{1, 1, -2, 0, 0, 0, 0, 0}, 1}},
    {"kN", {{1, 1, -2, 0, 0, 0, 0, 0}, 1e3}},
    {"Pa", {{1, -1, -2, 0, 0, 0, 0, 0}, 1}},
    {"MPa", {{1, -1, -2, 0, 0, 0, 0, 0}, 1e6}},
    {"GPa", {{1, -1, -2, 0, 0, 0, 0, 0}, 1e9}},
    {"J", {{1, 2, -2, 0, 0, 0, 0, 0}, 1}},
    {"W", {{1, 2, -3, 0, 0, 0, 0, 0}, 1}},
    {"1", {}},
};

} // namespace

std::optional<BaseUnits> base_units(const std::string& unit)
{
    BaseUnits out;
    int sign = 1;
    std::size_t k = 0;
    while (k < unit.size()) {
        if (unit[k] == ' ' || unit[k] == '.' || unit[k] == '*') {
            ++k;
            continue;
        }
        if (unit[k] == '/') {
            sign = -1;
            ++k;
            continue;
        }
        std::size_t end = k + 1;
        while (end < unit.size() && std::isalpha(static_cast<unsigned char>(unit[end]))) ++end;
        const auto found = known_units.find(unit.substr(k, end - k));
        if (found == known_units.end()) return {};
        if (end < unit.size() && unit[end] == '^') ++end;
        int exponent = 1;
        const auto [after, error] = std::from_chars(unit.data() + end, unit.data() + unit.size(), exponent);
        if (error == std::errc::result_out_of_range || std::abs(exponent) > 9) return {};
        k = static_cast<std::size_t>(after - unit.data());
        for (std::size_t e = 0; e < out.exponents.size(); ++e)
            out.exponents[e] += sign * exponent * found->second.exponents[e];
        out.factor *= std::pow(found->second.factor, sign * exponent);
        sign = 1;
    }
    return out;
}

std::string model_description(const ExportContent& content, FmiVersion version)
{
    return version == FmiVersion::fmi2 ? description_2(content) : description_3(content);
}

} // namespace tamis
