// Layout, version 5. Attributes: format, version, tamis_version, model, model_hash, options, step, t, checksum.
//
//     state/<name>    numbers and integers of the method, under the names that it gives them (SavedState)
//     run/<name>      numbers of the program around
//
// The checksum is the hash of state_hash.hpp over names, types, shapes and bits of everything else; the file as such is
// sealed by write_hdf5.
#include "tamis/io/checkpoint.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/hdf5_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/ranges.h>

namespace tamis {

namespace {

constexpr const char* format = "tamis checkpoint";
constexpr std::int32_t version = 5;
constexpr std::string_view state_group = "state/", run_group = "run/";

std::uint64_t checksum(const Hdf5& file)
{
    StateHash hash;
    const auto add = [&](const Hdf5::Values& values) {
        hash.add(std::uint64_t{values.index()});
        std::visit(
            [&](const auto& v) {
                if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
                    hash.add(std::string_view(v));
                } else {
                    hash.add(std::uint64_t{v.size()});
                    if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<double>>)
                        hash.add(v.data(), static_cast<std::ptrdiff_t>(v.size()));
                    else
                        for (const auto x : v) hash.add(static_cast<std::uint64_t>(x));
                }
            },
            values);
    };
    for (const auto& [name, dataset] : file.datasets) {
        hash.add(std::string_view(name));
        hash.add(std::uint64_t{dataset.columns});
        add(dataset.values);
    }
    for (const auto& [name, values] : file.attributes) {
        if (name == "checksum") continue;
        hash.add(std::string_view(name));
        add(values);
    }
    return hash.value;
}

Hdf5 to_hdf5(const Checkpoint& c, const std::string& name)
{
    Hdf5 file;
    file.name = name;
    for (const auto& [key, values] : c.state.numbers) {
        if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
            fail("The numbers '{}' of the state are not all finite: the run has diverged; reduce the step.",
                 key);
        file.datasets[std::string(state_group) + key] = {values};
    }
    for (const auto& [key, values] : c.state.integers)
        file.datasets[std::string(state_group) + key] = {values};
    for (const auto& [key, values] : c.run) file.datasets[std::string(run_group) + key] = {values};
    file.attributes["format"] = format;
    file.attributes["version"] = std::vector{version};
    file.attributes["tamis_version"] = TAMIS_VERSION;
    file.attributes["model"] = c.model;
    file.attributes["model_hash"] = std::vector{c.model_hash};
    file.attributes["options"] = c.options;
    file.attributes["step"] = std::vector{static_cast<std::int64_t>(c.state.step)};
    file.attributes["t"] = std::vector{c.state.t};
    file.attributes["checksum"] = std::vector{checksum(file)};
    return file;
}

Checkpoint from_hdf5(const Hdf5& file)
{
    const auto kind = file.attributes.find("format");
    if (kind == file.attributes.end() || kind->second != Hdf5::Values(format))
        fail("'{}' is not a checkpoint.", file.name);
    if (file.attribute<std::int32_t>("version") != version)
        fail("'{}' has version {} of the checkpoint layout, this program reads version {}: use the program "
             "that wrote it (Tamis {}).",
             file.name, file.attribute<std::int32_t>("version"), version,
             file.attribute<std::string>("tamis_version"));
    if (file.attribute<std::uint64_t>("checksum") != checksum(file))
        fail("'{}' is damaged: its checksum does not fit its content.", file.name);

    Checkpoint c;
    c.model = file.attribute<std::string>("model");
    c.model_hash = file.attribute<std::uint64_t>("model_hash");
    c.options = file.attribute<std::string>("options");
    c.state.t = file.attribute<double>("t");
    c.state.step = static_cast<long>(file.attribute<std::int64_t>("step"));
    if (!std::isfinite(c.state.t) || c.state.t < 0 || c.state.step < 0)
        fail("'{}' is damaged: it is of step {} at t = {} s.", file.name, c.state.step, c.state.t);
    for (const auto& [name, dataset] : file.datasets) {
        if (name.starts_with(run_group)) c.run[name.substr(run_group.size())] = file.array<double>(name);
        if (!name.starts_with(state_group)) continue;
        const std::string key = name.substr(state_group.size());
        if (!std::holds_alternative<std::vector<double>>(dataset.values)) {
            c.state.integers[key] = file.array<std::int64_t>(name);
            continue;
        }
        const std::vector<double>& values = c.state.numbers[key] = file.array<double>(name);
        if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
            fail("'{}' is damaged: '{}' are not all finite numbers.", file.name, key);
    }
    return c;
}

constexpr std::string_view prefix = "checkpoint_", suffix = ".h5";

// Checkpoints of a folder by step, newest first.
std::vector<std::pair<long, std::filesystem::path>> checkpoints(const std::filesystem::path& folder)
{
    std::vector<std::pair<long, std::filesystem::path>> found;
    std::error_code none_there;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none_there)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
        const char *begin = name.data() + prefix.size(), *end = name.data() + name.size() - suffix.size();
        long step = 0;
        if (begin < end && std::from_chars(begin, end, step).ptr == end)
            found.emplace_back(step, entry.path());
    }
    std::sort(found.rbegin(), found.rend());
    return found;
}

} // namespace

void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint)
{
    const long step = checkpoint.state.step;
    const std::filesystem::path path = folder / fmt::format("{}{:06}{}", prefix, step, suffix);
    write_hdf5(path, to_hdf5(checkpoint, path.string()));
    bool kept = false;
    for (const auto& [other, file] : checkpoints(folder)) {
        if (other == step) continue;
        std::error_code stays;
        if (other > step || kept)
            std::filesystem::remove(file, stays);
        else
            kept = true;
    }
}

Checkpoint read_checkpoint(const std::filesystem::path& file)
{
    return from_hdf5(read_hdf5(file, true));
}

LatestCheckpoint read_latest(const std::filesystem::path& folder, const std::string& model)
{
    LatestCheckpoint latest;
    for (const auto& [step, file] : checkpoints(folder)) {
        try {
            latest.checkpoint = read_checkpoint(file);
            if (latest.checkpoint.model != model)
                fail("'{}' belongs to the model '{}', not to '{}'.", file.string(), latest.checkpoint.model,
                     model);
            latest.file = file;
            return latest;
        } catch (const Error& error) {
            latest.notes.emplace_back(error.what());
        }
    }
    if (latest.notes.empty())
        fail("There is no checkpoint in '{}': name the folder of the run to resume, or start it anew.",
             folder.string());
    fail("No checkpoint in '{}' can be used; start the run anew. {}", folder.string(),
         fmt::join(latest.notes, " "));
}

void remove_checkpoints(const std::filesystem::path& folder)
{
    for (const auto& [step, file] : checkpoints(folder)) {
        std::error_code stays;
        std::filesystem::remove(file, stays);
    }
}

} // namespace tamis
