// The arrays of packing_numbers.cpp in a file of HDF5, with a checksum over all numbers.
#include "tamis/io/packing_file.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/hdf5_file.hpp"
#include "tamis/io/packing_numbers.hpp"

namespace tamis {

namespace {

constexpr std::int64_t version = 1;

std::uint64_t checksum(const SavedState& numbers)
{
    StateHash hash;
    for (const char* name : {"size", "pose", "vertices"}) {
        const std::vector<double>& values = numbers.get(name);
        hash.add(values.data(), static_cast<std::ptrdiff_t>(values.size()));
    }
    return hash.value;
}

} // namespace

void write_packing(const std::filesystem::path& path, const Packing& packing)
{
    const SavedState numbers = numbers_of(packing, path.string());
    Hdf5 file;
    file.attributes["tamis_packing"] = std::vector<std::int64_t>{version};
    file.attributes["checksum"] = std::vector<std::uint64_t>{checksum(numbers)};
    for (const char* name : {"kind", "points"}) file.datasets[name] = {numbers.get_integers(name), 0};
    file.datasets["size"] = {numbers.get("size"), 3};
    file.datasets["pose"] = {numbers.get("pose"), 12};
    file.datasets["vertices"] = {numbers.get("vertices"), 3};
    write_hdf5(path, file);
}

Packing read_packing(const std::filesystem::path& path)
{
    const Hdf5 file = read_hdf5(path, true);
    if (file.attribute<std::int64_t>("tamis_packing") != version)
        fail("'{}' is a packing of another version.", path.string());
    SavedState numbers;
    for (const char* name : {"kind", "points"}) numbers.put_integers(name, file.array<std::int64_t>(name));
    for (const char* name : {"size", "pose", "vertices"}) numbers.put(name, file.array<double>(name));
    if (file.attribute<std::uint64_t>("checksum") != checksum(numbers))
        fail("The packing '{}' is damaged.", path.string());
    return packing_of(numbers, path.string());
}

} // namespace tamis
