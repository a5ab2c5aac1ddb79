// The dampers of Zhang et al. (2020, 2022), as models and in parts: closed forms, balances, and one way of running them
// against another.
#include "io/scratch.hpp"
#include "support/lead_damper.hpp"
#include "tamis/app/program.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/measures.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

namespace tamis::test::lead_damper_test {
namespace {

using Words = std::vector<std::string>;

struct Result {
    std::map<std::string, std::vector<double>> column;
    nlohmann::json summary;

    const std::vector<double>& operator[](const std::string& name) const { return column.at(name); }
};

// A model run as a user runs it, with packings of its own.
Result run_model(Words arguments)
{
    static const ScratchFolder packings;
    ::setenv("TAMIS_PACKINGS", (packings / "").c_str(), 1);
    const ScratchFolder folder;
    arguments.insert(arguments.end(), {"--quiet", "--record-every", "1", "--frames", "0", "--threads", "1",
                                       "--out", (folder / "run").string()});
    EXPECT_EQ(run_program(arguments), 0);
    Result result;
    std::istringstream lines(text_of(folder / "run" / "histories.csv"));
    std::string line, cell;
    Words names;
    std::getline(lines, line);
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        for (const std::string& name : names) {
            std::getline(cells, cell, ',');
            result.column[name].push_back(std::strtod(cell.c_str(), nullptr));
        }
    }
    result.summary = nlohmann::json::parse(text_of(folder / "run" / "summary.json"));
    return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t every_a,
                          std::size_t every_b)
{
    double most = 0;
    for (std::size_t k = 0; k * every_a < a.size() && k * every_b < b.size(); ++k)
        most = std::max(most, std::abs(a[k * every_a] - b[k * every_b]));
    return most;
}

double finding(const Result& run, const std::string& name)
{
    for (const auto& f : run.summary["verdict"]["findings"])
        if (f["name"] == name) return f["value"];
    ADD_FAILURE() << "no finding '" << name << "' in " << run.summary["verdict"];
    return 0;
}

} // namespace

TEST(LeadDamper, HasThePublishedMassesAndStiffnesses)
{
    SteelBeam beam;
    EXPECT_NEAR(beam.mass(), 117.7e-3, 0.05e-3);
    EXPECT_NEAR(LeadShot{}.mass(), 7.0e-3, 0.02e-3);
    EXPECT_NEAR(beam.moving_mass() + 12.7e-3 + 35.8e-3, 0.076742, 1e-6); // Zhang et al. (2022), after eq. 49
    EXPECT_NEAR(beam.stiffness(), 806.4, 1e-9);
    beam.thickness = 1e-3; // eq. 51
    EXPECT_NEAR(beam.moving_mass() + 12.7e-3 + 35.8e-3, 0.062621, 1e-6);
    EXPECT_NEAR(beam.stiffness(), 100.8, 1e-9);
}

TEST(LeadDamper, ShotLiesDenselyOnTheFloorOfItsCylinder)
{
    LeadShot shot;
    shot.count = 40;
    const Packing bed = shot.packing(0.52);
    ASSERT_EQ(bed.size(), 40);
    for (int i = 0; i < bed.size(); ++i) {
        const Eigen::Vector3d& p = bed.poses[i].p;
        EXPECT_GT(p.z(), 0.98 * shot.radius);
        EXPECT_LT(p.head<2>().norm(), shot.cylinder - 0.98 * shot.radius);
        for (int j = 0; j < i; ++j) EXPECT_GT((p - bed.poses[j].p).norm(), 1.98 * shot.radius);
    }
    // Forty lie side by side in a circle of ten radii, and none stays on top of others for long.
    EXPECT_LT(bounds(bed).high.z(), 4.0 * shot.radius);
}

// M y'' + K y = A sin w t - M g from rest.
TEST(LeadDamper, ReducedModelWithoutShotFollowsItsClosedForm)
{
    const SteelBeam beam;
    const double M = beam.moving_mass() + 48.5e-3 + LeadShot{}.mass(), K = beam.stiffness(),
                 w0 = std::sqrt(K / M), w = 2 * std::numbers::pi * 15.5, A = 0.25 / (K - M * w * w),
                 sag = M * 9.81 / K;
    const auto error = [&](const char* h) {
        const Result run = run_model(
            {"cantilever_damper", "--beam", "reduced", "--particles", "lumped", "--t-end", "0.3", "--h", h});
        double most = 0;
        for (std::size_t k = 0; k < run["t"].size(); ++k) {
            const double t = run["t"][k];
            const double y = sag * (std::cos(w0 * t) - 1) + A * (std::sin(w * t) - w / w0 * std::sin(w0 * t));
            most = std::max(most, std::abs(run["y"][k] - y));
        }
        return most;
    };
    const double coarse = error("2e-4"), fine = error("1e-4");
    EXPECT_LT(fine, 1e-5);
    EXPECT_NEAR(coarse / fine, 4, 0.2);
}

