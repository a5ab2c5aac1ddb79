// The files of an FMU: a zip archive from anywhere, or a folder into which one was unpacked. Nothing of what it says
// about itself is believed: names, sizes and kinds of all entries are checked before anything is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tamis {

// Unpacked, in bytes.
struct FmuLimits {
    std::size_t entries = 20000;
    std::uint64_t description = std::uint64_t{16} << 20;
    std::uint64_t entry = std::uint64_t{2} << 30, total = std::uint64_t{4} << 30;
};

class FmuArchive {
  public:
    explicit FmuArchive(const std::filesystem::path& file, const FmuLimits& limits = {});
    ~FmuArchive(); // and with it what was unpacked
    FmuArchive(const FmuArchive&) = delete;
    FmuArchive& operator=(const FmuArchive&) = delete;

    std::string name() const;                                       // of the file, without its ending
    const std::string& description() const { return description_; } // text of modelDescription.xml
    bool has(const std::string& path) const;                        // a file of this name
    std::vector<std::string> platforms() const;                     // that it has binaries for

    // Unpacks modelDescription.xml, the binaries of a platform and the resources into a new folder that nobody else may
    // read; of a folder: is that folder.
    std::filesystem::path unpack(const std::string& platform);

  private:
    struct Entry {
        std::string path;
        std::uint64_t index, size;
        bool program; // that may be started
    };
    class Zip;
    void look_into_folder();
    void look_into_zip();
    const Entry& find(const std::string& path) const;

    std::filesystem::path file_;
    FmuLimits limits_;
    std::unique_ptr<Zip> zip_;   // none: a folder
    std::vector<Entry> entries_; // files, by path
    std::string description_;
    std::filesystem::path unpacked_;
};

} // namespace tamis
