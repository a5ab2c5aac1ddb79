// Whether the result of a run can be believed: the rules on values, and runs that can and cannot.
#include "tamis/app/verdict.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/file.hpp"
#include "tamis/model/view.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

namespace tamis::test::verdict_test {

namespace {

// A run that nothing is wrong with.
RunQuality fine()
{
    RunQuality run;
    run.h = 1e-3;
    run.steps = 10000;
    run.unconverged_note = "2 of 3 steps stopped at the sweep limit: raise --max-sweeps.";
    run.touching = true;
    run.deepest = {"grain 1", "floor"};
    run.gain = 0;
    run.energy_scale = 2;
    run.momentum = 1e-12;
    run.turning_body = "wheel";
    run.travel_body = "bullet";
    run.smallest_shape = "grain 7";
    run.spring_name = "in the joint 'arm'";
    return run;
}

Finding finding(const Verdict& verdict, const std::string& name)
{
    for (const Finding& f : verdict.findings)
        if (f.name == name) return f;
    ADD_FAILURE() << "no finding " << name;
    return {};
}

// Of one number, just within and just beyond a limit.
void expect_limit(const std::string& name, double limit, Severity within, Severity beyond,
                  const std::function<void(RunQuality&, double)>& set)
{
    RunQuality run = fine();
    set(run, limit * (1 - 1e-9));
    EXPECT_EQ(finding(judge(run, {}), name).severity, within) << name;
    EXPECT_EQ(judge(run, {}).worst(), within) << name;
    set(run, limit * (1 + 1e-3));
    EXPECT_EQ(finding(judge(run, {}), name).severity, beyond) << name;
    EXPECT_EQ(judge(run, {}).worst(), beyond) << name;
}

} // namespace

TEST(Verdict, EachNumberHasItsTwoLimits)
{
    Limits limits;
    const auto both = [&](const std::string& name, const Limit& limit, auto&& set) {
        expect_limit(name, limit.doubtful, Severity::good, Severity::doubtful, set);
        if (std::isfinite(limit.absurd))
            expect_limit(name, limit.absurd, Severity::doubtful, Severity::absurd, set);
    };
    both("unconverged", limits.unconverged, [](RunQuality& run, double x) {
        run.steps = 1000000;
        run.unconverged = std::lround(x * 1e6);
    });
    both("penetration", limits.penetration, [](RunQuality& run, double x) { run.penetration = x; });
    both("energy", limits.energy, [](RunQuality& run, double x) { run.gain = 2 * x; });
    both("momentum", limits.momentum, [](RunQuality& run, double x) { run.momentum = x; });
    both("turning", limits.turning, [](RunQuality& run, double x) { run.turning = x; });
    both("travel", limits.travel, [](RunQuality& run, double x) { run.travel = x; });
    both("spring", limits.spring, [](RunQuality& run, double x) { run.spring = x; });
}

TEST(Verdict, WhatIsNoNumberIsAbsurd)
{
    RunQuality run = fine();
    run.finite = false;
    EXPECT_EQ(judge(run, {}).worst(), Severity::absurd);
    run = fine();
    run.penetration = std::nan("");
    EXPECT_EQ(judge(run, {}).worst(), Severity::absurd);
    run = fine();
    run.gain = std::numeric_limits<double>::infinity();
    EXPECT_EQ(judge(run, {}).worst(), Severity::absurd);
}

TEST(Verdict, WhatIsNotKnownIsNotJudged)
{
    RunQuality run = fine();
    run.gain.reset();
    run.momentum.reset();
    run.touching = false;
    run.spring_name.clear();
    const Verdict verdict = judge(run, {});
    ASSERT_EQ(verdict.findings.size(), 2u);
    EXPECT_EQ(verdict.findings[0].name, "unconverged");
    EXPECT_EQ(verdict.findings[1].name, "turning");
}

TEST(Verdict, NothingThatMovesHasGainedNothing)
{
    RunQuality run = fine();
    run.energy_scale = 0;
    EXPECT_EQ(finding(judge(run, {}), "energy").value, 0);
}

TEST(Verdict, SentencesNameCulpritAndRemedy)
{
    RunQuality run = fine();
    run.unconverged = 5000;
    run.penetration = 0.2;
    run.penetration_m = 0.004;
    run.penetration_t = 0.25;
    run.gain = 1;
    run.gain_t = 0.5;
    run.turning = 0.6;
    run.travel = 4;
    run.spring = 5;
    const Verdict verdict = judge(run, {});
    const auto says = [&](const char* name) { return finding(verdict, name).sentence; };
    EXPECT_EQ(says("unconverged"), run.unconverged_note);
    EXPECT_EQ(
        says("penetration"),
        "'grain 1' and 'floor' overlap by 0.004 m at t = 0.25 s, 20 % of the smaller one's size: reduce "
        "--h to 0.0002, or raise --max-sweeps, since steps stopped at that limit.");
    EXPECT_TRUE(
        contains(says("energy"), "The energy grew by 1 J beyond the work done until t = 0.5 s, 50 %"));
    EXPECT_TRUE(contains(says("energy"), "reduce --h"));
    EXPECT_EQ(says("turning"), "'wheel' turns by 0.6 rad in a step of 0.001 s: reduce --h to 0.0005.");
    EXPECT_TRUE(contains(says("travel"), "'bullet' moves by 4 times the size of 'grain 7' in a step"));
    EXPECT_TRUE(contains(says("travel"), "reduce --h to 0.0002."));
    EXPECT_TRUE(contains(says("spring"), "The spring in the joint 'arm' has omega h = 5"));
    EXPECT_TRUE(contains(says("spring"), "make it implicit"));
    EXPECT_TRUE(contains(says("spring"), "reduce --h to 0.0004."));
}

TEST(Verdict, LimitsCanBeSet)
{
    RunQuality run = fine();
    run.penetration = 0.2;
    run.turning = 0.4;
    EXPECT_EQ(judge(run, Limits("penetration=0.3,turning=0.5")).worst(), Severity::good);
    EXPECT_EQ(judge(run, Limits("penetration=0.1:0.15")).worst(), Severity::absurd);
    EXPECT_EQ(judge(run, Limits("penetration=3,turning=inf")).worst(), Severity::good);
    EXPECT_EQ(judge(run, Limits("")).worst(), Severity::doubtful);
    for (const char* wrong :
         {"depth=1", "energy", "energy=", "energy=x", "energy=-1", "energy=1:0.5", "energy=0.1:x", "=1"})
        EXPECT_TRUE(contains(error_of([&] { Limits limits(wrong); }), "--limits has")) << wrong;
}

TEST(Verdict, JsonTellsAll)
{
    RunQuality run = fine();
    EXPECT_EQ(judge(run, {}).json()["believable"], "yes");
    run.turning = 1;
    nlohmann::json j = judge(run, {}).json();
    EXPECT_EQ(j["believable"], "doubtful");
    EXPECT_EQ(j["findings"].size(), 7u);
    for (const nlohmann::json& f : j["findings"])
        EXPECT_EQ(f["severity"], f["name"] == "turning" ? "doubtful" : "good") << f;
    run.turning = 4;
    EXPECT_EQ(judge(run, {}).json()["believable"], "no");
    EXPECT_TRUE(contains(judge(run, {}).line(), "not believable: unconverged 0, "));
    EXPECT_TRUE(contains(judge(run, {}).line(), "turning 4 (absurd)"));
}

// ---------------------------------------------------------------- runs

namespace {

struct Described : Script {
    Described(std::function<void(Described&)> what, const std::vector<std::string>& arguments)
        : Script("described", "A small model", arguments), what_(std::move(what))
    {
    }
    void define() override { what_(*this); }
    using Script::defaults;
    using Script::run_until;

