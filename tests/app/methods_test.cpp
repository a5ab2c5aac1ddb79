// Methods that a model chooses, of the model `workshop` (resume_test.cpp).
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/app/script.hpp"
#include "tamis/dem/dem.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis::test::methods_test {

namespace {

std::unique_ptr<Script> prepared(const std::vector<std::string>& arguments)
{
    std::unique_ptr<Script> script = make_script("workshop", arguments);
    script->prepare();
    return script;
}

// A ball in a container on a spring, which may be cut off.
struct Container : Script {
    explicit Container(const std::vector<std::string>& arguments)
        : Script("container", "A ball in a box", arguments)
    {
    }
    void define() override
    {
        const Body body =
            model.add({.name = "box", .joint = slide_z(), .mass = 2, .inertia = {0.1, 0.1, 0.1}});
        model.spring(model.coordinate(body), {.stiffness = 2000});
        const MaterialId steel = model.add(Material{.restitution = 0.5, .stiffness = 1e5});
        model.attach(body, hollow(box(0.5, 0.5, 0.5)), steel, {}, "inside");
        model.grain({.name = "ball", .shape = sphere(0.05), .material = steel, .density = 300});
        method(Method::dem);
        cut(body, CutKind::contacts);
        run_until(1);
    }
};

// Four bars with a ball in a cavity of the coupler: closed to a parallelogram, or an open chain and a bar of its own.
struct Swing : Script {
    Swing(bool closed, const std::vector<std::string>& arguments)
        : Script("swing", "A ball on four bars", arguments), closed_(closed)
    {
    }
    void define() override
    {
        model.gravity({0, 0, -9.81});
        const auto bar = [&](const char* name, Body parent, const Vector& at, const Vector& com) {
            return model.add({.name = name,
                              .parent = parent,
                              .joint = hinge_y(),
                              .at = at,
                              .mass = 0.01,
                              .com = com,
                              .inertia = {1e-5, 1e-5, 1e-5}});
        };
        const Body left = bar("left", ground, {0, 0, 0}, {0, 0, -0.05});
        const Body coupler = bar("coupler", left, {0, 0, -0.1}, {0.025, 0, 0});
        const Body right = bar("right", ground, {0.05, 0, 0}, {0, 0, -0.05});
        if (closed_)
            model.close({.name = "right on coupler",
                         .kind = LoopKind::point_plane,
                         .a = coupler,
                         .point_a = {0.05, 0, 0},
                         .b = right,
                         .point_b = {0, 0, -0.1},
                         .axis = {0, 1, 0}});
        const MaterialId steel = model.add(Material{.restitution = 0.7, .stiffness = 2e4});
        model.attach(coupler, hollow(box(0.01, 0.01, 0.01)), steel, {}, "cavity");
        model.grain({.shape = sphere(2e-3),
                     .material = steel,
                     .density = 7800,
                     .at = {.p = {0, 0, -0.1}},
                     .velocity = {1, 0, 0}});
        method(Method::dem);
        run_until(0.01);
    }

  private:
    bool closed_;
};

// What a run prints, and its summary.json.
std::pair<std::string, nlohmann::json> told_by(Script& script, const ScratchFolder& folder)
{
    script.prepare();
    testing::internal::CaptureStdout();
    run(script);
    return {testing::internal::GetCapturedStdout(),
            nlohmann::json::parse(text_of(folder / "a" / "summary.json"))};
}

} // namespace

TEST(Methods, DemTellsTheErrorOfLoopsIfItClosesAny)
{
    for (const bool closed : {true, false}) {
        const ScratchFolder folder;
        Swing script(closed, {"--out", (folder / "a").string(), "--frames", "0"});
        const std::string text = told_by(script, folder).first;
        EXPECT_EQ(contains(text, "  loop error "), closed) << text;
    }
}

TEST(Methods, DemTellsItsStepAndEnergiesAsNumbers)
{
    const ScratchFolder folder;
    Swing script(true, {"--out", (folder / "a").string(), "--frames", "0"});
    const nlohmann::json summary = told_by(script, folder).second, dem = summary["dem"];
    EXPECT_EQ(summary["gravity_m_s2"], nlohmann::json::array({0, 0, -9.81}));
    EXPECT_EQ(dem["friction_model"], "elastic");
    EXPECT_EQ(dem["hart_step_s"], hart_step(script.finished())) << dem;
    ASSERT_TRUE(dem["wall_work_J"].is_number() && dem["dissipated_J"]["normal_damping"].is_number()) << dem;
    // The ball has met walls at 1 m/s with a restitution of 0.7.
    const double energy = script.finished().grains()[0].mass / 2;
    EXPECT_GT(dem["dissipated_J"]["normal_damping"].get<double>(), 0.1 * energy);
    EXPECT_LT(dem["dissipated_J"]["normal_damping"].get<double>(), energy);
}

TEST(Methods, RefusalsOfTheLibraryNameTheOptions)
{
    const auto refusal = [](const std::vector<std::string>& arguments) {
        return error_of([&] {
            Container script(arguments);
            script.prepare();
            script.make_stepper();
        });
    };
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(refusal({"--coupling", "loose", "--h", "0.1"}), "");
    const auto expect = [&](const std::vector<std::string>& arguments, const char* culprit,
                            const char* remedy) {
        const std::string error = refusal(arguments);
        EXPECT_TRUE(contains(error, culprit) && contains(error, remedy)) << error;
    };
    expect({"--h", "0.1"}, "beyond that of Hart for grain 'ball'", " --h sets the step.");
    expect({"--normal-law", "hertz"}, "have no Young's modulus", " --normal-law chooses.");
    expect({"--normal-law", "hertz", "--contact-stiffness", "3e4"}, "--normal-law hertz has the stiffness of",
           "leave out --contact-stiffness");
    expect({"--contact-stiffness", "0"}, "have no stiffness", " --contact-stiffness sets");
    expect({"--coupling", "loose", "--h", "0.1", "--nonsmooth-substeps", "1"}, "beyond that of Hart",
           " --nonsmooth-substeps divides the step --h.");
}

TEST(Methods, SmoothHasADampingOfItsOwnAndClosedJoints)
{
    EXPECT_EQ(prepared({"--way", "absolute"})->settings().rho_inf, 0.8);
    const auto script = prepared({"--way", "smooth", "--shown"});
    EXPECT_EQ(script->settings().rho_inf, 0.6);
    const auto stepper = script->make_stepper();
    const double energy = stepper->view().energy();
    for (int k = 0; k < 200; ++k) ASSERT_LE(stepper->step().loop_error, 1e-10);
    EXPECT_NEAR(stepper->view().time(), 0.2, 1e-12);
    // A hinge without friction, 13 rad/s and more.
    EXPECT_NEAR(stepper->view().energy(), energy, 1e-4 * energy);
}

TEST(Methods, SmoothRefusesShapesThatMayTouch)
{
    const auto script = prepared({"--way", "smooth"});
    const std::string error = error_of([&] { script->make_stepper(); });
    EXPECT_TRUE(contains(error, "'bob' and 'left' may touch")) << error;
}

} // namespace tamis::test::methods_test
