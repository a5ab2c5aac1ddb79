// Results are computed of all that was recorded, also before a run was resumed.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/model/view.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis::test::results_test {

namespace {

// A body that slides at 2 m/s.
struct Sliding : Script {
    explicit Sliding(std::vector<std::string> arguments) : Script("sliding", "Slides", arguments) {}
    void define() override
    {
        const Body body = model.add({.name = "body", .joint = slide_x(), .mass = 1});
        model.start(body, 0, 2);
        record(
            "x", [c = model.coordinate(body)](const View& s) { return s.q(c); }, "m");
        result("lines", [](const Columns& c) { return static_cast<double>(c.rows()); });
        result(
            {"first_m", "last_m"},
            [](const Columns& c) {
                return std::vector{c["x"].front(), c["x"].back()};
            },
            "m");
        if (flag("missing", "a result that cannot be"))
            result(
                "y_m", [](const Columns& c) { return c["y"].back(); }, "m");
        if (flag("twice", "a result")) result("lines", [](const Columns&) { return 0.0; });
        defaults.h = 0.1;
        defaults.record_interval = 0.2;
        run_until(1);
    }
};

int go(const std::filesystem::path& out, std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--out", out.string()});
    Sliding script(arguments);
    script.prepare();
    return run(script);
}

nlohmann::json summary(const std::filesystem::path& folder)
{
    return nlohmann::json::parse(text_of(folder / "summary.json"));
}

} // namespace

TEST(Results, AreThoseOfTheColumns)
{
    ScratchFolder folder;
    testing::internal::CaptureStdout();
    ASSERT_EQ(go(folder / "a", {}), 0);
    const std::string told = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(contains(told, "results      lines = 6\n")) << told;
    EXPECT_TRUE(contains(told, "last_m = 2 m\n")) << told;
    const nlohmann::json results = summary(folder / "a")["results"];
    EXPECT_EQ(results["lines"], 6); // t = 0, 0.2, ... 1
    EXPECT_EQ(results["first_m"], 0);
    EXPECT_NEAR(results["last_m"].get<double>(), 2, 1e-12);
}

// One side of a box is missing.
struct Leaking : Script {
    explicit Leaking(std::vector<std::string> arguments) : Script("leaking", "A box with a hole", arguments)
    {
    }
    void define() override
    {
        model.gravity({0, 0, -9.81});
        const bool closed = flag("closed", "without the hole");
        const double stiffness = asked_method() == Method::dem ? 1e4 : 0;
        const MaterialId steel = model.add(Material{.restitution = 0.5, .stiffness = stiffness});
        for (int k = 0; k < 6; ++k) {
            const Eigen::Vector3d inwards = (k % 2 ? 1 : -1) * Eigen::Vector3d::Unit(k / 2);
            if (k != 5 || closed) model.attach(ground, wall(inwards, -0.1), steel);
        }
        const GrainId one =
            model.grain({.name = "one", .shape = sphere(0.01), .material = steel, .density = 1000});
        model.grain({.shape = sphere(0.01), .material = steel, .density = 1000, .at = {.p = {0.05, 0, 0}}});
        record(
            "z", [=](const View& s) { return s.position(one).z(); }, "m");
        record(
            "grains", [](const View& s) { return static_cast<double>(s.grains().size()); }, "");
        result("fallen_m", [](const Columns& c) { return -c["z"].back(); });
        result("grains", [](const Columns& c) { return c["grains"].back(); });
        defaults.h = 1e-3;
        run_until(1);
    }
};

TEST(Results, TellOfGrainsThatLeftThroughAHole)
{
    ScratchFolder folder;
    const auto summary_of = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--frames", "0", "--quiet", "--out", (folder / "a").string()});
        Leaking script(arguments);
        script.prepare();
        EXPECT_EQ(run(script), 0);
        return summary(folder / "a");
    };
    for (const char* method : {"moreau-jean", "dem"}) {
        const nlohmann::json leaked = summary_of({"--method", method});
        const std::string told = leaked["notes"].dump();
        EXPECT_TRUE(contains(told, "2 of 2 grains have left the scene, the first of them 'one'")) << told;
        EXPECT_TRUE(contains(told, "close the gap in the walls")) << told;
        // The run is whole, and what left falls freely.
        EXPECT_EQ(leaked["status"], "finished");
        EXPECT_EQ(leaked["results"]["grains"], 2);
        EXPECT_NEAR(leaked["results"]["fallen_m"].get<double>(), 9.81 / 2, 9.81 / 2 * 1e-3) << method;
        const nlohmann::json closed = summary_of({"--method", method, "--closed"});
        EXPECT_FALSE(contains(closed["notes"].dump(), "left the scene")) << method;
        EXPECT_LT(closed["results"]["fallen_m"].get<double>(), 0.1) << method;
    }
}

TEST(Results, OfAResumedRunAreThoseOfTheWhole)
{
    ScratchFolder folder;
    ASSERT_EQ(go(folder / "a", {"--quiet", "--t-end", "0.5"}), 0);
    EXPECT_EQ(summary(folder / "a")["results"]["lines"], 4); // and a last one at 0.5
    ASSERT_EQ(go(folder / "a", {"--quiet", "--resume"}), 0);
    ASSERT_EQ(go(folder / "b", {"--quiet"}), 0);
    EXPECT_EQ(summary(folder / "a")["results"], summary(folder / "b")["results"]);
}

TEST(Results, ThatCannotBeComputedDoNotSpoilTheRun)
{
    ScratchFolder folder;
    testing::internal::CaptureStderr();
    EXPECT_EQ(go(folder / "a", {"--missing"}), 0);
    EXPECT_TRUE(contains(testing::internal::GetCapturedStderr(),
                         "note: There is no result 'y_m'. There is no column 'y' in"));
    const nlohmann::json j = summary(folder / "a");
    EXPECT_EQ(j["status"], "finished");
    EXPECT_TRUE(j["results"]["y_m"].is_null());
    EXPECT_EQ(j["results"]["lines"], 6);
    EXPECT_EQ(error_of([&] { go(folder / "b", {"--twice"}); }),
              "Two results are called 'lines': names must differ.");
}

} // namespace tamis::test::results_test