  private:
    std::function<void(Described&)> what_;
};

struct Ended {
    int code = -1;
    std::string said, error; // on both streams; what it threw
    nlohmann::json summary;
    std::string contacts; // of the last frame, as written for ParaView; with --frames
    Severity severity(const std::string& name) const
    {
        for (const nlohmann::json& f : summary["verdict"]["findings"])
            if (f["name"] == name)
                return f["severity"] == "good"       ? Severity::good
                       : f["severity"] == "doubtful" ? Severity::doubtful
                                                     : Severity::absurd;
        ADD_FAILURE() << "no finding " << name;
        return Severity::good;
    }
    double value(const std::string& name) const
    {
        for (const nlohmann::json& f : summary["verdict"]["findings"])
            if (f["name"] == name) return f["value"];
        ADD_FAILURE() << "no finding " << name;
        return 0;
    }
    std::string believable() const { return summary["verdict"]["believable"]; }
};

Ended end_of(const std::function<void(Described&)>& what, std::vector<std::string> arguments = {})
{
    const ScratchFolder folder;
    arguments.insert(arguments.end(), {"--out", (folder / "a").string()});
    if (std::count(arguments.begin(), arguments.end(), "--frames") == 0)
        arguments.insert(arguments.end(), {"--frames", "0"});
    Described script(what, arguments);
    Ended out;
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    out.error = error_of([&] {
        script.prepare();
        out.code = run(script);
    });
    out.said = testing::internal::GetCapturedStdout();
    out.said += testing::internal::GetCapturedStderr();
    if (std::filesystem::exists(folder / "a" / "summary.json"))
        out.summary = nlohmann::json::parse(text_of(folder / "a" / "summary.json"));
    std::filesystem::path last;
    if (const std::filesystem::path frames = folder / "a/frames"; std::filesystem::exists(frames))
        for (const auto& file : std::filesystem::directory_iterator(frames))
            if (contains(file.path().filename().string(), "_contacts_")) last = std::max(last, file.path());
    if (!last.empty()) out.contacts = text_of(last);
    return out;
}

// The pendulum of the README.
void pendulum(Described& d)
{
    ModelDescription& model = d.model;
    model.gravity({0, -9.81, 0});
    const Body bob = model.add(
        {.name = "bob", .joint = hinge_z(), .mass = 1, .com = {0.5, 0, 0}, .inertia = {1e-3, 1e-3, 1e-3}});
    model.start(bob, -3.0, 0);
    const MaterialId steel = model.add(Material{.restitution = 0.6});
    model.attach(bob, sphere(0.05), steel, {.p = {0.5, 0, 0}}, "bob");
    model.attach(ground, wall({-1, 0, 0}, -0.15), steel, {}, "wall");
    d.run_until(4);
}

// Grains above each other on a floor, `apart` from centre to centre.
std::function<void(Described&)> column(int grains, double apart, double lowest, double floor = 0)
{
    return [=](Described& d) {
        d.model.gravity({0, 0, -9.81});
        const MaterialId sand = d.model.add(Material{.friction = 0.3, .anticipation = true});
        d.model.attach(ground, wall({0, 0, 1}, floor), sand, {}, "floor");
        for (int g = 0; g < grains; ++g)
            d.model.grain({.shape = sphere(0.01),
                           .material = sand,
                           .density = 2500,
                           .at = {.p = {0, 0, lowest + apart * g}}});
        d.defaults.h = 1e-3;
        d.run_until(0.05);
    };
}

// A mass on a spring, of natural frequency omega, deflected by a tenth of a metre.
std::function<void(Described&)> oscillator(double omega, ForceTreatment treatment)
{
    return [=](Described& d) {
        const Body mass = d.model.add({.name = "mass", .joint = slide_x(), .mass = 2, .inertia = {1, 1, 1}});
        d.model.spring(d.model.coordinate(mass), {.stiffness = 2 * omega * omega, .treatment = treatment});
        d.model.start(mass, 0.1, 0);
        d.defaults.h = 1e-3;
        d.run_until(0.05);
    };
}

} // namespace

TEST(Verdict, PendulumIsBelievableByDefault)
{
    const Ended end = end_of(pendulum);
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.believable(), "yes");
    EXPECT_TRUE(contains(end.said, "verdict      believable: unconverged 0, penetration ")) << end.said;
}

