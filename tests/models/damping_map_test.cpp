// A shaken cylinder with balls, run as a user runs it: levels of the map, and damping that is known or bounded.
#include "io/scratch.hpp"
#include "tamis/analysis/damping.hpp"
#include "tamis/app/program.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis::test::damping_map_test {

namespace {

class DampingMap : public testing::Test {
  protected:
    void SetUp() override { setenv("TAMIS_PACKINGS", (folder_ / "packings").c_str(), 1); }
    void TearDown() override { unsetenv("TAMIS_PACKINGS"); }
    nlohmann::json results(std::vector<std::string> options)
    {
        options.insert(options.begin(), "damping_map"); // a program of several models wants the name of one
        const std::string out = (folder_ / "run").string();
        options.insert(options.end(), {"--quiet", "--frames", "0", "--threads", "1", "--out", out});
        EXPECT_EQ(run_program(options), 0);
        return nlohmann::json::parse(text_of(folder_ / "run/summary.json"))["results"];
    }

  private:
    ScratchFolder folder_;
};

} // namespace

TEST_F(DampingMap, LevelsAreThoseOfThePaper)
{
    // From 0.8 g to a largest intensity that grows from 10 g at 5 Hz to 100 g at 100 Hz, in equal ratios.
    const auto intensity = [&](const char* f, const char* level) {
        return results({"--balls", "1", "--frequency", f, "--level", level, "--cycles", "1", "--judged",
                        "1"})["intensity"]
            .get<double>();
    };
    EXPECT_NEAR(intensity("5", "20"), 10, 1e-12);
    EXPECT_NEAR(intensity("100", "20"), 100, 1e-12);
    EXPECT_NEAR(intensity("100", "0"), 0.8, 1e-12);
    EXPECT_NEAR(intensity("5", "10"), std::sqrt(0.8 * 10), 1e-12);
}

// A ball that sticks where it lands, in a can that throws it between floor and lid: as rigid as a bed can be. Shaken so
// hard that it crosses the can in half a period, it comes near the bound; below 1 g it rests and dissipates nothing.
TEST_F(DampingMap, ABallThatStopsAtEachImpactStaysBelowTheBoundOfARigidBed)
{
    const nlohmann::json hard =
        results({"--balls", "1", "--restitution", "0", "--friction", "0", "--frequency", "10", "--intensity",
                 "10", "--cycles", "12", "--judged", "8"});
    EXPECT_LT(hard["zeta_mean"].get<double>(), 1.001 * rigid_bed_bound());
    EXPECT_GT(hard["zeta_mean"].get<double>(), 0.3 * rigid_bed_bound());
    EXPECT_EQ(hard["bound"].get<double>(), rigid_bed_bound());
    const nlohmann::json soft =
        results({"--balls", "1", "--restitution", "0", "--friction", "0", "--frequency", "10", "--intensity",
                 "0.8", "--cycles", "4", "--judged", "2"});
    EXPECT_NEAR(soft["zeta_mean"].get<double>(), 0, 1e-9);
}

} // namespace tamis::test::damping_map_test
