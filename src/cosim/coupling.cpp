// One macro step from t_n to t_n+1 = t_n + H, in terms of outputs y, inputs u and the connection u = c(y):
//
//     guess        y = predicted, or extrapolated from y_n, y_n-1, y_n-2
//     Jacobi       u = c(y); every peer advances by u(t) and gives its y
//     Gauss-Seidel every peer in turn: u = c(y) for it, it advances by u(t) and gives its y
//     repeat       until c(y) is the u in use, as far as asked
//
// u(t) is the polynomial through u, u_n, u_n-1 of the order asked for. If the guess and u(t) have the same
// order it is the extrapolation of past inputs, for linear c.
//
// The loose coupling of Zhang et al. (2020, Fig. 4) is Gauss-Seidel, nonsmooth peer first, with the smooth
// peer's prediction, u(t) of order 0 and no repetition; their tight coupling (Fig. 3) repeats the same.
//
// What is iterated are the inputs of the last peer (Jacobi: of all): the one unknown, in
// Gauss-Seidel, from which a pass computes everything else. When it has converged the last peer
// advances with the newest, as in the paper.
#include "tamis/cosim/coupling.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

namespace {

double norm(std::span<const double> x)
{
    double sum = 0;
    for (const double x_i : x) sum += x_i * x_i;
    return std::sqrt(sum);
}

} // namespace

GrowthWatch::GrowthWatch(double growth) : factor_(std::pow(growth, 1.0 / 6)) {}

bool GrowthWatch::grows(long step, double value)
{
    if (!(value > factor_ * notes_.back().value)) return false;
    std::shift_left(notes_.begin(), notes_.end(), 1);
    notes_.back() = {step, value};
    if (notes_.front().value == 0) return false; // not yet seven notes
    double jump = 1;
    for (std::size_t i = 1; i < notes_.size(); ++i)
        jump = std::max(jump, notes_[i].value / notes_[i - 1].value);
    const long before = notes_[3].step - notes_[0].step, after = notes_[6].step - notes_[3].step;
    return after <= 2 * before && jump < std::sqrt(growth());
}

Coupling::Coupling(std::vector<Peer*> peers, Connection connection, const CouplingOptions& options)
    : connection_(std::move(connection)), options_(options), fixed_point_(Repetition::none, 1, 0)
{
    const int n = static_cast<int>(peers.size());
    if (n < 2) fail("A coupling needs at least two peers, but was given {}.", n);
    if (!(options.H > 0) || !std::isfinite(options.H))
        fail("The macro step of a coupling is {} s: give a positive one.", options.H);
    if (options.first < 0 || options.first >= n)
        fail("Peer {} was to go first, but the {} peers of this coupling are 0 to {}.", options.first, n,
             n - 1);
    for (const int order : {options.extrapolation, options.signal})
        if (order < 0 || order > 2)
            fail("Inputs of order {} were asked for: extrapolation and signal are of order 0, 1 or 2.",
                 order);
    if (options.repeat != Repetition::none && options.max_iterations < 2)
        fail("An iterated coupling needs at least 2 iterations in a step, but was given {}.",
             options.max_iterations);

    std::size_t u_size = 0, y_size = 0;
    for (Peer* peer : peers) {
        members_.push_back({peer,
                            {u_size, static_cast<std::size_t>(peer->inputs())},
                            {y_size, static_cast<std::size_t>(peer->outputs())},
                            Signal(peer->inputs()),
                            GrowthWatch(options.growth)});
        u_size += members_.back().u.size;
        y_size += members_.back().y.size;
    }
    for (int i = 0; i < n; ++i) order_.push_back((options.first + i) % n);
    for (Values* u : {&u_, &g_, &u_past_[0], &u_past_[1], &weights_}) u->assign(u_size, 0);
    for (Values* y : {&y_, &y_past_[0], &y_past_[1], &y_past_[2]}) y->assign(y_size, 0);
    const std::size_t iterated = options.sweep == Sweep::jacobi ? u_size : at(order_.back()).u.size;
    fixed_point_ = FixedPoint(options.repeat, options.relaxation, static_cast<int>(iterated));

    for (Member& member : members_) output(member);
    settle();
    y_past_[0] = y_;
    u_past_[0] = u_;
}

