// Projected Gauss-Seidel on displacements; see position_correction.hpp. Positions are corrected apart from
// velocities as by the split impulses of game physics (e.g. Bullet). Departure: the gaps are those that the
// velocities lead to, so that what parts anyway is left alone.
#include "tamis/nscd/position_correction.hpp"

#include <algorithm>

namespace tamis {

namespace {

constexpr double share = 0.2; // of what is deeper than the slop, in a step
constexpr int passes = 4;

} // namespace

void PositionCorrection::apply(const ContactProblem& problem, std::span<const DetectedContact> found,
                               std::span<const int> contact_of, double h, std::span<GrainState> grains)
{
    gaps_.clear();
    // An anticipating contact that is not open keeps its gap: only deep ones can be deep at the next q_m.
    // A compliant one has its overlap by right: the whole of it in the overlap form, else what its force asks for.
    const auto corrected = [](const DetectedContact& d) {
        return d.material->anticipation &&
               (d.material->stiffness == 0 || d.material->form == ContactForm::rate);
    };
    const auto deep = [&](const DetectedContact& d) { return corrected(d) && d.point.gap < -slop_; };
    if (moved_.empty() || std::none_of(found.begin(), found.end(), deep)) return;
    bool any = false;
    for (std::size_t k = 0; k < contact_of.size(); ++k) {
        if (!corrected(found[k])) continue;
        const Contact& contact = problem.contacts[contact_of[k]];
        const double gap = found[k].point.gap + h * problem.relative_velocity(contact, 0),
                     k_n = found[k].material->stiffness;
        const double allowed = slop_ + (k_n > 0 ? contact.r[0] / (h * k_n) : 0);
        gaps_.push_back({contact_of[k], gap, std::min(-allowed, gap + share * (-allowed - gap))});
        any = any || gap < -allowed;
    }
    if (!any) return;
    for (auto& D : moved_) D.setZero();
    for (int k = 0; k < passes; ++k) pass(problem);
    for (std::size_t i = 0; i < moved_.size(); ++i) {
        if (moved_[i].isZero(0)) continue;
        grains[i].x += moved_[i].head<3>();
        grains[i].q = turned(grains[i].q, moved_[i].tail<3>());
    }
}

void PositionCorrection::pass(const ContactProblem& problem)
{
    const int general = problem.general(), grains = static_cast<int>(moved_.size());
    for (Gap& g : gaps_) {
        const Contact& contact = problem.contacts[g.contact];
        const auto grain = [&](int side) { // or none
            const int number = contact.side[side].block - general;
            return number >= 0 && number < grains ? number : -1;
        };
        double gap = g.now;
        for (int s = 0; s < 2; ++s)
            if (const int i = grain(s); i >= 0) gap += problem.rigid_row(contact, s, 0).dot(moved_[i]);
        if (gap >= g.aim && g.push == 0) continue;
        double w = 0; // H_n M^-1 H_n^T
        ContactProblem::Row6 Y[2];
        for (int s = 0; s < 2; ++s)
            if (grain(s) >= 0) {
                Y[s] = problem.rigid_response(contact, s, 0);
                w += problem.rigid_row(contact, s, 0).dot(Y[s]);
            }
        if (w == 0) continue; // bodies of mechanisms among themselves
        const double push = std::max(g.push + (g.aim - gap) / w, 0.0);
        for (int s = 0; s < 2; ++s)
            if (const int i = grain(s); i >= 0) moved_[i] += (push - g.push) * Y[s];
        g.push = push;
    }
}

} // namespace tamis
