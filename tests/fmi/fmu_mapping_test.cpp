// From variables of an FMU to the motion of a marker, and from the wrench on it to its inputs.
#include "tamis/fmi/fmu_mapping.hpp"

#include "error_of.hpp"
#include "fmi/body_fmu.hpp"
#include "tamis/model/rotation.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace tamis::fmu_mapping_test {

using namespace tamis::test;
using Eigen::Vector3d;

namespace {

FmuDescription description(const BodyFmu& fmu = {})
{
    return read_fmu_description(fmu.description(), "body");
}

FmuMapping mapping(const std::string& words, const BodyFmu& fmu = {})
{
    return FmuMapping(words, description(fmu), "body");
}

std::string refusal(const std::string& words, const BodyFmu& fmu = {})
{
    return error_of([&] { mapping(words, fmu); });
}

} // namespace

TEST(FmuMapping, SplitsOutsideOfBracketsAndQuotationMarks)
{
    using Words = std::vector<std::string>;
    EXPECT_EQ(split_words("a, b ,c", ','), (Words{"a", "b", "c"}));
    EXPECT_EQ(split_words("R[1,1],R[1,2]", ','), (Words{"R[1,1]", "R[1,2]"}));
    EXPECT_EQ(split_words("'a,b'.x, f(1,2)", ','), (Words{"'a,b'.x", "f(1,2)"}));
    EXPECT_EQ(split_words("", ';'), Words{""});
    EXPECT_EQ(split_words("a],b", ','), (Words{"a]", "b"})); // an end without a start is none
}

TEST(FmuMapping, WhatIsNotToldStaysAtRest)
{
    const FmuMapping m = mapping("position=-,r[y]; velocity = - , v[y]; force=-,f[y]");
    EXPECT_EQ(m.outputs(), (std::vector<std::uint32_t>{1, 4}));
    EXPECT_EQ(m.inputs(), std::vector<std::uint32_t>{17});
    EXPECT_FALSE(m.turns());
    EXPECT_FALSE(m.accelerations());
    const InterfaceMotion rest{{1, 2, 3}, Eigen::Quaterniond(0.6, 0.8, 0, 0), {4, 5, 6}};
    const InterfaceMotion now = m.motion(std::array{7.0, 8.0}, rest, rest, 1);
    EXPECT_EQ(now.x, Vector3d(1, 7, 3));
    EXPECT_EQ(now.v, Vector3d(0, 8, 0));
    EXPECT_EQ(now.turn.coeffs(), rest.turn.coeffs());
    EXPECT_EQ(now.omega, Vector3d(0, 0, 0));
    std::array<double, 1> input;
    m.wrench({{1, 2, 3}, {4, 5, 6}}, input);
    EXPECT_EQ(input[0], 2);
}

TEST(FmuMapping, UnitsBecomeThoseOfSI)
{
    const BodyFmu fmu{.length = "mm", .force = "kN"};
    const FmuMapping m =
        mapping("position=r[x]; velocity=v[x]; acceleration=a[x]; force=f[x]; moment=-,-,t[z]", fmu);
    EXPECT_TRUE(m.accelerations());
    const InterfaceMotion now = m.motion(std::array{250.0, 3000.0, -500.0}, {}, {}, 1);
    EXPECT_EQ(now.x[0], 0.25);
    EXPECT_EQ(now.v[0], 3);
    EXPECT_EQ(now.a[0], -0.5);
    std::array<double, 2> inputs;
    m.wrench({{1500, 0, 0}, {0, 0, 7}}, inputs);
    EXPECT_EQ(inputs[0], 1.5);
    EXPECT_EQ(inputs[1], 7);
}

