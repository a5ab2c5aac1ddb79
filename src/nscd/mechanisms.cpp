// The phases of a step on mechanisms; see mechanisms.hpp. Departures from Docquier et al. (2020):
// (i)   Coordinates may be driven, q_c(t). They enter like dependent ones whose velocity is known:
//       v = B v_u + B_c v_c,  M_red dv_u = B^T (h f - M d_beta) + B^T H^T r
//       with d_beta the part of dv that does not come from dv_u.
// (ii)  Newton for dependent positions starts from q + h v.
// (iii) Forces may be implicit, and beams belong to the block of the mechanism that carries them.
#include "tamis/nscd/mechanisms.hpp"

#include "tamis/base/error.hpp"
#include "tamis/nscd/mechanism_block.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

std::vector<std::unique_ptr<MechanismBlock>> make_blocks(const Model& model,
                                                         const std::vector<Coordinate>& guided)
{
    std::vector<std::unique_ptr<MechanismBlock>> blocks;
    int nq = 0, nv = 0;
    for (const Mechanism& m : model.mechanisms()) {
        blocks.push_back(std::make_unique<MechanismBlock>(model, m, guided, nq, nv));
        nq += m.nq();
        nv += m.nv();
    }
    return blocks;
}

} // namespace

Mechanisms::Mechanisms(const Model& model, const std::vector<Coordinate>& guided)
    : model_(model), guided_(guided.size(), 0.0), blocks_(make_blocks(model, guided)),
      middle_(model, bodies()), ahead_(model, bodies()), forces_(model, bodies())
{
    for (std::size_t i = 0; i < guided.size(); ++i)
        guided_[i] = model.start_of(guided[i].mechanism).v[guided[i].index];
    for (int m = 0; m < count(); ++m) blocks_[m]->forces = &forces_.on(m);
}

Mechanisms::~Mechanisms() = default;

int Mechanisms::count() const
{
    return static_cast<int>(blocks_.size());
}

int Mechanisms::size(int mechanism) const
{
    return blocks_[mechanism]->partition->nu();
}

std::vector<bool> Mechanisms::without_freedom() const
{
    std::vector<bool> out;
    for (const auto& k : blocks_) out.push_back(k->partition->nu() == 0);
    return out;
}

bool Mechanisms::implicit() const
{
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [](const auto& k) { return k->forces->implicit || k->beams; });
}

std::vector<Multibody*> Mechanisms::bodies()
{
    std::vector<Multibody*> out;
    for (auto& k : blocks_) out.push_back(&k->body);
    return out;
}

void Mechanisms::start(State& state)
{
    state.q.resize(middle_.q.size());
    state.v.resize(middle_.v.size());
    for (auto& block : blocks_) {
        MechanismBlock& k = *block;
        k.driven.velocities(0, guided_, k.vc_now);
        k.vc_next = k.vc_now;
        AssembledMechanism start = assemble(model_, k.body, k.driven, k.vc_now);
        k.partition = std::move(start.partition);
        k.q_of(state.q) = start.q;
        k.v_of(state.v) = start.v;
        const int n = k.partition->nu();
        k.M_red.resize(n, n);
        k.MB.resize(k.body.nv, n);
        k.M_red_factor.resize(n);
        k.H_full = Multibody::RowMatrix::Zero(3, k.body.nv);
        k.H_red = Multibody::RowMatrix::Zero(3, n);
        k.contact_impulse = k.pushed = VectorXd::Zero(k.body.nv);
        state.partitions.push_back(k.partition->sets());
    }
    middle_.q = state.q;
    middle_.v = state.v;
    middle_.show(0);
    for (auto& block : blocks_) {
        MechanismBlock& k = *block;
        auto beams = std::make_unique<Beams>(model_, k.body.mechanism.number(), middle_.view);
        if (!beams->empty()) {
            k.beams = std::move(beams);
            k.beam0 = static_cast<int>(state.beam_nodes.size());
            state.beam_nodes.resize(k.beam0 + k.beams->nodes());
            k.beams->start(state.beam_nodes.data() + k.beam0);
        }
        k.rhs = k.w_n = k.response = VectorXd::Zero(k.size());
        k.dw = k.rhs;
        k.dv = VectorXd::Zero(k.body.nv);
    }
}

