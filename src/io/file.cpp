// Output files by POSIX calls, because std::ofstream hides the reason of a failure.
// rename() replaces its target in one step. fsync() is left out unless asked for: the kernel keeps what a
// dead process has written, and waiting for the disk would cost more than the rest of a run with many frames.
#include "tamis/io/file.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tamis {

namespace {

[[noreturn]] void cannot(std::string_view action, const std::filesystem::path& path, int reason)
{
    const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    fail("Cannot {} '{}': {}; {}choose another folder with --out.", action, path.string(),
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

void write_file(const std::filesystem::path& path, std::string_view content, bool durable)
{
    const std::string temporary = path.string() + ".part";
    try {
        File file(path, ".part");
        file.append(content);
        if (durable) file.sync();
        if (::rename(temporary.c_str(), path.c_str()) != 0) cannot("write", path, errno);
        if (durable) sync_folder(path.parent_path());
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
}

File::File(std::filesystem::path path, std::string_view suffix) : path_(std::move(path))
{
    const std::string name = path_.string().append(suffix);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor_, content.data(), content.size());
        if (written >= 0)
            content.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR) {
            const int reason = errno;
            [[maybe_unused]] const int undone = ::ftruncate(descriptor_, start);
            cannot("write", path_, reason);
        }
    }
}

} // namespace tamis
