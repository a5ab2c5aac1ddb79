#include "support/linear_oscillator.hpp"

#include "error_of.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tamis::linear_oscillator_test {
namespace {

using Eigen::Vector4d;
using enum CouplingVariables;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr CouplingVariables all_variables[] = {fs, ss, ff};
constexpr Sweep sweeps[] = {Sweep::jacobi, Sweep::gauss_seidel};

Vector4d coupled(const LinearOscillator& system, const OscillatorScheme& scheme, long steps)
{
    CoupledOscillator pair(system, scheme);
    for (long n = 0; n < steps; ++n) pair.step();
    return pair.state();
}

// x1 = (900 sin 10t + (1100/w) sin wt)/101, x2 = (90 sin 10t - 10 (1100/w) sin wt)/101 with w = sqrt(1110)
TEST(LinearOscillator, ExactSolutionIsTheClosedForm)
{
    const LinearOscillator system = LinearOscillator::benchmark_case(1);
    const double w = std::sqrt(1110.0), H = 0.01;
    OscillatorErrors errors(system, H, 1000);
    for (int n = 1; n <= 1000; ++n) {
        errors.add(Vector4d::Zero());
        const double t = n * H, slow = std::sin(10 * t), fast = 1100 / w * std::sin(w * t);
        EXPECT_NEAR(errors.exact()[0], (900 * slow + fast) / 101, 1e-10);
        EXPECT_NEAR(errors.exact()[1], (90 * slow - 10 * fast) / 101, 1e-10);
        EXPECT_NEAR(system.energy(errors.exact()), 10000, 1e-8);
    }
    EXPECT_DOUBLE_EQ(errors.mean(), 1); // of a solution that is zero
    EXPECT_NEAR(errors.energy_drift(), -1, 1e-12);
}

// 8157.468 J was computed independently, with the eigenvectors of A in NumPy.
TEST(LinearOscillator, DampedCaseHasItsReferenceEnergy)
{
    const LinearOscillator system = LinearOscillator::benchmark_case(2);
    OscillatorErrors errors(system, 0.01, 1000);
    for (int n = 1; n <= 1000; ++n) errors.add(Vector4d::Zero());
    EXPECT_NEAR(system.energy(errors.exact()), 8157.468, 5e-4);
}

// One rate, inputs taken at the start of the step: nothing tells the explicit schemes from the whole system
// but the rounding of polynomials.
TEST(LinearOscillator, OneRateIsTheMonolithicScheme)
{
    for (const int number : {1, 2}) {
        const LinearOscillator system = LinearOscillator::benchmark_case(number);
        Vector4d whole = system.start;
        for (int n = 0; n < 1000; ++n) whole = system.step(whole, 1e-3);
        for (const CouplingVariables variables : all_variables)
            for (const Sweep sweep : sweeps)
                for (const int k : {0, 1, 2}) {
                    if (sweep == Sweep::gauss_seidel && k == 0) continue; // mass 2 sees the end of the step
                    const Vector4d z =
                        coupled(system,
                                {.variables = variables,
                                 .coupling = {.sweep = sweep, .extrapolation = k, .signal = k}},
                                1000);
                    if (k == 0) {
                        EXPECT_EQ(z, whole);
                    }
                    EXPECT_LT((z - whole).norm(), 1e-9 * whole.norm());
                }
    }
}

TEST(LinearOscillator, AtOneRateMotionsAndForcesAreEquivalent)
{
    const auto both = [](Sweep sweep, int substeps) {
        const LinearOscillator system = LinearOscillator::benchmark_case(2);
        OscillatorScheme scheme{.coupling = {.sweep = sweep}, .substeps = substeps};
        std::array<Vector4d, 2> z;
        for (const int i : {0, 1}) {
            scheme.variables = i == 0 ? ss : ff;
            z[i] = coupled(system, scheme, 1000);
        }
        return z;
    };
    for (const Sweep sweep : sweeps) {
        const auto same = both(sweep, 1);
        EXPECT_EQ(same[0], same[1]);
        const auto different = both(sweep, 2);
        EXPECT_GT((different[0] - different[1]).norm(), 1e-3 * different[0].norm());
    }
}

// Held inputs are of order 1, linear ones of order 2. So are the masses: positions of semi-implicit Euler are
// those of the leapfrog scheme, whose first half step is exact because no force acts at the start.
TEST(LinearOscillator, HeldInputsAreOfOrderOneLinearOnesOfOrderTwo)
{
    const LinearOscillator system = LinearOscillator::benchmark_case(1);
    for (const CouplingVariables variables : all_variables)
        for (const Sweep sweep : sweeps)
            for (const Repetition repeat : {Repetition::none, Repetition::plain})
                for (const int k : {0, 1}) {
                    std::array<double, 3> errors;
                    for (int i = 0; i < 3; ++i) {
                        const double H = 8e-4 / (1 << i);
                        const long steps = std::lround(0.5 / H);
                        OscillatorErrors error(system, H, steps);
                        CoupledOscillator pair(system, {.variables = variables,
                                                        .coupling = {.H = H,
                                                                     .sweep = sweep,
                                                                     .extrapolation = k,
                                                                     .signal = k,
                                                                     .repeat = repeat},
                                                        .substeps = 5});
                        for (long n = 0; n < steps; ++n) {
                            pair.step();
                            error.add(pair.state());
                        }
                        errors[i] = error.mean();
                    }
                    for (int i = 0; i < 2; ++i)
                        EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), k + 1, 0.1)
                            << static_cast<int>(variables) << static_cast<int>(sweep)
                            << static_cast<int>(repeat) << k << " " << errors[i];
                }
}

