// One block of a block Gauss-Seidel iteration, chosen by the residual (a greedy Schwarz method). The robust
// solver may be slow, hence the bounds: a spot is worth it only where few contacts hold nearly all of the
// residual. A mechanism that touches more contacts than a spot may have stays outside, like the ground.
#include "tamis/contact/hard_spot.hpp"

#include <algorithm>
#include <numeric>

namespace tamis {

namespace {

constexpr int few = 64;            // contacts that must hold the share, else it is no spot
constexpr int most_contacts = 400; // in all, of the bodies of these

} // namespace

bool HardSpot::find(const ContactProblem& problem, double share, int threads)
{
    const int n = static_cast<int>(problem.contacts.size());
    natural_.resize(n);
    residual(problem, threads, natural_.data());
    double all = 0, held = 0;
    for (const double x : natural_) all += x * x;
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    const int largest = std::min(few, n);
    std::partial_sort(order_.begin(), order_.begin() + largest, order_.end(), [&](int a, int b) {
        return natural_[a] != natural_[b] ? natural_[a] > natural_[b] : a < b;
    });
    for (int i = 0; i < largest; ++i) held += natural_[order_[i]] * natural_[order_[i]];
    if (!(held >= share * all) || all == 0) return false;

    first_.assign(problem.blocks() + 1, 0);
    const auto moves = [&](int block) {
        return block >= 0 &&
               (!problem.is_rigid(block) || problem.rigid[block - problem.general()].inverse_mass > 0);
    };
    for (const Contact& c : problem.contacts)
        for (const Contact::Side& side : c.side)
            if (moves(side.block)) ++first_[side.block + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    of_body_.resize(first_.back());
    for (int a = n - 1; a >= 0; --a) // shifts first_ back by one on the way: ends of rows become their starts
        for (const Contact::Side& side : problem.contacts[a].side)
            if (moves(side.block)) of_body_[--first_[side.block + 1]] = a;
    first_.erase(first_.begin());
    first_.push_back(static_cast<int>(of_body_.size()));

    taken_.assign(n, 0);
    contacts_.clear();
    for (int i = 0; i < largest; ++i)
        for (const Contact::Side& side : problem.contacts[order_[i]].side) {
            if (!moves(side.block)) continue;
            const auto begin = of_body_.begin() + first_[side.block],
                       end = of_body_.begin() + first_[side.block + 1];
            const auto more = std::count_if(begin, end, [&](int a) { return !taken_[a]; });
            if (static_cast<int>(contacts_.size() + more) > most_contacts) continue;
            for (auto a = begin; a != end; ++a) {
                if (!taken_[*a]) contacts_.push_back(*a);
                taken_[*a] = 1;
            }
        }
    std::sort(contacts_.begin(), contacts_.end());
    return !contacts_.empty();
}

void HardSpot::cut_out(const ContactProblem& problem)
{
    spot_.general_offset = problem.general_offset;
    spot_.rigid = problem.rigid;
    spot_.H = problem.H;
    spot_.Y = problem.Y;
    spot_.contacts.clear();
    for (const int a : contacts_) spot_.contacts.push_back(problem.contacts[a]);
    spot_.v = problem.v;
    for (const Contact& c : spot_.contacts)
        for (int row = 0; row < c.active_rows(); ++row) spot_.apply_impulse(c, row, -c.r[row]);
    spot_.v_free = spot_.v;
}

bool HardSpot::solve(ContactProblem& problem, double share, int threads)
{
    if (!find(problem, share, threads)) return false;
    cut_out(problem);
    if (!RobustContacts::suits(spot_)) return false;
    spot_.rebuild_velocities();
    const double before = residual(spot_).natural_rms;
    robust_.stop.natural_max = robust_.stop.natural_rms = 1e-5 * before;
    if (!(robust_.solve(spot_).residual.natural_rms < 0.1 * before)) return false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) problem.contacts[contacts_[i]].r = spot_.contacts[i].r;
    problem.rebuild_velocities();
    return true;
}

} // namespace tamis
