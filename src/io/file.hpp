// Output files that are whole or absent, and a clear sentence when the disk refuses them.
#pragma once

#include <filesystem>
#include <string_view>

namespace tamis {

// Creates the folder and its parents; one that exists already is fine.
void make_directory(const std::filesystem::path& path);

// Replaces the file at once: after a crash at any moment `path` holds the old content or the new one.
void write_file(const std::filesystem::path& path, std::string_view content);

// A file that grows. Creating it empties what was there; every failure throws an Error that names `path`.
class File {
  public:
    // Opens path + suffix.
    explicit File(std::filesystem::path path, std::string_view suffix = "");
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void append(std::string_view content); // all of it or, when it throws, nothing

  private:
    std::filesystem::path path_;
    int descriptor_;
};

} // namespace tamis
