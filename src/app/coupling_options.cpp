// Options of a co-simulation: which scheme, how the sides are swept, when tight iterations end. All are declared even
// if the model runs as a whole, so that --help shows them and values beyond their ranges are refused.
#include "tamis/app/coupling_options.hpp"

#include "tamis/app/usage_error.hpp"

#include <fmt/format.h>

namespace tamis {

std::optional<CoupledOptions> read_coupling(Options& options, bool dem, bool peer)
{
    options.group("Co-simulation");
    CoupledOptions c;
    const std::string coupling =
        options.choice("coupling", peer ? "tight" : "monolithic",
                       {"monolithic", "loose", "staggered", "tight", "explicit-original", "explicit-index1",
                        "explicit-index2", "explicit-index3", "explicit"},
                       "all in one system, or cut in two: smooth and nonsmooth side, by the scheme named");
    c.weights.alpha = options.number("alpha", index_1.alpha,
                                     "weight of the position in the inputs of --coupling explicit, times h^2",
                                     "", not_negative);
    c.weights.beta =
        options.number("beta", index_1.beta, "weight of the velocity in them, times h", "", not_negative);
    c.weights.gamma =
        options.number("gamma", index_1.gamma, "weight of the acceleration in them", "", not_negative);
    const std::string sweep = options.choice("sweep", "gauss-seidel", {"gauss-seidel", "jacobi"},
                                             "each side with what the other has found, or both at once");
    c.sweep = sweep == "jacobi" ? Sweep::jacobi : Sweep::gauss_seidel;
    c.extrapolation = options.integer("extrapolation", 0,
                                      "order in which the wrench is extrapolated in Jacobi sweeps: 0 to 2");
    c.smooth_substeps = options.integer("smooth-substeps", 1, "steps of the smooth side in one of --h");
    c.nonsmooth_substeps = options.integer("nonsmooth-substeps", dem ? 0 : 1,
                                           dem ? "steps of the method dem in one of --h; 0: Hart's"
                                               : "steps of the nonsmooth side in one of --h");
    c.absolute = options.number("coupling-tolerance", 1e-6,
                                "change of the wrench at which tight iterations end", "N and N m");
    c.relative = options.number("coupling-relative", 0, "the same, as part of the wrench; the larger counts");
    c.max_iterations = options.integer("coupling-iterations", 50, "tight iterations in a step at most");
    const std::string acceleration =
        options.choice("acceleration", "none", {"none", "aitken", "quasi-newton"}, "of tight iterations");
    c.repeat = acceleration == "aitken"         ? Repetition::aitken
               : acceleration == "quasi-newton" ? Repetition::quasi_newton
                                                : Repetition::plain;
    c.must_converge = options.flag("coupling-strict", "stop if a tight step does not converge");
    const auto refuse_value = [](const char* name, int value, const char* remedy) {
        throw UsageError(fmt::format("--{} is {}: give {}.", name, value, remedy));
    };
    if (c.extrapolation < 0 || c.extrapolation > 2)
        refuse_value("extrapolation", c.extrapolation, "0, 1 or 2");
    if (c.smooth_substeps < 1) refuse_value("smooth-substeps", c.smooth_substeps, "a positive number");
    if (c.nonsmooth_substeps < (dem ? 0 : 1))
        refuse_value("nonsmooth-substeps", c.nonsmooth_substeps, "a positive number");
    if (c.max_iterations < 2) refuse_value("coupling-iterations", c.max_iterations, "2 or more");
    if (!(c.absolute >= 0) || !(c.relative >= 0) || !(c.absolute + c.relative > 0))
        throw UsageError(fmt::format("--coupling-tolerance is {} and --coupling-relative {}: neither may be "
                                     "negative, and one must be positive.",
                                     c.absolute, c.relative));
    if (coupling == "monolithic") return std::nullopt;
    if (coupling == "loose") c.scheme = CouplingScheme::loose;
    if (coupling == "staggered") c.scheme = CouplingScheme::staggered;
    if (coupling == "tight") c.scheme = CouplingScheme::tight;
    if (coupling == "explicit-original") c.scheme = CouplingScheme::original;
    if (coupling == "explicit") c.scheme = CouplingScheme::modified;
    for (const auto& [name, weights] :
         {std::pair{"explicit-index1", index_1}, {"explicit-index2", index_2}, {"explicit-index3", index_3}})
        if (coupling == name) c.scheme = CouplingScheme::modified, c.weights = weights;
    return c;
}

} // namespace tamis
