// What a designer may write wrongly, and how coordinates are numbered and named.
#include "tamis/mbs_symbolic/mechanism.hpp"

#include "mbs_symbolic/gallery.hpp"
#include "tamis/base/error.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace tamis::mechanism_test {
namespace {

std::string message(const std::function<void()>& action)
{
    try {
        action();
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

struct MechanismTest : testing::Test {
    Mechanism m{0, "machine"};
    Body arm = m.add({.name = "arm", .joint = hinge_z(), .mass = 1});

    // The message contains every word.
    static void expect_error(const std::function<void()>& action, std::initializer_list<const char*> words)
    {
        const std::string text = message(action);
        for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
    }
};

TEST_F(MechanismTest, MassThatIsNotPositiveIsRefusedByName)
{
    m.validate();
    m.add({.name = "ghost", .joint = hinge_z(), .mass = m.parameter("ghost mass", -2)});
    expect_error([&] { m.validate(); }, {"'ghost'", "-2", "positive mass"});
    m.parameter("ghost mass", 2);
    m.validate();
    m.parameter("ghost mass", 0);
    expect_error([&] { m.validate(); }, {"'ghost'", "mass 0"});
}

TEST_F(MechanismTest, ParameterThatIsNotFiniteIsRefusedByName)
{
    m.parameter("stroke", std::numeric_limits<double>::infinity());
    expect_error([&] { m.validate(); }, {"'stroke'", "inf"});
}

TEST_F(MechanismTest, InertiaThatIsNotPositiveDefiniteIsRefusedByName)
{
    m.add({.name = "twisted",
           .joint = hinge_z(),
           .mass = 1,
           .inertia = {1, 1, 1, 2, 0, 0}}); // principal -1, 1, 3
    expect_error([&] { m.validate(); }, {"'twisted'", "-1, 1, 3", "positive definite"});
}

TEST_F(MechanismTest, RodWithoutLengthIsRefusedByName)
{
    m.close({.name = "strut", .kind = LoopKind::rod, .a = arm, .b = ground});
    expect_error([&] { m.validate(); }, {"'strut'", "length 0"});
}

TEST_F(MechanismTest, UnknownNamesAreAnsweredWithTheKnownOnes)
{
    m.add({.name = "slider", .joint = planar_z(), .mass = 1});
    expect_error([&] { m.body("leg"); }, {"'leg'", "'machine'", "arm, slider"});
    expect_error([&] { m.coordinate("slider.z"); }, {"'slider.z'", "arm, slider.x, slider.y, slider.turn"});
}

TEST_F(MechanismTest, HandlesOfAnotherMechanismAreRefused)
{
    expect_error([&] { m.add({.name = "leg", .parent = Body{1, 0}, .mass = 1}); }, {"'machine'"});
    expect_error([&] { m.close({.a = arm, .b = Body{0, 7}}); }, {"'machine'"});
    expect_error([&] { m.add_frame("tip", Body{3, 0}); }, {"'machine'"});
    expect_error([&] { m.add_wrench(Frame{0, 0}); }, {"'machine'"});
    expect_error([&] { m.add_wrench(Frame{}); }, {"'machine'"});
}

TEST_F(MechanismTest, NamesOfBodiesAreGivenOnce)
{
    expect_error([&] { m.add({.name = "arm", .mass = 1}); }, {"'arm'", "differ"});
    expect_error([&] { m.add({.mass = 1}); }, {"'machine'", "no name"});
}

TEST_F(MechanismTest, AxesNeedADirection)
{
    expect_error([&] { hinge({0, 0, 0}); }, {"(0, 0, 0)"});
    expect_error(
        [&] {
            m.close({.name = "pin", .kind = LoopKind::point_plane, .a = arm, .axis = {0, 0, 0}});
        },
        {"'pin'", "axis"});
    expect_error([&] { m.close({.name = "pin", .kind = LoopKind::hinge, .a = arm}); }, {"'pin'", "axis_b"});
}

TEST_F(MechanismTest, OrientationsAreRotationsOrRefusedByName)
{
    const Eigen::Matrix3d mirror = Eigen::Vector3d(1, 1, -1).asDiagonal();
    expect_error([&] { m.add({.name = "mirrored", .orientation = mirror, .mass = 1}); },
                 {"'mirrored'", "rotation"});
    expect_error([&] { m.add_frame("scaled", arm, {}, 2 * Eigen::Matrix3d::Identity()); },
                 {"'scaled'", "rotation"});
}

TEST_F(MechanismTest, LoopJoinsTwoBodies)
{
    expect_error([&] { m.close({.name = "short cut", .a = arm, .b = arm}); }, {"'short cut'", "itself"});
}

TEST_F(MechanismTest, CoordinateNumbersEndWithTheJoint)
{
    const Body slider = m.add({.name = "slider", .joint = planar_z(), .mass = 1});
    EXPECT_EQ(m.coordinate(slider, 2).index, 3);
    expect_error([&] { m.coordinate(slider, 3); }, {"'slider'", "3 velocities", "number 3"});
    expect_error([&] { m.coordinate(slider, -1); }, {"'slider'", "number -1"});
    expect_error([&] { m.coordinate(ground); }, {"ground"});
    expect_error([&] { m.coordinate_name(4); }, {"'machine'", "4"});
}

TEST_F(MechanismTest, PositionsAndVelocitiesOfAFreeBodyAreNumberedApart)
{
    const Body body = m.add({.name = "body", .joint = free_joint(), .mass = 1});
    EXPECT_EQ(m.nq(), 8);
    EXPECT_EQ(m.nv(), 7);
    EXPECT_EQ(m.coordinate(body, 4).index, 5);
    EXPECT_EQ(m.coordinate_name(5), "body.turn.y");
    EXPECT_EQ(m.coordinate("body.turn.y").index, 5);
    EXPECT_EQ(m.position_index(5), 4); // the quaternion starts after the hinge and three slides
    EXPECT_EQ(m.position_index(3), 3);
}

TEST_F(MechanismTest, TampingMachineHasTenVelocitiesAndFourLoopEquations)
{
    const Mechanism machine = gallery::tamping_machine();
    EXPECT_EQ(machine.bodies().size(), 8u);
    EXPECT_EQ(machine.nv(), 10);
    EXPECT_EQ(machine.loop_rows(), 4);
    EXPECT_EQ(gallery::four_bar().loop_rows(), 5);
}

TEST_F(MechanismTest, WholeGalleryIsValid)
{
    for (const Mechanism& machine : gallery::all()) machine.validate();
}

TEST_F(MechanismTest, HashSeesConstantsButNotValuesOfParameters)
{
    auto machine = [](double mass, double length, Expr (*wrap)(Mechanism&, double)) {
        Mechanism built(0, "built");
        built.add({.name = "arm", .joint = hinge_z(), .at = {length, 0, 0}, .mass = wrap(built, mass)});
        return built.hash();
    };
    const auto constant = [](Mechanism&, double x) { return Expr(x); };
    const auto parameter = [](Mechanism& built, double x) { return built.parameter("mass", x); };
    EXPECT_EQ(machine(1, 2, constant), machine(1, 2, constant));
    EXPECT_NE(machine(1, 2, constant), machine(3, 2, constant));
    EXPECT_NE(machine(1, 2, constant), machine(1, 2, parameter));
    EXPECT_EQ(machine(1, 2, parameter), machine(3, 2, parameter));
    EXPECT_NE(machine(1, 2, parameter), machine(1, 4, parameter));
}

TEST_F(MechanismTest, LengthScaleIsTheLargestOffset)
{
    EXPECT_EQ(m.parameter_values(), Eigen::VectorXd::Ones(1));
    const Expr length = m.parameter("length", 0.3);
    m.add({.name = "leg", .parent = arm, .joint = hinge_z(), .at = {length, 0, -0.2}, .mass = 1});
    EXPECT_EQ(m.parameter_values(), Eigen::Vector2d(0.3, 0.3));
    m.parameter("length", 0.1);
    EXPECT_EQ(m.parameter_values(), Eigen::Vector2d(0.1, 0.2));
}

} // namespace
} // namespace tamis::mechanism_test
