// The A/L-stable linear two-step scheme with tunable damping,
//
//     y_n = a1 y_n-1 + a2 y_n-2 + h (b0 y'_n + b1 y'_n-1 + b2 y'_n-2).
#pragma once

namespace tamis {

struct TwoStep {
    double a1, a2, b0, b1, b2;

    // rho_inf in [0, 1]: spectral radius at infinite frequency; 1 conserves, 0 damps at once.
    static TwoStep with_radius(double rho_inf);
    // The first step, which has no history.
    static TwoStep trapezoidal() { return {1, 0, 0.5, 0.5, 0}; }

    // What of y_n is known before y'_n.
    template <class Y>
    Y known(double h, const Y& y1, const Y& y2, const Y& rate1, const Y& rate2) const
    {
        return a1 * y1 + a2 * y2 + h * (b1 * rate1 + b2 * rate2);
    }
};

// y'_n predicted by the cubic through the last two values and rates; y_n follows by the scheme.
template <class Y>
Y predicted_rate(double h, const Y& y1, const Y& y2, const Y& rate1, const Y& rate2)
{
    return -12 / h * (y1 - y2) + 8 * rate1 + 5 * rate2;
}

} // namespace tamis
