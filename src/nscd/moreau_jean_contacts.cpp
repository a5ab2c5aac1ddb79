// The contact problem of a step: maps H, prescribed velocities, laws and the impulses to start from.
//
//     mechanism  H = frame^T dx/dv B, stored with Y = M_red^-1 H^T (25, 31)
//     grain      a rigid block: arm and frame say it all
//     driven     a fully driven body that meets a grain: a rigid block that moves as prescribed
//     shift      e u_n^- (32), or max(g, 0) / h for anticipating contacts: g + h u_n >= 0 at the next q_m
#include "tamis/base/parallel_for.hpp"
#include "tamis/nscd/moreau_jean_block.hpp"
#include "tamis/nscd/relative_view.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Vector3d;

// Their blocks: placed at q_m, with the velocities that drives prescribe for both ends of the step.
void MoreauJean::place_driven_bodies()
{
    const int start = problem_.offset(problem_.general());
    for (std::size_t j = 0; j < driven_bodies_.size(); ++j) {
        const int body = driven_bodies_[j], link = model_.bodies()[body].link;
        Block& k = *blocks_[body_block_[body]];
        const Placement& placement = middle_->placement(body_block_[body]);
        const std::size_t block = grains_.count() + j;
        problem_.rigid[block].centre = placement.link(link).p;
        auto twist = [&](const Eigen::VectorXd& vc, double* out) {
            k.scratch.noalias() = k.partition->B_c * vc;
            placement.velocities(k.scratch.data(), link_velocity_);
            Eigen::Map<Eigen::Matrix<double, 6, 1>>(out, 6) = link_velocity_[link];
        };
        twist(k.vc_now, v_start_.data() + 6 * block);
        twist(k.vc_next, problem_.v_free.data() + start + 6 * block);
    }
}

int MoreauJean::threads_for(int contacts) const
{
    return contacts < 2000 ? 1 : threads_;
}

bool MoreauJean::meets_mechanism(const DetectedContact& d) const
{
    const int bodies = static_cast<int>(model_.bodies().size());
    const bool grain = d.body_a >= bodies || d.body_b >= bodies;
    const auto general = [&](int body) {
        return body >= 0 && body < bodies && !(grain && driven_block_[body] >= 0);
    };
    return general(d.body_a) || general(d.body_b);
}

// Each has its place; those of mechanisms, which share memory, are made one by one.
void MoreauJean::assemble_contacts()
{
    problem_.H.clear();
    problem_.Y.clear();
    const int count = found_ ? static_cast<int>(found_->size()) : 0;
    contact_of_.resize(count);
    u_minus_.resize(count);
    int place = 0;
    for (int k = 0; k < count; ++k) {
        contact_of_[k] = place;
        place += detection_.rolls() && (*found_)[k].material->rolling > 0 ? 2 : 1;
    }
    problem_.contacts.resize(place);
    if (count == 0) return;
    if (options_.force == ForceEvaluation::midpoint && !blocks_.empty()) look_ahead();
    const auto assemble = [&](int begin, int end, bool of_mechanisms) {
        if (begin == end) return;
        auto first = first_impulse(begin);
        for (int k = begin; k < end; ++k) {
            if (meets_mechanism((*found_)[k]) != of_mechanisms) continue;
            assemble_contact(k);
            recall_impulse(k, first);
        }
    };
    parallel_for(count, threads_for(count), [&](int begin, int end) { assemble(begin, end, false); });
    if (!blocks_.empty()) assemble(0, count, true);
}

void MoreauJean::assemble_contact(int k)
{
    const bool ends = options_.force == ForceEvaluation::midpoint && !blocks_.empty();
    const int bodies = static_cast<int>(model_.bodies().size());
    const DetectedContact& d = (*found_)[k];
    const bool grain = d.body_a >= bodies || d.body_b >= bodies;
    const auto [on_a, on_b] = contact_points(d, bodies);
    Vector3d u_minus(0, 0, 0);
    Contact contact;
    contact.frame = contact_frame(d.point.normal);
    contact.friction = d.material->friction;
    contact.law = options_.contacts.friction;
    auto side = [&](int s, int body, const Vector3d& point) {
        if (body < 0) return;
        const int block = body >= bodies ? problem_.general() + body - bodies
                          : grain        ? driven_block_[body]
                                         : -1;
        if (block >= 0)
            add_rigid_side(contact, s, block, point, u_minus);
        else
            add_general_side(contact, s, body, point, u_minus);
    };
    side(0, d.body_a, on_a);
    side(1, d.body_b, on_b);
    if (ends && !grain) add_end_velocities(d, contact, u_minus);
    contact.shift = d.material->anticipation ? std::max(d.point.gap, 0.0) / options_.h
                                             : d.material->restitution * u_minus[0];
    problem_.contacts[contact_of_[k]] = contact;
    u_minus_[k] = u_minus;

    if (!(d.material->rolling > 0)) return;
    contact.law = Law::rolling;
    contact.friction = d.material->rolling;
    contact.shift = 0;
    contact.drift.setZero();
    contact.side[0] = contact.side[1] = {};
    side(0, d.body_a, on_a);
    side(1, d.body_b, on_b);
    problem_.contacts[contact_of_[k] + 1] = contact;
}

