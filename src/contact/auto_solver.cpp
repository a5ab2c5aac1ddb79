// Which solver for which problem; see auto_solver.hpp.
#include "tamis/contact/auto_solver.hpp"

#include "tamis/base/error.hpp"
#include "tamis/contact/device.hpp"
#include "tamis/contact/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

namespace {

constexpr int few_contacts = 48;  // up to here exact local solutions pay
constexpr int few_sweeps = 200;   // that a problem of few contacts gets before the robust solver is asked
constexpr int many_sweeps = 5000; // that one of more contacts gets; who allows less has no time
constexpr int soon_solved = 150;  // contacts, by the robust solver: a tenth of a second or so
constexpr int late_steps = 300;   // that it may take on so many; none on more
constexpr int few_spots = 6;      // that are tried first in more contacts
constexpr int stretch = 384;      // sweeps, after which they must have gained:
constexpr double slow = 0.8;      // less than this, a hard spot is looked for
constexpr double stalled = 0.98;  // less than this, single precision is at its end
constexpr int most_spots = 20;    // in a solution

} // namespace

AutoSolver::AutoSolver(int threads) : many_({.threads = threads}) {}

SolverReport AutoSolver::solve(ContactProblem& problem)
{
    const int contacts = static_cast<int>(problem.contacts.size());
    const bool few = contacts <= few_contacts;
    const bool suits = RobustContacts::suits(problem), soon = suits && contacts <= soon_solved;
    ContactSolver& sweeps = few ? static_cast<ContactSolver&>(few_) : many_;
    sweeps.stop = stop;
    if (few && suits) sweeps.stop.max_sweeps = std::min(stop.max_sweeps, few_sweeps);
    SolverReport swept = sweeps.solve(problem);
    const bool stagnates = swept.growth || (swept.status == SolverStatus::iteration_limit &&
                                            (few || swept.sweeps >= many_sweeps));
    if (!stagnates) return swept;
    if (!few && !soon) {
        swept = solve_spots(problem, swept);
        if (swept.status != SolverStatus::iteration_limit) return swept;
    }
    if (!suits) return swept;

    r_.resize(problem.contacts.size());
    for (std::size_t a = 0; a < r_.size(); ++a) r_[a] = problem.contacts[a].r;
    robust_.stop = stop;
    robust_.newton_steps = soon ? late_steps : 0;
    SolverReport solved = robust_.solve(problem);
    if (!(solved.residual.natural_max <= swept.residual.natural_max)) {
        for (std::size_t a = 0; a < r_.size(); ++a) problem.contacts[a].r = r_[a];
        problem.rebuild_velocities();
        if (swept.sweeps >= stop.max_sweeps || swept.growth) return swept;
        sweeps.stop.max_sweeps = stop.max_sweeps - swept.sweeps;
        solved = sweeps.solve(problem);
    }
    solved.sweeps += swept.sweeps;
    return solved;
}

// Sweeps that stagnate mostly do so on a few bodies.
SolverReport AutoSolver::solve_spots(ContactProblem& problem, SolverReport report)
{
    for (int k = 0; k < few_spots && report.status == SolverStatus::iteration_limit; ++k) {
        if (!spot_.solve(problem, 0.4, many_.options.threads)) break;
        many_.stop.max_sweeps = stretch;
        const int before = report.sweeps;
        report = many_.solve(problem);
        report.sweeps += before;
        report.solver = "coloured, robust";
    }
    return report;
}

FloatThenDouble::FloatThenDouble(int threads)
    : in_float_({.precision = Precision::float_, .threads = threads}),
      in_double_({.threads = threads, .acceleration = Acceleration::anderson})
{
}
SolverReport FloatThenDouble::solve(ContactProblem& problem)
{
    SolverReport all;
    bool single = true;
    spots_ = 0;
    wedge_.found(problem, 0);
    double before = std::numeric_limits<double>::infinity(), left = before; // largest part of what is allowed
    const auto go_on = [&] {
        NlgsColoured& solver = single ? in_float_ : in_double_;
        solver.stop = stop;
        solver.stop.max_sweeps = std::min(single ? stretch : 3 * stretch, stop.max_sweeps - all.sweeps);
        if (all.sweeps > 0) solver.stop.min_sweeps = 96; // to see how much wrenches change
        const SolverReport part = solver.solve(problem);
        all = {part.status, all.sweeps + part.sweeps, part.residual, part.solver, part.growth};
        before = left;
        left = stop.excess(part.residual);
        // A stretch is too short to tell growth without end from what ends; that of all of them is looked at here.
        if (part.status == SolverStatus::iteration_limit && wedge_.found(problem, all.sweeps)) {
            all.no_solution(wedge_.growth());
            return false;
        }
        return part.status == SolverStatus::iteration_limit && all.sweeps < stop.max_sweeps &&
               !std::isnan(part.residual.natural_max);
    };
    while (go_on()) {
        if (!(left > 1)) continue; // only wrenches change still
        if (!(left < stalled * before)) single = false;
        const double share = 2 * all.sweeps < stop.max_sweeps ? 0.7 : 0.4; // later, more is tried
        if (!(left < slow * before) && spots_ < most_spots &&
            spot_.solve(problem, share, in_float_.options.threads))
            ++spots_;
    }
    all.solver = single ? (spots_ > 0 ? "coloured-float, robust" : "coloured-float")
                        : (spots_ > 0 ? "coloured-float, anderson, robust" : "coloured-float, anderson");
    return all;
}

const std::vector<std::string>& solver_names()
{
    static const std::vector<std::string> names{"auto", "nlgs",   "coloured", "coloured-float", "anderson",
                                                "nncg", "robust", "interior", "cuda",           "cuda-float"};
    return names;
}

std::unique_ptr<ContactSolver> make_solver(const std::string& name, int threads)
{
    if (name == "auto") return std::make_unique<AutoSolver>(threads);
    if (name == "nlgs") return std::make_unique<Nlgs>();
    if (name == "robust") return std::make_unique<RobustContacts>();
    if (name == "interior") return std::make_unique<InteriorPoint>(threads);
    if (name == "coloured-float") return std::make_unique<FloatThenDouble>(threads);
    NlgsColouredOptions options{.threads = threads};
    if (name == "cuda" || name == "cuda-float") options.device = &cuda_device();
    if (name == "cuda-float")
        options.precision = Precision::float_;
    else if (name == "anderson")
        options.acceleration = Acceleration::anderson;
    else if (name == "nncg")
        options.acceleration = Acceleration::nncg;
    else if (name != "coloured" && !options.device)
        fail("There is no contact solver '{}'; there are: {}.", name, fmt::join(solver_names(), ", "));
    return std::make_unique<NlgsColoured>(options);
}

} // namespace tamis
