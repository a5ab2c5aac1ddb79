// Richardson's extrapolation of differences D(h), whose error is a series in h^2 (forward: in h), by the tableau
//
//     D_k,0 = D(h / 2^k),   D_k,j = D_k,j-1 + (D_k,j-1 - D_k-1,j-1) / (2^(p j) - 1),   p = 2 (1)
//
// Of its entries, the one is taken that differs least from those it is made of (Ridders 1982): round-off, or a function
// that is not smooth, shows in that difference.
#include "tamis/analysis/derivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

std::vector<Derivative> derivatives(const std::function<std::vector<double>(double)>& f, double x,
                                    double step, int levels, Differences kind)
{
    const bool central = kind == Differences::central;
    std::vector<std::vector<double>> differences; // by level
    std::vector<double> here;
    if (!central) here = f(x);
    for (int k = 0; k < levels; ++k) {
        const double h = std::ldexp(step, -k), right = x + h, left = central ? x - h : x;
        std::vector<double> d = f(right);
        const std::vector<double> low = central ? f(left) : here;
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = (d[i] - low.at(i)) / (right - left);
        differences.push_back(std::move(d));
    }
    std::vector<Derivative> out;
    for (std::size_t i = 0; i < differences.at(0).size(); ++i) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        Derivative best{differences.back().at(i), infinite};
        std::vector<double> above, row;
        for (int k = 0; k < levels; ++k) {
            row = {differences[k].at(i)};
            for (int j = 1; j <= k; ++j) {
                const double finer = row[j - 1], coarser = above[j - 1];
                row.push_back(finer + (finer - coarser) / (std::ldexp(1.0, (central ? 2 : 1) * j) - 1));
                const double error = std::max(std::abs(row[j] - finer), std::abs(row[j] - coarser));
                if (error <= best.error) best = {row[j], error};
            }
            above = row;
        }
        out.push_back(best);
    }
    return out;
}

} // namespace tamis
