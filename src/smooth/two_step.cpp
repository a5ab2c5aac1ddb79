// Coefficients after Zhang et al. (2020), eqs (3, 4).
#include "tamis/smooth/two_step.hpp"

#include "tamis/base/error.hpp"

namespace tamis {

TwoStep TwoStep::with_radius(double rho_inf)
{
    if (!(rho_inf >= 0 && rho_inf <= 1)) fail("rho_inf is {}: it must lie between 0 and 1.", rho_inf);
    const double q = (1 - rho_inf) * (1 - rho_inf);
    const double beta = (3 * q + 4 * (2 * rho_inf - 1)) / (4 - q), delta = q / (2 * (4 - q));
    return {1 - beta, beta, delta + 0.5, beta / 2 + 0.5 - 2 * delta, beta / 2 + delta};
}

} // namespace tamis
