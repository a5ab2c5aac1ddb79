// What ParaView is given to draw, of the model `workshop` (resume_test.cpp): a ball on a hinge between two
// walls, and four grains above a floor.
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <gtest/gtest.h>
#include <regex>

namespace tamis::test {

namespace {

double attribute(const std::string& xml, const std::string& name)
{
    std::smatch match;
    return std::regex_search(xml, match, std::regex(name + "=\"([^\"]*)\"")) ? std::stod(match[1]) : -1;
}

} // namespace

TEST(Pictures, PlanesAreLinesAsFarAsSomethingTouchesThem)
{
    ScratchFolder folder;
    ASSERT_EQ(run_program({"--out", (folder / "a").string(), "--quiet", "--t-end", "0.01", "--frames", "1"}),
              0);
    const std::string xml = text_of(folder / "a/frames/workshop_bodies_000000.vtp");
    EXPECT_EQ(attribute(xml, "NumberOfPolys"), 24 * 12); // of the ball
    EXPECT_GT(attribute(xml, "NumberOfLines"), 12);
    EXPECT_LE(attribute(xml, "NumberOfLines"), 3 * 42);
    // The farthest point is a corner of the floor's grid, which ends a cell beyond the grains.
    const std::string points = xml.substr(xml.find("<Points>"));
    EXPECT_GT(attribute(points, "RangeMax"), 1);
    EXPECT_LT(attribute(points, "RangeMax"), 1.2);
}

// The start is in the checkpoint, though nothing was drawn then.
TEST(Pictures, RunThatDrewNothingMayDrawWhenItGoesOn)
{
    ScratchFolder folder;
    const std::string out = (folder / "a").string();
    ASSERT_EQ(run_program({"--out", out, "--quiet", "--t-end", "0.01", "--frames", "0"}), 0);
    ASSERT_EQ(run_program({"--out", out, "--quiet", "--t-end", "0.02", "--frames", "2", "--resume"}), 0);
    EXPECT_GT(attribute(text_of(folder / "a/frames/workshop_bodies_000000.vtp"), "NumberOfLines"), 12);
}

} // namespace tamis::test
