// Layout, version 3. Attributes: format, version, tamis_version, model,
// model_hash, options, step, t, checksum.
//
//     state/q, state/v          of all mechanisms
//     state/grains              x (3), q (x, y, z, w), v (3), L (3) in each row
//     state/impulse_pairs       shape a, shape b, feature in each row
//     state/impulses            r (3), rolling (3) in each row
//     state/partition_sizes     lengths of u, v, loop_rows of a mechanism in each row
//     state/partitions          these lists, one after the other
//     state/memory              of controllers
//     run/<name>                numbers of the program around
//
// The checksum is the hash of state_hash.hpp over names, types, shapes and bits of everything else; the file
// as such is sealed by write_hdf5.
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
constexpr std::int32_t version = 3;

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

void require_finite(const std::vector<double>& values, const char* what, const std::string& file)
{
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
        fail("The {} of '{}' are not all finite numbers: the run has diverged; reduce --h.", what, file);
}

std::vector<double> list(const Eigen::VectorXd& x)
{
    return {x.data(), x.data() + x.size()};
}

Hdf5 to_hdf5(const Checkpoint& c, const std::string& name)
{
    const State& s = c.state;
    std::vector<double> grains, impulses;
    std::vector<std::int32_t> pairs, sizes, partitions;
    grains.reserve(13 * s.grains.size());
    const auto append = [](std::vector<double>& to, const auto& x) {
        to.insert(to.end(), x.data(), x.data() + x.size());
    };
    for (const GrainState& g : s.grains) {
        append(grains, g.x);
        append(grains, g.q.coeffs());
        append(grains, g.v);
        append(grains, g.L);
    }
    impulses.reserve(6 * s.impulses.size());
    for (const State::Impulse& i : s.impulses) {
        pairs.insert(pairs.end(), {i.shape_a, i.shape_b, i.feature});
        append(impulses, i.r);
        append(impulses, i.rolling);
    }
    for (const Partition::Sets& p : s.partitions)
        for (const std::vector<int>* of : {&p.u, &p.v, &p.loop_rows}) {
            sizes.push_back(static_cast<std::int32_t>(of->size()));
            partitions.insert(partitions.end(), of->begin(), of->end());
        }
    require_finite(list(s.q), "positions", name);
    require_finite(list(s.v), "velocities", name);
    require_finite(grains, "grains", name);
    require_finite(impulses, "impulses", name);
    require_finite(s.memory, "memories", name);

    Hdf5 file;
    file.name = name;
    file.datasets["state/q"] = {list(s.q)};
    file.datasets["state/v"] = {list(s.v)};
    file.datasets["state/grains"] = {std::move(grains), 13};
    file.datasets["state/impulse_pairs"] = {std::move(pairs), 3};
    file.datasets["state/impulses"] = {std::move(impulses), 6};
    file.datasets["state/partition_sizes"] = {std::move(sizes), 3};
    file.datasets["state/partitions"] = {std::move(partitions)};
    file.datasets["state/memory"] = {s.memory};
    for (const auto& [key, values] : c.run) file.datasets["run/" + key] = {values};
    file.attributes["format"] = format;
    file.attributes["version"] = std::vector{version};
    file.attributes["tamis_version"] = TAMIS_VERSION;
    file.attributes["model"] = c.model;
    file.attributes["model_hash"] = std::vector{c.model_hash};
    file.attributes["options"] = c.options;
    file.attributes["step"] = std::vector{static_cast<std::int64_t>(s.step)};
    file.attributes["t"] = std::vector{s.t};
    file.attributes["checksum"] = std::vector{checksum(file)};
    return file;
}

// Rows of a dataset of the given width.
template <class T>
const std::vector<T>& table(const Hdf5& file, const char* name, std::size_t columns)
{
    const std::vector<T>& values = file.array<T>(name);
    if (file.datasets.find(name)->second.columns != columns)
        fail("'{}' of '{}' does not have {} columns: the file is damaged.", name, file.name, columns);
    return values;
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
    State& s = c.state;
    s.t = file.attribute<double>("t");
    s.step = static_cast<long>(file.attribute<std::int64_t>("step"));
    const auto vector = [&](const char* name) {
        const std::vector<double>& x = file.array<double>(name);
        return Eigen::VectorXd(
            Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    s.q = vector("state/q");
    s.v = vector("state/v");
    const std::vector<double>& grains = table<double>(file, "state/grains", 13);
    s.grains.resize(grains.size() / 13);
    for (std::size_t g = 0; g < s.grains.size(); ++g) {
        const double* x = &grains[13 * g];
        s.grains[g].x = Eigen::Map<const Eigen::Vector3d>(x);
        s.grains[g].q.coeffs() = Eigen::Map<const Eigen::Vector4d>(x + 3);
        s.grains[g].v = Eigen::Map<const Eigen::Vector3d>(x + 7);
        s.grains[g].L = Eigen::Map<const Eigen::Vector3d>(x + 10);
    }
    const std::vector<std::int32_t>& pairs = table<std::int32_t>(file, "state/impulse_pairs", 3);
    const std::vector<double>& impulses = table<double>(file, "state/impulses", 6);
    const std::vector<std::int32_t>& sizes = table<std::int32_t>(file, "state/partition_sizes", 3);
    const std::vector<std::int32_t>& partitions = file.array<std::int32_t>("state/partitions");
    std::int64_t members = 0;
    for (const std::int32_t n : sizes) members += n < 0 ? partitions.size() + 1 : n;
    if (impulses.size() != 2 * pairs.size() || members != static_cast<std::int64_t>(partitions.size()))
        fail("'{}' is damaged: lists that belong together differ in length.", file.name);
    s.impulses.resize(pairs.size() / 3);
    for (std::size_t k = 0; k < s.impulses.size(); ++k)
        s.impulses[k] = {pairs[3 * k], pairs[3 * k + 1], pairs[3 * k + 2],
                         Eigen::Map<const Eigen::Vector3d>(&impulses[6 * k]),
                         Eigen::Map<const Eigen::Vector3d>(&impulses[6 * k + 3])};
    s.partitions.resize(sizes.size() / 3);
    auto member = partitions.begin();
    for (std::size_t m = 0; m < s.partitions.size(); ++m) {
        Partition::Sets& sets = s.partitions[m];
        std::size_t k = 3 * m;
        for (std::vector<int>* of : {&sets.u, &sets.v, &sets.loop_rows}) {
            of->assign(member, member + sizes[k]);
            member += sizes[k++];
        }
    }
    s.memory = file.array<double>("state/memory");
    constexpr std::string_view run = "run/";
    for (const auto& [name, dataset] : file.datasets)
        if (name.starts_with(run)) c.run[name.substr(run.size())] = file.array<double>(name);
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
        fail("There is no checkpoint in '{}': name the folder of the run to resume with --out, or start it "
             "anew "
             "without --resume.",
             folder.string());
    fail("No checkpoint in '{}' can be used; start the run anew without --resume. {}", folder.string(),
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
