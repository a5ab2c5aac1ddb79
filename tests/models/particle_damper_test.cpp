// The oscillator with particles, run as a user runs it.
#include "io/scratch.hpp"
#include "tamis/analysis/time_series.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/columns.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numbers>

namespace tamis::test::particle_damper_test {

namespace {

class ParticleDamper : public testing::Test {
  protected:
    void SetUp() override { setenv("TAMIS_PACKINGS", (folder_ / "packings").c_str(), 1); }
    void TearDown() override { unsetenv("TAMIS_PACKINGS"); }
    nlohmann::json results(const std::string& name, std::vector<std::string> options)
    {
        options.insert(options.begin(),
                       "particle_damper"); // a program of several models wants the name of one
        options.insert(options.end(),
                       {"--quiet", "--frames", "0", "--threads", "1", "--out", path(name).string()});
        EXPECT_EQ(run_program(options), 0);
        return nlohmann::json::parse(text_of(path(name) / "summary.json"))["results"];
    }
    std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  private:
    ScratchFolder folder_;
};

// Rms displacement of the oscillator of Zhang et al. (2020), Table 2, on a base that moves by 1 mm.
double closed_form(double f, double c)
{
    const double w = 2 * std::numbers::pi * f, k = 1602.7, m = 0.293;
    return 1e-3 / std::sqrt(2.0) * std::hypot(k, c * w) / std::hypot(k - m * w * w, c * w);
}

} // namespace

TEST_F(ParticleDamper, WithoutParticlesIsALinearOscillator)
{
    EXPECT_NEAR(closed_form(8, 0.116), 0.0013140778, 1e-10); // computed independently
    EXPECT_NEAR(
        results("8", {"--particles", "0", "--frequency", "8", "--t-end", "20"})["rms_x_m"].get<double>(),
        0.0013140778, 0.005 * 0.0013140778);
    // With more damping transients die within a second, and the step is what remains.
    for (const double f : {10.0, 11.75, 14.0}) {
        const nlohmann::json r = results(
            "f", {"--particles", "0", "--frequency", std::to_string(f), "--damping", "5", "--t-end", "3"});
        EXPECT_NEAR(r["rms_x_m"].get<double>(), closed_form(f, 5), 1e-3 * closed_form(f, 5)) << f;
        EXPECT_NEAR(r["amplitude_x_m"].get<double>(), std::sqrt(2.0) * closed_form(f, 5),
                    1e-3 * closed_form(f, 5));
    }
}

// By the force of the particles itself, at the frequency of the base, while the result knows the motion alone. With a
// strong damper transients die within a second. Forces at the midpoint: at the start of a step they are of first order,
// and so would be the share of that damper which is counted as the particles', 4e-4 of 0.1. A step's force is that of
// its middle. Particles move irregularly, so that what is steady is so by a hundredth or two.
TEST_F(ParticleDamper, DampingRatioIsThatOfTheForceOfTheParticles)
{
    const std::vector<std::string> options{"--damping", "5", "--force", "midpoint", "--h", "4e-4"};
    const auto with = [&](const std::string& particles) {
        std::vector<std::string> all = options;
        all.insert(all.end(), {"--particles", particles, "--t-end", "3", "--record-every", "1"});
        return results(particles, all)["zeta_particles"].get<double>();
    };
    EXPECT_NEAR(with("0"), 0, 2e-5);
    const double f = 12, w = 2 * std::numbers::pi * f, zeta = with("80");
    const Columns c = Columns::read(path("80") / "histories.csv");
    const Window judged = last_periods(c["t"], 1 / f, 18);
    const Harmonic x = harmonic({c["t"], c["x"]}, f, judged),
                   force = harmonic({c["t"], c["force"]}, f, judged);
    const double expected =
        -force.amplitude * std::sin(force.phase + w * 4e-4 / 2 - x.phase) / (w * w * x.amplitude * 2 * 0.293);
    EXPECT_GT(expected, 5e-3);
    EXPECT_NEAR(zeta, expected, 0.02 * expected);
}

TEST_F(ParticleDamper, WholeLooseAndTightOverlap)
{
    const std::vector<std::string> options{"--particles", "30", "--frequency", "12", "--t-end", "0.15"};
    double rms[3];
    for (int k = 0; const char* coupling : {"monolithic", "loose", "tight"}) {
        std::vector<std::string> all = options;
        all.insert(all.end(), {"--coupling", coupling});
        rms[k++] = results(coupling, all)["rms_x_m"].get<double>();
        const Columns c = Columns::read(path(coupling) / "histories.csv");
        double most = 0;
        for (const double force : c["force"]) most = std::max(most, std::abs(force));
        EXPECT_GT(most, 0.01) << coupling; // a tenth of the particles' weight
        EXPECT_EQ(c["t"].size(), c["x"].size());
    }
    // All are of first order in the step, 0.1 ms of a period of 83 ms.
    EXPECT_NEAR(rms[1], rms[0], 0.01 * rms[0]);
    EXPECT_NEAR(rms[2], rms[0], 0.01 * rms[0]);
}

// Without particles and with a strong damper. Forces at the midpoint are of second order, (w h)^2 of a few 1e-5.
TEST_F(ParticleDamper, SteppedSineOfTheBareOscillatorIsItsClosedForm)
{
    const std::vector<std::string> options{
        "--particles", "0",  "--damping", "5", "--stepped-sine", "--from", "10",
        "--to",        "14", "--points",  "3"};
    const auto sweep = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> all{"particle_damper", "--quiet", "--out", path(name).string()};
        all.insert(all.end(), options.begin(), options.end());
        all.insert(all.end(), more.begin(), more.end());
        EXPECT_EQ(run_program(all), 0);
        return Columns::read(path(name) / "response.csv");
    };
    const Columns free = sweep("free", {});
    ASSERT_EQ(free.rows(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        const double expected = closed_form(free["frequency"][k], 5);
        EXPECT_NEAR(free["rms"][k], expected, 0.02 * expected) << k; // as steady as the criterion asks for
        EXPECT_EQ(free["amplitude"][k], 1e-3);
        EXPECT_NEAR(free["gain"][k] * 1e-3 / std::sqrt(2.0), free["rms"][k], 1e-3 * expected);
    }
    const Columns held = sweep("held", {"--response", "2e-3"});
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(held["reached"][k], 1);
        EXPECT_NEAR(held["rms"][k], 2e-3, 0.05 * 2e-3);
        EXPECT_NEAR(held["gain"][k], free["gain"][k], 0.03 * free["gain"][k]); // it is linear
    }
    // What is there is kept.
    const std::string before = text_of(path("held") / "response.csv");
    sweep("held", {"--response", "2e-3", "--resume"});
    EXPECT_EQ(text_of(path("held") / "response.csv"), before);
}

} // namespace tamis::test::particle_damper_test