TEST(Verdict, PendulumInHalvesOfASecondIsAbsurdAndSaysTheStep)
{
    const Ended end = end_of(pendulum, {"--h", "0.5"});
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.believable(), "no");
    EXPECT_EQ(end.severity("energy"), Severity::absurd);
    EXPECT_TRUE(contains(end.said, "described: not believable: The energy grew by ")) << end.said;
    EXPECT_TRUE(contains(end.said, "the step of 0.5 s is too long")) << end.said;
    EXPECT_TRUE(contains(end.said, "'bob' turns by ")) << end.said;
    EXPECT_EQ(end.summary["status"], "finished");
    const Ended quiet = end_of(pendulum, {"--h", "0.5", "--quiet"});
    EXPECT_EQ(quiet.code, 3);
    EXPECT_TRUE(contains(quiet.said, "not believable")) << quiet.said;
    const Ended believed = end_of(pendulum, {"--h", "0.5", "--believe"});
    EXPECT_EQ(believed.code, 0);
    EXPECT_EQ(believed.believable(), "no");
}

TEST(Verdict, LimitsOfTheCommandLineCount)
{
    const Ended end = end_of(pendulum, {"--limits", "turning=1e-5:1e-4"});
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.severity("turning"), Severity::absurd);
    EXPECT_EQ(end_of(column(9, 0.02, 0.01),
                     {"--solver", "nlgs", "--max-sweeps", "1", "--limits", "unconverged=1e-3:1e-3"})
                  .code,
              3);
    EXPECT_TRUE(contains(end_of(pendulum, {"--limits", "turn=1"}).error, "--limits has none called 'turn'"));
}

