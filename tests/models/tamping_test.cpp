// The tamping machine in a small bed of large stones, run as a user runs it: from options to files.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tamis::test::tamping_test {

namespace {

// Stones are settled once for all tests.
class Tamping : public testing::Test {
  protected:
    static void SetUpTestSuite() { setenv("TAMIS_PACKINGS", (folder() / "packings").c_str(), 1); }
    static ScratchFolder& folder()
    {
        static ScratchFolder scratch;
        return scratch;
    }
    static int run(const std::string& name, std::vector<std::string> options)
    {
        options.insert(options.end(),
                       {"--grains", "60", "--quick", "--quiet", "--frames", "0", "--out", path(name)});
        options.insert(options.begin(), "tamping"); // a program of several models wants the name of one
        return run_program(options);
    }
    static std::string path(const std::string& name) { return (folder() / name).string(); }
    static nlohmann::json summary(const std::string& name)
    {
        return nlohmann::json::parse(text_of(folder() / (name + "/summary.json")));
    }
    static std::map<std::string, std::vector<double>> histories(const std::string& name)
    {
        std::istringstream lines(text_of(folder() / (name + "/histories.csv")));
        std::string line, cell;
        std::getline(lines, line);
        std::vector<std::string> names;
        for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
        std::map<std::string, std::vector<double>> columns;
        while (std::getline(lines, line)) {
            std::istringstream cells(line);
            for (const std::string& column : names) {
                std::getline(cells, cell, ',');
                columns[column].push_back(std::stod(cell));
            }
        }
        return columns;
    }
    static double largest(const std::vector<double>& values)
    {
        return *std::max_element(values.begin(), values.end());
    }
};

} // namespace

TEST_F(Tamping, MachineHasEightBodiesTenCoordinatesAndSixFreedoms)
{
    const auto script = make_script("tamping", {"--grains", "60", "--quick"});
    script->prepare();
    const Mechanism& machine = script->finished().mechanisms().front();
    EXPECT_EQ(machine.bodies().size(), 8u);
    EXPECT_EQ(machine.nv(), 10);
    EXPECT_EQ(machine.loop_rows(), 4);
    const MoreauJean stepper(script->finished(), {});
    EXPECT_EQ(stepper.independent(0).size(), 6u);
    EXPECT_TRUE(stepper.compiled());
}

// Distance of the tips for a length of the actuator, from plane geometry: two arms on
// pivots 0.5 m apart, a rod from 0.10 m above one to 0.10 m below the other, the actuator 0.35 m above both,
// the tips 0.60 m below. Newton's method with differences for the two angles.
static double tips_apart(double elongation)
{
    using Eigen::Vector2d;
    const auto point = [](int arm, double angle, double up) -> Vector2d {
        return Vector2d(arm == 0 ? -0.25 : 0.25, 0) + up * Vector2d(std::sin(angle), std::cos(angle));
    };
    const auto missing = [&](const Vector2d& q) -> Vector2d {
        return Vector2d((point(1, q[1], 0.35) - point(0, q[0], 0.35)).norm() - 0.5 - elongation,
                        (point(1, q[1], -0.10) - point(0, q[0], 0.10)).norm() - std::hypot(0.5, 0.2));
    };
    Vector2d q(0, 0);
    for (int k = 0; k < 20; ++k) {
        Eigen::Matrix2d J;
        for (int j : {0, 1}) {
            const Vector2d step = 1e-6 * Vector2d::Unit(j);
            J.col(j) = (missing(q + step) - missing(q - step)) / 2e-6;
        }
        q -= J.inverse() * missing(q);
    }
    return (point(1, q[1], -0.60) - point(0, q[0], -0.60)).norm();
}

