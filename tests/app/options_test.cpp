// Options of the model `workshop` (resume_test.cpp): --friction is a number from 0 to 10, --grains a count.
#include "io/scratch.hpp"
#include "tamis/app/script.hpp"

#include <gtest/gtest.h>

namespace tamis::test {

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

} // namespace tamis::test