TEST(Verdict, GrainsThatOverlapAtTheStartAreRefusedByName)
{
    // 8 % of a diameter is told, 12 % refused.
    EXPECT_EQ(end_of(column(2, 0.0184, 0.01)).code, 0);
    const Ended refused = end_of(column(2, 0.0176, 0.01));
    EXPECT_EQ(refused.error, "At the start 'grain 1' and 'grain 2' overlap by 0.0024 m, 12 % of the smaller "
                             "one: move them apart, or give --allow-overlap.");
    EXPECT_TRUE(refused.summary.is_null());
    const Ended allowed = end_of(column(2, 0.0176, 0.01), {"--allow-overlap"});
    EXPECT_EQ(allowed.error, "");
    EXPECT_TRUE(contains(allowed.said, "'grain 1' and 'grain 2' overlap by 0.0024 m at the start"))
        << allowed.said;
    const Ended many = end_of(column(9, 0.0176, 0.01));
    EXPECT_TRUE(contains(many.error, "; and 3 more pairs: move them apart")) << many.error;
}

TEST(Verdict, GrainInsideAWallIsRefusedByName)
{
    const Ended end = end_of(column(1, 1, -0.03));
    EXPECT_TRUE(contains(end.error, "At the start 'grain 1' is inside 'floor', 0.04 m deep: ")) << end.error;
    const auto outside = [](Described& d) {
        const MaterialId sand = d.model.add(Material{});
        d.model.attach(ground, hollow(box(0.1, 0.1, 0.1)), sand, {}, "silo");
        d.model.grain({.shape = sphere(0.01), .material = sand, .density = 2500, .at = {.p = {0.1, 0, 0}}});
    };
    EXPECT_TRUE(contains(end_of(outside).error, "'grain 1' is inside 'silo', 0.06 m deep"))
        << end_of(outside).error;
}

TEST(Verdict, GrainsFarInsideEachOtherAreAbsurd)
{
    const Ended end = end_of(column(2, 0.005, 0.01), {"--allow-overlap"});
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.severity("penetration"), Severity::absurd);
    EXPECT_NEAR(end.value("penetration"), 0.75, 0.01);
    EXPECT_TRUE(contains(end.said, "not believable: 'grain 1' and 'grain 2' overlap by 0.015 m at t = "))
        << end.said;
}

TEST(Verdict, GrainsAtRestAreBelievable)
{
    const Ended end = end_of(column(4, 0.02, 0.01));
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.believable(), "yes") << end.summary["verdict"].dump(2);
}