TEST_F(Tamping, LoopsStayClosedAndTheTinesCloseAsTheActuatorExtends)
{
    ASSERT_EQ(run("whole", {}), 0);
    auto h = histories("whole");
    EXPECT_GT(largest(h["elongation"]), 0.02);
    EXPECT_LT(largest(h["loop_error"]), 1e-9);
    for (std::size_t k = 0; k < h["t"].size(); ++k) {
        const double apart = std::hypot(h["tip2_x"][k] - h["tip1_x"][k], h["tip2_z"][k] - h["tip1_z"][k]);
        ASSERT_NEAR(apart, tips_apart(h["elongation"][k]), 1e-9);
    }
    const nlohmann::json grains = summary("whole")["grains"];
    EXPECT_LT(grains["penetration_max_m"], 0.02 * grains["mean_size_m"].get<double>());
    EXPECT_LT(grains["momentum_error_max"], 1e-13);
}

// (34-36), at the start of a step where the records are taken.
TEST_F(Tamping, ControlFollowsTheThreeLaws)
{
    ASSERT_EQ(run("control", {}), 0);
    auto h = histories("control");
    double held = h["support_z"][0];
    for (std::size_t k = 1; k < h["t"].size(); ++k) {
        const double t = h["t"][k], z = h["support_z"][k], stage = h["stage"][k];
        EXPECT_EQ(stage, t < 0.01 - 1e-9                                          ? 0
                         : h["stage"][k - 1] == 2 || t > 0.12 - 1e-9 || z <= 0.72 ? 2
                                                                                  : 1);
        if (h["stage"][k - 1] == 1) held = std::max(z, 0.72);
        // v_k + v_k-1, by the scheme with theta = 1/2
        const double v = 2 * (z - h["support_z"][k - 1]) / 5e-4;
        h["v"].push_back(k == 1 ? v : v - h["v"].back());
        const double force =
            stage == 1 ? -10e3 - 3e3 * h["v"].back() : -1e6 * (z - held) - 1e3 * h["v"].back();
        ASSERT_NEAR(h["support_force"][k], force, 1e-5 * std::abs(force) + 1e-2) << t;
        const double target = 0.10 * std::clamp((t - 0.12) / 0.06, 0.0, 1.0);
        ASSERT_NEAR(h["target_elongation"][k], target, 1e-12);
    }
}

// The imposed vibration is that which the machine has in the air: its first harmonic over two periods.
TEST_F(Tamping, ImposedVibrationIsThatOfTheMachineInTheAir)
{
    for (const char* frequency : {"15", "45"}) {
        double amplitude[2][2];
        for (const char* drive : {"dynamic", "imposed"}) {
            const std::string name = std::string(frequency) + drive;
            const double period = 1 / std::stod(frequency), start = 0.3 - 2 * period;
            ASSERT_EQ(run(name, {"--frequency", frequency, "--drive", drive, "--dive-at", "0.3",
                                 "--squeeze-at", "0.4", "--t-end", "0.3", "--record-every", "1"}),
                      0);
            auto h = histories(name);
            for (int axis : {0, 1}) {
                double c = 0, s = 0, n = 0;
                for (std::size_t k = 0; k < h["t"].size(); ++k) {
                    const double t = h["t"][k];
                    if (t < start || t > 0.3 - 1e-9) continue;
                    const double y = axis == 0 ? h["chassis_x"][k] : h["chassis_z"][k] - h["support_z"][k];
                    c += y * std::cos(2 * M_PI * t / period);
                    s += y * std::sin(2 * M_PI * t / period);
                    ++n;
                }
                amplitude[drive == std::string("imposed")][axis] = 2 * std::hypot(c, s) / n;
            }
        }
        for (int axis : {0, 1})
            EXPECT_NEAR(amplitude[1][axis], amplitude[0][axis], 0.05 * amplitude[0][axis])
                << frequency << " Hz, " << (axis == 0 ? "x" : "z");
    }
}

TEST_F(Tamping, ARunThatWasStoppedEndsInTheSameState)
{
    ASSERT_EQ(run("one", {}), 0);
    ASSERT_EQ(run("two", {"--t-end", "0.1"}), 0);
    ASSERT_EQ(run("two", {"--resume"}), 0);
    EXPECT_EQ(summary("one")["state_hash"], summary("two")["state_hash"]);
    EXPECT_EQ(text_of(folder() / "one/histories.csv"), text_of(folder() / "two/histories.csv"));
}

} // namespace tamis::test::tamping_test
