// What ParaView is given to draw, of the model `workshop` (resume_test.cpp): a ball on a hinge between two
// walls, and four grains above a floor.
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <gtest/gtest.h>
#include <regex>

namespace tamis::test::pictures_test {

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

TEST(Pictures, SphericalGrainsArePointsUnlessSurfacesAreAskedFor)
{
    ScratchFolder folder;
    const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{
            "--out", (folder / out).string(), "--quiet", "--t-end", "0.01", "--frames", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        ASSERT_EQ(run_program(arguments), 0);
    };
    run("points", {});
    EXPECT_FALSE(std::filesystem::exists(folder / "points/frames/workshop_grains_000000.vtp"));
    for (const char* list : {"points/workshop.pvd", "points/workshop_points.pvd"})
        EXPECT_NE(text_of(folder / list).find("frames/workshop_points_000001.vtp"), std::string::npos)
            << list;
    const std::string points = text_of(folder / "points/frames/workshop_points_000000.vtp");
    EXPECT_EQ(attribute(points, "NumberOfVerts"), 4);
    for (const char* name : {"radius", "orientation", "velocity", "grain"})
        EXPECT_NE(points.find(std::string("Name=\"") + name + '"'), std::string::npos) << name;
    run("surfaces", {"--surfaces"});
    const std::string surfaces = text_of(folder / "surfaces/frames/workshop_grains_000000.vtp");
    EXPECT_EQ(attribute(surfaces, "NumberOfPolys"), 4 * 80); // an icosahedron with its edges halved
    const std::string list = text_of(folder / "surfaces/workshop.pvd");
    EXPECT_EQ(list.find("workshop_points_"), std::string::npos);
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

} // namespace tamis::test::pictures_test
