// HDF5 reads damaged files as if they were whole, to the point of crashing: it works in a child process with little
// time and memory, which alone may crash. The content comes back through a pipe.
#include "tamis/io/hdf5_process.hpp"

#include "tamis/base/error.hpp"
#include "tamis/io/hdf5_image.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tamis {

namespace {

struct CutOff {}; // the answer of a child that has ended before its time

// Content as bytes, for the way between processes.
void pack_number(std::string& to, std::size_t number)
{
    to.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void pack_text(std::string& to, std::string_view text)
{
    pack_number(to, text.size());
    to += text;
}
void pack_values(std::string& to, const Hdf5::Values& values)
{
    pack_number(to, values.index());
    std::visit(
        [&](const auto& v) {
            pack_text(to, std::string_view(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(v[0])));
        },
        values);
}

class Unpack {
  public:
    explicit Unpack(std::string_view from) : from_(from) {}
    std::size_t number()
    {
        std::size_t result;
        std::memcpy(&result, take(sizeof result).data(), sizeof result);
        return result;
    }
    std::string text() { return std::string(take(number())); }
    Hdf5::Values values()
    {
        const std::size_t kind = number();
        const std::string_view bytes = take(number());
        const auto fill = [&](auto v) -> Hdf5::Values {
            v.resize(bytes.size() / sizeof(v[0]));
            if (!v.empty()) std::memcpy(v.data(), bytes.data(), v.size() * sizeof(v[0]));
            return v;
        };
        if (kind == 0) return fill(std::vector<double>{});
        if (kind == 1) return fill(std::vector<std::int32_t>{});
        if (kind == 2) return fill(std::vector<std::int64_t>{});
        if (kind == 3) return fill(std::vector<std::uint64_t>{});
        return std::string(bytes);
    }

  private:
    std::string_view take(std::size_t count)
    {
        if (count > from_.size()) throw CutOff{};
        const std::string_view result = from_.substr(0, count);
        from_.remove_prefix(count);
        return result;
    }
    std::string_view from_;
};

// Seconds and bytes that suffice for any file of this size.
void limit_resources(std::size_t file_size)
{
    const auto limit = [](auto what, rlim_t most) {
        const rlimit both{most, most};
        ::setrlimit(what, &both);
    };
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, 20 + file_size / (1 << 20));
#if !defined(__SANITIZE_ADDRESS__)
    std::size_t pages = 0;
    if (std::ifstream("/proc/self/statm") >> pages)
        limit(RLIMIT_AS,
              pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + 40 * file_size + (4ul << 30));
#endif
}

// Its answer: a sentence why not, or none and the content.
[[noreturn]] void answer_and_end(std::string& image, const std::string& name, int pipe)
{
    std::string answer;
    try {
        limit_resources(image.size());
        Hdf5 content;
        content.name = name;
        read_image(image, content);
        pack_text(answer, "");
        pack_number(answer, content.datasets.size());
        for (const auto& [path, dataset] : content.datasets) {
            pack_text(answer, path);
            pack_number(answer, dataset.columns);
            pack_values(answer, dataset.values);
        }
        pack_number(answer, content.attributes.size());
        for (const auto& [path, values] : content.attributes) {
            pack_text(answer, path);
            pack_values(answer, values);
        }
    } catch (const Error& error) {
        answer.clear();
        pack_text(answer, error.what());
    } catch (...) {
        ::_exit(1);
    }
    for (std::string_view rest = answer; !rest.empty();) {
        const ssize_t written = ::write(pipe, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) ::_exit(1);
        rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    ::_exit(0);
}

} // namespace

Hdf5 read_apart(std::string& image, const std::string& name)
{
    int ends[2];
    const pid_t child = ::pipe(ends) == 0 ? ::fork() : -1;
    if (child < 0) fail("Cannot read '{}': no process can be started for it.", name);
    if (child == 0) {
        ::close(ends[0]);
        answer_and_end(image, name, ends[1]);
    }
    ::close(ends[1]);
    std::string answer;
    for (std::array<char, 1 << 16> piece;;) {
        const ssize_t count = ::read(ends[0], piece.data(), piece.size());
        if (count == 0 || (count < 0 && errno != EINTR)) break;
        answer.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    Hdf5 content;
    content.name = name;
    try {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw CutOff{};
        Unpack unpack(answer);
        if (const std::string reason = unpack.text(); !reason.empty()) throw Error(reason);
        for (std::size_t k = unpack.number(); k > 0; --k) {
            const std::string path = unpack.text();
            const std::size_t columns = unpack.number();
            content.datasets.emplace(path, Hdf5::Dataset{unpack.values(), columns});
        }
        for (std::size_t k = unpack.number(); k > 0; --k) {
            const std::string path = unpack.text();
            content.attributes.emplace(path, unpack.values());
        }
    } catch (const CutOff&) {
        fail("'{}' is damaged: HDF5 fails on it.", name);
    }
    return content;
}

} // namespace tamis
