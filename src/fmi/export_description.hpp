// modelDescription.xml of an FMU for co-simulation.
#pragma once

#include "tamis/fmi/export_content.hpp"

#include <array>
#include <optional>

namespace tamis {

std::string model_description(const ExportContent& content, FmiVersion version);

// A unit such as "N s/m" by the base units: factor kg^e0 m^e1 s^e2 A^e3 K^e4 mol^e5 cd^e6 rad^e7. A slash divides by
// the one unit behind it. Nothing if a part is not known.
struct BaseUnits {
    std::array<int, 8> exponents{};
    double factor = 1;
};
inline constexpr std::array<const char*, 8> base_unit_names = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
std::optional<BaseUnits> base_units(const std::string& unit);

} // namespace tamis
