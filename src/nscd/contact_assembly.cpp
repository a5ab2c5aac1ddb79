// Each contact has its place in the problem; those of mechanisms, which share memory, are made one by one.
#include "tamis/nscd/contact_assembly.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/parallel_for.hpp"
#include "tamis/model/contact_records.hpp"
#include "tamis/model/earlier_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace tamis {

using Eigen::Vector3d;

namespace {

// Of a mass 1/W on a spring k and a damper k tau that bounces with the coefficient e: the damping ratio is
// zeta = -ln e / sqrt(pi^2 + ln^2 e), and k tau = 2 zeta sqrt(k / W).
double damping_time(double e, double k, double W)
{
    if (!(W > 0)) return 0;
    const double log_e = std::log(e);
    return -2 * log_e / std::sqrt((std::numbers::pi * std::numbers::pi + log_e * log_e) * k * W);
}

} // namespace

struct ContactAssembly::Step {
    const State& state;
    const StepTimes& times;
    Mechanisms& mechanisms;
    const double* v_start;
    Detection* detection;
    ContactProblem& problem;
};

void ContactAssembly::assemble(std::span<const DetectedContact> found, const State& state,
                               const StepTimes& times, Mechanisms& mechanisms, const double* v_start,
                               Detection* detection, ContactProblem& problem)
{
    problem.H.clear();
    problem.Y.clear();
    found_ = found;
    growth_.clear();
    const int count = static_cast<int>(found.size());
    contact_of_.resize(count);
    u_minus_.resize(count);
    if (rolls_) turn_minus_.resize(count);
    if (complies_) springs_.resize(count);
    int place = 0;
    for (int k = 0; k < count; ++k) {
        contact_of_[k] = place;
        place += rolls_ && found[k].material->rolling > 0 ? 2 : 1;
    }
    problem.contacts.resize(place);
    if (count == 0) return;
    const Step step{state, times, mechanisms, v_start, detection, problem};
    if (detection) mechanisms.look_ahead(state, times);
    const auto assemble = [&](int begin, int end, bool of_mechanisms) {
        if (begin == end) return;
        EarlierContacts earlier(std::span<const State::Impulse>{state.impulses});
        for (int k = begin; k < end; ++k) {
            if (map_.meets_mechanism(found_[k]) != of_mechanisms) continue;
            const State::Impulse* last = earlier.find(found_[k]);
            State::Impulse heir;
            if (!last && found_[k].material->stiffness > 0 && inherit(k, earlier.pair(found_[k]), heir))
                last = &heir;
            assemble_contact(step, k, last);
            if (last) recall(*last, k, problem);
        }
    };
    parallel_for(count, threads_for(count), [&](int begin, int end) { assemble(begin, end, false); });
    if (mechanisms.count() > 0) assemble(0, count, true);
}

bool ContactAssembly::add(std::span<const DetectedContact> more, const State& state, const StepTimes& times,
                          Mechanisms& mechanisms, const double* v_start, Detection* detection,
                          ContactProblem& problem)
{
    const auto pair = [](const DetectedContact& d) { return std::pair(d.shape_a, d.shape_b); };
    merged_.clear();
    was_.clear();
    auto next = more.begin();
    const auto take = [&](const DetectedContact& d, int was) {
        merged_.push_back(d);
        was_.push_back(was);
    };
    for (std::size_t k = 0; k < found_.size();) {
        const std::size_t first = k;
        while (next != more.end() && pair(*next) < pair(found_[first])) take(*next++, -1);
        for (; k < found_.size() && pair(found_[k]) == pair(found_[first]); ++k)
            take(found_[k], static_cast<int>(k));
        for (; next != more.end() && pair(*next) == pair(found_[first]); ++next)
            if (std::none_of(&found_[first], &found_[first] + (k - first), [&](const DetectedContact& d) {
                    return d.point.feature == next->point.feature;
                }))
                take(*next, -1);
    }
    while (next != more.end()) take(*next++, -1);
    if (merged_.size() == found_.size()) return false;

    impulses_.clear();
    for (const Contact& contact : problem.contacts) impulses_.push_back(contact.r);
    std::swap(contact_was_, contact_of_);
    std::swap(all_, merged_);
    assemble(all_, state, times, mechanisms, v_start, detection, problem);
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const int a = contact_of_[k], was = was_[k] < 0 ? -1 : contact_was_[was_[k]];
        problem.contacts[a].r = was < 0 ? Vector3d(0, 0, 0) : impulses_[was];
        if (all_[k].material->rolling > 0)
            problem.contacts[a + 1].r = was < 0 ? Vector3d(0, 0, 0) : impulses_[was + 1];
    }
    problem.rebuild_velocities();
    for (std::size_t k = 0; k < all_.size(); ++k) {
        if (was_[k] >= 0) continue;
        const Contact& contact = problem.contacts[contact_of_[k]];
        if (problem.relative_velocity(contact, 0) + contact.bias[0] < 0) return true;
    }
    return false;
}

