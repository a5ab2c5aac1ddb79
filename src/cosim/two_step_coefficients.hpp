// Of the linear two-step scheme y_n = a1 y_n-1 + a2 y_n-2 + h (b0 y'_n + b1 y'_n-1 + b2 y'_n-2), after Zhang
// et al. (2020), eqs (3, 4).
#pragma once

namespace tamis {

struct TwoStepCoefficients {
    double a1, a2, b0, b1, b2;
    explicit TwoStepCoefficients(double rho_inf)
    {
        const double q = (1 - rho_inf) * (1 - rho_inf);
        const double beta = (3 * q + 4 * (2 * rho_inf - 1)) / (4 - q), delta = q / (2 * (4 - q));
        a1 = 1 - beta, a2 = beta;
        b0 = delta + 0.5, b1 = beta / 2 + 0.5 - 2 * delta, b2 = beta / 2 + delta;
    }
};

} // namespace tamis
