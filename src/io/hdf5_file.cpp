// A file is an image that HDF5 makes (hdf5_image.hpp), and a seal behind it: a magic word and the hash of all bytes
// before it, checked before HDF5 sees them. Files of other programs have no seal, and a seal can be forged; hence
// images are read by a child process (hdf5_process.hpp).
#include "tamis/io/hdf5_file.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/hdf5_image.hpp"
#include "tamis/io/hdf5_process.hpp"

#include <algorithm>
#include <cstring>

namespace tamis {

namespace {

constexpr std::string_view magic = "TAMISSUM";
constexpr std::size_t seal_size = 16;

std::string seal(std::string_view image)
{
    StateHash hash;
    hash.add(std::uint64_t{image.size()});
    for (; !image.empty(); image.remove_prefix(std::min<std::size_t>(image.size(), 8))) {
        std::uint64_t word = 0;
        std::memcpy(&word, image.data(), std::min<std::size_t>(image.size(), 8));
        hash.add(word);
    }
    std::string result(magic);
    for (int k = 0; k < 8; ++k) result += static_cast<char>(hash.value >> 8 * k & 0xff);
    return result;
}

} // namespace

bool is_hdf5(std::string_view content)
{
    return content.starts_with("\x89HDF\r\n\x1a\n");
}

void write_hdf5(const std::filesystem::path& path, const Hdf5& content)
{
    const std::string image = make_image(content, path);
    write_file(path, image + seal(image), true);
}

Hdf5 read_hdf5(const std::filesystem::path& path, bool sealed)
{
    std::string image = read_file(path);
    if (!is_hdf5(image)) fail("'{}' is not an HDF5 file.", path.string());
    const std::string end = image.substr(std::max(image.size(), seal_size) - seal_size);
    if (end.starts_with(magic)) {
        image.resize(image.size() - seal_size);
        if (end != seal(image))
            fail("'{}' is damaged: its checksum does not fit its content.", path.string());
    } else if (sealed) {
        fail("'{}' is damaged, cut off, or of another program: the checksum at its end is missing.",
             path.string());
    }
    return read_apart(image, path.string());
}

} // namespace tamis
