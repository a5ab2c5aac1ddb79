// What is in the archive:
//
//     modelDescription.xml
//     binaries/linux64/<model>.so     (FMI 3: x86_64-linux), with the libraries beside it that not every Linux has
//     resources/model.json            what an instance needs to know (fmu_model.hpp)
//     resources/packings/*.packing    grains at rest, so that no instance makes them
#include "tamis/app/fmu_export.hpp"

#include "tamis/app/fmu_model.hpp"
#include "tamis/app/needed_libraries.hpp"
#include "tamis/app/stored_packing.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/packing_file.hpp"
#include "tamis/io/packing_numbers.hpp"
#include "tamis/io/saved_state_bytes.hpp"

#ifdef TAMIS_FMI
#include "tamis/fmi/export_archive.hpp"
#include "tamis/fmi/export_description.hpp"
#endif

#include <fmt/ranges.h>

namespace tamis {

namespace {

// The value of an option, which is removed from the arguments; empty if it is not there.
std::string take(std::vector<std::string>& arguments, const std::string& name, const std::string& what)
{
    const auto found = std::ranges::find_if(
        arguments, [&](const std::string& a) { return a == name || a.starts_with(name + "="); });
    if (found == arguments.end()) return "";
    const bool apart = *found == name;
    std::string value;
    if (!apart)
        value = found->substr(name.size() + 1);
    else if (found + 1 != arguments.end())
        value = found[1];
    if (value.empty()) refuse("{} needs {}.", name, what);
    arguments.erase(found, found + (apart ? 2 : 1));
    return value;
}

} // namespace

std::optional<FmuRequest> take_fmu(std::vector<std::string>& arguments)
{
    const std::string file = take(arguments, "--make-fmu", "the name of a file to write, such as model.fmu");
    if (file.empty()) return {};
    FmuRequest request{file, take(arguments, "--fmu-library", "the library of the model"), FmiVersion::fmi2};
    const std::string version = take(arguments, "--fmi", "2 or 3");
    if (version == "3" || version == "3.0")
        request.version = FmiVersion::fmi3;
    else if (!version.empty() && version != "2" && version != "2.0")
        refuse("--fmi is '{}': FMUs are written for FMI 2 or 3.", version);
    if (request.library.empty()) refuse("--make-fmu needs --fmu-library too, as `tamis fmu` gives it.");
    const std::filesystem::path folder = request.file.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        fail("The folder of '{}' does not exist: make it, or choose another one.", file);
    return request;
}

#ifdef TAMIS_FMI

namespace {

constexpr std::array base_of_linux = {"libc.so",    "libm.so",     "libdl.so",     "libpthread.so",
                                      "librt.so",   "libgcc_s.so", "libstdc++.so", "ld-linux",
                                      "libasan.so", "libubsan.so"};

bool has_every_linux(const std::string& library)
{
    return std::ranges::any_of(base_of_linux, [&](const char* name) { return library.starts_with(name); });
}

} // namespace

void export_fmu(const Script& script, const std::vector<std::string>& arguments, const FmuRequest& request)
{
#if !defined(__linux__) || !defined(__x86_64__)
    fail("FMUs are made on Linux and x86-64 only.");
#endif
    const FmuModel model = fmu_model(script, arguments);
    const bool fmi2 = request.version == FmiVersion::fmi2;
    ExportArchive archive;
    archive.add("modelDescription.xml", model_description(model.content, request.version));
    const std::string folder = fmi2 ? "binaries/linux64/" : "binaries/x86_64-linux/";
    archive.add(folder + model.content.model + ".so", read_file(request.library));
    std::vector<std::string> carried, needed;
    for (const auto& [name, file] : needed_libraries(request.library)) {
        (has_every_linux(name) ? needed : carried).push_back(name);
        if (!has_every_linux(name)) archive.add(folder + name, read_file(file));
    }
    archive.add("resources/model.json", to_json(model));
    for (const std::string& name : script.packings()) {
        const auto file = packing_folder(script.settings()) / (name + ".h5");
        archive.add("resources/packings/" + name + ".packing",
                    to_bytes(numbers_of(read_packing(file), file.string())));
    }
    archive.write(request.file);
    if (script.settings().quiet) return;
    fmt::print("{}: FMI {}.0 for co-simulation, {} variables, {:.1f} MB\n", request.file.string(),
               fmi2 ? 2 : 3, model.content.variables.size(),
               static_cast<double>(std::filesystem::file_size(request.file)) / 1e6);
    fmt::print("  inner step   {:g} s at most\n",
               std::get<double>(model.content.variables[FmuModel::inner_step].start));
    fmt::print("  carries      {}\n", fmt::join(carried, ", "));
    fmt::print("  needs        {}\n", fmt::join(needed, ", "));
}

#else

void export_fmu(const Script&, const std::vector<std::string>&, const FmuRequest&)
{
    fail("This program was built without libzip, which packs FMUs: install libzip-dev and build it again.");
}

#endif

} // namespace tamis