// A heavy disc on the end of a beam turns it: the torque is G J / l times the angle, but for the beam's own inertia.
TEST(LeadDamper, TorqueAtTheEndIsThatOfTheTwist)
{
    const SteelBeam beam;
    ModelDescription model("twist");
    const Body disc =
        model.add({.name = "disc", .joint = free_joint(), .mass = 1, .inertia = {1e-2, 1e-2, 1e-2}});
    model.start(disc, beam.length, 0, 0);
    model.start(disc, Eigen::Quaterniond::Identity(), Eigen::Vector3d(0.1, 0, 0));
    model.beam({.name = "beam",
                .a = model.frame("clamp", ground),
                .b = model.frame("end", disc),
                .section = beam.section(),
                .elements = 4});
    MoreauJean run(model.finish(), {.h = 1e-3});
    const double GJ = beam.section().stiffness(3, 3);
    double twist = 0;
    for (int n = 0; n < 200; ++n) {
        run.step();
        const Eigen::Matrix3d R = run.view().rotation(disc);
        const double angle = std::atan2(R(2, 1), R(1, 1));
        twist = std::max(twist, std::abs(angle));
        EXPECT_NEAR(torque_at_end(run.view(), GJ), GJ / beam.length * angle, 1e-3 * GJ / beam.length * 2e-3);
    }
    EXPECT_GT(twist, 1e-3);
}

// The beam inside the theta-scheme, with shot: what the shot gets the beam gives.
TEST(LeadDamper, WholeKeepsMomentumAndGainsNoEnergy)
{
    const Result run =
        run_model({"cantilever_damper", "--spheres", "20", "--elements", "3", "--t-end", "0.06"});
    EXPECT_LT(finding(run, "momentum"), 1e-9);
    EXPECT_LT(finding(run, "energy"), 0.02);
    EXPECT_LT(finding(run, "penetration"), 0.03);
    double lift = 0;
    for (const double y : run["com_y"]) lift = std::max(lift, y);
    EXPECT_GT(run["y"].size(), 600u);
    EXPECT_GT(lift, 0);
}

// Without shot the coupling tends to the whole with its macro step, at first order.
TEST(LeadDamper, CouplingTendsToTheBeamInTheScheme)
{
    const Words common = {"cantilever_damper", "--particles", "lumped", "--elements", "3", "--t-end", "0.1"};
    const auto with = [&](Words more) {
        Words all = common;
        all.insert(all.end(), more.begin(), more.end());
        return run_model(all);
    };
    const Result whole = with({"--h", "5e-5"});
    const auto distance = [&](const char* h, std::size_t every) {
        return largest_difference(with({"--coupling", "tight", "--h", h})["y"], whole["y"], 1, every);
    };
    const double coarse = distance("4e-4", 8), fine = distance("1e-4", 2);
    EXPECT_LT(fine, 0.02 * 2e-3);
    EXPECT_NEAR(coarse / fine, 4, 1);
}

// With shot, until chance takes over: the container's motion by all three ways, one period.
TEST(LeadDamper, WaysAgreeInTheFirstPeriod)
{
    const auto with = [&](Words more) {
        Words all = {"cantilever_damper", "--spheres", "30", "--elements", "3", "--t-end", "0.065"};
        all.insert(all.end(), more.begin(), more.end());
        return run_model(all);
    };
    const Result whole = with({}), tight = with({"--coupling", "tight"}),
                 reduced = with({"--beam", "reduced"});
    double size = 0;
    for (const double y : whole["y"]) size = std::max(size, std::abs(y));
    EXPECT_GT(size, 1e-3);
    EXPECT_LT(largest_difference(whole["y"], tight["y"], 1, 1), 0.05 * size);
    EXPECT_LT(largest_difference(whole["y"], reduced["y"], 1, 1), 0.25 * size);
}

// Zhang et al. (2022), Fig. 17: with rho_inf = 0.25 inputs of index 1 are stable, the others are not.
TEST(LeadDamper, OnlyIndexOneIsStableForTheCrank)
{
    const Words common = {"crank_damper", "--spheres", "10", "--elements", "3", "--rho-inf", "0.25"};
    for (const char* scheme :
         {"explicit-index1", "explicit-index2", "explicit-index3", "explicit-original"}) {
        Words all = common;
        all.insert(all.end(), {"--coupling", scheme, "--t-end", "0.05", "--no-output", "--quiet"});
        testing::internal::CaptureStderr();
        EXPECT_EQ(run_program(all), scheme == std::string("explicit-index1") ? 0 : 1) << scheme;
        testing::internal::GetCapturedStderr();
    }
}

} // namespace tamis::test::lead_damper_test