void MoreauJean::add_rigid_side(Contact& contact, int side, int block, const Vector3d& point,
                                Vector3d& u_minus)
{
    const int number = block - problem_.general();
    contact.side[side].block = block;
    contact.arm[side] = point - problem_.rigid[number].centre;
    const Eigen::Map<const Vector3d> v(&v_start_[6 * number]), omega(&v_start_[6 * number + 3]);
    const Vector3d u = contact.frame.transpose() * (v + omega.cross(contact.arm[side]));
    if (side == 0)
        u_minus -= u;
    else
        u_minus += u;
}

void MoreauJean::add_general_side(Contact& contact, int side, int body, const Vector3d& point,
                                  Vector3d& u_minus)
{
    const int number = body_block_[body], link = model_.bodies()[body].link;
    Block& k = *blocks_[number];
    const Partition& p = *k.partition;
    const int n = p.nu();
    const double sign = side == 0 ? -1 : 1;
    k.H_full.setZero();
    const Placement& placement = middle_->placement(number);
    if (contact.law == Law::rolling)
        placement.add_turn_map(link, contact.frame, sign, k.H_full);
    else
        placement.add_point_map(link, point, contact.frame, sign, k.H_full);
    if (side == 1 && contact.side[0].block == number)
        side = 0; // both bodies belong to one mechanism: maps add
    if (contact.side[side].block != number) {
        contact.side[side].block = number;
        contact.side[side].map = problem_.reserve_map(number);
        std::fill_n(problem_.H.begin() + contact.side[side].map, 3 * n, 0.0);
    }
    const int map = contact.side[side].map;
    Eigen::Map<Multibody::RowMatrix> H(problem_.H.data() + map, 3, n);
    if (p.trivial()) {
        H += k.H_full;
    } else {
        k.scratch.noalias() = p.B_c * k.vc_next;
        contact.drift.noalias() += k.H_full * k.scratch;
        k.scratch.noalias() = p.B_c * k.vc_now;
        u_minus.noalias() += k.H_full * k.scratch;
        k.H_red.noalias() = k.H_full * p.B; // (25)
        H += k.H_red;
    }
    const Multibody::RowMatrix& H_side = p.trivial() ? k.H_full : k.H_red;
    for (int i = 0; i < n; ++i) u_minus += H_side.col(i) * state_.v[k.v0 + p.u[i]];
    for (int row = 0; row < 3; ++row) {
        Eigen::Map<Eigen::VectorXd> Y(problem_.Y.data() + map + row * n, n);
        Y = H.row(row);
        if (n > 0) k.M_red_llt.solveInPlace(Y);
    }
}

// H v at q_n+1 and at q_n instead of q_m: the change of u_n along the step with joint velocities held.
void MoreauJean::add_end_velocities(const DetectedContact& d, Contact& contact, Vector3d& u_minus)
{
    const ContactPoint* p = detection_.again(d, [&](int body) { return ahead_->motion(body).pose; });
    if (!p) return;
    auto velocity = [&](int body, const Vector3d& x) -> Vector3d {
        if (body < 0) return Vector3d::Zero();
        const BodyMotion& m = ahead_->motion(body);
        return m.velocity + m.angular_velocity.cross(x - m.pose.p);
    };
    const double u_n = p->normal.dot(velocity(d.body_b, p->on_b) - velocity(d.body_a, p->on_a));
    const double change = u_n - u_minus[0]; // over theta h
    contact.drift[0] += change;
    u_minus[0] -= (1 - options_.theta) / options_.theta * change;
}

namespace {

template <class C>
std::pair<int, int> pair_of(const C& contact)
{
    return {contact.shape_a, contact.shape_b};
}

} // namespace

MoreauJean::Impulses::const_iterator MoreauJean::first_impulse(int k) const
{
    return std::lower_bound(
        state_.impulses.begin(), state_.impulses.end(), pair_of((*found_)[k]),
        [](const State::Impulse& old, const std::pair<int, int>& pair) { return pair_of(old) < pair; });
}

// Both lists are in the order of pairs: one pass finds the impulses of the last
// step, by feature within a pair.
void MoreauJean::recall_impulse(int k, Impulses::const_iterator& first)
{
    const DetectedContact& d = (*found_)[k];
    const auto end = state_.impulses.cend();
    while (first != end && pair_of(*first) < pair_of(d)) ++first;
    for (auto it = first; it != end && pair_of(*it) == pair_of(d); ++it) {
        if (it->feature != d.point.feature) continue;
        Contact& contact = problem_.contacts[contact_of_[k]];
        contact.r = contact.frame.transpose() * it->r;
        if (d.material->rolling > 0) (&contact)[1].r = contact.frame.transpose() * it->rolling;
        break;
    }
}

void MoreauJean::write_contacts(std::vector<ContactRecord>& records) const
{
    const int bodies = static_cast<int>(model_.bodies().size());
    for (std::size_t k = 0; k < contact_of_.size(); ++k) {
        const DetectedContact& d = (*found_)[k];
        const Contact& contact = problem_.contacts[contact_of_[k]];
        records.push_back({d.shape_a, d.shape_b, d.point.feature, d.point.gap,
                           contact_points(d, bodies).second, contact.frame, u_minus_[k],
                           problem_.relative_velocity(contact), contact.r});
    }
}

} // namespace tamis
