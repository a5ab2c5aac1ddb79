// Recurrence matrices of the two-mass oscillator against published statements, independently computed borders
// and closed forms.
#include "support/stability.hpp"

#include "error_of.hpp"
#include "models/plain_map.hpp"
#include "support/two_masses.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>

namespace tamis::test::stability_test {

namespace {

using enum CouplingScheme;

double radius(const StabilityParameters& p)
{
    return spectral_radius(amplification(recurrence(p)));
}

double radius_of(StabilityParameters p, double rho_inf, double w01h)
{
    p.rho_inf = rho_inf;
    p.w01h = w01h;
    return radius(p);
}

// Of the two-step scheme on x'' + w^2 x = 0: y' = i w y.
double two_step_radius(double rho, double w)
{
    const double q = (1 - rho) * (1 - rho), den = 4 - q;
    const double beta = (3 * q + 8 * rho - 4) / den, delta = q / (2 * den);
    const std::complex<double> mu(0, w),
        A = 1.0 - (0.5 + delta) * mu, B = -(1 - beta) - (0.5 + beta / 2 - 2 * delta) * mu,
        C = -beta - (beta / 2 + delta) * mu, D = std::sqrt(B * B - 4.0 * A * C);
    return std::max(std::abs((-B + D) / (2.0 * A)), std::abs((-B - D) / (2.0 * A)));
}

const StabilityParameters schemes[] = {{.scheme = tight},
                                       {.scheme = loose},
                                       {.scheme = original},
                                       {.scheme = modified, .weights = index_1},
                                       {.scheme = modified, .weights = index_2}};

} // namespace

// Borders of stable intervals of w01h at some rho_inf. Computed from the printed matrices on a grid of 0.05,
// independently of this code, and confirmed by direct simulation. Panels of Zhang et al. (2020), Figs 6-10,
// and Zhang et al. (2022), Figs 5-7.
TEST(Stability, BordersAreThoseOfThePrintedMatrices)
{
    struct Border {
        StabilityParameters p;
        double rho_inf, inside, outside;
    };
    const StabilityParameters z20_6a{.scheme = loose}, z20_7_03{.scheme = tight, .r_k = 0.3},
        z20_7_07{.scheme = tight, .r_k = 0.7}, z20_8_07{.scheme = tight, .r_k = 1, .r_c = 0.7, .xi1 = 0.6},
        z20_9_0{.scheme = tight, .r_k = 1, .r_c = 1},
        z20_9_06{.scheme = tight, .r_k = 1, .r_c = 1, .xi1 = 0.6},
        z20_10_03{.scheme = tight, .r_m = 0.3, .r_k = 0.7}, z22_5a{.scheme = original},
        z22_5c{.scheme = modified, .weights = index_2}, z22_5d{.scheme = modified, .weights = index_1},
        z22_6b{.scheme = modified, .weights = {20, 20, 1}}, z22_7a{.scheme = original, .r_m = 0.5},
        z22_7c{.scheme = original, .r_m = 2};
    const Border borders[] = {
        {z20_6a, 0, 4, 3.95},        {z20_6a, 0.15, 2.85, 2.8},   {z20_6a, 0.27, 1.45, 1.4},
        {z20_7_03, 0.95, 6.5, 6.55}, {z20_7_03, 1, 6.35, 6.4},    {z20_7_07, 0.6, 2.15, 2.2},
        {z20_7_07, 0.6, 5.95, 5.9},  {z20_7_07, 0.7, 2.05, 2.1},  {z20_7_07, 0.7, 9.1, 9.05},
        {z20_8_07, 0.65, 4.45, 4.5}, {z20_8_07, 0.65, 8.45, 8.4}, {z20_8_07, 0.8, 3.25, 3.3},
        {z20_9_0, 0.1, 0.65, 0.6},   {z20_9_0, 0.2, 0.05, 0.1},   {z20_9_0, 0.4, 7.25, 7.2},
        {z20_9_06, 0.6, 3.4, 3.45},  {z20_9_06, 0.6, 8.1, 8.05},  {z20_9_06, 0.7, 2.7, 2.75},
        {z20_10_03, 0.7, 2.5, 2.55}, {z20_10_03, 0.7, 3.35, 3.3}, {z20_10_03, 0.8, 6.05, 6},
        {z22_5a, 0, 5.3, 5.25},      {z22_5a, 0.4, 3.45, 3.4},    {z22_5a, 0.7, 8.4, 8.35},
        {z22_5c, 0.3, 2.15, 2.1},    {z22_5c, 0.5, 1.5, 1.55},    {z22_5c, 0.5, 2.55, 2.5},
        {z22_5d, 0, 2.15, 2.1},      {z22_5d, 0.05, 1.5, 1.45},   {z22_5d, 0.9, 3.05, 3.1},
        {z22_6b, 0.2, 2.45, 2.4},    {z22_6b, 0.65, 0.25, 0.3},   {z22_6b, 0.75, 8.15, 8.1},
        {z22_7a, 0.1, 2.35, 2.3},    {z22_7a, 0.7, 3.5, 3.55},    {z22_7a, 0.95, 1.65, 1.7},
        {z22_7c, 0.3, 6.2, 6.15},    {z22_7c, 0.6, 8.2, 8.15},    {z22_7c, 0.65, 9.65, 9.6}};
    for (const Border& b : borders) {
        const auto place = [&] {
            return std::to_string(&b - borders) + ": rho_inf " + std::to_string(b.rho_inf);
        };
        EXPECT_TRUE(stable(radius_of(b.p, b.rho_inf, b.inside))) << place() << " at " << b.inside;
        EXPECT_FALSE(stable(radius_of(b.p, b.rho_inf, b.outside))) << place() << " at " << b.outside;
    }
}

// Zhang et al. (2020) have 0.32 and 0.52, on a grid of 0.04.
TEST(Stability, LooseSchemeIsStableForAllStepsIfDampingIsChosenWell)
{
    const auto always = [](double rho_inf) {
        for (double w = 1e-3; w < 1e3; w *= 1.05)
            if (!stable(radius_of({.scheme = loose}, rho_inf, w))) return false;
        return stable(radius_of({.scheme = loose}, rho_inf, 0));
    };
    for (double rho_inf : {0.292, 0.32, 0.4, 0.52, 0.552}) EXPECT_TRUE(always(rho_inf)) << rho_inf;
    for (double rho_inf : {0.290, 0.554}) EXPECT_FALSE(always(rho_inf)) << rho_inf;
}

// Zhang et al. (2022), Sect. 4.1.3: omega_01^2 = 5000 / s^2, 1e-3 s, rho_inf = 0.56: about 1.11 and 0.999.
TEST(Stability, OriginalInputsDivergeWhereModifiedOnesDoNot)
{
    const double w = std::sqrt(5000) * 1e-3;
    EXPECT_NEAR(radius_of({.scheme = original}, 0.56, w), 1.105, 5e-4);
    for (const BaumgarteWeights& weights : {index_1, index_2, index_3})
        EXPECT_NEAR(radius_of({.scheme = modified, .weights = weights}, 0.56, w), 0.999, 5e-4);
}

// Without the second mass there is no force: what remains is the two-step scheme, and a follower whose own
// eigenvalues are 0 unless gamma > 0, then those of v+ = (v - 2 x) / 5, x+ = x + v+ for index 1.
TEST(Stability, MasslessFollowerLeavesTheTwoStepSchemeAlone)
{
    for (StabilityParameters p : schemes) {
        p.r_m = 0;
        const double follower = p.scheme == modified && p.weights.gamma > 0 ? std::sqrt(0.2)
                                : p.scheme == modified                      ? 0.5
                                                                            : 0;
        for (double rho_inf : {0.0, 0.3, 0.6, 0.99, 1.0})
            for (double w : {0.01, 0.7, 3.0, 10.0})
                EXPECT_NEAR(radius_of(p, rho_inf, w), std::max(two_step_radius(rho_inf, w), follower), 1e-7)
                    << rho_inf << " " << w;
        // At infinity rho_inf is a double root, which 1/w splits by its root.
        for (double w : {1e4, 1e6}) EXPECT_NEAR(radius_of(p, 0.8, w), 0.8, 1 / std::sqrt(w));
    }
}

// A force that mass and spring 2 return is that of the step before: (m1 + m2) x'' + (k1 + k2) x =
// h (m2 x''' + k2 x'), which damps by (m2 k1 - m1 k2) h^2 / (2 (m1 + m2)^2) a step.
TEST(Stability, ShortStepsDampAsTheDelayOfOneStepSays)
{
    const double w = 1e-2;
    for (const StabilityParameters& scheme : schemes) {
        if (scheme.scheme == original) continue; // not zero-stable for r_m = 1
        for (double r_m : {0.2, 1.0})
            for (double r_k : {0.0, 0.5, 1.2}) {
                StabilityParameters p = scheme;
                p.r_m = r_m;
                p.r_k = r_k;
                const double damped = r_m * (1 - r_k * r_k) / (2 * (1 + r_m) * (1 + r_m)) * w * w;
                EXPECT_NEAR(radius_of(p, 0.45, w), 1 - damped, 10 * std::pow(w, 4)) << r_m << " " << r_k;
            }
    }
}

TEST(Stability, FreeMassesMoveUniformly)
{
    for (const StabilityParameters& p : schemes)
        if (p.scheme != original) {
            EXPECT_TRUE(stable(radius_of(p, 0.45, 0)));
            EXPECT_NEAR(radius_of(p, 0.45, 0), 1, 1e-7);
        }
}

// Two derivations, matrices and a plain simulation, on all schemes with everything at work.
TEST(PlainMap, HasTheRadiusOfTheRecurrence)
{
    for (StabilityParameters p : schemes)
        for (p.rho_inf = 0; p.rho_inf <= 1; p.rho_inf += 0.25)
            for (p.w01h = 0; p.w01h <= 10; p.w01h += 2.5)
                for (p.r_m = 0; p.r_m <= 3; p.r_m += 1.5)
                    for (p.xi1 = 0; p.xi1 < 1; p.xi1 += 0.6)
                        for (p.r_k = 0, p.r_c = 0; p.r_k < 1; p.r_k += 0.7, p.r_c += 0.4)
                            EXPECT_NEAR(spectral_radius(plain_map(p)), radius(p), 1e-6 * radius(p))
                                << static_cast<int>(p.scheme) << " " << p.rho_inf << " " << p.w01h << " "
                                << p.r_m << " " << p.xi1 << " " << p.r_k;
}

// The same from the solvers of the library, on fewer points. A second mass of nothing is a very small one
// there.
TEST(CoupledMap, HasTheRadiusOfTheRecurrenceAndOfThePlainSimulation)
{
    std::vector<StabilityParameters> all(std::begin(schemes), std::end(schemes));
    for (const BaumgarteWeights& weights : {index_3, BaumgarteWeights{0.2, 0.2, 1}})
        all.push_back({.scheme = modified, .weights = weights});
    for (StabilityParameters p : all)
        for (const double rho : {0.0, 0.5, 1.0})
            for (const double w : {0.0, 0.3, 9.0})
                for (const double r_m : {0.0, 0.7, 3.0}) {
                    p.rho_inf = rho;
                    p.w01h = w;
                    p.r_m = r_m;
                    p.xi1 = 0.2;
                    p.r_k = 0.7;
                    p.r_c = 0.4;
                    const double found = spectral_radius(coupled_map(p)), allowed = 1e-6 * radius(p);
                    EXPECT_NEAR(found, radius(p), allowed)
                        << static_cast<int>(p.scheme) << " " << rho << " " << w << " " << r_m;
                    EXPECT_NEAR(found, spectral_radius(plain_map(p)), allowed);
                }
}

TEST(PlainMap, LooseSchemeIsTheExplicitOneOfIndexThree)
{
    StabilityParameters a{.scheme = loose, .rho_inf = 0.7, .w01h = 1.3, .r_m = 0.8, .r_k = 0.4, .r_c = 0.5};
    a.xi1 = 0.1;
    StabilityParameters b = a;
    b.scheme = modified;
    b.weights = {7, 0, 0}; // a common factor does not matter
    EXPECT_LT((plain_map(a) - plain_map(b)).cwiseAbs().maxCoeff(), 1e-13);
}

// The force of the tight scheme is that of both masses moving as one: its step closes the clamp.
TEST(PlainMap, TightSchemeClosesTheClamp)
{
    const Eigen::MatrixXd map = plain_map({.scheme = tight, .w01h = 2, .r_m = 30, .r_k = 0.5});
    EXPECT_LT((map.row(0) - map.row(6)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Stability, ParametersOutOfRangeAreRefusedByName)
{
    EXPECT_EQ(error_of([] { recurrence({.rho_inf = 1.2}); }), "rho_inf is 1.2: give a number from 0 to 1.");
    EXPECT_EQ(error_of([] { plain_map({.r_m = -1}); }), "r_m is -1: give zero or a positive number.");
    EXPECT_EQ(error_of([] {
                  recurrence({.scheme = modified, .weights = {0, 0, 0}});
              }),
              "alpha, beta and gamma are all zero, which clamps nothing: give one of them.");
}

} // namespace tamis::test::stability_test
