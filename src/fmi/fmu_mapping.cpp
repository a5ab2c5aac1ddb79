// Raw numbers of an FMU become SI units by its own definitions of units; orientations become quaternions:
//
//     rotation     vector phi, exp(phi); with one component: the angle about that axis
//     angles       R = R_x(a) R_y(b) R_z(c)
//     quaternion   w, x, y, z
//     matrix       nine numbers, row by row, from axes of the marker to those of the FMU's world
#include "tamis/fmi/fmu_mapping.hpp"

#include "tamis/model/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

struct FmuMapping::Kind {
    const char* name;
    std::size_t size;
    bool whole; // all components or none
    std::array<int, 7> powers;
    const char* unit;
};
const FmuMapping::Kind FmuMapping::kinds[none] = {
    {"position", 3, false, {0, 1}, "a length"},
    {"velocity", 3, false, {0, 1, -1}, "a velocity"},
    {"acceleration", 3, false, {0, 1, -2}, "an acceleration"},
    {"rotation", 3, false, {}, "an angle"},
    {"angles", 3, true, {}, "an angle"},
    {"quaternion", 4, true, {}, "none"},
    {"matrix", 9, true, {}, "none"},
    {"angular_velocity", 3, false, {0, 0, -1}, "an angular velocity"},
    {"angular_acceleration", 3, false, {0, 0, -2}, "an angular acceleration"},
    {"force", 3, false, {1, 1, -2}, "a force"},
    {"moment", 3, false, {1, 2, -2}, "a moment"},
};

namespace {

constexpr const char* differences = "differences";

std::string trimmed(std::string_view text)
{
    const std::size_t from = text.find_first_not_of(" \t\n"), to = text.find_last_not_of(" \t\n");
    return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
}

} // namespace

std::vector<std::string> split_words(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    std::size_t from = 0;
    int depth = 0;
    char quote = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '[' || c == '(')
            ++depth;
        else if (c == ']' || c == ')')
            --depth;
        else if (c == separator && depth <= 0) {
            parts.push_back(trimmed(text.substr(from, k - from)));
            from = k + 1;
        }
    }
    parts.push_back(trimmed(text.substr(from)));
    return parts;
}

std::string words_of_variables(const FmuDescription& fmu)
{
    const auto list = [&](FmuCausality causality) {
        std::string all;
        int n = 0;
        for (const FmuVariable& v : fmu.variables)
            if (v.causality == causality && ++n <= 12) all += (all.empty() ? "" : ", ") + shown(v.name);
        return all.empty() ? "none" : n > 12 ? fmt::format("{}, ... ({} in all)", all, n) : all;
    };
    return fmt::format("its outputs are: {}; its inputs: {}", list(FmuCausality::output),
                       list(FmuCausality::input));
}

template <class... Args>
void FmuMapping::refuse(fmt::format_string<Args...> format, Args&&... args) const
{
    fail("The mapping of the FMU '{}' {}.", name_, fmt::format(format, std::forward<Args>(args)...));
}

FmuMapping::FmuMapping(const std::string& words, const FmuDescription& fmu, const std::string& name)
    : name_(name)
{
    for (Places& places : places_) places.fill(-1);
    for (const std::string& entry : split_words(words, ';'))
        if (!entry.empty()) read(entry, fmu);
    check(fmu);
}

