// The particle damper with its oscillator in another program, run as a user runs it; that program is a script here,
// which moves the container as it likes.
#include "cosim/scripted_mbdyn.hpp"
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/columns.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis::test::mbdyn_run_test {

using scripted::Answer;
using scripted::Element;
using scripted::OtherProcess;
using scripted::ScriptedMbdyn;

namespace {

constexpr double h = 1e-4;

InterfaceMotion container(long n)
{
    const double w = 300, t = static_cast<double>(n) * h;
    InterfaceMotion m;
    m.x.x() = 1e-3 * (1 - std::cos(w * t));
    m.v.x() = 1e-3 * w * std::sin(w * t);
    return m;
}

class MbdynRun : public testing::Test {
  protected:
    void SetUp() override { setenv("TAMIS_PACKINGS", (folder_ / "packings").c_str(), 1); }
    void TearDown() override { unsetenv("TAMIS_PACKINGS"); }

    // The exit code of a run of 0.01 s; the words that it ended with on stderr.
    std::pair<int, std::string> run(const std::function<void(ScriptedMbdyn&)>& script,
                                    std::vector<std::string> options = {})
    {
        Element element;
        element.path = (folder_ / "socket").string();
        OtherProcess other([&] {
            ScriptedMbdyn mbdyn(element);
            mbdyn.begin();
            script(mbdyn);
            return 0;
        });
        options.insert(options.begin(), {"particle_damper",
                                         "--particles",
                                         "20",
                                         "--t-end",
                                         "0.01",
                                         "--h",
                                         "1e-4",
                                         "--record-every",
                                         "1",
                                         "--frames",
                                         "3",
                                         "--threads",
                                         "1",
                                         "--out",
                                         (folder_ / "run").string(),
                                         "--peer",
                                         "mbdyn",
                                         "--socket",
                                         element.path,
                                         "--quiet"});
        testing::internal::CaptureStderr();
        const int code = run_program(options);
        std::string words = testing::internal::GetCapturedStderr();
        EXPECT_EQ(other.wait(), 0);
        return {code, words};
    }
    Columns histories() const { return Columns::read(folder_ / "run" / "histories.csv"); }
    nlohmann::json summary() const
    {
        return nlohmann::json::parse(text_of(folder_ / "run" / "summary.json"));
    }

  private:
    ScratchFolder folder_;
};

} // namespace

TEST_F(MbdynRun, RecordsTheMotionThatItWasToldAndAnswersWithForces)
{
    std::vector<double> forces;
    const auto [code, words] = run(
        [](ScriptedMbdyn& mbdyn) {
            double impulse = 0;
            for (long n = 0; n <= 100; ++n) {
                mbdyn.tell(6, {container(n)});
                const Answer a = mbdyn.hear();
                scripted::require(a.command == 6);
                impulse += h * a.forces[0].force.z();
            }
            scripted::require(impulse < 0); // the particles lie on the floor of the box
            mbdyn.end();
        },
        {"--coupling", "loose"});
    EXPECT_EQ(code, 0) << words;
    EXPECT_EQ(summary()["status"], "finished");
    const Columns all = histories();
    ASSERT_EQ(all["t"].size(), 101u);
    for (long n = 0; n <= 100; ++n) {
        EXPECT_NEAR(all["x"][n], container(n).x.x(), 1e-15);
        EXPECT_NEAR(all["v"][n], container(n).v.x(), 1e-14);
    }
}

TEST_F(MbdynRun, WhatWasComputedIsOnDiskWhenMbdynDies)
{
    const auto [code, words] = run([](ScriptedMbdyn& mbdyn) {
        for (long n = 1; n <= 40; ++n)
            for (int command = 2; command == 2;) {
                mbdyn.tell(2, {container(n)});
                command = mbdyn.hear().command;
            }
        mbdyn.tell(2, {container(41)});
        mbdyn.hear(); // and gone, within a step
    });
    EXPECT_EQ(code, 1);
    EXPECT_PRED2(contains, words,
                 "particle_damper: MBDyn closed the connection at t = 0.004 s, before this run");
    EXPECT_EQ(std::ranges::count(words, '\n'), 1) << words;
    const Columns all = histories();
    ASSERT_EQ(all["t"].size(), 41u);
    EXPECT_NEAR(all["x"].back(), container(40).x.x(), 1e-15);
    EXPECT_PRED2(contains, summary()["status"].get<std::string>(), "failed: MBDyn closed the connection");
    EXPECT_EQ(summary()["steps"], 40);
}

TEST_F(MbdynRun, CheckpointsAreRefused)
{
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_program({"particle_damper", "--particles", "20", "--peer", "mbdyn", "--socket", "none",
                           "--resume"}),
              2);
    EXPECT_PRED2(contains, testing::internal::GetCapturedStderr(), "--resume cannot be with this --peer");
}

} // namespace tamis::test::mbdyn_run_test
