// FMI 2.0.4, Sect. 2.2, and FMI 3.0.1, Sect. 2.4. Attributes and elements that a co-simulation has no need of are left
// unread; what is read is checked, as it may come from anywhere.
#include "tamis/fmi/fmu_description.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <span>

namespace tamis {

namespace {

constexpr std::size_t most_variables = 1000000, longest_name = 4000;
constexpr std::size_t longest_word = 200, longest_start = 32; // of units, and of what starts a size
constexpr std::size_t most_dimensions = 32;
constexpr std::uint64_t largest_array = 1000000;

struct NamedType {
    const char* name; // of the element
    FmuType type;
};
constexpr NamedType types_2[] = {{"Real", FmuType::float64},
                                 {"Integer", FmuType::int32},
                                 {"Boolean", FmuType::boolean},
                                 {"String", FmuType::string},
                                 {"Enumeration", FmuType::enumeration}};
constexpr NamedType types_3[] = {{"Float64", FmuType::float64}, {"Float32", FmuType::float32},
                                 {"Int8", FmuType::int8},       {"UInt8", FmuType::uint8},
                                 {"Int16", FmuType::int16},     {"UInt16", FmuType::uint16},
                                 {"Int32", FmuType::int32},     {"UInt32", FmuType::uint32},
                                 {"Int64", FmuType::int64},     {"UInt64", FmuType::uint64},
                                 {"Boolean", FmuType::boolean}, {"String", FmuType::string},
                                 {"Binary", FmuType::binary},   {"Enumeration", FmuType::enumeration},
                                 {"Clock", FmuType::clock}};
constexpr const char* causalities[] = {
    "parameter", "calculatedParameter", "structuralParameter", "input", "output", "local", "independent"};
constexpr const char* variabilities[] = {"constant", "fixed", "tunable", "discrete", "continuous"};
constexpr const char* base_units[] = {"kg", "m", "s", "A", "K", "mol", "cd"};

// Units of mechanics that are often named and not defined.
struct KnownUnit {
    const char* name;
    std::array<int, 7> powers;
};
constexpr KnownUnit known_units[] = {{"1", {}},
                                     {"m", {0, 1}},
                                     {"m/s", {0, 1, -1}},
                                     {"m/s2", {0, 1, -2}},
                                     {"m/s^2", {0, 1, -2}},
                                     {"rad", {}},
                                     {"rad/s", {0, 0, -1}},
                                     {"rad/s2", {0, 0, -2}},
                                     {"rad/s^2", {0, 0, -2}},
                                     {"N", {1, 1, -2}},
                                     {"N.m", {1, 2, -2}},
                                     {"Nm", {1, 2, -2}},
                                     {"N m", {1, 2, -2}},
                                     {"kg.m/s2", {1, 1, -2}}};

bool is_control(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Names in errors, which come from the file.
std::string quoted(std::string_view text)
{
    return "'" + shown(text) + "'";
}

class Reader {
  public:
    Reader(std::string_view xml, const std::string& name) : name_(name)
    {
        const pugi::xml_parse_result result = document_.load_buffer(xml.data(), xml.size());
        if (!result)
            refuse("its modelDescription.xml is no XML at byte {}: {}", result.offset, result.description());
        root_ = document_.child("fmiModelDescription");
        if (!root_) refuse("its modelDescription.xml has no element fmiModelDescription");
    }

    FmuDescription read()
    {
        read_version();
        out_.model_name = attribute(root_, "modelName");
        out_.token = attribute(root_, out_.version == 2 ? "guid" : "instantiationToken");
        out_.generator = attribute(root_, "generationTool");
        if (out_.token.empty())
            refuse("its modelDescription.xml has no {}", out_.version == 2 ? "guid" : "instantiationToken");
        read_capabilities();
        read_units();
        read_types();
        read_variables();
        if (const pugi::xml_attribute a = root_.child("DefaultExperiment").attribute("tolerance")) {
            out_.tolerance = number(a, "tolerance of its default experiment");
            if (!(*out_.tolerance > 0))
                refuse("the tolerance of its default experiment is {}", *out_.tolerance);
        }
        return std::move(out_);
    }

  private:
    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const
    {
        fail("The FMU '{}' is refused: {}.", name_, fmt::format(format, std::forward<Args>(args)...));
    }

    std::string attribute(const pugi::xml_node& node, const char* name,
                          std::size_t longest = longest_name) const
    {
        const std::string_view value = node.attribute(name).value();
        if (value.size() > longest) refuse("its {} has {} characters", name, value.size());
        if (std::ranges::any_of(value, is_control))
            refuse("its {} {} has control characters", name, quoted(value));
        return std::string(value);
    }
    bool flag(const pugi::xml_node& node, const char* name) const
    {
        const std::string_view value = node.attribute(name).value();
        if (value.empty() || value == "false" || value == "0") return false;
        if (value == "true" || value == "1") return true;
        refuse("its {} is {}, neither true nor false", name, quoted(value));
    }
    template <class Number>
    std::optional<Number> parse(std::string_view text) const
    {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return value;
    }
    double number(const pugi::xml_attribute& a, const std::string& what) const
    {
        const std::optional<double> value = parse<double>(a.value());
        if (!value || !std::isfinite(*value)) refuse("the {} is {}, no number", what, quoted(a.value()));
        return *value;
    }

    void read_version()
    {
        const std::string version = attribute(root_, "fmiVersion");
        if (version != "2.0" && !version.starts_with("3.0"))
            refuse("it is of FMI version {}, and versions 2.0 and 3.0 are understood", quoted(version));
        out_.version = version[0] - '0';
    }

    void read_capabilities()
    {
        const pugi::xml_node own = root_.child("CoSimulation");
        if (!own) {
            if (root_.child("ScheduledExecution") && !root_.child("ModelExchange"))
                refuse("it is for scheduled execution only, and co-simulation is needed: export it as that");
            if (root_.child("ModelExchange"))
                refuse(
                    "it is for model exchange only, which leaves the integrator to others, and co-simulation is "
                    "needed: export it as that");
            refuse("its modelDescription.xml has no element CoSimulation");
        }
        out_.identifier = attribute(own, "modelIdentifier");
        const std::string& id = out_.identifier;
        const auto letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        };
        if (id.empty() || id.size() > 200 || !std::ranges::all_of(id, letter))
            refuse("its modelIdentifier is {}, which is no name of a library", quoted(id));
        const bool v2 = out_.version == 2;
        out_.needs_tool = flag(own, "needsExecutionTool");
        out_.only_once = flag(own, "canBeInstantiatedOnlyOncePerProcess");
        out_.variable_step = flag(own, "canHandleVariableCommunicationStepSize");
        out_.saves_state = flag(own, v2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
        out_.serialises_state =
            out_.saves_state && flag(own, v2 ? "canSerializeFMUstate" : "canSerializeFMUState");
        if (const pugi::xml_attribute a = own.attribute("fixedInternalStepSize"); a && !v2) {
            out_.internal_step = number(a, "fixedInternalStepSize");
            if (!(*out_.internal_step > 0)) refuse("its fixedInternalStepSize is {}", *out_.internal_step);
        }
    }

    void read_units()
    {
        for (const pugi::xml_node& node : root_.child("UnitDefinitions").children("Unit")) {
            FmuUnit unit{.name = attribute(node, "name", longest_word)};
            if (const pugi::xml_node base = node.child("BaseUnit")) {
                unit.defined = true;
                for (std::size_t k = 0; k < unit.powers.size(); ++k)
                    if (const pugi::xml_attribute a = base.attribute(base_units[k])) {
                        const std::optional<int> power = parse<int>(a.value());
                        if (!power || *power > 100 || *power < -100)
                            refuse("its unit {} has the power {} of {}", quoted(unit.name), quoted(a.value()),
                                   base_units[k]);
                        unit.powers[k] = *power;
                    }
                const std::string what = " of its unit " + quoted(unit.name);
                if (const pugi::xml_attribute a = base.attribute("factor"))
                    unit.factor = number(a, "factor" + what);
                if (const pugi::xml_attribute a = base.attribute("offset"))
                    unit.offset = number(a, "offset" + what);
                if (!std::isnormal(unit.factor) || !std::isnormal(1 / unit.factor))
                    refuse("the factor{} is {}", what, unit.factor);
            }
            out_.units.push_back(std::move(unit));
        }
        std::ranges::sort(out_.units, {}, &FmuUnit::name);
        const auto twice = std::ranges::adjacent_find(out_.units, {}, &FmuUnit::name);
        if (twice != out_.units.end()) refuse("it defines the unit {} twice", quoted(twice->name));
    }

    // Units that variables have by their type.
    void read_types()
    {
        const auto add = [&](const pugi::xml_node& named, const pugi::xml_node& holder) {
            if (holder)
                declared_[attribute(named, "name")] = {attribute(holder, "unit", longest_word),
                                                       flag(holder, "relativeQuantity")};
        };
        for (const pugi::xml_node& node : root_.child("TypeDefinitions").children())
            if (out_.version == 2)
                add(node, node.child("Real"));
            else
                add(node, node);
    }

    template <std::size_t n>
    std::size_t one_of(const std::string& value, const char* const (&among)[n], const FmuVariable& variable,
                       const char* what) const
    {
        const auto found = std::ranges::find(among, value);
        if (found == std::end(among))
            refuse("its variable {} has the {} {}", quoted(variable.name), what, quoted(value));
        return static_cast<std::size_t>(found - std::begin(among));
    }

    // In FMI 2.0 a variable holds the element of its type, in FMI 3.0 it is that element.
    void read_variables()
    {
        const bool v2 = out_.version == 2;
        const std::span<const NamedType> known = v2 ? std::span<const NamedType>(types_2) : types_3;
        for (const pugi::xml_node& node : root_.child("ModelVariables").children()) {
            if (node.type() != pugi::node_element) continue;
            pugi::xml_node typed = node;
            const NamedType* type = nullptr;
            for (const NamedType& t : known) {
                if (v2 && node.child(t.name)) typed = node.child(t.name), type = &t;
                if (!v2 && std::string_view(node.name()) == t.name) type = &t;
            }
            FmuVariable variable{.name = attribute(node, "name")};
            if (variable.name.empty()) refuse("one of its variables has no name");
            if (!type) refuse("its variable {} has a type that is not known", quoted(variable.name));
            variable.type = type->type;
            read_variable(variable, node, typed);
            for (const pugi::xml_node& alias : node.children("Alias")) { // of FMI 3.0
                FmuVariable other = variable;
                other.name = attribute(alias, "name");
                if (other.name.empty())
                    refuse("an alias of its variable {} has no name", quoted(variable.name));
                add(std::move(other));
            }
            add(std::move(variable));
        }
        if (!v2) read_sizes();
        std::ranges::sort(out_.variables, {}, &FmuVariable::name);
        const auto twice = std::ranges::adjacent_find(out_.variables, {}, &FmuVariable::name);
        if (twice != out_.variables.end()) refuse("it has two variables of the name {}", quoted(twice->name));
    }

    void add(FmuVariable&& variable)
    {
        if (out_.variables.size() == most_variables) refuse("it has more than {} variables", most_variables);
        out_.variables.push_back(std::move(variable));
    }

    void read_variable(FmuVariable& v, const pugi::xml_node& node, const pugi::xml_node& typed)
    {
        const bool v2 = out_.version == 2;
        const std::optional<std::uint32_t> reference =
            parse<std::uint32_t>(node.attribute("valueReference").value());
        if (!reference)
            refuse("its variable {} has the valueReference {}", quoted(v.name),
                   quoted(node.attribute("valueReference").value()));
        v.reference = *reference;
        if (!v2 && !references_.emplace(v.reference, out_.variables.size()).second)
            refuse("its variable {} has the valueReference {} of another one", quoted(v.name), v.reference);
        if (const std::string s = attribute(node, "causality"); !s.empty())
            v.causality = static_cast<FmuCausality>(one_of(s, causalities, v, "causality"));
        const bool real = v.type == FmuType::float64 || v.type == FmuType::float32;
        v.variability = real || v2 ? FmuVariability::continuous : FmuVariability::discrete;
        if (v.causality == FmuCausality::parameter || v.causality == FmuCausality::calculated_parameter ||
            v.causality == FmuCausality::structural_parameter)
            v.variability = FmuVariability::fixed;
        if (const std::string s = attribute(node, "variability"); !s.empty())
            v.variability = static_cast<FmuVariability>(one_of(s, variabilities, v, "variability"));
        v.initial = attribute(node, "initial", longest_word);
        if (const std::string_view start = typed.attribute("start").value(); start.size() <= longest_start)
            v.start = start; // which may be that of a dimension; of longer ones nobody asks
        if (const std::string type = attribute(typed, "declaredType"); !type.empty())
            if (const auto found = declared_.find(type); found != declared_.end())
                v.unit = found->second.unit, v.relative = found->second.relative;
        if (const pugi::xml_attribute a = typed.attribute("unit"))
            v.unit = attribute(typed, "unit", longest_word);
        if (typed.attribute("relativeQuantity")) v.relative = flag(typed, "relativeQuantity");
        if (v.type == FmuType::clock)
            refuse("its variable {} is a clock, and clocks are not taken part in", quoted(v.name));
        if (v.type == FmuType::binary && v.causality == FmuCausality::input)
            refuse("its input {} is binary, and only numbers are given to inputs", quoted(v.name));
        if (v2) return;
        Array array{out_.variables.size(), {}};
        for (const pugi::xml_node& dimension : node.children("Dimension")) {
            if (array.dimensions.size() == most_dimensions)
                refuse("its variable {} has more than {} dimensions", quoted(v.name), most_dimensions);
            array.dimensions.push_back(dimension);
        }
        if (!array.dimensions.empty()) arrays_.push_back(std::move(array));
    }

    // Dimensions are numbers, or the start values of structural parameters.
    std::uint64_t dimension(const pugi::xml_node& node) const
    {
        std::string text = attribute(node, "start");
        if (text.empty()) {
            const auto reference = parse<std::uint32_t>(node.attribute("valueReference").value());
            const auto found = reference ? references_.find(*reference) : references_.end();
            if (found != references_.end()) text = out_.variables[found->second].start;
        }
        return parse<std::uint64_t>(text).value_or(0);
    }

    // An array without elements, of too many, or of a number that is not understood has the size 0. Aliases, which
    // stand next to it, have that of what they are another name of.
    void read_sizes()
    {
        for (const Array& array : arrays_) {
            std::uint64_t size = 1;
            for (const pugi::xml_node& node : array.dimensions) {
                const std::uint64_t n = dimension(node);
                size = n > largest_array || size * n > largest_array ? 0 : size * n;
            }
            const std::uint32_t own = out_.variables[array.variable].reference;
            for (std::size_t k = array.variable;
                 k < out_.variables.size() && out_.variables[k].reference == own; ++k)
                out_.variables[k].size = size;
        }
    }

    struct Declared {
        std::string unit;
        bool relative;
    };
    struct Array {
        std::size_t variable; // the first of its reference
        std::vector<pugi::xml_node> dimensions;
    };

    const std::string& name_;
    pugi::xml_document document_;
    pugi::xml_node root_;
    FmuDescription out_;
    std::map<std::string, Declared> declared_;
    std::map<std::uint32_t, std::size_t> references_;
    std::vector<Array> arrays_;
};

} // namespace

const FmuVariable* FmuDescription::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(variables, name, {}, &FmuVariable::name);
    return found != variables.end() && found->name == name ? &*found : nullptr;
}

FmuUnit FmuDescription::unit_of(const FmuVariable& variable) const
{
    const auto found = std::ranges::lower_bound(units, variable.unit, {}, &FmuUnit::name);
    FmuUnit unit{.name = variable.unit};
    if (found != units.end() && found->name == variable.unit) unit = *found;
    if (!unit.defined)
        for (const KnownUnit& known : known_units)
            if (unit.name == known.name) unit.powers = known.powers, unit.defined = true;
    if (variable.relative) unit.offset = 0;
    return unit;
}

const char* text(FmuType type)
{
    for (const NamedType& t : types_3)
        if (t.type == type) return t.name;
    return "";
}

const char* text(FmuCausality causality)
{
    return causalities[static_cast<int>(causality)];
}

std::string shown(std::string_view text)
{
    std::string out(text.substr(0, 80));
    std::ranges::replace_if(out, is_control, '?');
    return out + (text.size() > 80 ? "..." : "");
}

FmuDescription read_fmu_description(std::string_view xml, const std::string& name)
{
    return Reader(xml, name).read();
}

} // namespace tamis
