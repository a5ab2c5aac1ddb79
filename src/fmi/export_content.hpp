// What an FMU that is written says of itself: its variables, and how it wants to be stepped.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace tamis {

enum class FmiVersion { fmi2, fmi3 };

// Float64 (Real), Int32 (Integer), Boolean, String.
using ExportValue = std::variant<double, int, bool, std::string>;

enum class ExportCausality { parameter, input, output }; // parameters are fixed by the end of initialisation

struct ExportVariable {
    std::string name, description;
    ExportCausality causality = ExportCausality::parameter;
    ExportValue start; // of an output: its type only
    std::string unit;
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    bool above = false; // more than the least, which the description cannot say
};

struct ExportContent {
    std::string model, description;        // the name is an identifier of C
    std::string token;                     // that the instance must be made with
    std::string tool;                      // that wrote it
    double step = 0, stop = 0;             // of the default experiment, s
    std::vector<ExportVariable> variables; // the place of one, from 0, is its value reference
};

} // namespace tamis
