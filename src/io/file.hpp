// Output files that are whole or absent, and a clear sentence when the disk refuses them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tamis {

// Creates the folder and its parents; one that exists already is fine.
void make_directory(const std::filesystem::path& path);

// Replaces the file at once: after a crash at any moment `path` holds the old content or the new one. With
// `durable` that includes a crash of the machine: it returns when the disk has the content.
void write_file(const std::filesystem::path& path, std::string_view content, bool durable = false);

std::string read_file(const std::filesystem::path& path);

// A file that grows. Creating it empties what was there; every failure throws an Error that names `path`.
class File {
  public:
    // Opens path + suffix.
    explicit File(std::filesystem::path path, std::string_view suffix = "");
    // Opens path, keeps the first bytes of what is there and goes on behind them.
    File(std::filesystem::path path, std::uintmax_t keep);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void append(std::string_view content); // all of it or, when it throws, nothing
    void sync();                           // returns when the disk has it

  private:
    std::filesystem::path path_;
    int descriptor_;
};

} // namespace tamis
