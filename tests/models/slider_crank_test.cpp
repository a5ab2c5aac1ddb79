// The slider-crank benchmark against its converged solution, run as a user runs it: from options to files.
#include "models/slider_crank_reference.hpp"

#include "tamis/app/program.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <sys/resource.h>

namespace tamis::slider_crank_test {
namespace {

using Words = std::vector<std::string>;
const Words relative_formulations = {"chain", "cut-xy", "cut-y", "auto"};

std::filesystem::path scratch(const std::string& name)
{
    const auto folder = std::filesystem::temp_directory_path() /
                        ("tamis_slider_crank_test_" + std::to_string(getpid())) / name;
    std::filesystem::remove_all(folder);
    return folder;
}

// Columns of a CSV file; cells that are not numbers become 0 there and stay text in `text`.
struct Table {
    std::map<std::string, std::vector<double>> column;
    std::map<std::string, Words> text;
    explicit Table(const std::filesystem::path& path)
    {
        std::ifstream in(path);
        EXPECT_TRUE(in) << path;
        std::string line, cell;
        Words names;
        std::getline(in, line);
        for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
        while (std::getline(in, line)) {
            std::istringstream cells(line);
            for (const std::string& name : names) {
                std::getline(cells, cell, ',');
                text[name].push_back(cell);
                column[name].push_back(std::strtod(cell.c_str(), nullptr));
            }
        }
    }
    const std::vector<double>& operator[](const std::string& name) const { return column.at(name); }
};

// A program of several models wants the name of one.
int run_slider_crank(Words arguments)
{
    arguments.insert(arguments.begin(), "slider_crank");
    return run_program(arguments);
}

struct Result {
    Table histories, impacts;
    nlohmann::json summary;
};

Result run(Words arguments, const std::string& name = "run")
{
    const auto folder = scratch(name);
    for (const char* word : {"--quiet", "--frames", "0", "--out"}) arguments.push_back(word);
    arguments.push_back(folder.string());
    EXPECT_EQ(run_slider_crank(arguments), 0);
    Result result{Table(folder / "histories.csv"), Table(folder / "impacts.csv"), {}};
    result.summary = nlohmann::json::parse(std::ifstream(folder / "summary.json"));
    std::filesystem::remove_all(folder);
    return result;
}

double at(const Table& table, const std::string& name, double t)
{
    const auto& time = table["t"];
    const auto& value = table[name];
    std::size_t k = std::upper_bound(time.begin(), time.end(), t) - time.begin();
    k = std::clamp<std::size_t>(k, 1, time.size() - 1);
    const double s = (t - time[k - 1]) / (time[k] - time[k - 1]);
    return value[k - 1] + s * (value[k] - value[k - 1]);
}

double worst(const Table& table, const std::string& name, double t_end)
{
    double error = 0;
    for (const reference::Sample& s : reference::slider_crank) {
        if (s.t > t_end + 1e-12) break;
        error = std::max(error, std::abs(at(table, name, s.t) - (name == "y" ? s.y : s.theta1)));
    }
    return error;
}

double worst_impact_time(const Table& impacts, double t_end)
{
    double error = 0;
    for (const reference::Impact& r : reference::slider_crank_impacts) {
        if (r.t > t_end) break;
        double closest = 1;
        for (std::size_t k = 0; k < impacts["t"].size(); ++k) {
            const bool same_side = impacts.text.at("shape_b")[k] == (r.upper ? "upper wall" : "lower wall");
            const bool similar = std::abs(impacts["approach_speed"][k] / r.approach_speed - 1) < 0.1;
            if (same_side && similar) closest = std::min(closest, std::abs(impacts["t"][k] - r.t));
        }
        error = std::max(error, closest);
    }
    return error;
}

double penetration(const Table& table)
{
    double deepest = 0;
    for (const char* gap : {"g1", "g2", "g3", "g4"})
        for (double g : table[gap]) deepest = std::max(deepest, -g);
    return deepest;
}

double largest(const Table& table, const std::string& name)
{
    double value = 0;
    for (double x : table[name]) value = std::max(value, std::abs(x));
    return value;
}

TEST(SliderCrank, PublishedSchemeMeetsTheConvergedSolution)
{
    for (const std::string& formulation : relative_formulations) {
        SCOPED_TRACE(formulation);
        const Result r = run({"--formulation", formulation, "--force", "explicit"});
        EXPECT_LE(worst_impact_time(r.impacts, 0.03), 5e-5);
        EXPECT_LE(worst_impact_time(r.impacts, 0.1), 4e-4);
        EXPECT_LE(worst(r.histories, "y", 0.1), 1e-4);
        EXPECT_LE(largest(r.histories, "loop_error"), 1e-10);
        EXPECT_LE(r.summary["residuals"]["loop_error_max_m"], 1e-10);
        EXPECT_EQ(r.summary["iterations"]["steps_not_converged"], 0);
        EXPECT_EQ(r.summary["equations"], "compiled");
    }
}

TEST(SliderCrank, MidpointForcesAreMoreAccurateAtTheSameStep)
{
    for (const std::string& formulation : relative_formulations) {
        SCOPED_TRACE(formulation);
        const Result r = run({"--formulation", formulation, "--force", "midpoint"});
        EXPECT_LE(worst(r.histories, "theta1", 0.15), 2e-4);
        EXPECT_LE(worst(r.histories, "y", 0.1), 1.5e-5);
        EXPECT_LE(worst_impact_time(r.impacts, 0.15), 5e-5);
    }
}

TEST(SliderCrank, OrderOfConvergenceIsOne)
{
    for (const std::string formulation : {"chain", "cut-y"}) {
        SCOPED_TRACE(formulation);
        double theta1 = 0, y = 0;
        for (const std::string h : {"4e-5", "2e-5", "1e-5", "5e-6", "2.5e-6"}) {
            const Result r = run({"--formulation", formulation, "--force", "explicit", "--h", h});
            const double theta1_now = worst(r.histories, "theta1", 0.15),
                         y_now = worst(r.histories, "y", 0.1);
            if (theta1 > 0) {
                EXPECT_NEAR(std::log2(theta1 / theta1_now), 1, 0.1) << h;
                EXPECT_NEAR(std::log2(y / y_now), 1, 0.1) << h;
            }
            theta1 = theta1_now;
            y = y_now;
        }
    }
}

TEST(SliderCrank, SymmetricMotionStaysSymmetric)
{
    for (const std::string& formulation : relative_formulations) {
        const Result r = run({"--formulation", formulation});
        EXPECT_LE(largest(r.histories, "theta3"), 1e-12) << formulation;
        for (std::size_t k = 0; k < r.histories["t"].size(); ++k) {
            EXPECT_NEAR(r.histories["p1"][k], r.histories["p2"][k], 1e-13);
            EXPECT_NEAR(r.histories["p3"][k], r.histories["p4"][k], 1e-13);
        }
    }
}

TEST(SliderCrank, PenetrationIsSmallestWithYIndependentAndProportionalToStep)
{
    std::map<std::string, double> coarse, fine;
    for (const std::string formulation : {"chain", "cut-xy", "cut-y"}) {
        coarse[formulation] =
            penetration(run({"--formulation", formulation, "--force", "explicit", "--h", "1e-4"}).histories);
        fine[formulation] =
            penetration(run({"--formulation", formulation, "--force", "explicit", "--h", "1e-5"}).histories);
        EXPECT_LT(fine[formulation], coarse[formulation] / 5);
        EXPECT_LT(fine[formulation], 1e-5);
    }
    EXPECT_LT(coarse["cut-y"], coarse["chain"] / 2);
    EXPECT_LT(coarse["cut-y"], coarse["cut-xy"] / 2);
}

TEST(SliderCrank, FrictionlessImpactNeverAddsEnergy)
{
    // Without gravity and in the midpoint scheme energy between impacts is kept to O(h^2) a step: an impact
    // stands out.
    const Result r = run({"--force", "midpoint"});
    const auto& energy = r.histories["energy"];
    for (std::size_t k = 1; k < energy.size(); ++k) {
        const double impulse =
            r.histories["p1"][k] + r.histories["p2"][k] + r.histories["p3"][k] + r.histories["p4"][k];
        if (impulse > 1e-3) {
            EXPECT_LE(energy[k], energy[k - 1] + 1e-9) << "t = " << r.histories["t"][k];
        }
    }
    EXPECT_LT(energy.back(), energy.front());
}

TEST(SliderCrank, EnergyErrorWithoutContactIsOfSecondOrder)
{
    double previous = 0;
    for (const std::string h : {"5e-5", "2.5e-5", "1.25e-5"}) { // thirty turns
        const Result r = run(
            {"--clearance", "10", "--force", "midpoint", "--t-end", "2", "--record-every", "20", "--h", h});
        const auto& energy = r.histories["energy"];
        double error = 0;
        for (double e : energy) error = std::max(error, std::abs(e - energy.front()));
        if (previous > 0) {
            EXPECT_GT(std::log2(previous / error), 1.9) << h;
        }
        previous = error;
    }
}

TEST(SliderCrank, GeneralizedAlphaMeetsTheConvergedSolution)
{
    const Result r = run({"--formulation", "generalized-alpha", "--t-end", "0.1"});
    EXPECT_LE(worst(r.histories, "y", 0.1), 3e-5);
    EXPECT_LE(worst(r.histories, "theta1", 0.1), 3e-3);
    EXPECT_LE(worst_impact_time(r.impacts, 0.03), 5e-5);
    EXPECT_LE(largest(r.histories, "loop_error"), 1e-10);
}

TEST(SliderCrank, AbsoluteCoordinatesApproachTheSameSolution)
{
    const Result r =
        run({"--formulation", "absolute", "--h", "2e-6", "--t-end", "0.03", "--record-every", "5"});
    EXPECT_LE(worst(r.histories, "y", 0.03), 1e-4);
    EXPECT_LE(worst_impact_time(r.impacts, 0.03), 5e-5);
}

TEST(SliderCrank, RunsAreRepeatedBitForBit)
{
    for (const std::string formulation : {"chain", "auto", "absolute", "generalized-alpha"}) {
        const Words arguments = {"--formulation", formulation, "--t-end", "0.01"};
        EXPECT_EQ(run(arguments).summary["state_hash"], run(arguments).summary["state_hash"]) << formulation;
    }
}

TEST(SliderCrank, FilesHaveThePromisedColumns)
{
    const Result r = run({"--t-end", "0.003"});
    for (const char* name : {"t", "theta1", "theta2", "theta3", "omega1", "omega2", "omega3", "x", "y", "g1",
                             "g2", "g3", "g4", "p1", "p2", "p3", "p4", "energy", "loop_error"})
        EXPECT_TRUE(r.histories.column.count(name)) << name;
    EXPECT_EQ(r.histories["t"].size(), 301);
    EXPECT_EQ(r.impacts["t"].size(), 2); // both upper corners, once
    EXPECT_NEAR(r.impacts["approach_speed"][0], 0.8416, 5e-3);
    for (const char* name :
         {"parameters", "steps", "contacts", "iterations", "residuals", "seconds", "version"})
        EXPECT_TRUE(r.summary.contains(name)) << name;
    EXPECT_EQ(r.summary["status"], "finished");
}

TEST(SliderCrank, PicturesAreListedWithTheirTimes)
{
    const auto folder = scratch("pictures");
    ASSERT_EQ(run_slider_crank({"--t-end", "0.003", "--frames", "3", "--quiet", "--out", folder.string()}),
              0);
    std::ifstream in(folder / "slider_crank.pvd");
    const std::string pvd(std::istreambuf_iterator<char>(in), {});
    for (const char* t : {"timestep=\"0\"", "timestep=\"0.001\"", "timestep=\"0.002\"", "timestep=\"0.003\""})
        EXPECT_NE(pvd.find(t), std::string::npos) << t << "\n" << pvd;
    std::filesystem::remove_all(folder);
}

struct Mistake {
    Words arguments;
    int code;
    std::string says;
};

TEST(SliderCrank, MistakesGiveOneClearSentence)
{
    const std::string out = scratch("mistakes").string();
    const Mistake mistakes[] = {
        {{"--frction", "0.1"}, 2, "--friction"},
        {{"--h", "abc"}, 2, "--h"},
        {{"--formulation", "chian"}, 2, "--formulation needs one of chain"},
        {{"--h", "-1e-5"}, 2, "--h"},
        {{"--h", "0"}, 2, "--h"},
        {{"--t-end", "-1"}, 2, "--t-end"},
        {{"--theta", "0.2"}, 2, "--theta"},
        {{"--crank-mass", "-0.038"}, 2, "--crank-mass"},
        {{"--slider-mass", "0"}, 2, "--slider-mass"},
        {{"--rod-inertia", "-1"}, 2, "--rod-inertia"},
        {{"--restitution", "1.5"}, 2, "--restitution"},
        {{"--friction", "-1"}, 2, "--friction"},
        {{"--frames", "-1"}, 2, "--frames"},
        {{"--slider-length", "-1"}, 2, "--slider-length"},
        {{"--out", "/proc/nowhere"}, 1, "/proc/nowhere"},
        {{"--h", "1"}, 2, "longer than the run"},
        {{"--gravity", "1e300"}, 1, "diverged"},
        {{"--crank-speed", "nan"}, 2, "--crank-speed"},
    };
    for (const Mistake& m : mistakes) {
        Words arguments = m.arguments;
        if (m.arguments[0] != "--out") arguments.insert(arguments.end(), {"--out", out});
        testing::internal::CaptureStderr();
        testing::internal::CaptureStdout();
        const int code = run_slider_crank(arguments);
        const std::string said = testing::internal::GetCapturedStderr();
        testing::internal::GetCapturedStdout();
        EXPECT_EQ(code, m.code) << m.arguments[0] << " " << m.arguments[1] << ": " << said;
        EXPECT_NE(said.find(m.says), std::string::npos) << said;
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    }
    std::filesystem::remove_all(out);
}

// The crank has made more than a turn by then.
TEST(SliderCrank, AnglesGoOnWithTheRun)
{
    for (const char* formulation : {"chain", "cut-y"}) {
        const auto folder = scratch("resumed");
        const auto part = [&](const std::string& t_end, bool resume) {
            Words arguments{"--formulation", formulation, "--t-end", t_end,          "--quiet",
                            "--frames",      "0",         "--out",   folder.string()};
            if (resume) arguments.push_back("--resume");
            EXPECT_EQ(run_slider_crank(arguments), 0);
        };
        part("0.06", false);
        part("0.07", true);
        const Table table(folder / "histories.csv");
        EXPECT_GT(table["theta1"].back(), 2 * std::numbers::pi);
        for (const char* name : {"theta1", "theta2", "theta3"})
            for (std::size_t k = 1; k < table["t"].size(); ++k)
                ASSERT_LT(std::abs(table[name][k] - table[name][k - 1]), 0.1)
                    << name << " at " << table["t"][k];
        std::filesystem::remove_all(folder);
    }
}

TEST(SliderCrank, FullDiskKeepsWhatWasWritten)
{
    const auto folder = scratch("full");
    auto run_with_small_disk = [&] {
        const rlimit limit{200'000, 200'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::exit(run_slider_crank({"--frames", "0", "--quiet", "--out", folder.string()}));
    };
    EXPECT_EXIT(run_with_small_disk(), testing::ExitedWithCode(1), "histories.csv");
    const Table rows(folder / "histories.csv");
    EXPECT_GT(rows["t"].size(), 10);
    for (std::size_t k = 1; k < rows["t"].size(); ++k) EXPECT_NEAR(rows["t"][k], 1e-5 * k, 1e-12);
    const nlohmann::json summary = nlohmann::json::parse(std::ifstream(folder / "summary.json"));
    EXPECT_TRUE(std::string(summary["status"]).starts_with("failed: Cannot write")) << summary["status"];
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace tamis::slider_crank_test