TEST(Verdict, StiffExplicitSpringIsNamed)
{
    // Without damping, the scheme is stable up to omega h = 2.
    const Ended slow = end_of(oscillator(100, ForceTreatment::explicit_));
    EXPECT_EQ(slow.believable(), "yes") << slow.summary["verdict"].dump(2);
    EXPECT_NEAR(slow.value("spring"), 0.1, 1e-12);
    const Ended fast = end_of(oscillator(2100, ForceTreatment::explicit_));
    EXPECT_EQ(fast.code, 3);
    EXPECT_EQ(fast.severity("energy"), Severity::absurd);
    EXPECT_TRUE(contains(fast.said, "The spring in the joint 'mass' has omega h = 2.1")) << fast.said;
    EXPECT_TRUE(contains(fast.said, "make it implicit")) << fast.said;
    const Ended implicit = end_of(oscillator(2100, ForceTreatment::implicit));
    EXPECT_EQ(implicit.believable(), "yes") << implicit.summary["verdict"].dump(2);
}

// They would refuse an implicit one.
TEST(Verdict, RemedyForAStiffSpringInAbsoluteCoordinatesIsAnotherMethod)
{
    const Ended fast = end_of(oscillator(2100, ForceTreatment::explicit_), {"--method", "absolute"});
    EXPECT_EQ(fast.code, 3);
    EXPECT_TRUE(contains(fast.said, "The spring in the joint 'mass' has omega h = 2.1")) << fast.said;
    EXPECT_TRUE(contains(fast.said, "implicit (.treatment = ForceTreatment::implicit) and take --method "
                                    "moreau-jean, or reduce --h"))
        << fast.said;
    EXPECT_TRUE(contains(fast.said, "make stiff forces implicit and take --method moreau-jean."))
        << fast.said;
    const Ended implicit = end_of(oscillator(2100, ForceTreatment::implicit), {"--method", "absolute"});
    EXPECT_TRUE(contains(implicit.error, "the spring in the joint 'mass' is one")) << implicit.error;
}

TEST(Verdict, WorkOfDrivesAndForcesIsNotGained)
{
    // A cart is driven, and a mass beside it is pulled by a force and turned by a moment: the energies grow by
    // what is done to them.
    const auto worked = [](Described& d) {
        ModelDescription& model = d.model;
        const Body cart = model.add({.name = "cart", .joint = slide_x(), .mass = 3});
        model.drive(model.coordinate(cart), motion([](Expr t) { return 2 * t * t; }));
        const Body pulled = model.add({.name = "pulled", .joint = slide_y(), .mass = 1});
        model.force(model.coordinate(pulled), [](const View& s) { return 5 + std::sin(9 * s.time()); });
        const Body turned =
            model.add({.name = "turned", .joint = free_joint(), .mass = 1, .inertia = {0.1, 0.1, 0.1}});
        model.wrench(model.frame("tip", turned, {0.1, 0, 0}), [](const View&) {
            return Wrench{.force = {0, 0, 2}, .moment = {0, 0.3, 0}};
        });
        const MaterialId sand = model.add(Material{});
        model.grain({.shape = sphere(0.01), .material = sand, .density = 2500, .at = {.p = {0, 0, 9}}});
        model.grain_force([](const View&, GrainId) { return Wrench{.force = {0, 1, 0}, .moment = {}}; });
        d.defaults.h = 1e-3;
        d.run_until(0.5);
    };
    const Ended end = end_of(worked);
    EXPECT_EQ(end.believable(), "yes") << end.summary["verdict"].dump(2);
    // Most of 10 J; the rules for work are of second order, (9 h)^2 or 8e-5 and less.
    EXPECT_GT(end.summary["energy"]["end_J"].get<double>(), 5);
    EXPECT_LT(end.value("energy"), 1e-4);
}

TEST(Verdict, LawTooStiffForTheStepGainsEnergy)
{
    // omega h = 1.34 of the spring alone, 2.07 with the law that acts beside it.
    const auto stiff = [](Described& d) {
        const Body mass = d.model.add({.name = "mass", .joint = slide_x(), .mass = 1});
        const Coordinate x = d.model.coordinate(mass);
        d.model.spring(x, {.stiffness = 1.8e6});
        d.model.force(x, [=](const View& s) { return -2.5e6 * s.q(x); });
        d.model.start(mass, 0.1, 0);
        d.defaults.h = 1e-3;
        d.run_until(0.02);
    };
    const Ended end = end_of(stiff);
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.severity("energy"), Severity::absurd);
}

