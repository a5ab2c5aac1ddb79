// The equations by three ways (emitted code, tape, recursion in double), and their derivatives by
// differences.
#include "tamis/base/state_hash.hpp"
#include "tamis/mbs_symbolic/compiled_equations.hpp"
#include "tamis/mbs_symbolic/equations.hpp"
#include "tamis/mbs_symbolic/generate.hpp"

#include "mbs_symbolic/gallery.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace tamis::gallery::equations_test {
namespace {

constexpr int samples = 50;

class EveryMechanism : public testing::TestWithParam<Mechanism> {
  protected:
    const Mechanism& m = GetParam();
    NumericEquations numeric{m};

    Eigen::VectorXd at(Quantity quantity, const Eigen::VectorXd& q, const Sample& x)
    {
        return value(numeric, m, quantity, Sample{q, x.v, x.w});
    }
    // Rate of a quantity while the mechanism moves with velocities v.
    Eigen::VectorXd difference(Quantity quantity, const Sample& x, const Eigen::VectorXd& v, double t = 1e-5)
    {
        return (at(quantity, moved(m, x.q, v, t), x) - at(quantity, moved(m, x.q, v, -t), x)) / (2 * t);
    }
};

TEST_P(EveryMechanism, EmittedCodeEqualsTheTapeBitForBit)
{
    Equations emitted(m), tape(m, Equations::Source::tape);
    ASSERT_TRUE(emitted.compiled());
    ASSERT_FALSE(tape.compiled());
    for (int k = 0; k < quantity_count; ++k)
        for (int seed = 0; seed < samples; ++seed) {
            const Sample x = random_sample(m, seed);
            const auto quantity = static_cast<Quantity>(k);
            EXPECT_EQ(value(emitted, m, quantity, x), value(tape, m, quantity, x)) << quantity_names[k];
        }
}

TEST_P(EveryMechanism, EmittedCodeEqualsTheNumericRecursion)
{
    Equations emitted(m);
    for (int k = 0; k < quantity_count; ++k)
        for (int seed = 0; seed < samples; ++seed) {
            const Sample x = random_sample(m, seed);
            const auto quantity = static_cast<Quantity>(k);
            EXPECT_LT(relative_error(value(emitted, m, quantity, x), value(numeric, m, quantity, x)), 1e-12)
                << quantity_names[k];
        }
}

TEST_P(EveryMechanism, BiasIsThatOfTheDynamics)
{
    const Sample x = random_sample(m, 1);
    EXPECT_EQ(value(numeric, m, Quantity::dynamics, x).tail(m.nv()), value(numeric, m, Quantity::bias, x));
}

TEST_P(EveryMechanism, LoopJacobianIsTheRateOfTheLoops)
{
    const int rows = m.loop_rows(), nv = m.nv();
    for (int seed = 0; seed < 5; ++seed) {
        const Sample x = random_sample(m, seed);
        const Eigen::VectorXd all = value(numeric, m, Quantity::loops, x);
        Eigen::MatrixXd J(rows, nv), J_fd(rows, nv);
        for (int i = 0; i < rows; ++i) J.row(i) = all.segment(rows + i * nv, nv);
        for (int j = 0; j < nv; ++j)
            J_fd.col(j) = difference(Quantity::loops, x, Eigen::VectorXd::Unit(nv, j)).head(rows);
        EXPECT_LT(relative_error(J, J_fd), 1e-9);
    }
}

TEST_P(EveryMechanism, LoopBiasIsTheRateOfLoopVelocities)
{
    const int rows = m.loop_rows(), nv = m.nv();
    for (int seed = 0; seed < 5; ++seed) {
        const Sample x = random_sample(m, seed);
        const Eigen::VectorXd rate = difference(Quantity::loops, x, x.v);
        Eigen::VectorXd expected(rows);
        for (int i = 0; i < rows; ++i) expected[i] = rate.segment(rows + i * nv, nv).dot(x.v);
        EXPECT_LT(relative_error(value(numeric, m, Quantity::loop_bias, x), expected), 1e-8);
    }
}

TEST_P(EveryMechanism, FrameVelocitiesAreRatesOfPositionAndOrientation)
{
    for (int seed = 0; seed < 5; ++seed) {
        const Sample x = random_sample(m, seed);
        const Eigen::VectorXd frames = value(numeric, m, Quantity::frames, x);
        const Eigen::VectorXd rates = difference(Quantity::frames, x, x.v);
        using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
        for (int f = 0; f < static_cast<int>(m.frames().size()); ++f) {
            const Rows R = Eigen::Map<const Rows>(&frames[18 * f + 3]);
            const Rows R_rate = Eigen::Map<const Rows>(&rates[18 * f + 3]);
            const Eigen::Matrix3d S = R_rate * R.transpose(); // omega~
            const Eigen::Vector3d omega(S(2, 1), S(0, 2), S(1, 0));
            EXPECT_LT(relative_error(frames.segment<3>(18 * f + 12), rates.segment<3>(18 * f), 1), 1e-8);
            EXPECT_LT(relative_error(frames.segment<3>(18 * f + 15), omega, 1), 1e-8);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Equations, EveryMechanism, testing::ValuesIn(all()), [](const auto& tested) {
    std::string name = tested.param.name();
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    return name + (tested.param.wrenches() ? "WithWrenches" : "");
});

OperationCount cost(const Mechanism& m, Quantity quantity = Quantity::dynamics)
{
    return make_schedule(symbolic(m, quantity)).count();
}

TEST(Equations, PlanarChainHasOneSineCosinePairPerLink)
{
    for (int n : {1, 2, 5, 9})
        for (Quantity quantity : {Quantity::dynamics, Quantity::bias, Quantity::kinematics, Quantity::frames})
            EXPECT_EQ(cost(planar_chain(n), quantity).trigonometric, n);
}

// Without weight only the angles between links count: here those at the crank pin, the slider's centre being
// its pin.
TEST(Equations, WeightlessSliderCrankHasOneSineCosinePair)
{
    EXPECT_EQ(cost(slider_crank()).trigonometric, 1);
}

TEST(Equations, TampingMachineHasOneSineCosinePairPerAbsoluteAngle)
{
    // chassis, flywheel, two arms, barrel with its piston, connecting rod
    EXPECT_EQ(cost(tamping_machine()).trigonometric, 6);
    EXPECT_EQ(cost(tamping_machine(), Quantity::kinematics).trigonometric, 6);
    // the flywheel closes no loop
    EXPECT_EQ(cost(tamping_machine(), Quantity::loops).trigonometric, 5);
}

TEST(Equations, SpatialChainHasOneSineCosinePairPerJoint)
{
    EXPECT_EQ(cost(spatial_chain(6)).trigonometric, 6);
    EXPECT_EQ(cost(arm()).trigonometric, 6);
}

TEST(Equations, ParametersStaySymbols)
{
    Mechanism m = planar_chain(5);
    const std::uint64_t hash = m.hash();
    Equations equations(m);
    ASSERT_TRUE(equations.compiled());
    const Sample x = random_sample(m, 3);
    const Eigen::VectorXd before = value(equations, m, Quantity::dynamics, x);
    m.parameter("m5", 7.5);
    m.parameter("l2", 0.33);
    equations.refresh();
    NumericEquations numeric(m);
    const Eigen::VectorXd after = value(equations, m, Quantity::dynamics, x);
    EXPECT_EQ(m.hash(), hash);
    EXPECT_TRUE(equations.compiled());
    EXPECT_GT(relative_error(after, before), 0.1);
    EXPECT_LT(relative_error(after, value(numeric, m, Quantity::dynamics, x)), 1e-12);
}

TEST(Equations, WithoutACompilerTheTapeRunsAndANoteSaysWhy)
{
    const Mechanism m = spatial_chain(4); // not in the gallery, so not loaded yet
    const std::string cache = testing::TempDir() + "tamis_no_compiler";
    const char* used = std::getenv("TAMIS_CACHE");
    const std::string before = used ? used : "";
    setenv("TAMIS_CACHE", cache.c_str(), 1);
    setenv("CC", "no-such-compiler", 1);
    Equations equations(m);
    unsetenv("CC");
    setenv("TAMIS_CACHE", before.c_str(), 1);
    std::filesystem::remove_all(cache);
    EXPECT_FALSE(equations.compiled());
    EXPECT_NE(why_interpreted().find("no C compiler 'no-such-compiler'"), std::string::npos)
        << why_interpreted();
    NumericEquations numeric(m);
    const Sample x = random_sample(m, 2);
    EXPECT_LT(
        relative_error(value(equations, m, Quantity::dynamics, x), value(numeric, m, Quantity::dynamics, x)),
        1e-12);
}

// What a program of the same number on another machine is writing in a folder that both share.
TEST(Equations, FilesOfAnotherMachineInTheCacheStay)
{
    const Mechanism m = spatial_chain(3); // not in the gallery, so not loaded yet
    StateHash sum;
    sum.add(emit_equations(m));
    const std::filesystem::path cache = testing::TempDir() + "tamis_shared_cache";
    std::filesystem::remove_all(cache);
    std::filesystem::create_directories(cache);
    std::filesystem::permissions(cache, std::filesystem::perms::owner_all); // else it would not be used
    const auto other = cache / fmt::format("{:016x}-{:016x}.so.{}.c", m.hash(), sum.value, getpid());
    std::ofstream(other) << "being written";
    const char* used = std::getenv("TAMIS_CACHE");
    const std::string before = used ? used : "";
    setenv("TAMIS_CACHE", cache.c_str(), 1);
    const Equations equations(m);
    setenv("TAMIS_CACHE", before.c_str(), 1);
    EXPECT_TRUE(equations.compiled()) << why_interpreted();
    std::string text;
    std::getline(std::ifstream(other), text);
    EXPECT_EQ(text, "being written");
    const auto files = std::distance(std::filesystem::directory_iterator(cache), {});
    EXPECT_EQ(files, 2); // and the library
    std::filesystem::remove_all(cache);
}

} // namespace
} // namespace tamis::gallery::equations_test