std::vector<double> GrowthWatch::saved() const
{
    std::vector<double> out;
    for (const Note& note : notes_) out.insert(out.end(), {static_cast<double>(note.step), note.value});
    return out;
}

void GrowthWatch::restore(std::span<const double> saved)
{
    for (std::size_t k = 0; k < notes_.size(); ++k) notes_[k] = {std::lround(saved[2 * k]), saved[2 * k + 1]};
}

void Coupling::write(SavedState& out) const
{
    for (std::size_t k = 0; k < y_past_.size(); ++k) out.put(fmt::format("y_past_{}", k), y_past_[k]);
    for (std::size_t k = 0; k < u_past_.size(); ++k) out.put(fmt::format("u_past_{}", k), u_past_[k]);
    for (std::size_t k = 0; k < members_.size(); ++k)
        out.put(fmt::format("watch_{}", k), members_[k].watch.saved());
    out.put_integers("counts",
                     std::array{statistics_.steps, statistics_.iterations, statistics_.not_converged});
    out.put("worst_change", std::array{statistics_.worst_change});
}

void Coupling::read(const SavedState& in)
{
    for (std::size_t k = 0; k < y_past_.size(); ++k)
        in.get(fmt::format("y_past_{}", k), std::span(y_past_[k]));
    for (std::size_t k = 0; k < u_past_.size(); ++k)
        in.get(fmt::format("u_past_{}", k), std::span(u_past_[k]));
    for (std::size_t k = 0; k < members_.size(); ++k)
        members_[k].watch.restore(in.get(fmt::format("watch_{}", k), members_[k].watch.saved().size()));
    const std::vector<std::int64_t>& counts = in.get_integers("counts", 3);
    statistics_ = {static_cast<long>(counts[0]), static_cast<long>(counts[1]), static_cast<long>(counts[2]),
                   in.get("worst_change", 1)[0]};
    y_ = y_past_[0];
    u_ = u_past_[0];
}

void Coupling::step()
{
    guess();
    if (options_.repeat != Repetition::none) {
        for (Member& member : members_) {
            member.peer->save();
            const double size = norm(member.u.of(u_));
            std::ranges::fill(member.u.of(weights_), std::isnormal(size) ? 1 / size : 1);
        }
        fixed_point_.start(options_.sweep == Sweep::jacobi ? std::span(weights_)
                                                           : at(order_.back()).u.of(weights_));
    }
    if (options_.sweep == Sweep::jacobi)
        jacobi();
    else
        gauss_seidel();
    settle();

    std::swap(y_past_[2], y_past_[1]);
    std::swap(y_past_[1], y_past_[0]);
    std::swap(u_past_[1], u_past_[0]);
    y_past_[0] = y_;
    u_past_[0] = u_;
    ++statistics_.steps;
    watch();
}

void Coupling::guess()
{
    // At the start there are fewer points to extrapolate from.
    const long order = std::min<long>(options_.extrapolation, statistics_.steps);
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const double y0 = y_past_[0][i], y1 = y_past_[1][i], y2 = y_past_[2][i];
        y_[i] = order == 0 ? y0 : order == 1 ? y0 + (y0 - y1) : y0 + (2 * (y0 - y1) - (y1 - y2));
    }
    if (options_.predict)
        for (Member& member : members_) member.peer->predict(options_.H, member.y.of(y_));
    connect(u_);
}

void Coupling::jacobi()
{
    for (int pass = 1;; ++pass) {
        ++statistics_.iterations;
        for (Member& member : members_) advance(member, pass > 1);
        for (Member& member : members_) output(member);
        if (options_.repeat == Repetition::none) return;
        connect(g_);
        double largest = 0;
        for (const Member& member : members_) largest = std::max(largest, change(member));
        if (largest <= 1) return;
        if (pass == options_.max_iterations) return count_failure(largest);
        fixed_point_.next(u_, g_);
    }
}

