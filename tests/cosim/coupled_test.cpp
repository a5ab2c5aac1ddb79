#include "cosim/coupled.hpp"
#include "cosim/two_masses.hpp"

#include <gtest/gtest.h>
#include <numbers>

using namespace tamis;

namespace {

// Relative L1 error of x2 over [0, 0.1] s: Zhang et al. (2020), eq. 34.
double table_1_error(double h)
{
    Model model("two masses");
    const TwoMassBodies b = add_two_masses(model, {.k1 = 5000, .v = 1});
    model.finish();
    CoupledOptions options{.H = h, .scheme = CouplingScheme::tight, .absolute = 1e-6};
    Coupled run(model, {b.second}, options);
    const double w = std::sqrt(2500.0);
    double error = 0, sum = 0;
    for (int n = 1; n <= std::lround(0.1 / h); ++n) {
        run.step();
        const double exact = std::sin(w * n * h) / w;
        error += std::abs(run.view().position(b.second)[0] - exact);
        sum += std::abs(exact);
    }
    return error / sum;
}

} // namespace

TEST(Coupled, HasThePublishedErrorsOfTwoMasses)
{
    EXPECT_NEAR(table_1_error(1e-3), 3.23e-2, 0.005e-2);
    EXPECT_NEAR(table_1_error(1e-4), 3.29e-3, 0.005e-3);
}

TEST(Coupled, StepsAsTheRecurrencesSay)
{
    using enum CouplingScheme;
    const std::pair<CouplingScheme, BaumgarteWeights> cases[] = {
        {tight, {}},         {loose, {}},         {original, {}},           {modified, index_1},
        {modified, index_2}, {modified, index_3}, {modified, {0.2, 0.2, 1}}};
    for (const auto& [scheme, weights] : cases)
        for (const double rho : {0.0, 0.4, 0.6, 1.0})
            for (const double w : {0.0, 0.3, 2.0, 9.0}) {
                const StabilityParameters p{.scheme = scheme,
                                            .rho_inf = rho,
                                            .w01h = w,
                                            .r_m = 0.7,
                                            .r_k = 0.4,
                                            .r_c = 0.5,
                                            .xi1 = 0.2,
                                            .weights = weights};
                const double expected = spectral_radius(amplification(recurrence(p)));
                EXPECT_NEAR(spectral_radius(coupled_map(p)), expected, 1e-6 * std::max(1.0, expected))
                    << static_cast<int>(scheme) << " alpha " << weights.alpha << " rho " << rho << " w " << w;
            }
}
