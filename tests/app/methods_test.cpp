// Methods that a model chooses, of the model `workshop` (resume_test.cpp).
#include "error_of.hpp"
#include "tamis/app/script.hpp"

#include <gtest/gtest.h>

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

} // namespace

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
