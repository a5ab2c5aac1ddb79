// Output files by POSIX calls, because std::ofstream hides the reason of a failure.
// rename() replaces its target in one step. fsync() is left out: the kernel keeps what a dead process has
// written, and waiting for the disk would cost more than the rest of a run with many frames.
#include "io/file.hpp"

#include "error.hpp"

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

void write_file(const std::filesystem::path& path, std::string_view content)
{
    const std::string temporary = path.string() + ".part";
    try {
        File file(path, ".part");
        file.append(content);
        if (::rename(temporary.c_str(), path.c_str()) != 0) cannot("write", path, errno);
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

File::~File()
{
    ::close(descriptor_);
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
