// What an HDF5 file holds, as a value: named arrays and texts.
#pragma once

#include <cstdint>
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

} // namespace tamis
