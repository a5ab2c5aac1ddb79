// Archives from anywhere: taken, or refused in one sentence, with nothing outside of their own folder.
#include "tamis/fmi/fmu_archive.hpp"

#include "error_of.hpp"
#include "fmi/zip_file.hpp"
#include "io/scratch.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

namespace tamis::fmu_archive_test {

using namespace tamis::test;
namespace fs = std::filesystem;

namespace {

const ZipEntry description{"modelDescription.xml", "<fmi/>"};

fs::path write(const ScratchFolder& folder, const std::string& bytes, const std::string& name = "some.fmu")
{
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
}

std::string refusal(const std::vector<ZipEntry>& entries, const FmuLimits& limits = {})
{
    const ScratchFolder folder;
    const fs::path file = write(folder, zip_of(entries));
    return error_of([&] { FmuArchive(file, limits).unpack("linux64"); });
}

} // namespace

TEST(FmuArchive, UnpacksWhatIsNeededIntoAFolderOfItsOwnThatGoesWithIt)
{
    const ScratchFolder folder;
    const fs::path file = write(folder, zip_of({description,
                                                {"binaries/", ""},
                                                {"binaries/linux64/some.so", "library"},
                                                {"binaries/win64/some.dll", "other"},
                                                {"resources/deep/er/data", std::string(200000, 'x')},
                                                {"sources/all.c", "int main() {}"}}));
    fs::path unpacked;
    {
        FmuArchive archive(file);
        EXPECT_EQ(archive.name(), "some");
        EXPECT_EQ(archive.description(), "<fmi/>");
        EXPECT_TRUE(archive.has("binaries/linux64/some.so"));
        EXPECT_FALSE(archive.has("binaries/linux64"));
        EXPECT_EQ(archive.platforms(), (std::vector<std::string>{"linux64", "win64"}));
        unpacked = archive.unpack("linux64");
        EXPECT_EQ(archive.unpack("linux64"), unpacked);
        EXPECT_EQ(text_of(unpacked / "binaries/linux64/some.so"), "library");
        EXPECT_EQ(text_of(unpacked / "resources/deep/er/data"), std::string(200000, 'x'));
        EXPECT_FALSE(fs::exists(unpacked / "binaries/win64"));
        EXPECT_FALSE(fs::exists(unpacked / "sources"));
        EXPECT_EQ(fs::status(unpacked).permissions(), fs::perms::owner_all); // nobody else
    }
    EXPECT_FALSE(fs::exists(unpacked));
}

TEST(FmuArchive, TakesAFolderAsItIs)
{
    const ScratchFolder folder;
    fs::create_directories(folder / "plant/binaries/linux64");
    std::ofstream(folder / "plant/modelDescription.xml") << "<fmi/>";
    std::ofstream(folder / "plant/binaries/linux64/plant.so") << "library";
    FmuArchive archive(folder / "plant/");
    EXPECT_EQ(archive.name(), "plant");
    EXPECT_EQ(archive.description(), "<fmi/>");
    EXPECT_TRUE(archive.has("binaries/linux64/plant.so"));
    EXPECT_EQ(text_of(archive.unpack("linux64") / "binaries/linux64/plant.so"), "library");
}

// Links lead where they lead, as whoever unpacked the folder has them; what cannot be read is told.
TEST(FmuArchive, NamesTheFilesOfAFolderAsTheyAreThere)
{
    const ScratchFolder folder;
    fs::create_directories(folder / "plant/binaries/linux64");
    std::ofstream(folder / "plant/modelDescription.xml") << "<fmi/>";
    std::ofstream(folder / "built.so") << "library";
    fs::create_symlink(folder / "built.so", folder / "plant/binaries/linux64/plant.so");
    fs::create_symlink(folder / "nowhere", folder / "plant/binaries/linux64/gone.so");
    EXPECT_TRUE(FmuArchive(folder / "plant").has("binaries/linux64/plant.so"));
    EXPECT_FALSE(FmuArchive(folder / "plant").has("binaries/linux64/gone.so"));
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(folder / "plant", {.entries = 1}); }),
                 "more than 1 files");
    fs::create_directory(folder / "plant/closed");
    fs::permissions(folder / "plant/closed", fs::perms::none);
    if (::getuid() != 0) { // from whom nothing is closed
        EXPECT_PRED2(contains, error_of([&] { FmuArchive(folder / "plant"); }), "cannot be read as an FMU");
    }
    fs::permissions(folder / "plant/closed", fs::perms::owner_all);
}

