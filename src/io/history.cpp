// CSV as in RFC 4180, with line feeds. One write() call hands over whole lines only, so a killed run leaves a
// readable file; fsync() is left out, since the kernel keeps what a dead process has written.
#include "io/history.hpp"

#include "error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>

namespace tamis {

using Clock = std::chrono::steady_clock;

std::string csv_cell(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string cell = "\"";
    for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
    return cell + '"';
}

History::History(std::filesystem::path path, const std::vector<std::string>& columns)
    : path_(std::move(path)), columns_(columns.size()), file_(path_)
{
    for (const std::string& name : columns) {
        if (!buffer_.empty()) buffer_ += ',';
        buffer_ += csv_cell(name);
    }
    buffer_ += '\n';
    flush();
}

History::~History()
{
    try {
        flush();
    } catch (const Error&) {
    }
}

void History::row(std::span<const double> values)
{
    if (values.size() != columns_)
        fail("A row of {} values does not fit the {} columns of '{}'; give one value for each column.",
             values.size(), columns_, path_.string());
    fmt::format_to(std::back_inserter(buffer_), "{}", fmt::join(values, ","));
    end_line();
}

void History::line(std::string_view cells)
{
    buffer_ += cells;
    end_line();
}

void History::end_line()
{
    constexpr std::size_t full = 1 << 16;
    buffer_ += '\n';
    if (buffer_.size() >= full || Clock::now() - flushed_ >= std::chrono::seconds(1)) flush();
}

void History::flush()
{
    if (!failed_) {
        failed_ = true; // and stays so if append throws: the next call must not throw again
        file_.append(buffer_);
        failed_ = false;
    }
    buffer_.clear();
    flushed_ = Clock::now();
}

} // namespace tamis
