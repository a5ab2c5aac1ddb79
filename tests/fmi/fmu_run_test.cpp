// Runs with an FMU, as a user starts them.
#include "error_of.hpp"
#include "fmi/body_fmu.hpp"
#include "tamis/app/program.hpp"
#include "tamis/app/script.hpp"
#include "tamis/model/view.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

TAMIS_MODEL(pushed_box, "A box on a spring that a ball pushes")
{
    using namespace tamis;
    const Body box_body = model.add({.name = "box", .joint = slide_x(), .mass = 0.3});
    model.spring(model.coordinate(box_body), {.stiffness = 1600});
    model.start(box_body, 0, 0.4);
    const MaterialId steel = model.add(Material{.friction = 0.3});
    model.attach(box_body, hollow(box(0.02, 0.02, 0.02)), steel);
    model.grain({.shape = sphere(0.006), .material = steel, .density = 5000});
    cut(box_body, CutKind::contacts);
    record("x", [=](const View& s) { return s.position(box_body).x(); });
    defaults.h = 1e-3;
    defaults.frames = 0;
    defaults.fmu_map = "position=r[x]; velocity=v[x]; force=f[x]";
    run_until(0.1);
}

namespace tamis::fmu_run_test {

using namespace tamis::test;

namespace {

struct Outcome {
    int code;
    std::string words; // of what went wrong
    nlohmann::json summary;
    std::string histories;
};

class FmuRun : public testing::Test {
  protected:
    Outcome run(const BodyFmu& fmu, std::vector<std::string> arguments, const std::string& values = "")
    {
        BodyFmu moving = fmu;
        const std::string v0 = R"(name="v0" valueReference=")" + std::string(fmu.version == 2 ? "3" : "43") +
                               R"(" causality="local" initial="exact")";
        if (fmu.version == 2) moving.variables = "<ScalarVariable " + v0 + "><Real/></ScalarVariable>";
        const std::filesystem::path file = moving.write(folder_);
        arguments.insert(arguments.begin(), "pushed_box");
        arguments.insert(arguments.end(),
                         {"--peer", "fmu", "--fmu", file.string(), "--fmu-set",
                          "stiffness=1600" + std::string(fmu.version == 2 ? "; v0=0.4" : "") + values,
                          "--out", (folder_ / "out").string(), "--quiet"});
        testing::internal::CaptureStderr();
        Outcome o;
        o.code = run_program(arguments);
        o.words = testing::internal::GetCapturedStderr();
        if (std::filesystem::exists(folder_ / "out/summary.json")) {
            o.summary = nlohmann::json::parse(text_of(folder_ / "out/summary.json"));
            o.histories = text_of(folder_ / "out/histories.csv");
        }
        return o;
    }
    ScratchFolder folder_;
};

long lines(const std::string& text)
{
    return std::ranges::count(text, '\n');
}

} // namespace

TEST_F(FmuRun, EndsWellAndGoesOnFromItsCheckpoint)
{
    const Outcome whole = run({}, {});
    ASSERT_EQ(whole.code, 0) << whole.words;
    EXPECT_EQ(whole.summary["status"], "finished");
    EXPECT_EQ(lines(whole.histories), 102); // with the headline and t = 0
    std::filesystem::remove_all(folder_ / "out");
    const Outcome half = run({}, {"--t-end", "0.05", "--checkpoint-every", "1e-9"});
    ASSERT_EQ(half.code, 0) << half.words;
    const Outcome rest = run({}, {"--resume", "--checkpoint-every", "1e-9"});
    ASSERT_EQ(rest.code, 0) << rest.words;
    EXPECT_EQ(rest.histories, whole.histories);
}

TEST_F(FmuRun, ThatFailsKeepsItsResultsSoFar)
{
    const Outcome o = run({}, {}, "; at=0.0505; trouble=2");
    EXPECT_EQ(o.code, 1);
    const std::string why =
        "The FMU 'body' answered fmi2DoStep with an error at t = 0.05 s; its last words: I have had "
        "enough.";
    EXPECT_EQ(o.words, "pushed_box: " + why + "\n");
    EXPECT_EQ(o.summary["status"], "failed: " + why);
    EXPECT_EQ(lines(o.histories), 52);
    EXPECT_EQ(text_of(folder_ / "out/fmu.log"), "warning [body] I have had enough\n");
}

TEST_F(FmuRun, IsRefusedByTheOptionThatHelps)
{
    const BodyFmu no_way_back{.saves = false, .serialises = false};
    const Outcome tight = run(no_way_back, {});
    EXPECT_EQ(tight.code, 2);
    EXPECT_PRED2(contains, tight.words, "take --coupling loose, staggered or explicit-index2");
    const Outcome saving = run(no_way_back, {"--coupling", "loose", "--checkpoint-every", "1"});
    EXPECT_EQ(saving.code, 2);
    EXPECT_PRED2(contains, saving.words,
                 "--checkpoint-every cannot be with this --peer: the FMU 'body' cannot write");
    for (const char* scheme : {"loose", "staggered", "explicit-index2"}) {
        const Outcome o = run(no_way_back, {"--coupling", scheme});
        EXPECT_EQ(o.code, 0) << o.words;
        EXPECT_EQ(o.summary["status"], "finished");
    }
    const Outcome index1 = run({}, {"--coupling", "explicit-index1"});
    EXPECT_EQ(index1.code, 2);
    EXPECT_PRED2(contains, index1.words, "name those of the FMU in --fmu-map");
    const Outcome whole = run({}, {"--coupling", "monolithic"});
    EXPECT_PRED2(contains, whole.words, "leave out --coupling monolithic");
    const Outcome liar = run({}, {}, "; trouble=1");
    EXPECT_EQ(liar.code, 1);
    EXPECT_PRED2(contains, liar.words, "a step repeated from one ends elsewhere");
    const Outcome unknown = run({}, {"--fmu-map", "position=s; velocity=v[x]; force=f[x]"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_PRED2(contains, unknown.words, "there is no such variable");
}

TEST_F(FmuRun, AStartElsewhereIsRefused)
{
    const Outcome o = run({}, {"--peer-origin", "0.5,0,0"});
    EXPECT_EQ(o.code, 1);
    EXPECT_PRED2(contains, o.words, "The FMU 'body' starts at (0.5, 0, 0) m in this world");
    EXPECT_EQ(run({.version = 3}, {}).code, 0); // (its start at rest is not compared)
}

} // namespace tamis::fmu_run_test
