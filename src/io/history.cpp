// CSV as in RFC 4180, with line feeds. One write() call hands over whole lines only, so a killed run leaves a
// readable file; fsync() only where sync() asks, since the kernel keeps what a dead process has written.
#include "tamis/io/history.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
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

namespace {

std::string header(const std::vector<std::string>& columns)
{
    std::string line;
    for (const std::string& name : columns) line += (line.empty() ? "" : ",") + csv_cell(name);
    return line + '\n';
}

// The part of a file that a history with this header goes on behind.
std::uintmax_t kept(const std::filesystem::path& path, const std::string& first, std::uintmax_t keep)
{
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(path, missing);
    if (missing || size == 0) return 0;
    std::ifstream file(path, std::ios::binary);
    std::string begin(first.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin != first)
        fail("'{}' has other columns than the records of this run: resume with the same model, or move the "
             "file away.",
             path.string());
    return std::clamp(keep, static_cast<std::uintmax_t>(first.size()), size);
}

} // namespace

History::History(std::filesystem::path path, const std::vector<std::string>& columns)
    : path_(std::move(path)), columns_(columns.size()), file_(path_), buffer_(header(columns))
{
    flush();
}

History::History(std::filesystem::path path, const std::vector<std::string>& columns, std::uintmax_t keep)
    : path_(std::move(path)), columns_(columns.size()), file_(path_, kept(path_, header(columns), keep))
{
    if (file_.size() == 0) buffer_ = header(columns);
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
        failed_ = true; // and stays so if this throws: the next call must not throw again
        file_.require_exists();
        file_.append(buffer_);
        failed_ = false;
    }
    buffer_.clear();
    flushed_ = Clock::now();
}

std::uintmax_t History::sync()
{
    flush();
    file_.sync();
    return file_.size();
}

} // namespace tamis
