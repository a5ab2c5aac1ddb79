// Output files by POSIX calls, because std::ofstream hides the reason of a failure. rename() replaces its
// target in one step. The temporary file is new (O_EXCL, O_NOFOLLOW) and has machine, process and a number in
// its name: <name>.<machine>-<process>-<number>.part. fsync() is left out unless asked for: the kernel keeps
// what a dead process has written, and waiting for the disk would cost more than the rest of a run with many
// frames.
#include "tamis/io/file.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tamis {

namespace {

[[noreturn]] void cannot(std::string_view action, const std::filesystem::path& path, int reason)
{
    const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    fail("Cannot {} '{}': {}; {}choose another folder.", action, path.string(),
         std::generic_category().message(reason), full ? "free some space or " : "");
}

} // namespace

void make_directory(const std::filesystem::path& path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error && !std::filesystem::is_directory(path, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    if (error) cannot("create the folder", path, error.value());
}

namespace {

// A new name is durable once its folder is.
void sync_folder(const std::filesystem::path& folder)
{
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

} // namespace

std::string read_file(const std::filesystem::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string content;
    ssize_t count = descriptor < 0 ? -1 : 1;
    while (count > 0) {
        constexpr std::size_t piece = 1 << 20;
        const std::size_t size = content.size();
        content.resize(size + piece);
        do count = ::read(descriptor, content.data() + size, piece);
        while (count < 0 && errno == EINTR);
        content.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    const int reason = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (count < 0) fail("Cannot read '{}': {}.", path.string(), std::generic_category().message(reason));
    return content;
}

std::string host_name()
{
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

namespace {

constexpr std::string_view part = ".part";

// "<machine>-<process>-" of the temporary files of a process.
std::string mark(long process)
{
    return fmt::format("{}-{}-", host_name(), process);
}

// A descriptor that is closed at the end.
struct Descriptor {
    int number;
    ~Descriptor()
    {
        if (number >= 0) ::close(number);
    }
};

// 0, or the reason why not all was written.
int write_all(int descriptor, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written >= 0)
            content.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

} // namespace

void write_file(const std::filesystem::path& path, std::string_view content, bool durable)
{
    static std::atomic<long> number = 0;
    std::string temporary;
    int descriptor = -1;
    do {
        temporary = fmt::format("{}.{}{}{}", path.string(), mark(::getpid()), number++, part);
        descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) cannot("write", path, errno);
    int reason = write_all(descriptor, content);
    if (reason == 0 && durable && ::fsync(descriptor) != 0) reason = errno;
    if (::close(descriptor) != 0 && reason == 0) reason = errno;
    if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
    if (reason != 0) {
        ::unlink(temporary.c_str());
        cannot("write", path, reason);
    }
    if (durable) sync_folder(path.parent_path());
}

bool overwrite_file(const std::filesystem::path& path, std::string_view content)
{
    const Descriptor file{::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat was {};
    if (file.number < 0 || ::fstat(file.number, &was) != 0) return false;
    const auto size = static_cast<std::size_t>(was.st_size);
    if (content.size() > size) return false;
    return write_all(file.number, std::string(content) + std::string(size - content.size(), ' ')) == 0;
}

void remove_stale_parts(const std::filesystem::path& folder)
{
    const std::string host = host_name() + "-";
    std::vector<std::filesystem::path> stale;
    std::error_code none_there;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none_there)) {
        const std::string name = entry.path().filename().string();
        const std::size_t at = name.rfind("." + host);
        if (!name.ends_with(part) || at == std::string::npos) continue;
        const char *begin = name.data() + at + 1 + host.size(), *end = name.data() + name.size();
        int process = 0;
        const auto [rest, error] = std::from_chars(begin, end, process);
        if (error != std::errc() || *rest != '-' || process <= 0) continue;
        if (::kill(process, 0) != 0 && errno == ESRCH) stale.push_back(entry.path());
    }
    for (const auto& path : stale) std::filesystem::remove(path, none_there);
}

FolderLock::FolderLock(const std::filesystem::path& folder)
{
    const std::filesystem::path path = folder / ".lock";
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot("write", path, errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
        const std::string owner = fmt::format("{} on {}\n", ::getpid(), host_name());
        [[maybe_unused]] const bool told =
            ::ftruncate(descriptor_, 0) == 0 && write_all(descriptor_, owner) == 0; // on a full disk: not
        return;
    }
    if (errno != EWOULDBLOCK) return; // file systems without locks
    char owner[300] = "";
    const ssize_t count = ::pread(descriptor_, owner, sizeof owner - 1, 0);
    ::close(descriptor_);
    fail("Another run (process {}) writes to '{}': wait until it ends, or choose another folder.",
         std::string(owner, static_cast<std::size_t>(std::max<ssize_t>(count - 1, 0))), folder.string());
}

FolderLock::~FolderLock()
{
    ::close(descriptor_);
}

File::File(std::filesystem::path path) : path_(std::move(path))
{
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot("write", path_, errno);
}

File::File(std::filesystem::path path, std::uintmax_t keep) : path_(std::move(path))
{
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot("write", path_, errno);
    const off_t size = ::lseek(descriptor_, 0, SEEK_END);
    const off_t kept = std::min(size, static_cast<off_t>(keep));
    if (size < 0 || ::ftruncate(descriptor_, kept) != 0 || ::lseek(descriptor_, kept, SEEK_SET) < 0) {
        const int reason = errno;
        ::close(descriptor_);
        cannot("write", path_, reason);
    }
}

File::~File()
{
    ::close(descriptor_);
}

void File::sync()
{
    // Pipes and devices have nothing to wait for.
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) cannot("write", path_, errno);
}

void File::append(std::string_view content)
{
    const off_t start = ::lseek(descriptor_, 0, SEEK_CUR);
    if (const int reason = write_all(descriptor_, content); reason != 0) {
        [[maybe_unused]] const int undone = ::ftruncate(descriptor_, start);
        cannot("write", path_, reason);
    }
}

std::uintmax_t File::size() const
{
    struct stat now {};
    if (::fstat(descriptor_, &now) != 0) cannot("read", path_, errno);
    return static_cast<std::uintmax_t>(now.st_size);
}

void File::require_exists() const
{
    struct stat now {};
    if (::fstat(descriptor_, &now) == 0 && now.st_nlink == 0)
        fail("'{}' was deleted while it was written: start the run anew, and leave its folder alone.",
             path_.string());
}

} // namespace tamis
