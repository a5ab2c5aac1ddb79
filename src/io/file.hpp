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

// Writes over what the file has, without a byte more, and fills up with spaces: where the disk is full this
// still works. False if it has no such file, or not the room.
bool overwrite_file(const std::filesystem::path& path, std::string_view content);

// Removes the temporary files of write_file() that processes of this machine which are dead have left in the
// folder.
void remove_stale_parts(const std::filesystem::path& folder);

std::string read_file(const std::filesystem::path& path);

std::string host_name();

// A folder that one process at a time writes to. Waits for nobody: throws if another one has it. The lock
// ends with the object, or with the process.
class FolderLock {
  public:
    explicit FolderLock(const std::filesystem::path& folder); // which exists
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int descriptor_;
};

// A file that grows. Creating it empties what was there; every failure throws an Error that names `path`.
class File {
  public:
    explicit File(std::filesystem::path path);
    // Opens path, keeps the first bytes of what is there and goes on behind them.
    File(std::filesystem::path path, std::uintmax_t keep);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void append(std::string_view content); // all of it or, when it throws, nothing
    void sync();                           // returns when the disk has it
    std::uintmax_t size() const;
    void require_exists() const; // throws if it was deleted since

  private:
    std::filesystem::path path_;
    int descriptor_;
};

} // namespace tamis
