// Files are whole or absent.
#include "tamis/io/file.hpp"

#include "error_of.hpp"
#include "io/full_disk.hpp"
#include "io/scratch.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tamis::test::file_test {

namespace {

std::ptrdiff_t count_entries(const std::filesystem::path& folder)
{
    return std::distance(std::filesystem::directory_iterator(folder), {});
}

} // namespace

TEST(WriteFile, ContentReadsBackByteForByteAndReplacesTheOld)
{
    ScratchFolder folder;
    const std::string bytes("a\0b\r\n\xff", 6);
    write_file(folder / "f", "something longer that was there before");
    write_file(folder / "f", bytes);
    EXPECT_EQ(text_of(folder / "f"), bytes);
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(WriteFile, OldFileSurvivesAFullDiskAndNoTemporaryIsLeft)
{
    ScratchFolder folder;
    write_file(folder / "f", "old");
    std::string message;
    {
        FullDisk disk(1000);
        message = error_of([&] { write_file(folder / "f", std::string(5000, 'x')); });
    }
    EXPECT_NE(message.find("'" + (folder / "f").string() + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_NE(message.find("another folder"), std::string::npos) << message;
    EXPECT_EQ(text_of(folder / "f"), "old");
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(WriteFile, MissingFolderIsNamedWithTheReason)
{
    ScratchFolder folder;
    const std::string message = error_of([&] { write_file(folder / "none/f", "x"); });
    EXPECT_NE(message.find((folder / "none/f").string()), std::string::npos) << message;
    EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST(WriteFile, FolderOfTheSameNameIsKept)
{
    ScratchFolder folder;
    make_directory(folder / "d");
    EXPECT_THROW(write_file(folder / "d", "x"), Error);
    EXPECT_TRUE(std::filesystem::is_directory(folder / "d"));
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(WriteFile, TemporariesOfTheDeadAreRemovedAndNoOthers)
{
    ScratchFolder folder;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    const auto name = [&](const std::string& host, pid_t process) {
        return folder / fmt::format("f.{}-{}-7.part", host, process);
    };
    const std::filesystem::path dead = name(host_name(), child), alive = name(host_name(), ::getpid()),
                                elsewhere = name("another.machine", child), other = folder / "mine.part";
    for (const auto& path : {dead, alive, elsewhere, other}) std::ofstream(path) << "x";
    remove_stale_parts(folder / "");
    EXPECT_FALSE(std::filesystem::exists(dead));
    for (const auto& path : {alive, elsewhere, other}) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

// In a folder that others may write to, a link leads to whatever they like.
TEST(WriteFile, LinksAreNotFollowed)
{
    ScratchFolder folder;
    make_directory(folder / "out");
    const std::filesystem::path victim = folder / "victim", file = folder / "out/f";
    std::ofstream(victim) << "old";
    std::filesystem::create_symlink(victim, file);
    constexpr int links = 5000; // under the names of temporary files to come
    for (int k = 0; k < links; ++k)
        std::filesystem::create_symlink(
            victim, folder / fmt::format("out/f.{}-{}-{}.part", host_name(), ::getpid(), k));
    EXPECT_FALSE(overwrite_file(file, "x"));
    write_file(file, "new");
    EXPECT_EQ(text_of(victim), "old");
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
    EXPECT_EQ(text_of(file), "new");
    EXPECT_EQ(count_entries(folder / "out"), links + 1);
}

TEST(WriteFile, ManyMayWriteTheSameFileAtOnce)
{
    ScratchFolder folder;
    std::vector<std::thread> writers;
    std::atomic<int> failures = 0;
    for (int k = 0; k < 4; ++k)
        writers.emplace_back([&] {
            for (int n = 0; n < 200; ++n)
                if (!error_of([&] { write_file(folder / "f", std::string(5000, 'x')); }).empty()) ++failures;
        });
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(text_of(folder / "f"), std::string(5000, 'x'));
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(OverwriteFile, FillsUpWithSpacesAndNeedsTheRoom)
{
    ScratchFolder folder;
    EXPECT_FALSE(overwrite_file(folder / "f", "x"));
    write_file(folder / "f", "0123456789");
    EXPECT_TRUE(overwrite_file(folder / "f", "abc"));
    EXPECT_EQ(text_of(folder / "f"), "abc       ");
    EXPECT_FALSE(overwrite_file(folder / "f", "01234567890"));
    EXPECT_EQ(text_of(folder / "f"), "abc       ");
}

TEST(FolderLock, IsHeldByOneUntilItEnds)
{
    ScratchFolder folder;
    {
        const FolderLock lock(folder / "");
        const std::string error = error_of([&] { FolderLock second(folder / ""); });
        EXPECT_NE(error.find("Another run (process " + std::to_string(::getpid())), std::string::npos)
            << error;
    }
    EXPECT_EQ(error_of([&] { FolderLock third(folder / ""); }), "");
}

TEST(FolderLock, DoesNotFollowALink)
{
    ScratchFolder folder;
    make_directory(folder / "out");
    std::ofstream(folder / "victim") << "old";
    std::filesystem::create_symlink(folder / "victim", folder / "out/.lock");
    const std::string error = error_of([&] { FolderLock lock(folder / "out"); });
    EXPECT_NE(error.find(".lock'"), std::string::npos) << error;
    EXPECT_EQ(text_of(folder / "victim"), "old");
}

TEST(File, RefusedAppendLeavesWhatWasThere)
{
    ScratchFolder folder;
    File file(folder / "f");
    file.append("0123456789");
    {
        FullDisk disk(15);
        EXPECT_THROW(file.append("0123456789"), Error);
    }
    EXPECT_EQ(text_of(folder / "f"), "0123456789");
}

TEST(MakeDirectory, CreatesParentsAndAcceptsWhatExists)
{
    ScratchFolder folder;
    make_directory(folder / "a/b/c");
    make_directory(folder / "a/b/c");
    EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
}

TEST(MakeDirectory, FileInTheWayIsAnErrorWithARemedy)
{
    ScratchFolder folder;
    write_file(folder / "f", "x");
    for (const char* path : {"f", "f/below"}) {
        const std::string message = error_of([&] { make_directory(folder / path); });
        EXPECT_NE(message.find((folder / path).string()), std::string::npos) << message;
        EXPECT_NE(message.find("Not a directory"), std::string::npos) << message;
        EXPECT_NE(message.find("another folder"), std::string::npos) << message;
    }
}

} // namespace tamis::test::file_test
