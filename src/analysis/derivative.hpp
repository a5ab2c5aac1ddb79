// Derivatives of functions of which only values are known, with an estimate of their error.
#pragma once

#include <functional>
#include <vector>

namespace tamis {

struct Derivative {
    double value, error;
};

enum class Differences { central, forward };

// Of all outputs of f at x. f is asked at x +- step / 2^k (forward: at x and x + step / 2^k), k = 0 .. levels - 1, and
// the differences are extrapolated to step zero. An output that is not finite somewhere has a derivative that is not.
std::vector<Derivative> derivatives(const std::function<std::vector<double>(double)>& f, double x,
                                    double step, int levels, Differences kind = Differences::central);

} // namespace tamis