TEST(FmuArchive, TakesTheFormsThatToolsWrite)
{
    const ZipEntry packed = deflated("resources/deep/data");
    for (const ZipForm form : {ZipForm::plain, ZipForm::streamed, ZipForm::zip64}) {
        const ScratchFolder folder;
        FmuArchive archive(write(folder, zip_of({description, {"resources/a", "1"}, packed}, form)));
        const fs::path unpacked = archive.unpack("linux64");
        EXPECT_EQ(text_of(unpacked / "resources/deep/data"), packed.content);
        EXPECT_EQ(text_of(unpacked / "resources/a"), "1");
    }
}

TEST(FmuArchive, ProgramsMayBeStartedAndOthersNot)
{
    const ScratchFolder folder;
    FmuArchive archive(write(folder, zip_of({description,
                                             {"resources/tool", "#!/bin/sh", 0100755u << 16},
                                             {"resources/data", "1", 0100644u << 16}})));
    const fs::path unpacked = archive.unpack("linux64");
    EXPECT_EQ(fs::status(unpacked / "resources/tool").permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(unpacked / "resources/data").permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
}

TEST(FmuArchive, NamesThatLeaveTheFolderAreRefused)
{
    for (const char* name :
         {"../out", "resources/../../out", "resources/..", "./resources/a", "/etc/out", "C:/out",
          "resources//a", "a\\b", "resources\\..\\..\\out", "resources/a\nb", "resources/\x1b[2J"}) {
        const std::string why = refusal({description, {name, "evil"}});
        EXPECT_PRED2(contains, why, "is refused") << name;
        EXPECT_FALSE(contains(why, "\n")) << name;
        EXPECT_FALSE(contains(why, "\x1b")) << name;
    }
    EXPECT_PRED2(contains, refusal({description, {"", "evil"}}), "has no name");
    EXPECT_PRED2(contains, refusal({description, {"resources/" + std::string(300, 'a'), ""}}), "255");
    EXPECT_PRED2(contains, refusal({description, {std::string(2000, '/'), ""}}), "1000");
    EXPECT_EQ(refusal({description, {"resources/..a/b..c/...", "fine"}}), "");
    std::string deep = "resources";
    for (int k = 1; k < 29; ++k) deep += "/a";
    EXPECT_EQ(refusal({description, {deep + "/b", ""}}), "");
    EXPECT_PRED2(contains, refusal({description, {deep + "/a/b", ""}}), "more than 30 parts");
}

TEST(FmuArchive, LinksAndDevicesAreRefused)
{
    for (const std::uint32_t kind : {S_IFLNK, S_IFCHR, S_IFIFO, S_IFSOCK})
        EXPECT_PRED2(contains,
                     refusal({description,
                              {"resources/link", "/etc", (static_cast<std::uint32_t>(kind) | 0777) << 16}}),
                     "link or a device");
}

TEST(FmuArchive, WhatIsThereTwiceIsRefused)
{
    EXPECT_PRED2(contains, refusal({description, {"resources/a", "1"}, {"resources/a", "2"}}), "twice");
    EXPECT_PRED2(contains, refusal({description, description}), "twice");
    EXPECT_PRED2(contains, refusal({description, {"resources/a", "1"}, {"resources/a/b", "2"}}),
                 "a file and a folder");
    EXPECT_EQ(refusal({description, {"resources/", ""}, {"resources/", ""}}), "");
}

TEST(FmuArchive, SizesAreBoundedAsClaimedAndAsRead)
{
    const FmuLimits few{.entries = 3, .description = 100, .entry = 1000, .total = 1500};
    const std::string big(900, 'x');
    EXPECT_EQ(refusal({description, {"resources/a", big}}, few), "");
    EXPECT_PRED2(contains, refusal({description, {"resources/a", big}, {"b", big}}, few),
                 "1500 are the most");
    EXPECT_PRED2(contains, refusal({description, {"a", ""}, {"b", ""}, {"c", ""}}, few),
                 "4 entries, more than 3");
    EXPECT_PRED2(contains, refusal({{"modelDescription.xml", big}}, few), "900 bytes, more than 100");
    EXPECT_PRED2(contains, refusal({description, {"resources/a", std::string(1001, 'x')}}, few),
                 "1001 bytes");
    // (What libzip finds by itself it tells in its own words.)
    EXPECT_NE(refusal({description, {.name = "resources/a", .content = big, .claimed = 10}}, few), "");
    EXPECT_NE(refusal({description, {.name = "resources/a", .content = big, .claimed = 1000}}, few), "");
    EXPECT_NE(refusal({description, {.name = "resources/a", .content = big, .claimed = 0xffffffff}}, few),
              "");
}

// Ten thousand times as much as the archive has bytes for each: by its claim, and with a claim that is a lie.
TEST(FmuArchive, ABombIsNotUnpacked)
{
    const ScratchFolder folder;
    const fs::path file = folder / "bomb.fmu";
    const std::string zeros(8 << 20, '\0');
    int error = 0;
    zip_t* zip = zip_open(file.c_str(), ZIP_CREATE, &error);
    ASSERT_TRUE(zip);
    for (const auto& [name, content] : {std::pair{std::string("modelDescription.xml"), std::string("<fmi/>")},
                                        {std::string("resources/zeros"), zeros}}) {
        zip_source_t* source = zip_source_buffer_create(content.data(), content.size(), 0, nullptr);
        ASSERT_GE(zip_file_add(zip, name.c_str(), source, 0), 0);
        if (name[0] == 'm') continue;
        ASSERT_EQ(zip_close(zip), 0); // while the content is there
        zip = nullptr;
    }
    ASSERT_LT(fs::file_size(file), 20000u);
    const FmuLimits limits{.entry = 1 << 20, .total = 2 << 20};
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(file, limits).unpack("linux64"); }), "8388608 bytes");
    std::string bytes = text_of(file);
    const std::string size{0, 0, static_cast<char>(0x80), 0};
    int found = 0;
    for (std::size_t at = bytes.find(size); at != std::string::npos; at = bytes.find(size, at + 1), ++found)
        bytes.replace(at, 4, std::string{0, 1, 0, 0}); // 256 bytes, it says
    ASSERT_GE(found, 1);
    const fs::path liar = write(folder, bytes, "liar.fmu");
    EXPECT_NE(error_of([&] { FmuArchive(liar, limits).unpack("linux64"); }), "");
}