void Mechanisms::guide(std::span<const double> velocities)
{
    if (velocities.size() != guided_.size())
        fail("{} velocities were given to {} guided coordinates.", velocities.size(), guided_.size());
    std::copy(velocities.begin(), velocities.end(), guided_.begin());
}

void Mechanisms::predict(const State& state, const StepTimes& s)
{
    pushed_ = false;
    for (auto& block : blocks_) {
        MechanismBlock& k = *block;
        k.pushed.setZero();
        k.v_star = k.v_of(state.v);
        k.body.advance(state.q.data() + k.q0, k.v_star.data(), k.q_m.data(), s.before());
        if (!k.partition->trivial()) {
            k.driven.place(k.q_m.data(), s.t_m);
            k.partition->close(k.q_m.data(), s.t_m);
            k.partition->project();
            k.driven.velocities(s.t_next, guided_, k.vc_next);
        }
        k.q_of(middle_.q) = k.q_m;
        k.v_of(middle_.v) = k.v_star;
        for (int j = 0; j < k.partition->nu(); ++j) k.w_n[j] = k.v_star[k.partition->u[j]];
        if (k.beams) {
            k.beams->predict(state.beam_nodes.data() + k.beam0, s);
            for (int i = 0; i < k.beams->nodes(); ++i) {
                const State::BeamNode& node = state.beam_nodes[k.beam0 + i];
                k.w_n.segment<6>(k.partition->nu() + 6 * i) << node.v, node.omega;
            }
        }
        k.newton = false;
        if (k.forces->implicit || k.beams) {
            k.dw.setZero();
            k.dv.setZero();
        }
    }
    middle_.show(s.t_m);
}

void Mechanisms::linearise(const State&, const StepTimes& s)
{
    forces_.evaluate(middle_, true);
    for (auto& block : blocks_) {
        MechanismBlock& k = *block;
        k.body.dynamics(k.q_m.data(), k.v_star.data());
        if (k.beams) k.beams->place_ends(middle_.view, *k.partition, k.v_star.data(), true);
        k.factorise(s);
    }
}

void Mechanisms::free_velocities(const State& state, const StepTimes& s, ContactProblem& problem)
{
    const double h = s.h;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        MechanismBlock& k = *blocks_[i];
        Partition& p = *k.partition;
        auto v_free = problem.v_free.segment(problem.offset(static_cast<int>(i)), p.nu());
        k.f = k.forces->Q - k.body.c;
        if (pushed_) k.f += k.pushed;
        const bool trivial = p.trivial() && !k.forces->implicit && !k.beams;
        if (trivial) {
            k.rhs = h * k.f;
        } else {
            k.d_beta.setZero();
            if (!p.c.empty()) {
                k.vc_work = k.vc_next - k.vc_now;
                k.d_beta.noalias() += p.B_c * k.vc_work;
            }
            if (!p.v.empty()) {
                k.body.loop_bias(k.q_m.data(), k.v_star.data());
                k.b.setZero();
                for (std::size_t a = 0; a < p.v.size(); ++a)
                    for (std::size_t j = 0; j < p.v.size(); ++j)
                        k.b[p.v[a]] -= p.J_v_inverse()(a, j) * k.body.J_dot_v[p.loop_rows[j]];
                k.d_beta += h * k.b;
            }
            k.scratch = h * k.f;
            if (k.forces->implicit) {
                k.scratch += k.correction(s, state.v);
                k.scratch.noalias() -= k.M_S * k.d_beta;
            } else {
                k.scratch.noalias() -= k.body.M * k.d_beta;
            }
            if (k.beams) {
                k.rhs.setZero();
                k.rhs.head(p.nu()).noalias() = p.B.transpose() * k.scratch;
                k.beams->add_loads(s, k.d_beta, k.newton, k.rhs);
            } else {
                k.rhs.noalias() = p.B.transpose() * k.scratch;
            }
        }
        k.solve(k.rhs.data());
        k.w_free = k.w_n + k.rhs;
        v_free = k.w_free.head(p.nu());
    }
}