void ContactAssembly::assemble_contact(const Step& step, int k, const State::Impulse* last)
{
    const DetectedContact& d = found_[k];
    const bool grain = map_.with_grain(d);
    const auto [on_a, on_b] = map_.points(d);
    Vector3d u_minus(0, 0, 0);
    Contact contact;
    contact.frame = contact_frame(d.point.normal);
    contact.friction = d.material->friction;
    contact.law = friction_;
    auto side = [&](int s, int body, const Vector3d& point) {
        if (body < 0) return;
        if (const int block = map_.rigid_block(body, grain); block >= 0)
            add_rigid_side(step, contact, s, block, point, u_minus);
        else
            step.mechanisms.add_side(step.state, step.problem, contact, s, body, point, u_minus);
    };
    side(0, d.body_a, on_a);
    side(1, d.body_b, on_b);
    if (step.detection && !grain) {
        const auto pose = [&](int body) { return step.mechanisms.ahead().motion(body).pose; };
        if (const ContactPoint* again = step.detection->again(d, pose))
            step.mechanisms.add_end_velocities(d, *again, step.times.theta, contact, u_minus);
    }
    if (d.material->stiffness > 0)
        comply(step, k, last, contact);
    else
        contact.bias[0] = d.material->anticipation ? std::max(d.point.gap, 0.0) / step.times.h
                                                   : d.material->restitution * u_minus[0];
    step.problem.contacts[contact_of_[k]] = contact;
    u_minus_[k] = u_minus;

    if (!(d.material->rolling > 0)) return;
    contact.law = Law::rolling;
    contact.normal = contact_of_[k];
    contact.friction = d.material->rolling;
    contact.bias.setZero();
    contact.compliance.setZero();
    contact.drift.setZero();
    contact.side[0] = contact.side[1] = {};
    u_minus.setZero();
    side(0, d.body_a, on_a);
    side(1, d.body_b, on_b);
    step.problem.contacts[contact_of_[k] + 1] = contact;
    turn_minus_[k] = u_minus;
}

// Where points of a pair are gone and others are new, such as that of a corner that has passed an edge, the new ones
// have the springs of those that are gone: their sum, shared by overlap, or less if that would be more energy.
bool ContactAssembly::inherit(int k, std::span<const State::Impulse> before, State::Impulse& heir) const
{
    if (before.empty()) return false;
    const auto pair = [&](int j) { return std::pair(found_[j].shape_a, found_[j].shape_b); };
    int first = k, end = k + 1;
    while (first > 0 && pair(first - 1) == pair(k)) --first;
    while (end < static_cast<int>(found_.size()) && pair(end) == pair(k)) ++end;
    const std::span<const DetectedContact> now = found_.subspan(first, end - first);

    Vector3d gone(0, 0, 0);
    double energy = 0; // of what is gone, in the unit of its square
    for (const State::Impulse& point : before) {
        const auto same = [&](const DetectedContact& d) { return d.point.feature == point.feature; };
        if (std::any_of(now.begin(), now.end(), same)) continue;
        gone += point.spring;
        energy += point.spring.squaredNorm();
    }
    const DetectedContact* deepest = nullptr; // of the new points
    double sum = 0, squares = 0;              // of their overlaps
    for (const DetectedContact& d : now) {
        const auto same = [&](const State::Impulse& point) { return point.feature == d.point.feature; };
        if (std::any_of(before.begin(), before.end(), same)) continue;
        if (!deepest || d.point.gap < deepest->point.gap) deepest = &d;
        const double overlap = std::max(-d.point.gap, 0.0);
        sum += overlap;
        squares += overlap * overlap;
    }
    double share = deepest == &found_[k] ? 1 : 0, shared = 1; // sum of the squares of the shares
    if (sum > 0) {
        share = std::max(-found_[k].point.gap, 0.0) / sum;
        shared = squares / (sum * sum);
    }
    const double wanted = shared * gone.squaredNorm();
    if (wanted > energy) share *= std::sqrt(energy / wanted);
    heir.r = heir.spring = share * gone;
    heir.rolling.setZero();
    return share > 0 && energy > 0;
}