void FmuMapping::read(const std::string& entry, const FmuDescription& fmu)
{
    const std::size_t equals = entry.find('=');
    const std::string key = trimmed(std::string_view(entry).substr(0, equals));
    std::string known;
    Quantity quantity = none;
    for (int k = 0; k < none; ++k) {
        if (key == kinds[k].name) quantity = static_cast<Quantity>(k);
        known += (k ? ", " : "") + std::string(kinds[k].name);
    }
    if (quantity == none || equals == std::string::npos)
        refuse("has '{}': write quantity=variables, with a quantity of {}", entry, known);
    if (std::exchange(named_[quantity], true)) refuse("has {} twice", key);
    const Kind& kind = kinds[quantity];
    const std::vector<std::string> names = split_words(std::string_view(entry).substr(equals + 1), ',');
    if (names.size() == 1 && names[0] == differences &&
        (quantity == velocity || quantity == angular_velocity)) {
        (quantity == velocity ? velocity_differences_ : turn_differences_) = true;
        return;
    }
    if (names.size() == 1 && names[0] == "none" && quantity == force) {
        no_wrench_ = true;
        return;
    }
    std::size_t component = 0, given = 0;
    for (const std::string& variable_name : names) {
        if (variable_name == "-") {
            ++component;
            continue;
        }
        const FmuVariable* variable = fmu.find(variable_name);
        if (!variable)
            refuse("names '{}' as {}, and there is no such variable: {}", variable_name, key,
                   words_of_variables(fmu));
        if (variable->size == 0)
            refuse("names '{}' as {}, an array of no element, of more than can be, or of an unknown number",
                   variable_name, key);
        if (component > kind.size || component + variable->size > kind.size)
            refuse("gives {} more than {} components", key, kind.size);
        place(quantity, component, *variable, fmu);
        component += variable->size;
        given += variable->size;
    }
    if (given == 0) refuse("gives {} no variable", key);
    if (kind.whole && given != kind.size)
        refuse("gives {} {} components instead of {}", key, given, kind.size);
}

void FmuMapping::place(Quantity quantity, std::size_t component, const FmuVariable& variable,
                       const FmuDescription& fmu)
{
    const Kind& kind = kinds[quantity];
    const bool input = quantity == force || quantity == moment;
    const char* causality = text(variable.causality);
    if (variable.type != FmuType::float64)
        refuse("has {}={}, which is of type {}: only real numbers (Real, Float64) can be that", kind.name,
               variable.name, text(variable.type));
    if (input && variable.causality != FmuCausality::input)
        refuse("has {}={}, which is no input: its causality is '{}'; {}", kind.name, variable.name, causality,
               words_of_variables(fmu));
    if (!input && variable.causality != FmuCausality::output && variable.causality != FmuCausality::local)
        refuse("has {}={}, which is no output: its causality is '{}'; {}", kind.name, variable.name,
               causality, words_of_variables(fmu));
    FmuUnit unit{.powers = kind.powers, .defined = true}; // without one: SI
    if (!variable.unit.empty()) unit = fmu.unit_of(variable);
    if (!unit.defined)
        refuse("has {}={}, whose unit '{}' the FMU does not define", kind.name, variable.name,
               shown(variable.unit));
    if (unit.powers != kind.powers)
        refuse("has {}={}, whose unit '{}' is not that of {}", kind.name, variable.name, shown(variable.unit),
               std::string_view(kind.unit) == "none" ? "a pure number" : kind.unit);
    Side& side = input ? inputs_ : outputs_;
    if (input && std::ranges::find(side.references, variable.reference) != side.references.end())
        refuse("gives two components to the input '{}'", variable.name);
    side.references.push_back(variable.reference);
    for (std::size_t k = 0; k < variable.size; ++k) {
        places_[quantity][component + k] = static_cast<int>(side.slots.size());
        side.slots.push_back({variable.name, unit.factor, unit.offset});
    }
}

bool FmuMapping::has(Quantity quantity) const
{
    return std::ranges::any_of(places_[quantity], [](int place) { return place >= 0; });
}

