// A zip archive may name files outside of its folder, links, one file twice, or sizes that fill the disk; and what its
// directory says of sizes need not be so: what is read is counted.
#include "tamis/fmi/fmu_archive.hpp"

#include "tamis/base/error.hpp"
#include "tamis/fmi/fmu_description.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <set>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

namespace tamis {

namespace fs = std::filesystem;

namespace {

constexpr const char* description_path = "modelDescription.xml";
constexpr int most_parts = 30; // of a name

// Why a file of this name is not unpacked; nothing, if it may be.
const char* fault_of(const std::string& path)
{
    if (path.empty()) return "has no name";
    if (path.size() > 1000) return "has a name of more than 1000 characters";
    for (const char c : path)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "has a name with control characters";
    if (path.find('\\') != std::string::npos) return "has a name with a backslash";
    if (path[0] == '/' || (path.size() > 1 && path[1] == ':')) return "has a name that starts at a root";
    int parts = 0;
    for (std::size_t from = 0; from <= path.size();) {
        if (++parts > most_parts) return "has a name of more than 30 parts";
        const std::size_t to = std::min(path.find('/', from), path.size());
        const std::string part = path.substr(from, to - from);
        if (part == ".." || part == ".") return "has a name that leaves its folder";
        if (part.empty() && to < path.size()) return "has a name with an empty part";
        if (part.size() > 255) return "has a name with a part of more than 255 characters";
        from = to + 1;
    }
    return nullptr;
}

class NewFile {
  public:
    NewFile(const fs::path& path, mode_t mode)
        : path_(path),
          descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode))
    {
        if (descriptor_ < 0) refused();
    }
    ~NewFile() { ::close(descriptor_); }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    void append(std::span<const char> bytes)
    {
        while (!bytes.empty()) {
            const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) refused();
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
    }

  private:
    [[noreturn]] void refused() const
    {
        fail("The FMU cannot be unpacked to '{}': {}.", path_.string(), std::strerror(errno));
    }
    fs::path path_;
    int descriptor_;
};

} // namespace

class FmuArchive::Zip {
  public:
    explicit Zip(const fs::path& file) : file_(file)
    {
        int code = 0;
        zip_ = zip_open(file.c_str(), ZIP_RDONLY, &code);
        if (zip_) return;
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        fail("'{}' is no FMU that can be read, as it is no zip archive: {}.", file.string(), why);
    }
    ~Zip() { zip_discard(zip_); }
    Zip(const Zip&) = delete;
    Zip& operator=(const Zip&) = delete;

    std::uint64_t entries() const { return static_cast<std::uint64_t>(zip_get_num_entries(zip_, 0)); }

    // Only files have one; folders are made as they are needed.
    Entry entry(std::uint64_t index) const
    {
        const char* name = zip_get_name(zip_, index, ZIP_FL_ENC_RAW);
        zip_stat_t stat;
        if (!name || zip_stat_index(zip_, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE))
            fail("Entry {} of the FMU '{}' cannot be read: {}.", index, file_.string(), zip_strerror(zip_));
        const std::string path = name;
        const auto refuse = [&](const char* why) {
            fail("The FMU '{}' is refused: its entry '{}' {}.", file_.string(), shown(path), why);
        };
        if (const char* why = fault_of(path)) refuse(why);
        zip_uint8_t system = 0;
        zip_uint32_t attributes = 0;
        zip_file_get_external_attributes(zip_, index, 0, &system, &attributes);
        const mode_t kind = system == ZIP_OPSYS_UNIX ? (attributes >> 16) & S_IFMT : 0;
        if (kind != 0 && kind != S_IFREG && kind != S_IFDIR) refuse("is a link or a device, not a file");
        if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) && stat.encryption_method != ZIP_EM_NONE)
            refuse("is encrypted");
        const bool program = system == ZIP_OPSYS_UNIX && ((attributes >> 16) & (S_IXUSR | S_IXGRP | S_IXOTH));
        return {path, index, stat.size, program};
    }

    void read(const Entry& entry, const std::function<void(std::span<const char>)>& take) const
    {
        zip_file_t* in = zip_fopen_index(zip_, entry.index, 0);
        if (!in) unreadable(entry, zip_strerror(zip_));
        const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> closed(in, zip_fclose);
        std::vector<char> part(1 << 16);
        std::uint64_t size = 0;
        for (;;) {
            const zip_int64_t n = zip_fread(in, part.data(), part.size());
            if (n < 0) unreadable(entry, zip_file_strerror(in));
            if (n == 0) break;
            size += static_cast<std::uint64_t>(n);
            if (size > entry.size) unreadable(entry, "it is larger than its archive says");
            take(std::span(part).first(static_cast<std::size_t>(n)));
        }
        if (size != entry.size) unreadable(entry, "it is smaller than its archive says");
    }

  private:
    [[noreturn]] void unreadable(const Entry& entry, const char* why) const
    {
        fail("'{}' in the FMU '{}' cannot be read: {}.", shown(entry.path), file_.string(), why);
    }
    fs::path file_;
    zip_t* zip_;
};

