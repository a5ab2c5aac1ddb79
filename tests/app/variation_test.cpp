// One run for each value, and a table of what came out.
#include "tamis/app/variation.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis::test::variation_test {

TEST(Variation, ValuesByCommasOrEvenlyOrWhole)
{
    std::vector<std::string> words{"--h", "1", "--vary", "a=8:9:5", "--vary=b=x,y", "--out", "o"};
    const std::vector<Variation> v = take_variations(words);
    EXPECT_EQ(words, (std::vector<std::string>{"--h", "1", "--out", "o"}));
    ASSERT_EQ(v.size(), 2u);
    EXPECT_EQ(v[0].option, "a");
    EXPECT_EQ(v[0].values, (std::vector<std::string>{"8", "8.25", "8.5", "8.75", "9"}));
    EXPECT_EQ(v[1].values, (std::vector<std::string>{"x", "y"}));
    std::vector<std::string> tenths{"--vary", "a=1:0:11"};
    const std::vector<std::string> falling = take_variations(tenths)[0].values;
    ASSERT_EQ(falling.size(), 11u);
    EXPECT_EQ(falling[1], "0.9");
    EXPECT_EQ(falling.back(), "0");
    std::vector<std::string> seeds{"--vary", "seed=-1..2"};
    EXPECT_EQ(take_variations(seeds)[0].values, (std::vector<std::string>{"-1", "0", "1", "2"}));
    for (const char* wrong :
         {"a", "=1", "a=", "a=1,", "a=1:2", "a=1:2:1", "a=1:2:0.5", "a=1:2:x", "a=1:2:1e7", "a=1:inf:3",
          "a=5..1", "a=1..x", "a=1.5..3", "a=0..9999999", "a=-9000000000000000000..9000000000000000000"}) {
        std::vector<std::string> given{"--vary", wrong};
        EXPECT_TRUE(contains(error_of([&] { take_variations(given); }), std::string("--vary is '") + wrong))
            << wrong;
    }
}

TEST(Variation, PathsAndWordsWithDotsAreValues)
{
    for (const char* value : {"../a.stl", "meshes/../a.stl", "1/../a.stl", "a..b", ".."}) {
        std::vector<std::string> given{"--vary", std::string("mesh=") + value};
        EXPECT_EQ(take_variations(given)[0].values, std::vector<std::string>{value});
    }
}

namespace {

// Of the model `workshop` (resume_test.cpp).
std::pair<int, std::string> vary(const std::filesystem::path& out, std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--out", out.string(), "--t-end", "0.02"});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_program(std::move(arguments));
    return {code, testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr()};
}

double angle_of(const std::filesystem::path& folder)
{
    return nlohmann::json::parse(text_of(folder / "summary.json"))["results"]["angle_end_rad"];
}

} // namespace

TEST(Variation, AllCombinationsHaveAFolderAndALine)
{
    ScratchFolder folder;
    const auto [code, told] = vary(folder / "a", {"--vary", "grains=0,2", "--vary", "friction=0.1,0.4"});
    EXPECT_EQ(code, 0) << told;
    EXPECT_TRUE(contains(told, "grains_2_friction_0.1: 3 of 4, angle_end_rad ")) << told;
    std::string expected = "grains,friction,angle_end_rad\n";
    for (const char* grains : {"0", "2"})
        for (const char* friction : {"0.1", "0.4"})
            expected +=
                fmt::format("{},{},{}\n", grains, friction,
                            angle_of(folder / fmt::format("a/grains_{}_friction_{}", grains, friction)));
    EXPECT_EQ(text_of(folder / "a/variation.csv"), expected);
    EXPECT_FALSE(std::filesystem::exists(folder / "a/grains_0_friction_0.1/frames"));
}

TEST(Variation, GoesOnWithWhatIsNotFinished)
{
    ScratchFolder folder;
    const std::vector<std::string> words{"--vary", "friction=0.1,0.2,0.3", "--quiet"};
    ASSERT_EQ(vary(folder / "a", words).first, 0);
    const std::string table = text_of(folder / "a/variation.csv");
    const auto written = [&](const char* run) { return std::filesystem::last_write_time(folder / run); };
    const auto first = written("a/friction_0.1/summary.json"), last = written("a/friction_0.3/summary.json");
    std::filesystem::remove_all(folder / "a/friction_0.2");
    std::filesystem::remove(folder / "a/variation.csv");
    std::vector<std::string> again = words;
    again.push_back("--resume");
    ASSERT_EQ(vary(folder / "a", again).first, 0);
    EXPECT_EQ(text_of(folder / "a/variation.csv"), table);
    EXPECT_EQ(written("a/friction_0.1/summary.json"), first);
    EXPECT_EQ(written("a/friction_0.3/summary.json"), last);
    // Other options: all of them anew.
    again.insert(again.end(), {"--h", "5e-4"});
    ASSERT_EQ(vary(folder / "a", again).first, 0);
    EXPECT_NE(written("a/friction_0.1/summary.json"), first);
}

TEST(Variation, WrongOptionsAreRefusedByName)
{
    ScratchFolder folder;
    EXPECT_EQ(
        vary(folder / "a", {"--vary", "friction=0.1,0.2", "--friction", "1"}),
        (std::pair{
            2, std::string("tamis: --friction is given, and to be varied: leave out one of the two.\n")}));
    EXPECT_EQ(vary(folder / "a", {"--vary", "frictoin=0.1"}).second,
              "tamis: There is no option '--frictoin': did you mean --friction? --help lists all.\n");
    EXPECT_TRUE(contains(vary(folder / "a", {"--vary", "friction=0.1", "--no-output"}).second,
                         "leave out --no-output"));
    EXPECT_TRUE(contains(vary(folder / "a", {"--vary", "friction=0.1,-3"}).second, "--friction is -3"));
}

} // namespace tamis::test::variation_test
