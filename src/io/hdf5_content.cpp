#include "tamis/io/hdf5_content.hpp"

#include "tamis/base/error.hpp"

#include <type_traits>

namespace tamis {

namespace {

template <class Map>
const auto& found(const Map& map, std::string_view name, const std::string& file)
{
    const auto it = map.find(name);
    if (it == map.end()) fail("'{}' has no '{}': it is damaged or another kind of file.", file, name);
    return it->second;
}

[[noreturn]] void wrong_type(std::string_view name, const std::string& file)
{
    fail("'{}' of '{}' has an unexpected type: the file is damaged or another kind of file.", name, file);
}

} // namespace

bool Hdf5::has_group(std::string_view path) const
{
    const std::string begin = std::string(path) + '/';
    const auto it = datasets.lower_bound(begin);
    return it != datasets.end() && it->first.starts_with(begin);
}

template <class T>
const std::vector<T>& Hdf5::array(std::string_view dataset) const
{
    const auto* values = std::get_if<std::vector<T>>(&found(datasets, dataset, name).values);
    if (!values) wrong_type(dataset, name);
    return *values;
}
template const std::vector<double>& Hdf5::array(std::string_view) const;
template const std::vector<std::int32_t>& Hdf5::array(std::string_view) const;
template const std::vector<std::int64_t>& Hdf5::array(std::string_view) const;
template const std::vector<std::uint64_t>& Hdf5::array(std::string_view) const;

template <class T>
const T& Hdf5::attribute(std::string_view attribute) const
{
    const Values& values = found(attributes, attribute, name);
    if constexpr (std::is_same_v<T, std::string>) {
        if (const auto* text = std::get_if<std::string>(&values)) return *text;
    } else {
        const auto* numbers = std::get_if<std::vector<T>>(&values);
        if (numbers && numbers->size() == 1) return numbers->front();
    }
    wrong_type(attribute, name);
}
template const double& Hdf5::attribute(std::string_view) const;
template const std::int32_t& Hdf5::attribute(std::string_view) const;
template const std::int64_t& Hdf5::attribute(std::string_view) const;
template const std::uint64_t& Hdf5::attribute(std::string_view) const;
template const std::string& Hdf5::attribute(std::string_view) const;

std::vector<std::int64_t> Hdf5::integers(std::string_view dataset) const
{
    const Values& values = found(datasets, dataset, name).values;
    if (const auto* wide = std::get_if<std::vector<std::int64_t>>(&values)) return *wide;
    const auto& narrow = array<std::int32_t>(dataset);
    return {narrow.begin(), narrow.end()};
}

} // namespace tamis
