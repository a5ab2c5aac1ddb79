// The nonsmooth side of a model as an FMU for co-simulation, for `tamis fmu MODEL`.
#pragma once

#include "tamis/app/script.hpp"
#include "tamis/fmi/export_content.hpp"

#include <filesystem>

namespace tamis {

struct FmuRequest {
    std::filesystem::path file, library; // to be written; compiled of the model and src/app/fm*_main.cpp
    FmiVersion version = FmiVersion::fmi2;
};

// `--make-fmu FILE --fmu-library FILE [--fmi 2|3]` is taken out of the arguments before a model reads its options.
std::optional<FmuRequest> take_fmu(std::vector<std::string>& arguments);

// Of a script that is driven from outside and was prepared with these arguments.
void export_fmu(const Script& script, const std::vector<std::string>& arguments, const FmuRequest& request);

} // namespace tamis