// The force is that of springs at the end of the step, and of dampers beside them. With spring s and force f, times h:
//
//     s = s_old - h^2 k u,  f = s - h k tau u   =>   u + R (f - s_old) = 0,  R = 1 / (h k (h + tau))
//
// along each direction that neither opens nor slides; the overlap form has s_old = -h k g.
void ContactAssembly::comply(const Step& step, int k, const State::Impulse* last, Contact& contact)
{
    const Material& material = *found_[k].material;
    const double h = step.times.h, gap = found_[k].point.gap;
    Spring& spring = springs_[k];
    spring.before = last ? Vector3d(contact.frame.transpose() * last->spring) : Vector3d(0, 0, 0);
    spring.before[0] = std::max(spring.before[0], 0.0);
    spring.damping = material.damping;
    if (material.restitution > 0)
        spring.damping = damping_time(material.restitution, material.stiffness,
                                      step.problem.delassus(contact, 0, contact, 0));
    const double R = 1 / (h * material.stiffness * (h + spring.damping)), R_t = R / material.shear_ratio;
    contact.compliance = {R, R_t};
    contact.bias = {-R * spring.before[0] + std::max(gap, 0.0) / h, -R_t * spring.before[1],
                    -R_t * spring.before[2]};
    if (material.form == ContactForm::overlap)
        contact.bias[0] = gap < 0 ? gap / (h + spring.damping) : gap / h;
}

// At the end of the step; see comply().
Vector3d ContactAssembly::spring(const ContactProblem& problem, double h, int k) const
{
    const Contact& contact = problem.contacts[contact_of_[k]];
    const Spring& spring = springs_[k];
    Vector3d s = (spring.damping * spring.before + h * contact.r) / (h + spring.damping);
    if (const Material& material = *found_[k].material; material.form == ContactForm::overlap)
        s[0] = h * material.stiffness *
               std::max(-(found_[k].point.gap + h * problem.relative_velocity(contact, 0)), 0.0);
    return s;
}

Dissipation ContactAssembly::spring_energy(const State& state, double h) const
{
    Dissipation sum;
    if (!complies_) return sum;
    for (std::size_t k = 0; k < contact_of_.size(); ++k) {
        const Material& material = *found_[k].material;
        if (material.stiffness == 0) continue;
        const Vector3d s = state.impulses[k].spring / h;
        const double normal = s.dot(found_[k].point.normal);
        const double twice = 2 * material.stiffness;
        sum.normal += normal * normal / twice;
        sum.friction += (s.squaredNorm() - normal * normal) / (twice * material.shear_ratio);
    }
    return sum;
}

// M (v - v_free) = sum of H^T r: the impulse r adds r . (u_minus + u) / 2 to the kinetic energy, exactly. By parts of a
// fixed size: the sum does not depend on the threads.
Dissipation ContactAssembly::energy_taken(const ContactProblem& problem)
{
    constexpr int part_size = 1024;
    const int count = static_cast<int>(contact_of_.size()), parts = (count + part_size - 1) / part_size;
    taken_.assign(parts, {});
    parallel_for(parts, threads_for(count), [&](int first, int last) {
        for (int k = first * part_size; k < std::min(last * part_size, count); ++k) {
            const Contact& contact = problem.contacts[contact_of_[k]];
            if (contact.r[0] == 0) continue;
            Dissipation& sum = taken_[k / part_size];
            sum += tamis::energy_taken(contact.r, u_minus_[k], problem.relative_velocity(contact));
            if (!(found_[k].material->rolling > 0)) continue;
            const Contact& rolling = problem.contacts[contact_of_[k] + 1];
            sum.rolling +=
                tamis::energy_taken(rolling.r, turn_minus_[k], problem.relative_velocity(rolling)).sum();
        }
    });
    Dissipation sum;
    for (const Dissipation& part : taken_) sum += part;
    return sum;
}

void ContactAssembly::add_rigid_side(const Step& step, Contact& contact, int side, int block,
                                     const Vector3d& point, Vector3d& u_minus) const
{
    const int number = block - map_.first_grain_block();
    contact.side[side].block = block;
    contact.arm[side] = point - step.problem.rigid[number].centre;
    const Eigen::Map<const Vector3d> v(step.v_start + 6 * number), omega(step.v_start + 6 * number + 3);
    const Vector3d u = contact.frame.transpose() *
                       (contact.law == Law::rolling ? omega : Vector3d(v + omega.cross(contact.arm[side])));
    if (side == 0)
        u_minus -= u;
    else
        u_minus += u;
}

void ContactAssembly::recall(const State::Impulse& last, int k, ContactProblem& problem) const
{
    Contact& contact = problem.contacts[contact_of_[k]];
    contact.r = contact.frame.transpose() * last.r;
    if (found_[k].material->rolling > 0)
        problem.contacts[contact_of_[k] + 1].r = contact.frame.transpose() * last.rolling;
}

