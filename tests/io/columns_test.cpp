// Columns are read back to the bits that a history has written.
#include "tamis/io/columns.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/history.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace tamis::test::columns_test {

TEST(Columns, OfAHistoryHaveItsBits)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "x, \"quoted\"", "y"});
        history.row(std::array{0.0, 1.0 / 3, -0.0});
        history.row(std::array{0.1 + 0.2, std::nan(""), HUGE_VAL});
    }
    const Columns c = Columns::read(folder / "h.csv");
    EXPECT_EQ(c.names(), (std::vector<std::string>{"t", "x, \"quoted\"", "y"}));
    ASSERT_EQ(c.rows(), 2u);
    EXPECT_EQ(c["t"][1], 0.1 + 0.2);
    EXPECT_EQ(c["x, \"quoted\""][0], 1.0 / 3);
    EXPECT_TRUE(std::isnan(c["x, \"quoted\""][1]));
    EXPECT_TRUE(std::signbit(c["y"][0]));
    EXPECT_EQ(c["y"][1], HUGE_VAL);
    EXPECT_EQ(error_of([&] { c["z"]; }),
              "There is no column 'z' in '" + (folder / "h.csv").string() + "': it has t, x, \"quoted\", y.");
}

TEST(Columns, WhatAKilledProgramLeftOfALineIsIgnored)
{
    ScratchFolder folder;
    write_file(folder / "h.csv", "a,b\n1,2\n3,");
    const Columns c = Columns::read(folder / "h.csv");
    EXPECT_EQ(c.rows(), 1u);
    EXPECT_EQ(c.bytes(), 8u);
    write_file(folder / "h.csv", "a,");
    EXPECT_EQ(Columns::read(folder / "h.csv").rows(), 0u);
}

TEST(Columns, DamagedFilesAreRefused)
{
    ScratchFolder folder;
    for (const auto& [content, part] : {std::pair{"a,b\n1,x\n", "has 'x' where a number should be"},
                                        {"a,b\n1\n", "has not the 2 numbers"},
                                        {"a,b\n1,2,3\n", "has not the 2 numbers"},
                                        {"a,b\n1,2\n\n", "Line 3"}}) {
        write_file(folder / "h.csv", content);
        EXPECT_TRUE(contains(error_of([&] { Columns::read(folder / "h.csv"); }), part)) << content;
    }
}

} // namespace tamis::test::columns_test
