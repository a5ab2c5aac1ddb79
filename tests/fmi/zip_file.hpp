// Zip archives by the bytes: also such as no program would write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tamis::test {

struct ZipEntry {
    std::string name, content;
    std::uint32_t attributes = 0100644u << 16; // of Unix
    std::int64_t claimed = -1;                 // size that the directory claims; -1: the true one
    std::uint16_t flags = 0, method = 0;       // 1: encrypted; 0: stored
    std::string packed = {};                   // what stands there by another method
};

enum class ZipForm {
    plain,
    streamed, // sizes stand behind the content, in a data descriptor
    zip64     // sizes and places in fields of 8 bytes
};

// A word forty times, and what deflates to it.
inline ZipEntry deflated(const std::string& name)
{
    std::string content;
    for (int k = 0; k < 40; ++k) content += "library of the machine, ";
    static constexpr char packed[] =
        "\313\311\114\052\112\054\252\124\310\117\123\050\311\110\125\310\115"
        "\114\316\310\314\113\325\121\310\031\025\037\025\037\025\037\364\342\000";
    return {.name = name, .content = content, .method = 8, .packed = {packed, sizeof packed - 1}};
}

inline std::uint32_t crc32(const std::string& bytes)
{
    std::uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

inline std::string zip_of(const std::vector<ZipEntry>& entries, ZipForm form = ZipForm::plain)
{
    std::string all, directory;
    const auto number = [](std::string& to, std::uint64_t value, int bytes) {
        for (int k = 0; k < bytes; ++k) to += static_cast<char>(value >> (8 * k) & 255);
    };
    const bool wide = form == ZipForm::zip64, streamed = form == ZipForm::streamed;
    for (const ZipEntry& e : entries) {
        const std::size_t at = all.size();
        const std::string& bytes = e.method == 0 ? e.content : e.packed;
        const std::uint64_t size = e.claimed < 0 ? e.content.size() : static_cast<std::uint64_t>(e.claimed);
        const auto sums = [&](std::string& to) {
            number(to, crc32(e.content), 4);
            number(to, bytes.size(), 4);
            number(to, size, 4);
        };
        const auto common = [&](std::string& to, bool empty) {
            number(to, wide ? 45 : 20, 2); // version needed
            number(to, e.flags | (streamed ? 8u : 0u), 2);
            number(to, e.method, 2);
            number(to, 0x58210000, 4); // time and date
            const std::size_t from = to.size();
            sums(to);
            if (empty) to.replace(from, 12, 12, '\0');
            if (wide) to.replace(from + 4, 8, 8, '\xff');
            number(to, e.name.size(), 2);
            number(to, !wide ? 0 : &to == &directory ? 28 : 20, 2); // extra fields
        };
        const auto extra = [&](std::string& to, bool place) {
            if (!wide) return;
            number(to, 1, 2);
            number(to, place ? 24 : 16, 2);
            number(to, size, 8);
            number(to, bytes.size(), 8);
            if (place) number(to, at, 8);
        };
        number(all, 0x04034b50, 4);
        common(all, streamed);
        all += e.name;
        extra(all, false);
        all += bytes;
        if (streamed) {
            number(all, 0x08074b50, 4);
            sums(all);
        }
        number(directory, 0x02014b50, 4);
        number(directory, 3 << 8 | 20, 2); // made on Unix
        common(directory, false);
        number(directory, 0, 6); // comment, disk, internal attributes
        number(directory, e.attributes, 4);
        number(directory, wide ? 0xffffffff : at, 4);
        directory += e.name;
        extra(directory, true);
    }
    const std::size_t at = all.size();
    all += directory;
    if (wide) {
        const std::size_t end = all.size();
        number(all, 0x06064b50, 4);
        number(all, 44, 8);
        number(all, 3 << 8 | 45, 2);
        number(all, 45, 2);
        number(all, 0, 8);
        number(all, entries.size(), 8);
        number(all, entries.size(), 8);
        number(all, directory.size(), 8);
        number(all, at, 8);
        number(all, 0x07064b50, 4);
        number(all, 0, 4);
        number(all, end, 8);
        number(all, 1, 4);
    }
    number(all, 0x06054b50, 4);
    number(all, 0, 4);
    for (int k = 0; k < 2; ++k) number(all, wide ? 0xffff : entries.size(), 2);
    number(all, wide ? 0xffffffff : directory.size(), 4);
    number(all, wide ? 0xffffffff : at, 4);
    number(all, 0, 2);
    return all;
}

} // namespace tamis::test
