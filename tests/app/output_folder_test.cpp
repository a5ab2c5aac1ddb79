// The folder of a run: one run at a time, a summary that tells the truth, and what happens when files vanish.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/file.hpp"
#include "tamis/model/view.hpp"

#include <cmath>
#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tamis::test::output_folder_test {

namespace {

// A pendulum that calls `at` in a record and in a force.
struct Swing : Script {
    explicit Swing(const std::vector<std::string>& arguments) : Script("swing", "A pendulum", arguments) {}
    void define() override
    {
        const Body bob = model.add(
            {.name = "bob", .joint = hinge_y(), .mass = 1, .com = {0.3, 0, 0}, .inertia = {1, 1, 1}});
        const Coordinate angle = model.coordinate(bob);
        model.start(bob, 0, 1);
        model.force(angle, [this](const View& s) { return in_force(s.time()), 0.0; });
        record(
            "angle", [=, this](const View& s) { return in_record(s.time()), s.q(angle); }, "rad");
        defaults.h = 1e-3;
        run_until(0.1);
    }
    std::function<void(double)> in_record = [](double) {}, in_force = [](double) {};
};

nlohmann::json summary_of(const std::filesystem::path& out)
{
    return nlohmann::json::parse(text_of(out / "summary.json"));
}

std::string error_of_run(Swing& script)
{
    script.prepare();
    return error_of([&] { run(script); });
}

} // namespace

TEST(OutputFolder, BelongsToOneRunAtATime)
{
    ScratchFolder folder;
    const std::string out = (folder / "a").string();
    Swing first({"--out", out, "--quiet"});
    bool tried = false;
    first.in_record = [&](double t) {
        if (t < 0.05 || std::exchange(tried, true)) return;
        Swing second({"--out", out, "--quiet"});
        const std::string error = error_of_run(second);
        EXPECT_TRUE(contains(error, "Another run (process " + std::to_string(::getpid()))) << error;
        EXPECT_TRUE(contains(error, "another folder")) << error;
    };
    EXPECT_EQ(error_of_run(first), "");
    EXPECT_EQ(summary_of(out)["status"], "finished");
    Swing third({"--out", out, "--quiet"});
    EXPECT_EQ(error_of_run(third), "");
}

