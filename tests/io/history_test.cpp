// Histories keep every bit and only whole lines.
#include "tamis/io/history.hpp"

#include "error_of.hpp"
#include "io/full_disk.hpp"
#include "io/scratch.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

namespace tamis::test::history_test {

TEST(History, HeaderAndRowsAreCommaSeparated)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "x"});
        history.row(std::array{0.0, -1.5});
        history.row(std::array{0.1, 1e-20});
    }
    EXPECT_EQ(text_of(folder / "h.csv"), "t,x\n0,-1.5\n0.1,1e-20\n");
}

TEST(History, ValuesReadBackToTheSameBits)
{
    ScratchFolder folder;
    using Limits = std::numeric_limits<double>;
    const std::array values{
        1.0 / 3.0, 0.1 + 0.2, Limits::max(), Limits::denorm_min(), -0.0, 1.0 + Limits::epsilon()};
    {
        History history(folder / "h.csv", {"a", "b", "c", "d", "e", "f"});
        history.row(values);
    }
    const std::string text = text_of(folder / "h.csv");
    const char* cell = text.c_str() + text.find('\n') + 1;
    for (const double value : values) {
        char* end = nullptr;
        const double read = std::strtod(cell, &end);
        EXPECT_EQ(read, value);
        EXPECT_EQ(std::signbit(read), std::signbit(value));
        cell = end + 1;
    }
}

TEST(History, PreformattedLinesStandBesideNumbers)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "body, name"});
        history.line("0.5," + csv_cell("rod"));
        history.line("0.75," + csv_cell("the \"left\", rod"));
    }
    EXPECT_EQ(text_of(folder / "h.csv"), "t,\"body, name\"\n0.5,rod\n0.75,\"the \"\"left\"\", rod\"\n");
}

TEST(History, RowOfTheWrongLengthIsRefusedAndLeavesNoTrace)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "x"});
        EXPECT_THROW(history.row(std::array{1.0}), Error);
        EXPECT_THROW(history.row(std::array{1.0, 2.0, 3.0}), Error);
    }
    EXPECT_EQ(text_of(folder / "h.csv"), "t,x\n");
}

TEST(History, FileIsMadeOfWholeLinesAtAnyMoment)
{
    ScratchFolder folder;
    History history(folder / "h.csv", {"i", "third"});
    std::size_t sizes = 0, size = 0;
    for (int i = 0; i < 20000; ++i) {
        history.row(std::array{double(i), i / 3.0});
        if (i % 100 != 0) continue;
        const std::string text = text_of(folder / "h.csv");
        ASSERT_EQ(text.back(), '\n');
        sizes += text.size() != size;
        size = text.size();
    }
    EXPECT_GT(sizes, 3u);  // it did grow on the way
    EXPECT_LT(sizes, 50u); // and not row by row
}

TEST(History, DeletedFileIsNamed)
{
    ScratchFolder folder;
    History history(folder / "h.csv", {"t"});
    std::filesystem::remove(folder / "h.csv");
    const std::string error = error_of([&] { history.flush(); });
    EXPECT_NE(error.find("h.csv' was deleted"), std::string::npos) << error;
}

TEST(History, RowIsOnDiskAfterASecond)
{
    ScratchFolder folder;
    History history(folder / "h.csv", {"t"});
    history.row(std::array{1.0});
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    history.row(std::array{2.0});
    EXPECT_EQ(text_of(folder / "h.csv"), "t\n1\n2\n");
}

TEST(History, FullDiskIsReportedOnceAndOnlyWholeLinesRemain)
{
    ScratchFolder folder;
    std::string first, second;
    {
        FullDisk disk(64);
        History history(folder / "h.csv", {"t", "x"});
        history.row(std::array{1.0, 2.0});
        history.flush();
        for (int i = 0; i < 40; ++i) history.row(std::array{0.25, 0.125});
        first = error_of([&] { history.flush(); });
        history.row(std::array{3.0, 4.0});
        second = error_of([&] { history.flush(); });
    }
    EXPECT_NE(first.find((folder / "h.csv").string()), std::string::npos) << first;
    EXPECT_NE(first.find("another folder"), std::string::npos) << first;
    EXPECT_EQ(second, "");
    EXPECT_EQ(text_of(folder / "h.csv"), "t,x\n1,2\n");
}

TEST(History, DestructorIsSilentOnAFullDisk)
{
    ScratchFolder folder;
    FullDisk disk(16);
    EXPECT_NO_THROW({
        History history(folder / "h.csv", {"t"});
        for (int i = 0; i < 100; ++i) history.row(std::array{0.5});
    });
}

TEST(History, DeviceWithoutSpaceIsNamedAsTheReason)
{
    const std::string message = error_of([] { History history("/dev/full", {"t"}); });
    EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
}

TEST(History, MissingFolderIsAnError)
{
    ScratchFolder folder;
    EXPECT_THROW(History(folder / "none/h.csv", {"t"}), Error);
}

} // namespace tamis::test::history_test
