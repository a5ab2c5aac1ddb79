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

} // namespace

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