void Mechanisms::push(int body, const Wrench& wrench)
{
    const BodyRecord& record = model_.bodies()[body];
    MechanismBlock& k = *blocks_[record.mechanism];
    const Placement& placement = middle_.view.placement(record.mechanism);
    const Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    k.H_full.setZero();
    placement.add_point_map(record.link, placement.link(record.link).p, axes, 1, k.H_full);
    k.pushed.noalias() += k.H_full.transpose() * wrench.force;
    k.H_full.setZero();
    placement.add_turn_map(record.link, axes, 1, k.H_full);
    k.pushed.noalias() += k.H_full.transpose() * wrench.moment;
    pushed_ = true;
}

// Where the step would end with the velocities it starts with.
void Mechanisms::look_ahead(const State& state, const StepTimes& s)
{
    const double theta_h = s.theta * s.h;
    for (auto& block : blocks_) {
        MechanismBlock& k = *block;
        const Partition& p = *k.partition;
        auto v = k.v_of(ahead_.v);
        for (int j = 0; j < p.nu(); ++j) k.rhs[j] = state.v[k.v0 + p.u[j]];
        p.velocities(k.rhs.data(), k.vc_now.data(), v.data());
        k.body.advance(k.q_m.data(), v.data(), ahead_.q.data() + k.q0, theta_h);
        v += theta_h * k.b;
    }
    ahead_.show(s.t_next);
}

const RelativeView& Mechanisms::end_velocities(const StepTimes& s, const ContactProblem& problem)
{
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        MechanismBlock& k = *blocks_[i];
        k.partition->velocities(problem.v.data() + problem.offset(static_cast<int>(i)), k.vc_next.data(),
                                ahead_.v.data() + k.v0);
        k.q_of(ahead_.q) = k.q_m;
    }
    if (!blocks_.empty()) ahead_.show(s.t_m);
    return ahead_.view;
}

double Mechanisms::evaluate_again(const State& state, const StepTimes& s, const ContactProblem& problem,
                                  bool newton)
{
    double change = 0, largest = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        MechanismBlock& k = *blocks_[i];
        const Partition& p = *k.partition;
        const int first = problem.offset(static_cast<int>(i));
        // B at q_m for both ends of the step: dependent velocities must be those of one configuration.
        for (int j = 0; j < p.nu(); ++j)
            k.rhs[j] = (1 - s.theta) * state.v[k.v0 + p.u[j]] + s.theta * problem.v[first + j];
        if (!p.c.empty()) k.vc_work = (1 - s.theta) * k.vc_now + s.theta * k.vc_next;
        p.velocities(k.rhs.data(), k.vc_work.data(), k.v_star.data());
        k.v_of(middle_.v) = k.v_star;
        k.newton = newton;
        if (!k.forces->implicit && !k.beams) continue;
        k.rhs = k.velocities(problem.v.data() + first) - k.w_n;
        change = std::max(change, (k.rhs - k.dw).lpNorm<Eigen::Infinity>());
        largest = std::max({largest, k.rhs.lpNorm<Eigen::Infinity>(), k.w_n.lpNorm<Eigen::Infinity>()});
        k.dw = k.rhs;
        k.dv.noalias() = p.B * k.dw.head(p.nu());
        k.dv += k.d_beta;
        if (newton) { // q_e = (1 - theta) q_n + theta q_n+1
            k.scratch = s.h * (s.theta * s.theta * k.dv + (2 * s.theta - 1) * k.v_of(state.v));
            k.body.advance(k.q_m.data(), k.scratch.data(), middle_.q.data() + k.q0);
        }
        if (k.beams) k.beams->go_to(s, k.dw, newton);
    }
    middle_.show(s.t_m);
    forces_.evaluate(middle_, newton);
    for (auto& block : blocks_) {
        MechanismBlock& k = *block;
        k.body.bias(k.q_m.data(), k.v_star.data());
        if (k.beams) k.beams->place_ends(middle_.view, *k.partition, k.v_star.data(), false);
        if (newton && (k.forces->implicit || k.beams))
            k.factorise(s);
        else if (k.beams)
            k.beams->evaluate(s);
    }
    return largest > 0 ? change / largest : 0;
}