TEST(OutputFolder, RunThatReplacesAnotherSaysSo)
{
    ScratchFolder folder;
    const std::string out = (folder / "a").string();
    const auto said = [&] {
        Swing script({"--out", out});
        script.prepare();
        testing::internal::CaptureStderr();
        testing::internal::CaptureStdout();
        EXPECT_EQ(run(script), 0);
        testing::internal::GetCapturedStdout();
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_FALSE(contains(said(), "earlier run"));
    EXPECT_TRUE(contains(said(), "note: The files of an earlier run in '" + out + "' are replaced."));
}

TEST(OutputFolder, DeletedFilesEndTheRunWithTheirName)
{
    for (const bool all : {false, true}) {
        ScratchFolder folder;
        const std::filesystem::path out = folder / "a";
        Swing script({"--out", out.string(), "--quiet", "--checkpoint-every", all ? "600" : "0"});
        script.in_record = [&](double t) {
            if (t > 0.05) std::filesystem::remove_all(all ? out : out / "histories.csv");
        };
        const std::string error = error_of_run(script);
        EXPECT_TRUE(contains(error, "histories.csv' was deleted while it was written")) << error;
        if (!all) {
            EXPECT_TRUE(contains(summary_of(out)["status"], "failed: '"));
        }
    }
}

// Whatever the limit: a summary that is there tells of the failure.
TEST(OutputFolder, SummaryTellsOfAFullDisk)
{
    std::signal(SIGXFSZ, SIG_IGN);
    int told = 0;
    for (rlim_t limit = 1500; limit < 4500; limit += 100) {
        ScratchFolder folder;
        const pid_t child = ::fork();
        if (child == 0) {
            const rlimit small{limit, limit};
            ::setrlimit(RLIMIT_FSIZE, &small);
            Swing script(
                {"--out", (folder / "a").string(), "--quiet", "--t-end", "0.5", "--checkpoint-every", "0"});
            ::_exit(error_of_run(script).empty() ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(WEXITSTATUS(status), 1) << limit;
        if (!std::filesystem::exists(folder / "a/summary.json")) continue;
        ++told;
        const std::string how = summary_of(folder / "a")["status"];
        EXPECT_TRUE(contains(how, "failed: Cannot write")) << limit << ": " << how;
    }
    EXPECT_GT(told, 10);
}

TEST(OutputFolder, SummaryTellsWhereItComesFromAndWhatTheColumnsDid)
{
    ScratchFolder folder;
    const std::string out = (folder / "a b").string();
    Swing script({"--out", out, "--quiet"});
    EXPECT_EQ(error_of_run(script), "");
    const nlohmann::json j = summary_of(out);
    for (const char* key : {"version", "commit", "compiler", "host", "started", "ended"})
        EXPECT_TRUE(j.contains(key)) << key;
    EXPECT_EQ(j["command"], "swing --out '" + out + "' --quiet");
    // Free rotation at 1 rad/s for 0.1 s, in 101 lines.
    const nlohmann::json& angle = j["columns"]["angle"];
    EXPECT_EQ(angle["unit"], "rad");
    EXPECT_NEAR(angle["min"], 0, 1e-12);
    EXPECT_NEAR(angle["max"], 0.1, 1e-12);
    EXPECT_NEAR(angle["last"], 0.1, 1e-12);
    EXPECT_NEAR(angle["mean"], 0.05, 1e-12);
    EXPECT_NEAR(angle["rms"], 0.1 * std::sqrt(201.0 / 600), 1e-12); // sum of k^2 = n (n + 1) (2 n + 1) / 6
    EXPECT_EQ(j["columns"]["t"]["unit"], "s");
}

TEST(OutputFolder, ErrorInARecordOrAForceNamesIt)
{
    const auto throws = [](double t) {
        if (t > 0.05) throw std::runtime_error("no such table");
    };
    ScratchFolder folder;
    Swing record({"--out", (folder / "a").string(), "--quiet"});
    record.in_record = throws;
    EXPECT_EQ(error_of_run(record), "The record 'angle' failed at t = 0.051 s: no such table.");
    Swing force({"--no-output", "--quiet"});
    force.in_force = throws;
    EXPECT_EQ(error_of_run(force), "The force on 'bob' failed: no such table.");
}

TEST(OutputFolder, TerminalTellsOfLoopsOnlyIfThereAreAny)
{
    Swing script({"--no-output"});
    script.prepare();
    testing::internal::CaptureStdout();
    EXPECT_EQ(run(script), 0);
    const std::string out = testing::internal::GetCapturedStdout();
    EXPECT_FALSE(contains(out, "loop error")) << out;
    EXPECT_TRUE(contains(out, "  equations    ")) << out;
}

// Of the model `workshop` (resume_test.cpp), whose grains fall on a tray.
TEST(OutputFolder, TerminalTellsOfGrainsAndPenetrationOnlyIfThereAreAny)
{
    const auto said = [](const std::function<int()>& go) {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        EXPECT_EQ(go(), 0);
        testing::internal::GetCapturedStderr();
        return testing::internal::GetCapturedStdout();
    };
    const std::string grains = said([] {
        return run_program({"--no-output", "--t-end", "0.2", "--grains", "3"});
    });
    EXPECT_TRUE(contains(grains, "\n  grains       3\n")) << grains;
    EXPECT_TRUE(contains(grains, "\n  penetration  ") && contains(grains, " m at most\n")) << grains;
    const std::string none = said([] {
        Swing script({"--no-output"});
        script.prepare();
        return run(script);
    });
    EXPECT_FALSE(contains(none, "  grains ")) << none;
    EXPECT_FALSE(contains(none, "  penetration ")) << none;
}

} // namespace tamis::test::output_folder_test