void ContactAssembly::store(const ContactProblem& problem, double h, State& state) const
{
    state.impulses.resize(contact_of_.size());
    const int count = static_cast<int>(contact_of_.size());
    parallel_for(count, threads_for(count), [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            const DetectedContact& d = found_[k];
            const int a = contact_of_[k];
            const Contact& contact = problem.contacts[a];
            const bool rolls = d.material->rolling > 0;
            state.impulses[k] = {d.shape_a,
                                 d.shape_b,
                                 d.point.feature,
                                 contact.frame * contact.r,
                                 rolls ? Vector3d(contact.frame * problem.contacts[a + 1].r)
                                       : Vector3d(0, 0, 0),
                                 d.material->stiffness > 0 ? Vector3d(contact.frame * spring(problem, h, k))
                                                           : Vector3d(0, 0, 0)};
        }
    });
}

std::array<int, 2> ContactAssembly::shapes(int contact) const
{
    const auto next = std::upper_bound(contact_of_.begin(), contact_of_.end(), contact);
    const DetectedContact& d = found_[next - contact_of_.begin() - 1];
    return {d.shape_a, d.shape_b};
}

std::array<int, 2> ContactAssembly::keep_wedge(const ContactProblem& problem,
                                               std::span<const Vector3d> growth)
{
    std::map<int, Vector3d> load; // by shape
    growth_.clear();
    for (std::size_t k = 0; k < contact_of_.size(); ++k) {
        const Contact& contact = problem.contacts[contact_of_[k]];
        growth_.push_back(contact.frame * growth[contact_of_[k]]);
        load.try_emplace(found_[k].shape_a, 0, 0, 0).first->second -= growth_.back();
        load.try_emplace(found_[k].shape_b, 0, 0, 0).first->second += growth_.back();
    }
    std::array<int, 2> most{-1, -1};
    std::array<double, 2> size{0, 0};
    for (const auto& [shape, sum] : load) {
        if (const double x = sum.norm(); x > size[0]) {
            most = {shape, most[0]};
            size = {x, size[0]};
        } else if (x > size[1]) {
            most[1] = shape;
            size[1] = x;
        }
    }
    return most;
}

void ContactAssembly::write(const ContactProblem& problem, std::vector<ContactRecord>& records) const
{
    const int count = this->count();
    records.resize(count);
    parallel_for(count, threads_for(count), [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            const DetectedContact& d = found_[k];
            const Contact& contact = problem.contacts[contact_of_[k]];
            records[k] = {d.shape_a,
                          d.shape_b,
                          d.point.feature,
                          d.point.gap,
                          map_.points(d).second,
                          contact.frame,
                          u_minus_[k],
                          problem.relative_velocity(contact),
                          contact.r,
                          growth_.empty() ? Vector3d(0, 0, 0) : growth_[k]};
        }
    });
}

void ContactAssembly::write(const State& state, SavedState& out)
{
    std::vector<double> impulses;
    std::vector<std::int64_t> pairs;
    impulses.reserve(9 * state.impulses.size());
    for (const State::Impulse& i : state.impulses) {
        pairs.insert(pairs.end(), {i.shape_a, i.shape_b, i.feature});
        impulses.insert(impulses.end(), i.r.data(), i.r.data() + 3);
        impulses.insert(impulses.end(), i.rolling.data(), i.rolling.data() + 3);
        impulses.insert(impulses.end(), i.spring.data(), i.spring.data() + 3);
    }
    out.put_integers("impulse_pairs", pairs);
    out.put("impulses", impulses);
    write_taken(state.taken, out);
}

void ContactAssembly::read(const SavedState& in, State& state, int shapes)
{
    const std::vector<std::int64_t>& pairs = in.get_integers("impulse_pairs");
    const std::vector<double>& impulses = in.get("impulses", 3 * pairs.size());
    state.taken = read_taken(in);
    state.impulses.resize(pairs.size() / 3);
    for (std::size_t k = 0; k < state.impulses.size(); ++k) {
        for (const std::int64_t shape : {pairs[3 * k], pairs[3 * k + 1]})
            if (shape < 0 || shape >= shapes)
                fail("The state to go on from has an impulse on shape {} of {}: the file is damaged.", shape,
                     shapes);
        state.impulses[k] = {static_cast<int>(pairs[3 * k]),
                             static_cast<int>(pairs[3 * k + 1]),
                             static_cast<int>(pairs[3 * k + 2]),
                             Eigen::Map<const Vector3d>(&impulses[9 * k]),
                             Eigen::Map<const Vector3d>(&impulses[9 * k + 3]),
                             Eigen::Map<const Vector3d>(&impulses[9 * k + 6])};
    }
}

} // namespace tamis
