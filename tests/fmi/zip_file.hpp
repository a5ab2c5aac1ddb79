// Zip archives with stored entries, by the bytes: also such as no program would write.
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
};

inline std::uint32_t crc32(const std::string& bytes)
{
    std::uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

inline std::string zip_of(const std::vector<ZipEntry>& entries)
{
    std::string all, directory;
    const auto number = [](std::string& to, std::uint64_t value, int bytes) {
        for (int k = 0; k < bytes; ++k) to += static_cast<char>(value >> (8 * k) & 255);
    };
    for (const ZipEntry& e : entries) {
        const std::size_t at = all.size();
        const std::uint64_t size = e.claimed < 0 ? e.content.size() : static_cast<std::uint64_t>(e.claimed);
        const auto common = [&](std::string& to) {
            number(to, 20, 2); // version needed
            number(to, e.flags, 2);
            number(to, e.method, 2);
            number(to, 0x58210000, 4); // time and date
            number(to, crc32(e.content), 4);
            number(to, e.content.size(), 4);
            number(to, size, 4);
            number(to, e.name.size(), 2);
            number(to, 0, 2); // extra fields
        };
        number(all, 0x04034b50, 4);
        common(all);
        all += e.name + e.content;
        number(directory, 0x02014b50, 4);
        number(directory, 3 << 8 | 20, 2); // made on Unix
        common(directory);
        number(directory, 0, 6); // comment, disk, internal attributes
        number(directory, e.attributes, 4);
        number(directory, at, 4);
        directory += e.name;
    }
    const std::size_t at = all.size();
    all += directory;
    number(all, 0x06054b50, 4);
    number(all, 0, 4);
    number(all, entries.size(), 2);
    number(all, entries.size(), 2);
    number(all, directory.size(), 4);
    number(all, at, 4);
    number(all, 0, 2);
    return all;
}

} // namespace tamis::test