TEST(FmuMapping, AllWordsOfAnOrientationMeanTheSame)
{
    BodyFmu fmu;
    fmu.variables = ""; // nine more outputs
    for (int k = 0; k < 9; ++k)
        fmu.variables +=
            fmt::format(R"(<ScalarVariable name="o{}" valueReference="{}" causality="output"><Real/>)"
                        R"(</ScalarVariable>)",
                        k, 200 + k);
    const auto turn = [&](const std::string& words, const std::vector<double>& values) {
        return mapping(words + "; angular_velocity=differences; moment=t[x],t[y],t[z]", fmu)
            .motion(values, {}, {}, 0)
            .turn;
    };
    const Vector3d phi(0.3, -0.5, 0.7);
    const Eigen::Quaterniond q = exp_quaternion(phi);
    const Eigen::Matrix3d R = q.toRotationMatrix();
    EXPECT_LT(turn("rotation=o0,o1,o2", {phi[0], phi[1], phi[2]}).angularDistance(q), 1e-12);
    EXPECT_LT(turn("quaternion=o0,o1,o2,o3", {q.w(), q.x(), q.y(), q.z()}).angularDistance(q), 1e-12);
    EXPECT_LT(turn("quaternion=o0,o1,o2,o3", {-q.w(), -q.x(), -q.y(), -q.z()}).angularDistance(q), 1e-12);
    std::vector<double> rows;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) rows.push_back(R(i, j));
    EXPECT_LT(turn("matrix=o0,o1,o2,o3,o4,o5,o6,o7,o8", rows).angularDistance(q), 1e-12);
    const Vector3d cardan = R.eulerAngles(0, 1, 2); // R = R_x R_y R_z
    EXPECT_LT(turn("angles=o0,o1,o2", {cardan[0], cardan[1], cardan[2]}).angularDistance(q), 1e-12);
    EXPECT_LT(turn("rotation=-,-,angle", {90}).angularDistance(exp_quaternion({0, 0, std::numbers::pi / 2})),
              1e-12);
    EXPECT_PRED2(contains, error_of([&] { turn("quaternion=o0,o1,o2,o3", {1, 1, 0, 0}); }), "norm 1.4");
    EXPECT_PRED2(contains, error_of([&] { turn("quaternion=o0,o1,o2,o3", {0, 0, 0, 0}); }), "norm 0");
    rows[4] = 2;
    EXPECT_PRED2(contains, error_of([&] { turn("matrix=o0,o1,o2,o3,o4,o5,o6,o7,o8", rows); }), "no rotation");
}

TEST(FmuMapping, RatesByDifferencesAreThoseOverTheStep)
{
    const FmuMapping m = mapping("position=r[x]; velocity=differences; rotation=-,-,angle; "
                                 "angular_velocity=differences; force=none");
    const InterfaceMotion before{{0.5, 0, 0}, exp_quaternion({0, 0, 0.1})};
    const InterfaceMotion now = m.motion(std::array{0.8, 0.4 * 180 / std::numbers::pi}, {}, before, 0.1);
    EXPECT_NEAR(now.v[0], 3, 1e-14);
    EXPECT_NEAR(now.omega[2], 3, 1e-13);
    EXPECT_EQ(m.inputs().size(), 0u);
}

TEST(FmuMapping, ArraysStandForTheirElements)
{
    const BodyFmu fmu{.version = 3};
    const FmuMapping m =
        mapping("position=r; velocity=v; quaternion=q; angular_velocity=w; force=f; moment=t", fmu);
    EXPECT_EQ(m.outputs(), (std::vector<std::uint32_t>{100, 101, 102, 103}));
    EXPECT_EQ(m.output_size(), 13u);
    EXPECT_EQ(m.input_size(), 6u);
    const InterfaceMotion now =
        m.motion(std::array{1., 2., 3., 4., 5., 6., 0., 0., 1., 0., 7., 8., 9.}, {}, {}, 1);
    EXPECT_EQ(now.x, Vector3d(1, 2, 3));
    EXPECT_EQ(now.v, Vector3d(4, 5, 6));
    EXPECT_EQ(now.turn.y(), 1);
    EXPECT_EQ(now.omega, Vector3d(7, 8, 9));
    EXPECT_PRED2(contains, refusal("position=r[x],r; velocity=v; force=f", fmu), "more than 3 components");
    // One that cannot be used is in the way only of who uses it.
    const BodyFmu odd{.version = 3,
                      .variables = R"(<Float64 name="odd" valueReference="200" causality="output">)"
                                   R"(<Dimension start="2000000"/></Float64>)"};
    EXPECT_EQ(refusal("position=r; velocity=v; force=f", odd), "");
    EXPECT_PRED2(contains, refusal("position=odd; velocity=v; force=f", odd),
                 "names 'odd' as position, an array of no element, of more than can be");
}