FmuArchive::FmuArchive(const fs::path& file, const FmuLimits& limits) : file_(file), limits_(limits)
{
    std::error_code none;
    const fs::file_status status = fs::status(file, none);
    if (!fs::exists(status)) fail("There is no FMU '{}'.", file.string());
    if (fs::is_directory(status))
        look_into_folder();
    else
        look_into_zip();
    std::ranges::sort(entries_, {}, &Entry::path);
    const auto found = std::ranges::find(entries_, description_path, &Entry::path);
    if (found == entries_.end()) fail("'{}' is no FMU: it has no {}.", file.string(), description_path);
    if (found->size > limits.description)
        fail("The FMU '{}' is refused: its {} has {} bytes, more than {}.", file.string(), description_path,
             found->size, limits.description);
    const auto take = [&](std::span<const char> part) { description_.append(part.data(), part.size()); };
    if (zip_)
        zip_->read(*found, take);
    else {
        std::ifstream in(file / description_path, std::ios::binary);
        description_.resize(found->size);
        if (!in.read(description_.data(), static_cast<std::streamsize>(found->size)))
            fail("'{}' cannot be read.", (file / description_path).string());
    }
}

FmuArchive::~FmuArchive()
{
    std::error_code none;
    if (!unpacked_.empty()) fs::remove_all(unpacked_, none);
}

std::string FmuArchive::name() const
{
    return (file_.has_filename() ? file_ : file_.parent_path()).stem().string();
}

void FmuArchive::look_into_folder()
{
    std::error_code error;
    fs::recursive_directory_iterator entry(file_, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code none; // links to nothing, and what has just gone, are left out
        const std::uint64_t size = entry->is_regular_file(none) ? entry->file_size(none) : 0;
        if (none || !entry->is_regular_file(none)) continue;
        entries_.push_back({entry->path().lexically_relative(file_).generic_string(), 0, size, false});
        if (entries_.size() > limits_.entries)
            fail("The FMU '{}' is refused: its folder has more than {} files.", file_.string(),
                 limits_.entries);
    }
    if (error) fail("The folder '{}' cannot be read as an FMU: {}.", file_.string(), error.message());
}

void FmuArchive::look_into_zip()
{
    zip_ = std::make_unique<Zip>(file_);
    const auto refuse = [&](const std::string& why) {
        fail("The FMU '{}' is refused: {}.", file_.string(), why);
    };
    const std::uint64_t count = zip_->entries();
    if (count > limits_.entries)
        refuse(fmt::format("it has {} entries, more than {}", count, limits_.entries));
    std::uint64_t total = 0;
    std::set<std::string> files, folders;
    for (std::uint64_t index = 0; index < count; ++index) {
        Entry entry = zip_->entry(index);
        const bool folder = entry.path.back() == '/';
        if (folder) entry.path.pop_back();
        const auto twice = [&] { refuse(fmt::format("it has '{}' twice", shown(entry.path))); };
        for (std::size_t end = entry.path.find('/'); end != std::string::npos;
             end = entry.path.find('/', end + 1))
            folders.insert(entry.path.substr(0, end));
        if (folder) {
            folders.insert(entry.path);
            continue;
        }
        if (!files.insert(entry.path).second) twice();
        if (entry.size > limits_.entry || (total += entry.size) > limits_.total)
            refuse(fmt::format("'{}' would unpack to {} bytes, and all to {} or more: {} and {} are the most",
                               shown(entry.path), entry.size, total, limits_.entry, limits_.total));
        entries_.push_back(std::move(entry));
    }
    for (const std::string& file : files)
        if (folders.contains(file)) refuse(fmt::format("'{}' is a file and a folder", shown(file)));
}

bool FmuArchive::has(const std::string& path) const
{
    return std::ranges::binary_search(entries_, path, {}, &Entry::path);
}

std::vector<std::string> FmuArchive::platforms() const
{
    const std::string top = "binaries/";
    std::set<std::string> all;
    for (const Entry& entry : entries_) {
        const std::size_t end = entry.path.find('/', top.size());
        if (entry.path.starts_with(top) && end != std::string::npos)
            all.insert(shown(entry.path.substr(top.size(), end - top.size())));
    }
    return {all.begin(), all.end()};
}

fs::path FmuArchive::unpack(const std::string& platform)
{
    if (!zip_) return fs::absolute(file_);
    if (!unpacked_.empty()) return unpacked_;
    std::string folder = (fs::temp_directory_path() / "tamis_fmu_XXXXXX").string();
    if (!::mkdtemp(folder.data()))
        fail("No folder can be made to unpack an FMU to, such as '{}': {}.", folder, std::strerror(errno));
    unpacked_ = folder;
    fs::create_directory(unpacked_ / "resources"); // which an FMU is told of, even if it has none
    for (const Entry& entry : entries_) {
        if (entry.path != description_path && !entry.path.starts_with("binaries/" + platform + "/") &&
            !entry.path.starts_with("resources/"))
            continue;
        const fs::path to = unpacked_ / entry.path;
        std::error_code error;
        fs::create_directories(to.parent_path(), error);
        if (error) fail("The FMU cannot be unpacked to '{}': {}.", to.string(), error.message());
        NewFile file(to, entry.program ? 0700 : 0600);
        zip_->read(entry, [&](std::span<const char> part) { file.append(part); });
    }
    return unpacked_;
}

} // namespace tamis
