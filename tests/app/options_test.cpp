// Options of the model `workshop` (resume_test.cpp): --friction is a number from 0 to 10, --grains a count.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <gtest/gtest.h>

namespace tamis::test::options_test {

TEST(Options, ValueOutOfItsRangeIsRefusedByName)
{
    const auto said = [](const std::string& option, const std::string& value) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(run_program({option, value, "--no-output", "--quiet", "--t-end", "1e-3"}), 2)
            << option << value;
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(said("--friction", "-0.1"), "workshop: --friction is -0.1: give a number from 0 to 10.\n");
    EXPECT_EQ(said("--friction", "10.1"), "workshop: --friction is 10.1: give a number from 0 to 10.\n");
    EXPECT_EQ(said("--friction", "nan"), "workshop: --friction is nan: give a number from 0 to 10.\n");
    EXPECT_EQ(said("--friction", "inf"), "workshop: --friction is inf: give a number from 0 to 10.\n");
    EXPECT_EQ(said("--grains", "-1"), "workshop: --grains is -1: give zero or a positive number.\n");
    for (const char* limit : {"0", "10"})
        EXPECT_EQ(run_program({"--friction", limit, "--no-output", "--quiet", "--t-end", "1e-3"}), 0);
}

namespace {

struct Said {
    int code;
    std::string out, error;
};

Said said(std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--no-output"});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_program(arguments);
    return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

} // namespace

TEST(Options, MistakesInTheOptionsOfEveryRunHaveExitCode2)
{
    for (const auto& [option, value] :
         std::vector<std::pair<std::string, std::string>>{{"--h", "0"},
                                                          {"--h", "-1e-3"},
                                                          {"--h", "2"}, // longer than the run
                                                          {"--h", "1e-13"},
                                                          {"--theta", "3"},
                                                          {"--theta", "0.4"},
                                                          {"--t-end", "0"},
                                                          {"--frames", "-4"},
                                                          {"--threads", "-3"},
                                                          {"--record-every", "0"},
                                                          {"--tolerance", "0"},
                                                          {"--max-sweeps", "0"},
                                                          {"--rho-inf", "1.1"},
                                                          {"--checkpoint-every", "-1"}}) {
        const Said s = said({option, value});
        EXPECT_EQ(s.code, 2) << option << " " << value;
        EXPECT_TRUE(contains(s.error, option)) << s.error;
        EXPECT_EQ(std::count(s.error.begin(), s.error.end(), '\n'), 1) << s.error;
    }
}

TEST(Options, EmptyValueIsNotZero)
{
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--friction", ""},
                                                      {"--friction="},
                                                      {"--grains", ""},
                                                      {"--friction", "1x"}}) {
        const Said s = said(arguments);
        EXPECT_EQ(s.code, 2) << arguments[0];
        EXPECT_TRUE(contains(s.error, "needs a")) << s.error;
    }
}

TEST(Options, GivenTwiceIsToldAsSuch)
{
    EXPECT_EQ(said({"--friction", "0.1", "--friction", "0.2"}).error,
              "workshop: --friction is given twice: give it once.\n");
}

TEST(Options, WholeNumberMayHaveAnExponent)
{
    const auto script = make_script("workshop", {"--grains", "1e1"});
    script->prepare();
    EXPECT_EQ(script->model.grains().size(), 10u);
    EXPECT_EQ(said({"--grains", "1.5"}).error, "workshop: --grains is 1.5: give a whole number.\n");
    EXPECT_EQ(said({"--grains", "1e10"}).code, 2);
}

TEST(Options, HelpShowsRangesAndDefaults)
{
    const Said s = said({"--help"});
    EXPECT_EQ(s.code, 0);
    for (const char* part : {"--friction NUMBER=0.4", "of all [0 to 10]", "step size [s, positive]",
                             "[0 or more]", "of the theta-scheme [0.5 to 1]", "--version"})
        EXPECT_TRUE(contains(s.out, part)) << part << "\n" << s.out;
}

TEST(Options, VersionIsPrinted)
{
    const Said s = said({"--version"});
    EXPECT_EQ(s.code, 0);
    EXPECT_EQ(s.out.substr(0, 6), "tamis ");
    EXPECT_TRUE(contains(s.out, "GCC ") || contains(s.out, "Clang ")) << s.out;
}

} // namespace tamis::test::options_test