TEST(FmuMapping, IsRefusedByItsFault)
{
    const std::string rest = "; velocity=v[x]; force=f[x]";
    EXPECT_EQ(refusal(along_x), "");
    EXPECT_EQ(refusal(in_space), "");
    EXPECT_PRED2(contains, refusal(""), "tells neither a position nor an orientation");
    EXPECT_PRED2(contains, refusal(""), "its inputs: f[x], f[y]");
    EXPECT_PRED2(contains, refusal("place=r[x]"),
                 "write quantity=variables, with a quantity of position, velocity");
    EXPECT_PRED2(contains, refusal("position"), "has 'position'");
    EXPECT_PRED2(contains, refusal("position=r[x]; position=r[y]" + rest), "has position twice");
    EXPECT_PRED2(contains, refusal("position=s" + rest),
                 "names 's' as position, and there is no such variable");
    EXPECT_PRED2(contains, refusal("position=" + rest), "names ''");
    EXPECT_PRED2(contains, refusal("position=-,-" + rest), "gives position no variable");
    EXPECT_PRED2(contains, refusal("position=r[x],r[y],r[z],a[x]" + rest), "more than 3 components");
    EXPECT_PRED2(contains, refusal("position=-,-,-,-,r[x]" + rest), "more than 3 components");
    EXPECT_PRED2(contains, refusal("position=r[x],r[y]" + rest),
                 "tells component 2 of position and not its velocity");
    EXPECT_PRED2(contains, refusal("position=-,r[y]" + rest),
                 "tells component 1 of velocity, and not that of what");
    EXPECT_PRED2(contains, refusal("position=r[x]; force=f[x]"), "or write velocity=differences");
    EXPECT_PRED2(contains, refusal("position=r[x]; velocity=v[x]"), "or write force=none");
    EXPECT_PRED2(contains, refusal("position=r[x]; velocity=differences; force=none; moment=t[x]"),
                 "says force=none");
    EXPECT_PRED2(contains, refusal("position=f[x]" + rest), "is no output: its causality is 'input'");
    EXPECT_PRED2(contains, refusal("position=r[x]; velocity=v[x]; force=r[y]"),
                 "is no input: its causality is 'output'");
    EXPECT_PRED2(contains, refusal("position=mass" + rest), "its causality is 'parameter'");
    EXPECT_PRED2(contains, refusal("position=trouble" + rest), "which is of type Int32");
    EXPECT_PRED2(contains, refusal("position=v[x]" + rest), "whose unit 'm/s' is not that of a length");
    EXPECT_PRED2(contains, refusal("position=r[x]; velocity=v[x]; force=t[x]"),
                 "whose unit 'N.m' is not that of a force");
    EXPECT_PRED2(contains, refusal("position=r[x]" + rest, {.length = "furlong"}),
                 "whose unit 'furlong' the FMU does not define");
    EXPECT_PRED2(contains, refusal("position=r[x]; velocity=v[x]; force=f[x],f[x]"),
                 "two components to the input 'f[x]'");
    EXPECT_PRED2(contains, refusal("rotation=-,-,angle; angular_velocity=w[x]; force=none"),
                 "component 1 of angular_velocity");
    EXPECT_PRED2(
        contains,
        refusal("rotation=-,-,angle; angular_velocity=-,-,w[z]; quaternion=q[0,1],q[1,1],q[2,1],q[3,1]"),
        "by rotation and by quaternion");
    EXPECT_PRED2(contains, refusal("quaternion=q[0,1],q[1,1],q[2,1]"),
                 "gives quaternion 3 components instead of 4");
    EXPECT_PRED2(contains,
                 refusal("quaternion=q[0,1],q[1,1],q[2,1],q[3,1]; angular_velocity=w[x],w[y]; force=none"),
                 "tells component 3 of quaternion and not its angular_velocity");
    EXPECT_PRED2(contains, refusal("position=r[x]; velocity=v[x]; angular_velocity=w[x]; force=f[x]"),
                 "component 1 of angular_velocity, and not that of what moves");
}

} // namespace tamis::fmu_mapping_test
