// An HDF5 file as a value: named arrays and texts, written whole or not at all, read at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tamis {

struct Hdf5 {
    using Values = std::variant<std::vector<double>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                                std::vector<std::uint64_t>, std::string>;
    struct Dataset {
        Values values;           // row by row
        std::size_t columns = 0; // 0: one dimension
    };
    std::string name;                                      // of the file, for messages
    std::map<std::string, Dataset, std::less<>> datasets;  // by path: "state/q"
    std::map<std::string, Values, std::less<>> attributes; // of the file itself; one number or a text each

    bool has_group(std::string_view path) const; // with a dataset in it
    // Values of a dataset, or of an attribute; Error naming file and dataset if it
    // is missing or of another type.
    template <class T>
    const std::vector<T>& array(std::string_view dataset) const;
    template <class T>
    const T& attribute(std::string_view attribute) const; // a number or std::string
    // A dataset of 32 or 64 bit integers.
    std::vector<std::int64_t> integers(std::string_view dataset) const;
};

// Large arrays are compressed without loss. Same content, same bytes. A seal at the end, which HDF5 passes
// over, holds a checksum of the file.
void write_hdf5(const std::filesystem::path& path, const Hdf5& content);
// Everything of the types above, up to two dimensions; what has another type or shape is passed over. A file
// that does not fit its seal is refused; one without a seal is if it must be `sealed`, else it is taken to be
// of another program.
Hdf5 read_hdf5(const std::filesystem::path& path, bool sealed = false);

bool is_hdf5(std::string_view content); // by its first bytes

} // namespace tamis