void Mechanisms::update(State& state, const StepTimes& s, const ContactProblem& problem)
{
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        MechanismBlock& k = *blocks_[i];
        Partition& p = *k.partition;
        const int first = problem.offset(static_cast<int>(i));
        const double* v_u = problem.v.data() + first;
        double *q = state.q.data() + k.q0, *v = state.v.data() + k.v0;
        if (!k.velocities(v_u).allFinite())
            fail("The step at t = {:.6g} s diverged: velocities of mechanism '{}' are not finite; reduce the "
                 "step.",
                 state.t, k.body.mechanism.name());
        p.velocities(v_u, k.vc_next.data(), v);
        k.body.advance(k.q_m.data(), v, q, s.after());
        if (k.beams) k.beams->update(state.beam_nodes.data() + k.beam0, s, k.w.data() + p.nu());
        if (p.trivial()) continue;
        k.driven.place(q, s.t_next);
        p.close(q, s.t_next);
        p.project();
        p.velocities(v_u, k.vc_next.data(), v); // v_v = B_vu v_u at q_n+1
        if (p.maintain()) state.partitions[i] = p.sets();
        k.vc_now = k.vc_next;
    }
}

void Mechanisms::place_driven(const BlockMap& map, ContactProblem& problem, double* v_start)
{
    const int start = problem.offset(problem.general());
    const int grains = static_cast<int>(model_.grains().size());
    for (std::size_t j = 0; j < map.driven_bodies().size(); ++j) {
        const int body = map.driven_bodies()[j], link = model_.bodies()[body].link;
        MechanismBlock& k = *blocks_[map.mechanism(body)];
        const Placement& placement = middle_.view.placement(map.mechanism(body));
        const std::size_t block = grains + j;
        problem.rigid[block].centre = placement.link(link).p;
        auto twist = [&](const VectorXd& vc, double* out) {
            k.scratch.noalias() = k.partition->B_c * vc;
            placement.velocities(k.scratch.data(), link_velocity_);
            Eigen::Map<Eigen::Matrix<double, 6, 1>>(out, 6) = link_velocity_[link];
        };
        twist(k.vc_now, v_start + 6 * block);
        twist(k.vc_next, problem.v_free.data() + start + 6 * block);
    }
}

void Mechanisms::add_side(const State& state, ContactProblem& problem, Contact& contact, int side, int body,
                          const Vector3d& point, Vector3d& u_minus)
{
    const int number = model_.bodies()[body].mechanism, link = model_.bodies()[body].link;
    MechanismBlock& k = *blocks_[number];
    const Partition& p = *k.partition;
    const int n = p.nu();
    const double sign = side == 0 ? -1 : 1;
    k.H_full.setZero();
    const Placement& placement = middle_.view.placement(number);
    if (contact.law == Law::rolling)
        placement.add_turn_map(link, contact.frame, sign, k.H_full);
    else
        placement.add_point_map(link, point, contact.frame, sign, k.H_full);
    if (side == 1 && contact.side[0].block == number)
        side = 0; // both bodies belong to one mechanism: maps add
    if (contact.side[side].block != number) {
        contact.side[side].block = number;
        contact.side[side].map = problem.reserve_map(number);
        std::fill_n(problem.H.begin() + contact.side[side].map, 3 * n, 0.0);
    }
    const int map = contact.side[side].map;
    double *H = problem.H.data() + map, *Y = problem.Y.data() + map;
    if (!p.c.empty()) {
        k.scratch.noalias() = p.B_c * k.vc_next;
        contact.drift.noalias() += k.H_full * k.scratch;
        k.scratch.noalias() = p.B_c * k.vc_now;
        u_minus.noalias() += k.H_full * k.scratch;
    }
    if (!p.trivial()) k.H_red.noalias() = k.H_full * p.B; // (25)
    const Multibody::RowMatrix& H_side = p.trivial() ? k.H_full : k.H_red;
    for (int i = 0; i < n; ++i) {
        const double v = state.v[k.v0 + p.u[i]];
        for (int row = 0; row < 3; ++row) {
            H[row * n + i] += H_side(row, i);
            u_minus[row] += H_side(row, i) * v;
        }
    }
    std::copy_n(H, 3 * n, Y);
    for (int row = 0; row < 3; ++row, Y += n) k.respond(Y);
}

