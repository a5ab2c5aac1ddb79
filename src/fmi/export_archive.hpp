// An archive of FMI: entries are noted and written at once. Same entries, same bytes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tamis {

class ExportArchive {
  public:
    void add(std::string name, std::string content)
    {
        entries_.emplace_back(std::move(name), std::move(content));
    }
    // Replaces the file, or leaves it as it was and throws.
    void write(const std::filesystem::path& path) const;

  private:
    std::vector<std::pair<std::string, std::string>> entries_;
};

} // namespace tamis
