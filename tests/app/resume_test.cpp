// A run that was stopped, killed or extended ends as if it had never stopped: same state, same files.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/file.hpp"
#include "tamis/model/view.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {
bool slow = false; // a millisecond a step, to be killed on the way
}

// A pendulum that rattles between walls, a driven tray, and grains that fall on it.
TAMIS_MODEL(workshop, "Something of everything that a checkpoint holds")
{
    using namespace tamis;
    const double friction = opt("friction", 0.4, "of all", "", {0, 10});
    const int grains = count("grains", 4, "that fall");
    const std::string way = choice("way", "relative", {"relative", "absolute", "smooth"}, "of stepping");
    const bool shown = flag("shown", "nothing touches");
    if (way == "absolute") method(Method::absolute);
    if (way == "smooth") method(Method::smooth);
    model.gravity({0, 0, -9.81});
    const Body bob = model.add(
        {.name = "bob", .joint = hinge_y(), .mass = 1, .com = {0.3, 0, 0}, .inertia = {1e-3, 1e-3, 1e-3}});
    model.start(bob, 1.5, 10);
    const MaterialId stone = model.add(Material{.friction = friction, .restitution = 0.95});
    const bool grainy = method() == Method::moreau_jean;
    const MaterialId sand =
        model.add(Material{.friction = friction, .rolling = grainy ? 1e-3 : 0, .anticipation = grainy});
    if (shown)
        model.show(bob, sphere(0.05), {.p = {0.3, 0, 0}}, "bob");
    else
        model.groups(model.attach(bob, sphere(0.05), stone, {.p = {0.3, 0, 0}}, "bob"), 3, 3);
    for (const double side : {1.0, -1.0}) // grains fall behind one of them
        model.groups(model.attach(ground, wall({side, 0, 0}, -0.08), stone, {}, side > 0 ? "left" : "right"),
                     2, 2);
    if (method() == Method::moreau_jean) { // a brake that a controller pulls more with every step on one side
        const Coordinate angle = model.coordinate(bob);
        const Memory brake = model.memory(
            "brake", 0, [=](const View& s, double now) { return s.q(angle) > 1.5 ? now + 1e-4 : now; });
        model.force(angle, [=](const View& s) { return -s.memory(brake) * s.v(angle); });
    }
    Mechanism& second = model.mechanism("tray");
    const Body tray = second.add({.name = "tray", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}});
    if (method() == Method::moreau_jean)
        model.drive(model.coordinate(tray), motion([](Expr t) { return 0.01 * sin(20 * t); }));
    const ShapeId floor = model.attach(tray, wall({0, 0, 1}, -1), sand, {}, "floor");
    if (shown) model.groups(floor, 0, 0);
    GrainId grain;
    if (method() == Method::moreau_jean)
        for (int g = 0; g < grains; ++g)
            grain = model.grain({.shape = sphere(0.02),
                                 .material = sand,
                                 .density = 2500,
                                 .at = {.p = {0.3 + 0.04 * (g % 4), 0.041 * (g / 4 % 4) + 1e-4 * g,
                                              -0.97 + 0.05 * (g / 16)}}});
    record("angle", [c = model.coordinate(bob)](const View& s) {
        if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return s.q(c);
    });
    result(
        "angle_end_rad", [](const Columns& c) { return c["angle"].back(); }, "rad");
    record("floor", [=](const View& s) { return s.contact_force(floor).force.z(); });
    if (grain.index >= 0) {
        record("drive", [c = model.coordinate(tray)](const View& s) { return s.drive_force(c); });
        record("height", [=](const View& s) { return s.position(grain).z(); });
    }
    defaults.h = 1e-3;
    defaults.frames = 5;
    run_until(1);
}