// Semi-implicit Euler of frequency w: lambda^2 - (2 - (wh)^2) lambda + 1 = 0
TEST(LinearOscillator, SpectralRadiusIsThatOfSemiImplicitEuler)
{
    const LinearOscillator system = LinearOscillator::benchmark_case(1);
    for (const double h : {1e-3, 0.05, 0.07, 0.1}) {
        const double trace = 2 - 1110 * h * h;
        const double radius = trace > -2 ? 1 : (-trace + std::sqrt(trace * trace - 4)) / 2;
        for (const CouplingVariables variables : all_variables)
            EXPECT_NEAR(CoupledOscillator::spectral_radius(
                            system, {.variables = variables, .coupling = {.H = h, .sweep = Sweep::jacobi}}),
                        radius, 1e-12 * radius);
    }
}

TEST(LinearOscillator, SpectralRadiusIsTheGrowthOfLongRuns)
{
    const LinearOscillator system = LinearOscillator::benchmark_case(1);
    for (const CouplingVariables variables : all_variables)
        for (const Sweep sweep : sweeps)
            for (const Repetition repeat : {Repetition::none, Repetition::plain})
                for (const int k : {0, 1, 2}) {
                    const OscillatorScheme scheme{.variables = variables,
                                                  .coupling = {.H = 0.05,
                                                               .sweep = sweep,
                                                               .first = 1,
                                                               .extrapolation = k,
                                                               .signal = k,
                                                               .repeat = repeat,
                                                               .growth = infinity},
                                                  .substeps = 3,
                                                  .fast = 1};
                    const double radius = CoupledOscillator::spectral_radius(system, scheme);
                    CoupledOscillator pair(system, scheme);
                    std::array<double, 2> sizes{};
                    for (int n = 0; n < 600; ++n) {
                        pair.step();
                        if (n >= 150) sizes[n / 375] += pair.state().squaredNorm(); // 150-374, 375-599
                    }
                    EXPECT_NEAR(std::pow(sizes[1] / sizes[0], 1.0 / 450), radius, 0.002 * radius)
                        << static_cast<int>(variables) << static_cast<int>(sweep) << static_cast<int>(repeat)
                        << k;
                }
}

TEST(LinearOscillator, TooLargeAStepIsNamed)
{
    CoupledOscillator pair(LinearOscillator::benchmark_case(1),
                           {.variables = ss, .coupling = {.H = 0.07, .sweep = Sweep::jacobi}});
    const std::string error = error_of([&] {
        for (int n = 0; n < 1000; ++n) pair.step();
    });
    EXPECT_TRUE(contains(error, "explicit Jacobi coupling of mass 1 and mass 2 diverges at t = ")) << error;
    EXPECT_TRUE(contains(error, "with H = 0.07 s")) << error;
}

} // namespace
} // namespace tamis::linear_oscillator_test
