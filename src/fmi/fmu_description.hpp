// What an FMU says of itself, modelDescription.xml of FMI 2.0 and 3.0, as far as a co-simulation needs it: a plain
// value, checked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamis {

enum class FmuType {
    float64, // Real in FMI 2.0
    float32,
    int8,
    uint8,
    int16,
    uint16,
    int32, // Integer in FMI 2.0
    uint32,
    int64,
    uint64,
    enumeration,
    boolean,
    string,
    binary,
    clock
};
enum class FmuCausality {
    parameter,
    calculated_parameter,
    structural_parameter,
    input,
    output,
    local,
    independent
};
enum class FmuVariability { constant, fixed, tunable, discrete, continuous };

// SI value = factor * value + offset, in the base units to these powers.
struct FmuUnit {
    std::string name;
    std::array<int, 7> powers{}; // of kg, m, s, A, K, mol, cd; angles have none
    double factor = 1, offset = 0;
    bool defined = false; // else only its name is known
};

struct FmuVariable {
    std::string name;
    std::uint32_t reference = 0; // valueReference
    FmuType type = FmuType::float64;
    FmuCausality causality = FmuCausality::local;
    FmuVariability variability = FmuVariability::continuous;
    std::string initial;     // exact, approx, calculated, or nothing
    std::string start, unit; // as they are written; no start that is longer than a number
    bool relative = false;   // a difference, to which an offset of the unit does not belong
    std::uint64_t size = 1;  // number of elements; 0: an array that cannot be used
};

struct FmuDescription {
    int version = 2; // 2 or 3
    std::string model_name, token, identifier, generator;

    // Of co-simulation.
    bool needs_tool = false, only_once = false, variable_step = false;
    bool saves_state = false, serialises_state = false;
    std::optional<double> internal_step, tolerance;

    std::vector<FmuVariable> variables; // sorted by name
    std::vector<FmuUnit> units;         // sorted by name

    const FmuVariable* find(std::string_view name) const;
    // In SI units if the description says how; a unit that is not defined there must be one of SI by its name.
    FmuUnit unit_of(const FmuVariable& variable) const;
};

const char* text(FmuType type);
const char* text(FmuCausality causality);

// What an FMU says, fit for a message: without control characters, and short.
std::string shown(std::string_view text);

// `name` is that of the FMU, for errors.
FmuDescription read_fmu_description(std::string_view xml, const std::string& name);

} // namespace tamis