void Coupling::gauss_seidel()
{
    Member& last = at(order_.back());
    for (int pass = 1;; ++pass) {
        ++statistics_.iterations;
        for (const int i : order_) {
            connect(g_);
            Member& next = at(i);
            if (&next == &last) break;
            std::ranges::copy(next.u.of(g_), next.u.of(u_).begin());
            advance(next, pass > 1);
            output(next);
        }
        // In the first pass the last peer has not used any inputs yet that could change.
        const double last_change = pass > 1 ? change(last) : 0;
        const bool converged = options_.repeat == Repetition::none || (pass > 1 && last_change <= 1);
        if (pass == 1 || converged)
            std::ranges::copy(last.u.of(g_), last.u.of(u_).begin());
        else
            fixed_point_.next(last.u.of(u_), last.u.of(g_));
        if (converged || pass == options_.max_iterations) last.peer->conclude();
        advance(last, pass > 1);
        output(last);
        if (converged) return;
        if (pass == options_.max_iterations) return count_failure(last_change);
    }
}

void Coupling::advance(Member& member, bool again)
{
    const auto u = member.u.of(u_);
    for (const double u_i : u)
        if (!std::isfinite(u_i)) diverged(member, "are no longer finite");
    if (again) member.peer->restore();
    const Signal::Sample samples[] = {
        {options_.H, u}, {0, member.u.of(u_past_[0])}, {-options_.H, member.u.of(u_past_[1])}};
    const long order = std::min<long>(options_.signal, statistics_.steps + 1);
    member.signal.through(std::span(samples).first(static_cast<std::size_t>(order) + 1));
    member.peer->advance(options_.H, member.signal);
}

// Outputs with direct feed-through of the inputs that belong to this time. One pass does for two peers unless
// both feed through: such a loop is solved by an iterated coupling only, and lags behind in an explicit one.
void Coupling::settle()
{
    for (std::size_t pass = 1; pass < members_.size(); ++pass) {
        connect(u_);
        for (Member& member : members_) output(member);
    }
    connect(u_);
}

// |c(y) - u| over what is allowed of it; not a number counts as too large.
double Coupling::change(const Member& member) const
{
    const auto g = member.u.of(g_);
    const auto u = member.u.of(u_);
    double square = 0;
    for (std::size_t i = 0; i < g.size(); ++i) square += (g[i] - u[i]) * (g[i] - u[i]);
    if (square == 0) return 0;
    const double allowed = std::max(options_.absolute, options_.relative * norm(g));
    const double ratio = std::sqrt(square) / allowed;
    return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
}

void Coupling::count_failure(double change)
{
    ++statistics_.not_converged;
    statistics_.worst_change = std::max(statistics_.worst_change, change);
    if (options_.must_converge)
        fail("The {} did not converge in {} iterations at t = {:.6g} s: inputs still change by {:.1e} times "
             "the "
             "tolerance; allow more iterations, accelerate them (Aitken, quasi-Newton), or take a smaller "
             "macro step than {} s.",
             scheme(), options_.max_iterations, time() + options_.H, change, options_.H);
}

void Coupling::watch()
{
    for (Member& member : members_) {
        const double size = norm(member.u.of(u_past_[0]));
        if (!std::isfinite(size)) diverged(member, "are no longer finite");
        if (member.watch.grows(statistics_.steps, size))
            diverged(member, fmt::format("grow exponentially, by {:.1e} in the last {} steps",
                                         member.watch.growth(), member.watch.steps()));
    }
}

void Coupling::diverged(const Member& member, const std::string& what) const
{
    fail("The {} diverges at t = {:.6g} s with H = {} s: the inputs of {} {}; try a smaller step, other "
         "inputs, tight (iterated) coupling, or another rho_inf of a smooth peer.",
         scheme(), time(), options_.H, member.peer->name(), what);
}

std::string Coupling::scheme() const
{
    static constexpr const char* repetitions[] = {"explicit", "iterated", "iterated (Aitken)",
                                                  "iterated (quasi-Newton)"};
    std::string names;
    for (const int i : order_) {
        if (!names.empty()) names += i == order_.back() ? " and " : ", ";
        names += at(i).peer->name();
    }
    return fmt::format("{} {} coupling of {}", repetitions[static_cast<int>(options_.repeat)],
                       options_.sweep == Sweep::jacobi ? "Jacobi" : "Gauss-Seidel", names);
}

} // namespace tamis
