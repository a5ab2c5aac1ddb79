// `--analysis KINDS`: tables, files and refusals of the program, on the model `workshop` (resume_test.cpp): a pendulum
// `bob` of 1 kg with its centre at 0.3 m, which a sphere is on, and a `tray` of 1 kg driven by 0.01 sin(20 t).
#include "tamis/app/analysis_options.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/columns.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numbers>

namespace tamis::test::analyse_test {
namespace {

struct Told {
    int code;
    std::string text;
};

Told analyse(const std::filesystem::path& out, std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--out", out.string()});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_program(std::move(arguments));
    std::string text = testing::internal::GetCapturedStdout();
    return {code, text + testing::internal::GetCapturedStderr()};
}

nlohmann::json found(const std::filesystem::path& folder)
{
    return nlohmann::json::parse(text_of(folder / "analysis.json"));
}

const double frequency = std::sqrt(9.81 * 0.3 / (1e-3 + 0.09)) / (2 * std::numbers::pi);

TEST(AnalysisOption, IsTakenOutOfTheArguments)
{
    std::vector<std::string> words{"--h", "1", "--analysis", "modes,equilibrium", "--quiet"};
    EXPECT_EQ(take_analysis(words), (std::vector<std::string>{"equilibrium", "modes"}));
    EXPECT_EQ(words, (std::vector<std::string>{"--h", "1", "--quiet"}));
    EXPECT_TRUE(take_analysis(words).empty());
    std::vector<std::string> wrong{"--analysis", "buckling"};
    EXPECT_TRUE(contains(error_of([&] { take_analysis(wrong); }), "no analysis 'buckling'"));
    std::vector<std::string> none{"--analysis"};
    EXPECT_TRUE(contains(error_of([&] { take_analysis(none); }), "--analysis needs"));
}

TEST(Analysis, OfEquilibriumAndModesTellsWritesAndAnimates)
{
    ScratchFolder folder;
    const auto [code, told] =
        analyse(folder / "a", {"--analysis", "equilibrium,modes", "--modes", "1", "--frames", "6"});
    EXPECT_EQ(code, 0) << told;
    EXPECT_TRUE(contains(told, "4 grains and all contacts are left out")) << told;
    EXPECT_TRUE(contains(told, "equilibrium: stable")) << told;
    const nlohmann::json j = found(folder / "a");
    EXPECT_NEAR(j["equilibrium"]["coordinates"]["bob"].get<double>(), std::numbers::pi / 2, 1e-9);
    ASSERT_EQ(j["modes"]["modes"].size(), 1u);
    EXPECT_NEAR(j["modes"]["modes"][0]["frequency_Hz"].get<double>(), frequency, 1e-9);
    EXPECT_NEAR(j["modes"]["K"][0][0].get<double>(), 9.81 * 0.3, 1e-9);
    // Files as those of a run: a list of 6 frames and the one that closes the period.
    const std::string list = text_of(folder / "a" / "mode_1" / "workshop.pvd");
    std::size_t frames = 0;
    for (std::size_t at = 0; (at = list.find("_bodies_", at)) != std::string::npos; ++at) ++frames;
    EXPECT_EQ(frames, 7u) << list;
    const Columns swing = Columns::read(folder / "a" / "mode_1" / "histories.csv");
    EXPECT_NEAR(swing["t"].back(), 1 / frequency, 1e-9);
    EXPECT_NEAR(swing["bob"].front() - std::numbers::pi / 2, 0.2, 1e-9);
    EXPECT_NEAR(swing["bob"].back(), swing["bob"].front(), 1e-12);
    EXPECT_EQ(nlohmann::json::parse(text_of(folder / "a" / "mode_1" / "summary.json"))["status"], "finished");
}

TEST(Analysis, OfModesAtTheStartSaysThatItIsNoEquilibrium)
{
    ScratchFolder folder;
    const auto [code, told] =
        analyse(folder / "a", {"--analysis", "modes", "--at", "start", "--frames", "0"});
    EXPECT_EQ(code, 0) << told;
    EXPECT_TRUE(contains(told, "it is no equilibrium")) << told;
    EXPECT_NEAR(found(folder / "a")["modes"]["K"][0][0].get<double>(), 9.81 * 0.3 * std::sin(1.5), 1e-9);
}

TEST(Analysis, OfInverseDynamicsFollowsTheDrives)
{
    ScratchFolder folder;
    const auto [code, told] = analyse(
        folder / "a", {"--analysis", "inverse", "--move", "bob=2", "--t-end", "0.5", "--samples", "101"});
    EXPECT_EQ(code, 0) << told;
    const Columns c = Columns::read(folder / "a" / "histories.csv");
    ASSERT_EQ(c.rows(), 101u);
    for (const std::size_t n : {0u, 17u, 100u}) {
        const double t = 0.005 * static_cast<double>(n), angle = 1.5 + 2 * t;
        EXPECT_NEAR(c["tray.force"][n], -0.01 * 400 * std::sin(20 * t), 1e-7);
        EXPECT_NEAR(c["bob.force"][n], -9.81 * 0.3 * std::cos(angle), 1e-9); // about y, from x to -z
        // The hinge: weight, and towards it what keeps the bob on its circle.
        EXPECT_NEAR(c["bob.Fx"][n], -0.3 * 4 * std::cos(angle), 1e-9);
        EXPECT_NEAR(c["bob.Fz"][n], 9.81 + 0.3 * 4 * std::sin(angle), 1e-9);
    }
}

TEST(Analysis, OfTheRangeOfAnOpenChainIsAllTheWayRound)
{
    ScratchFolder folder;
    const auto [code, told] = analyse(folder / "a", {"--analysis", "range", "--sweep", "bob"});
    EXPECT_EQ(code, 0) << told;
    EXPECT_TRUE(contains(told, "comes back to its start")) << told;
    EXPECT_TRUE(contains(told, "no dead points")) << told;
    const auto [limited, more] = analyse(folder / "b", {"--analysis", "range", "--sweep", "bob=1:2"});
    EXPECT_EQ(limited, 0) << more;
    EXPECT_NEAR(found(folder / "b")["range"]["least"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(found(folder / "b")["range"]["most"].get<double>(), 2, 1e-12);
}

// Of the angle where a run without friction ends, by differences of runs; no mode depends on friction.
TEST(Analysis, OfSensitivitiesDerivesModesAndRuns)
{
    ScratchFolder folder;
    const auto [code, told] = analyse(folder / "a", {"--analysis", "sensitivity", "--by", "friction"});
    EXPECT_EQ(code, 0) << told;
    const nlohmann::json j = found(folder / "a")["sensitivity"];
    EXPECT_EQ(j["mode 1 natural Hz"]["friction"]["derivative"].get<double>(), 0);
    EXPECT_NEAR(j["mode 1 natural Hz"]["friction"]["value"].get<double>(), frequency, 1e-9);
    const auto [again, more] =
        analyse(folder / "b", {"--analysis", "sensitivity", "--by", "friction", "--of", "angle", "--levels",
                               "2", "--t-end", "0.01", "--grains", "0"});
    EXPECT_EQ(again, 0) << more;
    EXPECT_TRUE(found(folder / "b")["sensitivity"].contains("angle last")) << more;
    EXPECT_TRUE(std::filesystem::exists(folder / "b" / "sensitivity.csv"));
}

TEST(Analysis, RefusesInOneSentence)
{
    ScratchFolder folder;
    const auto refused = [&](std::vector<std::string> words, int code, const std::string& part) {
        const Told t = analyse(folder / "a", std::move(words));
        EXPECT_EQ(t.code, code) << t.text;
        EXPECT_TRUE(contains(t.text, part)) << t.text;
    };
    refused({"--analysis", "bending"}, 2, "There is no analysis 'bending'");
    refused({"--analysis", "range"}, 2, "--sweep names it");
    refused({"--analysis", "range", "--sweep", "bab"}, 1, "There is no coordinate 'bab'");
    refused({"--analysis", "range", "--sweep", "bob=2:1"}, 2, "lower limit first");
    refused({"--analysis", "range", "--sweep", "bob=5:6"}, 1, "not between the limits 5 and 6");
    refused({"--analysis", "inverse"}, 1, "nothing moves 'bob'");
    refused({"--analysis", "inverse", "--move", "bob=fast"}, 2, "'fast' is no number");
    refused({"--analysis", "inverse", "--move", "tray=1"}, 1, "'tray' would be moved twice");
    refused({"--analysis", "modes", "--hold", "bob"}, 1, "nothing is free");
    refused({"--analysis", "modes", "--sweep", "bob"}, 2, "There is no option '--sweep'");
    refused({"--analysis", "sensitivity", "--by", "colour"}, 2, "--by names 'colour'");
    refused({"--analysis", "sensitivity", "--by", "friction", "--of", "angle", "--t-end", "0.01", "--limits",
             "turning=1e-9:1e-8"},
            1, "is not believable, and nothing is derived of it");
}

} // namespace
} // namespace tamis::test::analyse_test
