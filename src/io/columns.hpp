// The columns of a CSV file of numbers, such as histories.csv.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tamis {

class Columns {
  public:
    Columns(std::string origin, std::vector<std::string> names) // empty columns
        : origin_(std::move(origin)), names_(std::move(names)), values_(names_.size())
    {
    }
    // Reads whole lines only: what a killed program has left of its last one is ignored. Throws on cells that are
    // no numbers.
    static Columns read(const std::filesystem::path& path);

    std::size_t rows() const { return values_.empty() ? 0 : values_[0].size(); }
    const std::vector<std::string>& names() const { return names_; }
    // Throws if there is no such column, and names those that there are.
    std::span<const double> operator[](const std::string& name) const;
    void add(std::span<const double> row);
    std::uintmax_t bytes() const { return bytes_; } // of the file, as far as it was read

  private:
    std::string origin_; // for messages
    std::vector<std::string> names_;
    std::vector<std::vector<double>> values_;
    std::uintmax_t bytes_ = 0;
};

} // namespace tamis
