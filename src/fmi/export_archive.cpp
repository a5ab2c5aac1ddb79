// By libzip, in memory; entries have the oldest time that an archive can tell, so that its bytes depend on them alone.
#include "tamis/fmi/export_archive.hpp"

#include "tamis/base/error.hpp"
#include "tamis/io/file.hpp"

#include <memory>
#include <zip.h>

namespace tamis {

namespace {

constexpr std::uint16_t oldest_day = 1 << 5 | 1; // 1 January 1980
constexpr zip_uint32_t level = 6; // the highest, 9, takes three times as long and makes files 1 % smaller

void check(bool good, const std::filesystem::path& path, const char* words)
{
    if (!good) fail("The archive '{}' cannot be made: {}.", path.string(), words);
}

} // namespace

void ExportArchive::write(const std::filesystem::path& path) const
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* bytes = zip_source_buffer_create(nullptr, 0, 0, &error);
    check(bytes, path, "there is no memory");
    zip_source_keep(bytes); // beyond the archive
    const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> owned(bytes, zip_source_free);
    zip_t* opened = zip_open_from_source(bytes, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (!opened) zip_source_free(bytes);
    check(opened, path, zip_error_strerror(&error));
    std::unique_ptr<zip_t, decltype(&zip_discard)> archive(opened, zip_discard);
    for (const auto& [name, content] : entries_) {
        zip_source_t* source = zip_source_buffer(opened, content.data(), content.size(), 0);
        check(source, path, zip_strerror(opened));
        const zip_int64_t entry = zip_file_add(opened, name.c_str(), source, ZIP_FL_ENC_UTF_8);
        if (entry < 0) zip_source_free(source);
        check(entry >= 0, path, zip_strerror(opened));
        const auto index = static_cast<zip_uint64_t>(entry);
        zip_file_set_dostime(opened, index, 0, oldest_day, 0);
        zip_set_file_compression(opened, index, ZIP_CM_DEFLATE, level);
    }
    check(zip_close(opened) == 0, path, zip_strerror(opened));
    archive.release();

    zip_stat_t stat;
    zip_stat_init(&stat);
    check(zip_source_stat(bytes, &stat) == 0 && zip_source_open(bytes) == 0, path, "it cannot be read again");
    std::string content(stat.size, '\0');
    const zip_int64_t read = zip_source_read(bytes, content.data(), content.size());
    zip_source_close(bytes);
    check(read == static_cast<zip_int64_t>(content.size()), path, "it cannot be read again");
    write_file(path, content);
}

} // namespace tamis
