// Time histories: a CSV file that can be read while the run goes on, and after it was killed.
#pragma once

#include "tamis/io/file.hpp"

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamis {

// Text as one CSV cell: quoted if it contains a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

// Rows are collected and appended as whole lines when a second has passed since the last time, when they fill
// the buffer, and on destruction. A disk that refuses them is reported by one Error; later rows are then
// dropped. The destructor cannot report: call flush() when a run ends.
class History {
  public:
    History(std::filesystem::path path, const std::vector<std::string>& columns);
    // Goes on behind the first `keep` bytes, which end a line; throws if the file has other columns. A file
    // that is missing begins anew.
    History(std::filesystem::path path, const std::vector<std::string>& columns, std::uintmax_t keep);
    ~History();
    History(const History&) = delete;
    History& operator=(const History&) = delete;

    // One value for each column, in the fewest digits that read back to the same bits.
    void row(std::span<const double> values);
    void line(std::string_view cells); // a row formatted by the caller, without line break
    void flush();
    std::uintmax_t sync(); // flush, wait for the disk; returns the size of the file

  private:
    void end_line();

    std::filesystem::path path_;
    std::size_t columns_;
    File file_;
    std::string buffer_; // whole lines
    std::chrono::steady_clock::time_point flushed_;
    bool failed_ = false;
};

} // namespace tamis
