// What a model cannot mean is refused by name.
#include "error_of.hpp"
#include "tamis/model/check_drives.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace model_checks_test {

using namespace tamis;

namespace {

std::string inertia_error(const Inertia& inertia)
{
    ModelDescription model("m");
    model.add({.name = "plate", .joint = free_joint(), .mass = 1, .inertia = inertia});
    return error_of([&] { model.finish(); });
}

std::string drive_error(const Motion& motion, double t_end = 2)
{
    ModelDescription model("m");
    const Body slider = model.add({.name = "slider", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}});
    model.drive(model.coordinate(slider), motion);
    model.finish();
    return error_of([&] { check_drives(model.finish(), t_end); });
}

} // namespace

TEST(ModelChecks, InertiaThatNoBodyHasIsRefused)
{
    EXPECT_TRUE(contains(inertia_error({1, 1, 2.1}), "Body 'plate' has the principal inertias 1, 1 and 2.1"));
    EXPECT_TRUE(contains(inertia_error({2, 2, 2, 1.5, 0, 0}), "'plate'")); // 0.5, 2, 3.5
    EXPECT_EQ(inertia_error({1, 2, 3}), "");                               // a plate in its plane
    EXPECT_EQ(inertia_error({0, 1, 1}), "");                               // a rod
    EXPECT_EQ(inertia_error({1e-7, 2.7, 2.7}), "");                        // a thin one
    EXPECT_EQ(inertia_error({0, 0, 1}), ""); // turns about z only: the others are not given
}

TEST(ModelChecks, VelocityThatIsNotTheDerivativeIsRefused)
{
    const auto x = [](double t) { return 0.01 * std::sin(300 * t); };
    EXPECT_EQ(drive_error({x, [](double t) { return 3 * std::cos(300 * t); }}), "");
    const std::string error = drive_error({x, [](double t) { return 0.01 * std::cos(300 * t); }});
    EXPECT_TRUE(contains(error, "The drive of 'slider'")) << error;
    EXPECT_TRUE(contains(error, "derivative of the position")) << error;
    EXPECT_NE(drive_error({[](double t) { return t; }, [](double) { return 0.0; }}), "");
    EXPECT_NE(drive_error({[](double) { return 1.0; }, [](double) { return 0.01; }}), "");
    // Right at first, wrong in the last tenth.
    EXPECT_NE(drive_error({[](double t) { return std::max(t - 1.8, 0.0); }, [](double) { return 0.0; }}), "");
}

TEST(ModelChecks, MotionMayHaveCornersAndJumpsAndBeSlowOrFar)
{
    // Ramps of a thousandth of the run: a corner in nearly every place that is looked at.
    const auto saw = [](double t) { return std::abs(std::remainder(t, 2e-3)); };
    const auto slope = [](double t) { return std::copysign(1.0, std::remainder(t, 2e-3)); };
    EXPECT_EQ(drive_error({saw, slope}), "");
    for (int k = 0; k < 64; ++k) { // a jump just where it is looked at
        const double at = (k + 0.5) / 64 * 2 + 1e-6 * (k % 3);
        EXPECT_EQ(drive_error({[=](double t) { return t < at ? 0.0 : 1.0; }, [](double) { return 0.0; }}),
                  "");
        EXPECT_EQ(drive_error({[=](double t) { return std::max(t - at, 0.0); },
                               [=](double t) { return t < at ? 0.0 : 1.0; }}),
                  "");
    }
    EXPECT_EQ(drive_error({[](double t) { return 1e6 + 1e-9 * t; }, [](double) { return 1e-9; }}), "");
    EXPECT_EQ(drive_error({[](double t) { return 1000 * t; }, [](double) { return 1000.0; }}, 1e5), "");
    EXPECT_EQ(drive_error({[](double t) { return 1e-6 * std::sin(1e7 * t); },
                           [](double t) { return 10 * std::cos(1e7 * t); }},
                          1e-5),
              "");
}

TEST(ModelChecks, ShapeDoesNotIgnoreItself)
{
    ModelDescription model("m");
    const MaterialId steel = model.add(Material{});
    const ShapeId floor = model.attach(ground, wall({0, 0, 1}, 0), steel);
    EXPECT_EQ(error_of([&] { model.ignore(floor, floor); }),
              "Shape 'wall 1' is to ignore itself: name two shapes; one never touches itself.");
    EXPECT_TRUE(contains(error_of([&] { model.ignore(floor, ShapeId{}); }), "unknown shape"));
}

TEST(ModelChecks, ShapesWithoutANameAreCalledByTheirKind)
{
    ModelDescription model("m");
    const MaterialId steel = model.add(Material{});
    model.grain({.shape = sphere(0.1), .material = steel, .density = 1});
    model.attach(ground, wall({0, 0, 1}, 0), steel);
    model.attach(ground, wall({1, 0, 0}, 0), steel, {}, "left");
    model.attach(ground, wall({0, 1, 0}, 0), steel);
    model.attach(ground, sphere(0.1), steel);
    model.finish();
    for (const auto& [shape, name] :
         {std::pair{0, "grain 1"}, {1, "wall 1"}, {2, "left"}, {3, "wall 2"}, {4, "sphere 1"}})
        EXPECT_EQ(model.finish().shape_name(shape), name);
}

// Two arms of 1 m, straight, are to reach a point 2.5 m away: redundant there, and never closed.
TEST(ModelChecks, AlignedArmOutOfReachCannotBeClosed)
{
    ModelDescription model("m");
    const Body upper = model.add({.name = "upper", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, 1}});
    const Body fore = model.add({.name = "fore",
                                 .parent = upper,
                                 .joint = hinge_z(),
                                 .at = {1, 0, 0},
                                 .mass = 1,
                                 .inertia = {1, 1, 1}});
    model.close({.name = "hand",
                 .kind = LoopKind::point_plane,
                 .a = fore,
                 .point_a = {1, 0, 0},
                 .b = ground,
                 .point_b = {2.5, 0, 0},
                 .axis = {0, 0, 1}});
    const std::string error = error_of([&] { MoreauJean(model.finish(), {}); });
    EXPECT_TRUE(contains(error, "loop 'hand' of mechanism 'm' cannot be closed (error 0.5 m)")) << error;
    EXPECT_TRUE(contains(error, "check the lengths")) << error;
}

} // namespace model_checks_test