TEST(Verdict, NegativeSpringIsRefusedByName)
{
    const auto joint = [](double stiffness, double damping) {
        return [=](Described& d) {
            const Body mass = d.model.add({.name = "mass", .joint = slide_x(), .mass = 1});
            d.model.spring(d.model.coordinate(mass), {.stiffness = stiffness, .damping = damping});
            d.run_until(0.01);
        };
    };
    EXPECT_EQ(end_of(joint(0, 0)).error, "");
    EXPECT_TRUE(contains(end_of(joint(-1, 0)).error, "The spring on 'mass' has stiffness -1"));
    EXPECT_TRUE(contains(end_of(joint(1, -2)).error, "damping -2"));
    EXPECT_TRUE(contains(end_of(joint(std::nan(""), 0)).error, "must be finite"));
    const auto points = [](Described& d) {
        const Body mass = d.model.add({.name = "mass", .joint = slide_x(), .mass = 1});
        d.model.spring(d.model.frame("eye", mass), d.model.frame("hook", ground, {1, 0, 0}),
                       {.stiffness = -1});
    };
    EXPECT_TRUE(contains(end_of(points).error, "The spring between 'eye' and 'hook' has stiffness -1"));
}

// A stone between a plate that comes down and the floor.
TEST(Verdict, WedgedStonesAreNamed)
{
    const auto press = [](Described& d) {
        const MaterialId stone = d.model.add(Material{.friction = 0.5, .anticipation = true});
        const Body plate = d.model.add({.name = "plate", .joint = slide_z(), .mass = 1});
        d.model.drive(d.model.coordinate(plate),
                      {[](double t) { return -0.1 * t; }, [](double) { return -0.1; }});
        d.model.attach(plate, wall({0, 0, -1}, -0.0401), stone, {}, "press");
        d.model.attach(ground, wall({0, 0, 1}, 0), stone, {}, "floor");
        for (int i = 0; i < 3; ++i)
            d.model.grain({.shape = sphere(0.02),
                           .material = stone,
                           .density = 2700,
                           .at = {.p = {0.05 * i, 0, 0.02005}}});
        d.run_until(0.02);
    };
    const std::vector<std::string> coarse{"--h", "1e-3", "--solver", "coloured", "--believe"};
    const Ended gone_on = end_of(press, coarse);
    EXPECT_EQ(gone_on.code, 0);
    EXPECT_TRUE(contains(gone_on.said, "steps have no solution, the first at t = 0.00")) << gone_on.said;
    EXPECT_TRUE(contains(gone_on.said, "wedged between 'press' and 'floor'") ||
                contains(gone_on.said, "wedged between 'floor' and 'press'"))
        << gone_on.said;
    EXPECT_TRUE(contains(gone_on.said, "take --contact-stiffness")) << gone_on.said;

    // The frames show where: VTK states the range of an array, for vectors that of their lengths.
    std::vector<std::string> drawn = coarse;
    drawn.insert(drawn.end(), {"--frames", "2"});
    const std::regex longest(R"x(<DataArray[^>]*Name="wedge"[^>]*RangeMax="([^"]*)")x");
    const auto range_max = [&](const Ended& ended) {
        std::smatch found;
        return std::regex_search(ended.contacts, found, longest) ? std::stod(found[1]) : NAN;
    };
    EXPECT_NEAR(range_max(end_of(press, drawn)), 1, 1e-6);

    std::vector<std::string> to_stop = coarse;
    to_stop.insert(to_stop.end(), {"--wedged", "stop"});
    const Ended stopped = end_of(press, to_stop);
    EXPECT_TRUE(contains(stopped.error, "wedged between")) << stopped.error;
    EXPECT_TRUE(contains(stopped.summary["status"], "failed")) << stopped.summary;

    std::vector<std::string> soft = coarse;
    soft.insert(soft.end(), {"--contact-stiffness", "1e6"});
    const Ended yields = end_of(press, soft);
    EXPECT_FALSE(contains(yields.said, "no solution")) << yields.said;
    soft.insert(soft.end(), {"--frames", "2"});
    EXPECT_EQ(range_max(end_of(press, soft)), 0);
    EXPECT_EQ(yields.value("unconverged"), 0);
}

} // namespace tamis::test::verdict_test
