// Reads what History writes: names, quoted where they need it (csv_cell), then numbers, nan and inf among them.
#include "tamis/io/columns.hpp"

#include "tamis/base/error.hpp"
#include "tamis/io/file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/ranges.h>

namespace tamis {

namespace {

// Takes the text up to the next separator away, and the separator.
std::string_view take(std::string_view& text, char separator)
{
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

// The same of a cell that may be quoted.
std::string take_name(std::string_view& text)
{
    if (!text.starts_with('"')) return std::string(take(text, ','));
    std::string name;
    text.remove_prefix(1);
    while (!text.empty()) {
        name += take(text, '"');
        if (!text.starts_with('"')) break; // two of them stand for one
        name += '"';
        text.remove_prefix(1);
    }
    take(text, ',');
    return name;
}

} // namespace

Columns Columns::read(const std::filesystem::path& path)
{
    const std::string content = read_file(path);
    std::string_view rest = content;
    rest = rest.substr(0, rest.rfind('\n') + 1); // npos + 1 = 0
    const std::uintmax_t bytes = rest.size();
    std::vector<std::string> names;
    for (std::string_view header = take(rest, '\n'); !header.empty();) names.push_back(take_name(header));
    Columns columns(path.string(), std::move(names));
    columns.bytes_ = bytes;
    for (std::size_t line = 2; !rest.empty(); ++line) {
        std::string_view cells = take(rest, '\n');
        std::size_t k = 0;
        for (; k < columns.values_.size() && !cells.empty(); ++k) {
            const std::string_view cell = take(cells, ',');
            double x = 0;
            const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
            if (error != std::errc() || end != cell.data() + cell.size())
                fail("Line {} of '{}' has '{}' where a number should be: the file is damaged.", line,
                     path.string(), cell);
            columns.values_[k].push_back(x);
        }
        if (k < columns.values_.size() || !cells.empty())
            fail("Line {} of '{}' has not the {} numbers of the others: the file is damaged.", line,
                 path.string(), columns.values_.size());
    }
    return columns;
}

std::span<const double> Columns::operator[](const std::string& name) const
{
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end())
        fail("There is no column '{}' in '{}': it has {}.", name, origin_, fmt::join(names_, ", "));
    return values_[static_cast<std::size_t>(found - names_.begin())];
}

void Columns::add(std::span<const double> row)
{
    if (row.size() != values_.size())
        fail("A row of {} values does not fit the {} columns of '{}'; give one value for each column.",
             row.size(), values_.size(), origin_);
    for (std::size_t k = 0; k < row.size(); ++k) values_[k].push_back(row[k]);
}

} // namespace tamis