namespace tamis::test::resume_test {

namespace {

int run(const std::filesystem::path& out, std::vector<std::string> arguments = {}, bool quiet = true)
{
    arguments.insert(arguments.end(), {"--out", out.string()});
    if (quiet) arguments.push_back("--quiet");
    return run_program(arguments);
}

// Runs it with what it prints.
std::pair<int, std::string> run_aloud(const std::filesystem::path& out,
                                      const std::vector<std::string>& arguments)
{
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const int code = run(out, arguments, false);
    testing::internal::GetCapturedStdout();
    return {code, testing::internal::GetCapturedStderr()};
}

nlohmann::json summary_of(const std::filesystem::path& out)
{
    return nlohmann::json::parse(text_of(out / "summary.json"));
}

std::vector<std::filesystem::path> checkpoints(const std::filesystem::path& out)
{
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(out, none))
        if (entry.path().filename().string().starts_with("checkpoint_") && entry.path().extension() == ".h5")
            found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

void expect_same_run(const std::filesystem::path& a, const std::filesystem::path& b)
{
    const nlohmann::json x = summary_of(a), y = summary_of(b);
    for (const char* key : {"state_hash", "status", "t", "steps", "contacts", "iterations", "residuals",
                            "energy", "columns", "verdict"})
        EXPECT_EQ(x[key], y[key]) << key;
    for (const char* file : {"histories.csv", "impacts.csv"})
        EXPECT_EQ(text_of(a / file), text_of(b / file)) << file;
}

void expect_same_frames(const std::filesystem::path& a, const std::filesystem::path& b)
{
    EXPECT_EQ(text_of(a / "workshop.pvd"), text_of(b / "workshop.pvd"));
    int frames = 0;
    for (const auto& entry : std::filesystem::directory_iterator(a / "frames")) {
        EXPECT_EQ(text_of(entry), text_of(b / "frames" / entry.path().filename())) << entry.path();
        ++frames;
    }
    EXPECT_GE(frames, 12);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(b / "frames"), {}), frames);
}

// Starts a slow run in a process of its own, and ends it by a signal after its first checkpoint.
int end_by_signal(const std::filesystem::path& out, int signal, const std::string& every)
{
    const pid_t child = ::fork();
    if (child == 0) {
        slow = true;
        ::_exit(run(out, {"--checkpoint-every", every}));
    }
    const bool small = every != "1000";
    for (int k = 0;
         k < 2000 && (small ? checkpoints(out).size() < 2 : !std::filesystem::exists(out / "summary.json"));
         ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

TEST(Resume, ExtendedRunEqualsOneThatNeverStopped)
{
    ScratchFolder folder;
    for (const std::string every : {"1", "7"}) {
        ASSERT_EQ(run(folder / "whole", {"--record-every", every}), 0);
        ASSERT_EQ(run(folder / "parts", {"--record-every", every, "--t-end", "0.3"}), 0);
        const std::string early = text_of(folder / "parts/histories.csv");
        ASSERT_EQ(run(folder / "parts", {"--record-every", every, "--t-end", "0.65", "--resume"}), 0);
        ASSERT_EQ(run(folder / "parts", {"--record-every", every, "--resume"}), 0);
        EXPECT_LT(early.size(), text_of(folder / "parts/histories.csv").size());
        expect_same_run(folder / "whole", folder / "parts");
    }
    // It is a run in which things happen.
    const nlohmann::json summary = summary_of(folder / "whole");
    EXPECT_GT(summary["contacts"]["steps_with_contact"], 100);
    EXPECT_GT(std::ranges::count(text_of(folder / "whole/impacts.csv"), '\n'), 5);
}

// Enough contacts for the broad phase and the solver of many.
TEST(Resume, ExtendedRunOfManyGrainsEqualsOneThatNeverStopped)
{
    ScratchFolder folder;
    const auto part = [&](const char* name, const std::string& t_end, bool resume) {
        std::vector<std::string> options{"--grains", "64", "--tolerance", "1e-4", "--t-end", t_end};
        if (resume) options.push_back("--resume");
        return run(folder / name, options);
    };
    ASSERT_EQ(part("whole", "0.2", false), 0);
    ASSERT_EQ(part("parts", "0.1", false), 0);
    ASSERT_EQ(part("parts", "0.2", true), 0);
    expect_same_run(folder / "whole", folder / "parts");
    EXPECT_GT(summary_of(folder / "whole")["contacts"]["max"], 100);
}

TEST(Resume, KilledRunEqualsOneThatNeverStopped)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "whole"), 0);
    const int status = end_by_signal(folder / "killed", SIGKILL, "0.05");
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(summary_of(folder / "killed")["status"], "running");
    ASSERT_EQ(run(folder / "killed", {"--resume"}), 0);
    expect_same_run(folder / "whole", folder / "killed");
    expect_same_frames(folder / "whole", folder / "killed");
}

TEST(Resume, InterruptedRunEqualsOneThatNeverStopped)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "whole"), 0);
    const int status = end_by_signal(folder / "parts", SIGTERM, "1000");
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
    EXPECT_EQ(summary_of(folder / "parts")["status"], "interrupted");
    ASSERT_EQ(run(folder / "parts", {"--resume"}), 0);
    expect_same_run(folder / "whole", folder / "parts");
    expect_same_frames(folder / "whole", folder / "parts");
}

