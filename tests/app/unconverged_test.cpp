// Steps that stop at the sweep limit, of the model `workshop` (resume_test.cpp).
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <gtest/gtest.h>

namespace tamis::test::unconverged_test {

TEST(Unconverged, NoteNamesTheWorstContactAndTheRemedy)
{
    // Grains that fall on a shaken tray: one sweep does not settle 16 of them, and no bob is near.
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_program({"--no-output", "--grains", "32", "--t-end", "0.2", "--max-sweeps", "1", "--solver",
                           "nlgs", "--tolerance", "1e-9", "--believe"}),
              0);
    testing::internal::GetCapturedStdout();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(contains(said, "steps stopped at the sweep limit, the worst at t = ")) << said;
    EXPECT_TRUE(contains(said, " between '")) << said;
    EXPECT_TRUE(contains(said, "'grain ")) << said;
    EXPECT_FALSE(contains(said, "'bob'")) << said;
    EXPECT_TRUE(contains(said, "raise --max-sweeps or --tolerance, or reduce --h, or take --solver robust."))
        << said;
}

} // namespace tamis::test::unconverged_test