TEST(FmuArchive, WhatCannotBeReadIsToldByItsName)
{
    const ScratchFolder folder;
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(folder / "none.fmu"); }), "There is no FMU");
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(write(folder, "")); }), "no zip archive");
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(write(folder, "PK but no archive")); }),
                 "no zip archive");
    EXPECT_PRED2(contains, refusal({{"a", "b"}}), "has no modelDescription.xml");
    EXPECT_PRED2(contains, refusal({description, {.name = "resources/a", .content = "secret", .flags = 1}}),
                 "encrypted");
    EXPECT_NE(refusal({description, {.name = "resources/a", .content = "b", .method = 99}}), ""); // not known
    std::string wrong = zip_of({description, {"resources/a", "content"}});
    wrong[wrong.find("content")] = 'k'; // no longer what its checksum says
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(write(folder, wrong)).unpack("linux64"); }),
                 "cannot be read");
    std::string cut = zip_of({description, {"resources/a", "content"}});
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(write(folder, cut.substr(0, cut.size() - 30))); }),
                 "no zip archive");
    fs::create_directory(folder / "empty");
    EXPECT_PRED2(contains, error_of([&] { FmuArchive(folder / "empty"); }), "has no modelDescription.xml");
}

} // namespace tamis::fmu_archive_test