TEST(Resume, DamagedCheckpointIsReplacedByTheOneBefore)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "whole"), 0);
    ASSERT_EQ(run(folder / "parts", {"--t-end", "0.3"}), 0);
    ASSERT_EQ(run(folder / "parts", {"--t-end", "0.6", "--resume"}), 0);
    const auto files = checkpoints(folder / "parts");
    ASSERT_EQ(files.size(), 2u);
    write_file(files[1], text_of(files[1]).substr(0, 3000));
    const auto [code, said] = run_aloud(folder / "parts", {"--resume"});
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(contains(said, files[1].string())) << said;
    EXPECT_TRUE(contains(said, files[0].string() + "' at t = 0.3")) << said;
    expect_same_run(folder / "whole", folder / "parts");
    EXPECT_TRUE(contains(summary_of(folder / "parts")["notes"].dump(), "damaged"));
}

// Whole files, of numbers that no run writes.
TEST(Resume, CountsThatAreNoneAreRefused)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.2"}), 0);
    const Checkpoint whole = read_checkpoint(checkpoints(folder / "a").back());
    const auto expect_refused = [&](const std::string& name, std::size_t k, double value) {
        Checkpoint forged = whole;
        std::vector<double>& numbers = forged.run.at(name);
        numbers.resize(std::max<std::size_t>(numbers.size(), 3)); // contacts are noted by three
        numbers[k] = value;
        write_checkpoint(folder / "a", forged);
        const auto [code, said] = run_aloud(folder / "a", {"--resume"});
        EXPECT_EQ(code, 1) << name;
        EXPECT_TRUE(contains(said, "'" + name + "': it is damaged; start the run anew")) << said;
    };
    for (const double bad : {std::nan(""), 1e300, -1e300, 0.5})
        for (const std::size_t k : {0, 1, 2, 3}) expect_refused("files", k, bad);
    expect_refused("files", 0, -1);
    expect_refused("touched", 0, 1e10);
    Checkpoint forged = whole;
    forged.run.at("planes").clear(); // one box is read for each plane
    write_checkpoint(folder / "a", forged);
    EXPECT_TRUE(contains(run_aloud(folder / "a", {"--resume"}).second, "has no 'planes'"));
}

TEST(Resume, AnotherModelOrStepIsRefusedAndLeavesTheFilesAlone)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.2"}), 0);
    const std::string before = text_of(folder / "a/histories.csv");
    const auto refused = [&](const std::vector<std::string>& options, const std::string& reason) {
        std::vector<std::string> all = options;
        all.push_back("--resume");
        const auto [code, said] = run_aloud(folder / "a", all);
        EXPECT_NE(code, 0);
        EXPECT_TRUE(contains(said, reason)) << said;
        EXPECT_EQ(text_of(folder / "a/histories.csv"), before);
    };
    refused({"--friction", "0.5"}, "--friction 0.4, not 0.5");
    refused({"--h", "5e-4"}, "--h 0.001, not 0.0005");
    refused({"--theta", "0.6"}, "--theta");
    refused({"--way", "absolute"}, "--way \"relative\", not \"absolute\"");
    refused({"--t-end", "0.1"}, "larger --t-end");
    refused({"--no-output"}, "--no-output");
    const auto [code, said] = run_aloud(folder / "none", {"--resume"});
    EXPECT_EQ(code, 1);
    EXPECT_TRUE(contains(said, "no checkpoint")) << said;
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(Resume, MissingHistoriesAreTold)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.2"}), 0);
    std::filesystem::remove(folder / "a/histories.csv");
    const auto [code, said] = run_aloud(folder / "a", {"--t-end", "0.3", "--resume"});
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(contains(said, "histories.csv' is missing: it begins anew where the run goes on.")) << said;
    EXPECT_FALSE(contains(said, "impacts.csv' is missing")) << said;
}

TEST(Resume, CompleteRunIsLeftAsItIs)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.2", "--record-every", "3"}), 0);
    const std::string before = text_of(folder / "a/histories.csv") + text_of(folder / "a/summary.json");
    const auto [code, said] = run_aloud(folder / "a", {"--t-end", "0.2", "--record-every", "3", "--resume"});
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(contains(said, "--t-end")) << said;
    EXPECT_EQ(text_of(folder / "a/histories.csv") + text_of(folder / "a/summary.json"), before);
}

TEST(Resume, CheckpointsAreThoseOfThisRunAndOnlyIfWanted)
{
    ScratchFolder folder;
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.2"}), 0);
    EXPECT_EQ(checkpoints(folder / "a").size(), 1u);
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.1", "--checkpoint-every", "0"}), 0);
    EXPECT_TRUE(checkpoints(folder / "a").empty());
    ASSERT_EQ(run(folder / "a", {"--t-end", "0.1", "--way", "absolute"}), 0);
    EXPECT_EQ(checkpoints(folder / "a").size(), 1u);
}

} // namespace tamis::test::resume_test
