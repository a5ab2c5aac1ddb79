// The shaken cylinder of Biondani et al. (2022) as a user runs it.
#include "error_of.hpp"
#include "tamis/app/script.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace tamis::test::shaken_cylinder_test {

namespace {

struct Run {
    std::unique_ptr<Script> script;
    std::unique_ptr<Stepper> stepper;
    explicit Run(std::vector<std::string> options) : script(make_script("shaken_cylinder", options))
    {
        script->prepare();
        stepper = script->make_stepper();
    }
    double column(const std::string& name) const
    {
        for (const Record& r : script->records())
            if (r.columns.front() == name) {
                double x;
                r.write(stepper->view(), &x);
                return x;
            }
        return NAN;
    }
};

// Height of the centre of mass in mm every 4.998 ms by an independent soft-sphere code, balls of 3 mm: e = 1, mu = 0.3,
// k = 1.182e6 N/m, 1.516 k at the wall, steps of 1.2 us.
constexpr double interval = 4.998e-3;
constexpr std::array directional{6.924,  9.793,  12.417, 14.796, 16.929, 18.818, 20.461, 21.860,
                                 23.013, 19.141, 13.392, 7.449,  2.017,  -0.755, -2.198, -2.485,
                                 -1.498, 0.440,  2.930,  5.792,  8.815,  11.758, 14.524, 17.029,
                                 19.266, 21.232, 22.753, 23.101, 21.651, 18.536, 14.759, 10.719,
                                 6.488,  2.276,  -1.076, -2.540, -1.749, 0.433,  3.161,  6.220};
constexpr std::array elastic{6.924,  9.793,  12.417, 14.796, 16.929, 18.818, 20.461, 21.860, 23.013, 19.071,
                             13.234, 7.175,  2.183,  -0.550, -2.050, -2.339, -1.413, 0.535,  3.098,  5.999,
                             9.143,  12.213, 15.056, 17.634, 19.930, 21.920, 23.160, 23.031, 21.288, 18.211,
                             14.552, 10.585, 6.504,  2.500,  -0.639, -2.016, -1.593, 0.321,  3.141,  6.217};

// rms over the first 0.2 s, mm.
double deviation(const std::string& friction_model, const std::array<double, 40>& reference)
{
    Run run({"--method", "dem", "--friction-model", friction_model, "--threads", "1"});
    const double h = run.script->settings().h;
    double squares = 0;
    long n = 0;
    for (std::size_t k = 0; k < reference.size(); ++k) {
        for (; n < std::lround((k + 1.0) * interval / h); ++n) run.stepper->step();
        squares += std::pow(1e3 * run.column("z_com") - reference[k], 2);
    }
    return std::sqrt(squares / reference.size());
}

TEST(ShakenCylinder, HasThePublishedNumbersOfBalls)
{
    const std::pair<const char*, std::size_t> published[] = {{"3e-3", 151},      {"2e-3", 602},
                                                             {"1.5e-3", 1569},   {"1e-3", 5200},
                                                             {"0.75e-3", 12383}, {"0.5e-3", 41203}};
    for (const auto& [diameter, balls] : published) {
        const auto script = make_script("shaken_cylinder", {"--diameter", diameter, "--method", "dem"});
        script->prepare();
        EXPECT_EQ(script->finished().grains().size(), balls);
    }
}

TEST(ShakenCylinder, HasThePublishedStiffnesses)
{
    const std::pair<const char*, double> published[] = {
        {"3e-3", 1.182e6}, {"2e-3", 7.883e5}, {"1.5e-3", 5.912e5}, {"1e-3", 3.941e5}, {"0.75e-3", 2.956e5}};
    for (const auto& [diameter, k] : published) {
        const auto script = make_script("shaken_cylinder", {"--diameter", diameter, "--method", "dem"});
        script->prepare();
        EXPECT_NEAR(script->finished().pair(0, 0).stiffness, k, 5e-4 * k);
        EXPECT_NEAR(script->finished().pair(0, 1).stiffness, 1.516 * k, 1e-3 * 1.516 * k);
    }
}

// (7) with beta = 3, eta = 5 %, and pi sqrt(m / 2k) below a hundredth of a period; by the nonsmooth method, too.
TEST(ShakenCylinder, ContactsAreSizedByOverlapOrDuration)
{
    const double m = 7800 * M_PI / 6 * std::pow(3e-3, 3), v = 2 * M_PI * 10 * 10e-3;
    const double overlap = m * std::pow(3 * v / (0.05 * 1.5e-3), 2),
                 duration = m / 2 * std::pow(M_PI * 100 * 10, 2);
    ASSERT_GT(overlap, duration);
    const std::pair<const char*, double> rules[] = {
        {"rigid", 0}, {"overlap", overlap}, {"duration", duration}, {"sized", overlap}};
    for (const auto& [rule, k] : rules) {
        const auto script = make_script("shaken_cylinder", {"--stiffness-from", rule});
        script->prepare();
        EXPECT_NEAR(script->finished().pair(0, 0).stiffness, k, 1e-9 * k) << rule;
        EXPECT_EQ(script->notes().size(), k > 0 ? 1u : 0u) << rule;
    }
    const auto fast = make_script("shaken_cylinder", {"--stiffness-from", "sized", "--frequency", "1000",
                                                      "--amplitude", "1e-6", "--method", "dem"});
    fast->prepare();
    EXPECT_TRUE(contains(fast->notes().front(), "durations of contacts"));
}

TEST(ShakenCylinder, CentreOfMassMovesAsInAnotherCodeWithDirectionalFriction)
{
    EXPECT_LT(deviation("directional", directional), 0.5);
}

TEST(ShakenCylinder, CentreOfMassMovesAsInAnotherCodeWithElasticFriction)
{
    EXPECT_LT(deviation("elastic", elastic), 0.5);
}

} // namespace

} // namespace tamis::test::shaken_cylinder_test