void FmuMapping::check(const FmuDescription& fmu)
{
    for (const Quantity quantity : {rotation, angles, quaternion, matrix})
        if (has(quantity)) {
            if (turn_ != none)
                refuse("tells the orientation by {} and by {}", kinds[turn_].name, kinds[quantity].name);
            turn_ = quantity;
        }
    if (!has(position) && turn_ == none)
        refuse("tells neither a position nor an orientation, as 'position=x; velocity=v; force=f' would: {}",
               words_of_variables(fmu));
    const auto components = [&](Quantity quantity, int k) {
        return quantity != none &&
               (places_[quantity][k] >= 0 || (kinds[quantity].whole && quantity == turn_));
    };
    const auto match = [&](Quantity of, Quantity rate, bool differs) {
        for (int k = 0; k < 3; ++k) {
            if (components(rate, k) && !components(of, k))
                refuse("tells component {} of {}, and not that of what moves", k + 1, kinds[rate].name);
            if (components(rate, k) && differs) refuse("has {} twice", kinds[rate].name);
            if (components(of, k) && !components(rate, k) && !differs)
                refuse("tells component {} of {} and not its {}: name it, or write {}={}", k + 1,
                       kinds[of].name, kinds[rate].name, kinds[rate].name, differences);
        }
    };
    match(position, velocity, velocity_differences_);
    match(turn_, angular_velocity, turn_differences_);
    if (has(acceleration)) match(position, acceleration, false);
    if (has(angular_acceleration)) match(turn_, angular_acceleration, false);
    accelerations_ = has(acceleration) == has(position) && has(angular_acceleration) == (turn_ != none);
    const bool wrench = has(force) || has(moment);
    if (!wrench && !no_wrench_)
        refuse("tells no input for the force or the moment: name one, or write force=none; {}",
               words_of_variables(fmu));
    if (wrench && no_wrench_) refuse("says force=none and names inputs for a wrench");
}

InterfaceMotion FmuMapping::motion(std::span<const double> values, const InterfaceMotion& rest,
                                   const InterfaceMotion& before, double h) const
{
    InterfaceMotion m{rest.x, rest.turn};
    const auto read = [&](Quantity quantity, Vector3d& x) {
        for (int k = 0; k < 3; ++k)
            if (const int place = places_[quantity][k]; place >= 0) x[k] = si(values, place);
    };
    read(position, m.x);
    read(velocity, m.v);
    read(acceleration, m.a);
    read(angular_velocity, m.omega);
    read(angular_acceleration, m.alpha);
    if (turn_ != none) m.turn = orientation(values);
    if (m.turn.dot(before.turn) < 0) m.turn.coeffs() *= -1; // the same, and near the last one
    if (velocity_differences_ && h > 0) m.v = (m.x - before.x) / h;
    if (turn_differences_ && h > 0)
        m.omega = RotationVector::log((m.turn * before.turn.conjugate()).toRotationMatrix()).phi() / h;
    return m;
}

Quaterniond FmuMapping::orientation(std::span<const double> values) const
{
    const Places& places = places_[turn_];
    std::array<double, 9> c;
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = places[k] >= 0 ? si(values, places[k]) : 0;
    if (turn_ == rotation) return exp_quaternion({c[0], c[1], c[2]});
    if (turn_ == angles)
        return Eigen::AngleAxisd(c[0], Vector3d::UnitX()) * Eigen::AngleAxisd(c[1], Vector3d::UnitY()) *
               Eigen::AngleAxisd(c[2], Vector3d::UnitZ());
    if (turn_ == quaternion) {
        const Quaterniond q(c[0], c[1], c[2], c[3]);
        if (!(std::abs(q.norm() - 1) < 1e-3))
            refuse("names a quaternion, and the FMU gives one of norm {}", q.norm());
        return q.normalized();
    }
    const Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(c.data());
    if (!((R.transpose() * R - Matrix3d::Identity()).norm() < 1e-3 && R.determinant() > 0))
        refuse("names a matrix of orientation, and the FMU gives one that is no rotation");
    return Quaterniond(R).normalized();
}

void FmuMapping::wrench(const Wrench& wrench, std::span<double> values) const
{
    for (const auto& [quantity, vector] : {std::pair{force, wrench.force}, {moment, wrench.moment}})
        for (int k = 0; k < 3; ++k)
            if (const int place = places_[quantity][k]; place >= 0) {
                const Slot& slot = inputs_.slots[static_cast<std::size_t>(place)];
                values[static_cast<std::size_t>(place)] = (vector[k] - slot.offset) / slot.factor;
            }
}

double FmuMapping::si(std::span<const double> values, int place) const
{
    const Slot& slot = outputs_.slots[static_cast<std::size_t>(place)];
    return slot.factor * values[static_cast<std::size_t>(place)] + slot.offset;
}

} // namespace tamis
