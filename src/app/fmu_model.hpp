// The nonsmooth side of a cut model as an FMU: what is in the archive beside the library, written by an export and read
// by each instance.
#pragma once

#include "tamis/app/script.hpp"
#include "tamis/fmi/export_content.hpp"

namespace tamis {

struct FmuModel {
    ExportContent content;
    std::vector<std::string> arguments; // of the model, those of its options among them
    std::vector<std::string> options;   // of the model, each a parameter
    bool accelerations = false;         // are inputs, too

    // Places of variables: parameters, the motion of the marker as on the wire of InterfaceMotion, wrench, numbers of
    // contacts and of sub-steps that did not converge, records.
    static constexpr std::size_t inner_step = 0, threads = 1, extrapolate = 2, first_option = 3;
    std::size_t first_input() const { return first_option + options.size(); }
    std::size_t inputs() const { return accelerations ? 19 : 13; }
    std::size_t first_wrench() const { return first_input() + inputs(); }
    std::size_t contacts() const { return first_wrench() + 6; }
    std::size_t unconverged() const { return contacts() + 1; }
    std::size_t first_record() const { return unconverged() + 1; }
};

// Of a script that is driven from outside and was prepared with these arguments; refuses what has no nonsmooth side to
// be moved so.
FmuModel fmu_model(const Script& script, const std::vector<std::string>& arguments);

std::string to_json(const FmuModel& model);
FmuModel fmu_model_of_json(const std::string& text);

// The script for these values of the parameters, prepared.
std::unique_ptr<Script> make_script(const FmuModel& model, std::span<const ExportValue> values,
                                    const std::string& packings);

} // namespace tamis