void Mechanisms::add_end_velocities(const DetectedContact& d, const ContactPoint& again, double theta,
                                    Contact& contact, Vector3d& u_minus) const
{
    auto velocity = [&](int body, const Vector3d& x) -> Vector3d {
        if (body < 0) return Vector3d::Zero();
        const BodyMotion& m = ahead_.view.motion(body);
        return m.velocity + m.angular_velocity.cross(x - m.pose.p);
    };
    const double u_n = again.normal.dot(velocity(d.body_b, again.on_b) - velocity(d.body_a, again.on_a));
    const double change = u_n - u_minus[0]; // over theta h
    contact.drift[0] += change;
    u_minus[0] -= (1 - theta) / theta * change;
}

void Mechanisms::drive_forces(const State& state, const StepTimes& s, const ContactProblem& problem,
                              const BlockMap& map, std::span<const DetectedContact> found,
                              std::span<const int> contact_of,
                              std::vector<std::pair<Coordinate, double>>& forces)
{
    for (auto& block : blocks_) block->contact_impulse.setZero();
    for (std::size_t a = 0; a < contact_of.size(); ++a) {
        const DetectedContact& d = found[a];
        const Contact& contact = problem.contacts[contact_of[a]];
        auto side = [&](int body, const Vector3d& point, double sign) {
            if (body < 0 || map.is_grain(body)) return;
            MechanismBlock& k = *blocks_[map.mechanism(body)];
            k.H_full.setZero();
            middle_.view.placement(map.mechanism(body))
                .add_point_map(model_.bodies()[body].link, point, contact.frame, sign, k.H_full);
            k.contact_impulse.noalias() += k.H_full.transpose() * contact.r;
        };
        const auto [on_a, on_b] = map.points(d);
        side(d.body_a, on_a, -1);
        side(d.body_b, on_b, +1);
    }
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
        MechanismBlock& k = *blocks_[number];
        const Partition& p = *k.partition;
        if (p.c.empty()) continue;
        // dv = B dv_u + d_beta
        k.scratch = k.d_beta;
        for (int i = 0; i < p.nu(); ++i)
            k.scratch += p.B.col(i) *
                         (problem.v[problem.offset(static_cast<int>(number)) + i] - state.v[k.v0 + p.u[i]]);
        VectorXd& missing = k.contact_impulse;
        missing = -missing - s.h * k.f;
        if (k.forces->implicit) {
            missing.noalias() += k.M_S * k.scratch;
            missing -= k.correction(s, state.v);
        } else {
            missing.noalias() += k.body.M * k.scratch;
        }
        if (k.beams) {
            k.rhs = k.velocities(problem.v.data() + problem.offset(static_cast<int>(number))) - k.w_n;
            k.beams->add_reactions(s, k.rhs, k.newton, missing);
        }
        for (std::size_t i = 0; i < p.c.size(); ++i) {
            double impulse = missing[p.c[i]];
            for (int j : p.v) impulse += p.B_c(j, i) * missing[j]; // -J_c^T J_v^-T missing_v
            for (auto& [on, force] : forces)
                if (on.mechanism == static_cast<int>(number) && on.index == p.c[i]) force = impulse / s.h;
        }
    }
}

} // namespace tamis
