// Moreau-Jean theta-scheme with coordinate partitioning, Docquier et al. (2020), Algorithm 1.
//
// Departures:
// (i)   Coordinates may be driven, q_c(t). They enter like dependent ones whose velocity is known:
//       v = B v_u + B_c v_c,  M_red dv_u = B^T (h f - M d_beta) + B^T H^T r
//       with d_beta the part of dv that does not come from dv_u.
// (ii)  Newton for dependent positions starts from q + h v.
// (iii) With ForceEvaluation::midpoint, f is evaluated once more at the midpoint velocity, and contact
//       velocities are those at the ends of the step instead of H(q_m) v; docs/theory.md, section 3.
#include "tamis/nscd/moreau_jean.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/parallel_for.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/nscd/moreau_jean_block.hpp"
#include "tamis/nscd/relative_view.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>
#include <tuple>

namespace tamis {

namespace {

std::string coordinate_names(const Mechanism& m, const std::vector<int>& velocities)
{
    std::string names;
    for (int j : velocities) names += (names.empty() ? "'" : ", '") + m.coordinate_name(j) + "'";
    return names;
}

} // namespace

MoreauJean::MoreauJean(const Model& model, const MoreauJeanOptions& options)
    : model_(model), options_(options),
      threads_(options.contacts.threads > 0 ? options.contacts.threads : omp_get_max_threads()),
      grains_(model, threads_), detection_(model, options.contacts.threads),
      position_correction_(grains_.count(), options.overlap * grains_.mean_size()),
      solver_(make_solver(options.contacts.solver, options.contacts.threads))
{
    if (options.contacts.friction != Law::contact && options.contacts.solver != "nlgs")
        fail("The contact solver '{}' has Coulomb's law only: the associated friction law needs --solver "
             "nlgs.",
             options.contacts.solver);
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: give a positive --h.", options.h);
    if (!(options.theta >= 0.5 && options.theta <= 1))
        fail("theta is {}: it must lie between 0.5 and 1 (--theta).", options.theta);
    if (!(options.overlap >= 0))
        fail("The overlap that grains may keep is {} of their size: it must not be negative.",
             options.overlap);
    guided_.assign(options.guided.size(), 0.0);
    int nq = 0, nv = 0;
    std::vector<Multibody*> bodies;
    for (const auto& m : model.mechanisms()) {
        blocks_.push_back(std::make_unique<Block>(*m, nq, nv));
        bodies.push_back(&blocks_.back()->body);
        nq += m->nq();
        nv += m->nv();
    }
    for (const BodyRecord& b : model.bodies()) body_block_.push_back(b.mechanism);
    state_.q.resize(nq);
    state_.v.resize(nv);
    middle_q_.resize(nq);
    middle_v_.resize(nv);
    ahead_q_.resize(nq);
    ahead_v_.resize(nv);

    for (auto& block : blocks_) {
        Block& k = *block;
        const int number = k.body.mechanism.number();
        const Model::Start& start = model.start_of(number);
        state_.q.segment(k.q0, k.body.nq) = start.q;
        state_.v.segment(k.v0, k.body.nv) = start.v;
        std::vector<std::tuple<int, const Motion*, int>> driven;
        for (const Drive& d : model.drives())
            if (d.on.mechanism == number) driven.emplace_back(d.on.index, &d.motion, -1);
        for (std::size_t i = 0; i < options.guided.size(); ++i)
            if (options.guided[i].mechanism == number)
                driven.emplace_back(options.guided[i].index, nullptr, static_cast<int>(i));
        std::sort(driven.begin(), driven.end());
        for (const auto& [index, motion, guide] : driven) {
            if (!k.driven.empty() && k.driven.back() == index)
                fail("Coordinate '{}' is driven and guided, or guided twice: one of them must go.",
                     k.body.mechanism.coordinate_name(index));
            k.driven.push_back(index);
            k.motions.push_back(motion);
            k.guide.push_back(guide);
            if (guide >= 0) guided_[guide] = start.v[index];
        }
        double* q = state_.q.data() + k.q0;
        set_driven(k, q, 0);
        k.partition = std::make_unique<Partition>(k.body, model.independent_of(number), k.driven, q);
        Partition& p = *k.partition;
        p.close(q, 0);
        p.project();
        p.maintain();
        k.vc_now.resize(k.driven.size());
        for (std::size_t i = 0; i < k.driven.size(); ++i) k.vc_now[i] = driven_velocity(k, i, 0);
        k.vc_next = k.vc_now;
        k.rhs = Eigen::VectorXd::Zero(p.nu());
        state_.v.segment(k.v0, k.body.nv) = p.start_velocity(start.v, k.vc_now);

        k.M_red.resize(p.nu(), p.nu());
        k.MB.resize(k.body.nv, p.nu());
        if (p.nu() > 0) k.M_red_llt.compute(Eigen::MatrixXd::Identity(p.nu(), p.nu()));
        k.H_full = Multibody::RowMatrix::Zero(3, k.body.nv);
        k.H_red = Multibody::RowMatrix::Zero(3, p.nu());
        k.contact_impulse = Eigen::VectorXd::Zero(k.body.nv);
        problem_.general_offset.push_back(problem_.general_offset.back() + p.nu());
        state_.partitions.push_back(p.sets());
    }
    state_.grains = grains_.start();
    for (const MemoryRecord& m : model.memories()) state_.memory.push_back(m.start);
    next_memory_ = state_.memory;
    driven_block_.assign(model.bodies().size(), -1);
    if (grains_.count() > 0)
        for (std::size_t b = 0; b < model.bodies().size(); ++b) {
            if (blocks_[body_block_[b]]->partition->nu() > 0) continue;
            driven_block_[b] = problem_.general() + grains_.count() + static_cast<int>(driven_bodies_.size());
            driven_bodies_.push_back(static_cast<int>(b));
        }
    StopTest& stop = solver_->stop;
    stop.max_sweeps = options.contacts.max_sweeps;
    if (grains_.count() == 0) {
        stop.natural_max = options.contacts.tolerance;
    } else {
        stop.natural_max = std::numeric_limits<double>::infinity();
        stop.natural_rms = options.contacts.tolerance;
        stop.approach = 10 * options.contacts.tolerance * grains_.mean_size() / options.h;
        if (!blocks_.empty()) stop.wrench_change = 50 * options.contacts.tolerance;
    }
    problem_.rigid.resize(grains_.count() + driven_bodies_.size());
    v_start_ = Eigen::VectorXd::Zero(6 * static_cast<int>(problem_.rigid.size()));
    reach_.assign(model.shapes().size(), 0.0);
    problem_.v_free = Eigen::VectorXd::Zero(problem_.velocities());
    problem_.v = problem_.v_free;
    now_ = std::make_unique<RelativeView>(model, bodies);
    middle_ = std::make_unique<RelativeView>(model, bodies);
    ahead_ = std::make_unique<RelativeView>(model, bodies);
    for (const Drive& d : model.drives()) now_->drive_forces.emplace_back(d.on, 0.0);
    for (const Coordinate c : options.guided) now_->drive_forces.emplace_back(c, 0.0);
    for (RelativeView* view : {now_.get(), middle_.get(), ahead_.get()}) {
        view->set_grains(state_.grains);
        view->set_memory(state_.memory);
        view->set_step(options.h);
    }
    now_->make_contacts = [this](std::vector<ContactRecord>& records) { write_contacts(records); };
    now_->set(state_.t, state_.q.data(), state_.v.data());
}

MoreauJean::~MoreauJean() = default;

StepReport MoreauJean::step()
{
    if (!model_.beams().empty())
        fail("Relative coordinates have no beams, but the model has '{}': run it by the smooth method.",
             model_.beams().front().name);
    StepReport report;
    clock_.start();

    predict(); // (29)  q_m = q_n + (1 - theta) h v_n,  h(q_m) = 0
    clock_.end(Phase::predict);

    detect(); // (32)  active contacts: g(q_m) <= 0
    clock_.end(Phase::detect);

    linearise();         // (25)  M_red, B
    free_velocity();     // (28)  v_free = v_n + M_red^-1 h f_red
    assemble_contacts(); // (31)  H_red, u_free
    clock_.end(Phase::linearise);

    SolverReport solved = solver_->solve(problem_); // (31-33)  u = W r + u_free and the laws
    report.sweeps = solved.sweeps;
    clock_.end(Phase::contacts);

    if (options_.force == ForceEvaluation::midpoint &&
        !blocks_.empty()) { // once more with f at the velocity just found
        correct_midpoint_velocity();
        free_velocity();
        clock_.end(Phase::linearise);
        solved = solver_->solve(problem_);
        report.sweeps += solved.sweeps;
        clock_.end(Phase::contacts);
    }

    update(); // (30, 20)  q_n+1 = q_m + theta h v_n+1,  h(q_n+1) = 0,  v_v = B v_u
    clock_.end(Phase::update);

    report.contacts = static_cast<int>(contact_of_.size());
    report.converged = solved.status == SolverStatus::converged;
    report.residual = solved.residual.natural_max;
    report.residual_rms = solved.residual.natural_rms;
    report.wrench_change = solved.residual.wrench_change;
    report.solver = solved.solver;
    if (!report.converged && solved.residual.worst >= 0) { // a contact, or its rolling resistance behind it
        const auto next = std::upper_bound(contact_of_.begin(), contact_of_.end(), solved.residual.worst);
        const DetectedContact& d = (*found_)[next - contact_of_.begin() - 1];
        report.worst = {d.shape_a, d.shape_b};
    }
    report.violation = options_.h * solved.residual.approach;
    for (std::size_t k = 0; k < contact_of_.size(); ++k)
        report.penetration = std::max(report.penetration, -(*found_)[k].point.gap);
    for (const auto& k : blocks_) report.loop_error = std::max(report.loop_error, k->partition->loop_error());
    return report;
}

double MoreauJean::momentum_error() const
{
    if (grains_.count() == 0) return 0;
    // Grains: sum of m (v - v_free) and of the impulses on them.
    Eigen::Vector3d balance(0, 0, 0);
    double given = 0;
    const double* v_free = problem_.v_free.data() + problem_.offset(problem_.general());
    for (int g = 0; g < grains_.count(); ++g)
        balance += model_.grains()[g].mass *
                   (state_.grains[g].v - Eigen::Map<const Eigen::Vector3d>(v_free + 6 * g));
    for (const Contact& contact : problem_.contacts) {
        if (contact.law == Law::rolling) continue; // a couple
        const Eigen::Vector3d impulse = contact.frame * contact.r;
        for (int s : {0, 1}) {
            const int grain = contact.side[s].block - problem_.general();
            if (contact.side[s].block < 0 || grain < 0 || grain >= grains_.count()) continue;
            balance += s == 0 ? impulse : Eigen::Vector3d(-impulse);
            given += impulse.norm();
        }
    }
    double error = given > 0 ? balance.norm() / given : 0;

    // Mechanisms: M_red (v_u - v_free) - sum of H^T r, in the metric of M_red^-1 = (L L^T)^-1. What forces
    // gave counts as given, or round-off would be all there is of a touch by hundredths of a newton.
    for (int b = 0; b < problem_.general(); ++b) {
        const Block& k = *blocks_[b];
        const int n = k.partition->nu();
        if (n == 0) continue;
        const int first = problem_.offset(b);
        Eigen::VectorXd left = k.M_red_llt.matrixU() *
                               (problem_.v.segment(first, n) - problem_.v_free.segment(first, n)),
                        impulse = k.M_red_llt.matrixU() * k.rhs;
        given = impulse.norm();
        for (const Contact& contact : problem_.contacts)
            for (const Contact::Side& side : contact.side) {
                if (side.block != b) continue;
                impulse.setZero();
                for (int row = 0; row < contact.active_rows(); ++row)
                    impulse += contact.r[row] *
                               Eigen::Map<const Eigen::VectorXd>(problem_.H.data() + side.map + row * n, n);
                k.M_red_llt.matrixL().solveInPlace(impulse);
                left -= impulse;
                given += impulse.norm();
            }
        if (given > 0) error = std::max(error, left.norm() / given);
    }
    return error;
}

void MoreauJean::set_driven(Block& k, double* q, double t) const
{
    for (std::size_t i = 0; i < k.motions.size(); ++i) {
        if (!k.motions[i]) continue; // guided: its position follows
        const double position = k.motions[i]->position(t);
        if (!std::isfinite(position) || !std::isfinite(k.motions[i]->velocity(t)))
            fail("The drive of '{}' is not finite at t = {:.6g} s.",
                 k.body.mechanism.coordinate_name(k.driven[i]), t);
        q[k.body.mechanism.position_index(k.driven[i])] = position;
    }
}

double MoreauJean::driven_velocity(const Block& k, std::size_t i, double t) const
{
    return k.motions[i] ? k.motions[i]->velocity(t) : guided_[k.guide[i]];
}

void MoreauJean::guide(std::span<const double> velocities)
{
    if (velocities.size() != guided_.size())
        fail("{} velocities were given to {} guided coordinates.", velocities.size(), guided_.size());
    std::copy(velocities.begin(), velocities.end(), guided_.begin());
}

void MoreauJean::predict()
{
    const double h = options_.h;
    t_next_ = (state_.step + 1) * h;
    t_m_ = state_.t + (1 - options_.theta) * h;
    for (auto& block : blocks_) {
        Block& k = *block;
        k.v_star = state_.v.segment(k.v0, k.body.nv);
        k.scratch = (1 - options_.theta) * h * k.v_star;
        k.body.advance(state_.q.data() + k.q0, k.scratch.data(), k.q_m.data());
        set_driven(k, k.q_m.data(), t_m_);
        k.partition->close(k.q_m.data(), t_m_);
        k.partition->project();
        for (std::size_t i = 0; i < k.motions.size(); ++i) k.vc_next[i] = driven_velocity(k, i, t_next_);
    }
    grains_.predict(state_.grains, options_.theta, h, problem_.rigid.data());
    grains_.velocities(state_.grains, problem_.rigid.data(), v_start_.data());
}

void MoreauJean::detect()
{
    for (auto& block : blocks_) {
        middle_q_.segment(block->q0, block->body.nq) = block->q_m;
        middle_v_.segment(block->v0, block->body.nv) = block->v_star;
    }
    middle_->set(t_m_, middle_q_.data(), middle_v_.data());
    if (!driven_bodies_.empty()) place_driven_bodies();
    if (!model_.may_touch()) return;
    const int bodies = static_cast<int>(model_.bodies().size());
    const auto pose = [&](int body) -> Pose {
        return body >= bodies ? grains_.pose(body - bodies)
                              : middle_->placement(body_block_[body]).link(model_.bodies()[body].link);
    };
    // What a plane that turns may meet is no farther than this.
    const auto farthest = [&](const Eigen::Vector3d& from) {
        double distance = 0;
        for (const AttachedShape& other : model_.shapes())
            if (const double size = bounding_radius(other.shape); std::isfinite(size) && other.body >= 0)
                distance = std::max(distance, (pose(other.body) * other.at.p - from).norm() + size);
        return distance;
    };
    if (detection_.anticipates())
        for (std::size_t s = 0; s < reach_.size(); ++s) {
            const AttachedShape& shape = model_.shapes()[s];
            if (shape.body < 0) continue;
            double speed, size;
            if (const int g = shape.body - bodies; g >= 0) {
                speed = grains_.speed(g, state_.grains[g]);
                size = model_.grains()[g].radius;
            } else {
                const BodyMotion& m = middle_->motion(shape.body);
                size = bounding_radius(shape.shape);
                speed = (m.velocity + m.angular_velocity.cross(m.pose.R * shape.at.p)).norm();
                const double turning = m.angular_velocity.norm();
                if (turning > 0)
                    speed += turning * (std::isfinite(size) ? size : farthest(m.pose * shape.at.p));
                if (!std::isfinite(size)) size = 0; // a plane: the other one's part of the alert counts
            }
            reach_[s] = options_.alert * size + options_.h * speed;
        }
    found_ = &detection_.detect(pose, 0.0, reach_);
}

void MoreauJean::linearise()
{
    evaluate_forces();
    for (auto& block : blocks_) {
        Block& k = *block;
        Partition& p = *k.partition;
        k.body.dynamics(k.q_m.data(), k.v_star.data());
        if (p.nu() == 0) continue;
        if (p.trivial()) {
            k.M_red_llt.compute(k.body.M);
        } else {
            k.MB.noalias() = k.body.M * p.B;
            k.M_red.noalias() = p.B.transpose() * k.MB;
            k.M_red_llt.compute(k.M_red);
        }
        if (k.M_red_llt.info() != Eigen::Success)
            fail("At t = {:.6g} s the mass matrix of mechanism '{}' is not positive definite: a coordinate "
                 "among {} moves no "
                 "mass; give its body an inertia, or reduce --h if the motion diverged.",
                 state_.t, k.body.mechanism.name(), coordinate_names(k.body.mechanism, p.u));
    }
}

void MoreauJean::free_velocity()
{
    const double h = options_.h;
    for (auto& block : blocks_) {
        Block& k = *block;
        Partition& p = *k.partition;
        auto v_free =
            problem_.v_free.segment(problem_.offset(static_cast<int>(&block - blocks_.data())), p.nu());
        k.f = k.Q - k.body.c;
        if (p.trivial()) {
            k.rhs = h * k.f;
        } else {
            k.vc_work = k.vc_next - k.vc_now;
            k.d_beta.noalias() = p.B_c * k.vc_work;
            if (!p.v.empty()) {
                k.body.loop_bias(k.q_m.data(), k.v_star.data());
                k.b.setZero();
                for (std::size_t i = 0; i < p.v.size(); ++i)
                    for (std::size_t j = 0; j < p.v.size(); ++j)
                        k.b[p.v[i]] -= p.J_v_inverse()(i, j) * k.body.J_dot_v[p.loop_rows[j]];
                k.d_beta += h * k.b;
            }
            k.scratch = h * k.f;
            k.scratch.noalias() -= k.body.M * k.d_beta;
            k.rhs.noalias() = p.B.transpose() * k.scratch;
        }
        if (p.nu() > 0) k.M_red_llt.solveInPlace(k.rhs);
        for (int i = 0; i < p.nu(); ++i) v_free[i] = state_.v[k.v0 + p.u[i]] + k.rhs[i];
    }
    grains_.free_velocities(h, *middle_, problem_.rigid.data(), v_start_.data(),
                            problem_.v_free.data() + problem_.offset(problem_.general()));
}

void MoreauJean::evaluate_forces()
{
    for (auto& block : blocks_) {
        block->Q.setZero();
        block->body.w.setZero();
    }
    auto q = [&](Coordinate c) {
        const Block& k = *blocks_[c.mechanism];
        return k.q_m[k.body.mechanism.position_index(c.index)];
    };
    for (const JointSpring& s : model_.joint_springs())
        blocks_[s.on.mechanism]->Q[s.on.index] -= s.law.stiffness * (q(s.on) - s.law.rest) +
                                                  s.law.damping * blocks_[s.on.mechanism]->v_star[s.on.index];
    for (const JointForce& f : model_.joint_forces()) {
        const double force = f.law(*middle_);
        Block& k = *blocks_[f.on.mechanism];
        if (!std::isfinite(force))
            fail("The force on '{}' is {} at t = {:.6g} s.", k.body.mechanism.coordinate_name(f.on.index),
                 force, t_m_);
        k.Q[f.on.index] += force;
    }
    if (model_.wrench_inputs().empty()) return;

    for (auto& block : blocks_)
        if (!block->body.mechanism.frames().empty())
            block->body.frames(block->q_m.data(), block->v_star.data());
    const Model::WrenchInput* input = model_.wrench_inputs().data();
    auto apply = [&](const Eigen::Vector3d& force, const Eigen::Vector3d& moment) {
        if (input->number >= 0) {
            auto w = blocks_[input->mechanism]->body.w.segment<6>(6 * input->number);
            w.head<3>() += force;
            w.tail<3>() += moment;
        }
        ++input;
    };
    const Eigen::Vector3d none = Eigen::Vector3d::Zero();
    for (const PointSpring& s : model_.point_springs()) {
        const Multibody &a = blocks_[s.a.mechanism]->body, &b = blocks_[s.b.mechanism]->body;
        const Eigen::Vector3d x = b.frame_position(s.b.index) - a.frame_position(s.a.index);
        const double force =
            spring_force(s.law, x, b.frame_velocity(s.b.index) - a.frame_velocity(s.a.index));
        const Eigen::Vector3d pull = x.norm() > 0 ? (force * x.normalized()).eval() : none;
        apply(pull, none);
        apply(-pull, none);
    }
    for (const AppliedWrench& w : model_.wrenches()) {
        const Wrench value = w.law(*middle_);
        if (!value.force.allFinite() || !value.moment.allFinite())
            fail("The wrench on frame '{}' is not finite at t = {:.6g} s.",
                 model_.mechanisms()[w.at.mechanism]->frames()[w.at.index].name, t_m_);
        apply(value.force, value.moment);
    }
}

// Where the step would end with the velocities it starts with.
void MoreauJean::look_ahead()
{
    const double theta_h = options_.theta * options_.h;
    for (auto& block : blocks_) {
        Block& k = *block;
        const Partition& p = *k.partition;
        auto v = ahead_v_.segment(k.v0, k.body.nv);
        for (int j = 0; j < p.nu(); ++j) k.rhs[j] = state_.v[k.v0 + p.u[j]];
        v.noalias() = p.B * k.rhs;
        if (!p.c.empty()) v.noalias() += p.B_c * k.vc_now;
        k.scratch = theta_h * v;
        k.body.advance(k.q_m.data(), k.scratch.data(), ahead_q_.data() + k.q0);
        v += theta_h * k.b;
    }
    ahead_->set(t_next_, ahead_q_.data(), ahead_v_.data());
}

void MoreauJean::correct_midpoint_velocity()
{
    const double theta = options_.theta;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& k = *blocks_[i];
        const Partition& p = *k.partition;
        // B at q_m for both ends of the step: dependent velocities must be those of one configuration.
        for (int j = 0; j < p.nu(); ++j)
            k.rhs[j] = (1 - theta) * state_.v[k.v0 + p.u[j]] +
                       theta * problem_.v[problem_.offset(static_cast<int>(i)) + j];
        k.v_star.noalias() = p.B * k.rhs;
        k.vc_work = (1 - theta) * k.vc_now + theta * k.vc_next;
        k.v_star.noalias() += p.B_c * k.vc_work;
        middle_v_.segment(k.v0, k.body.nv) = k.v_star;
    }
    middle_->set(t_m_, middle_q_.data(), middle_v_.data());
    evaluate_forces();
    for (auto& block : blocks_) block->body.bias(block->q_m.data(), block->v_star.data());
}

void MoreauJean::update()
{
    state_.impulses.resize(contact_of_.size());
    const int count = static_cast<int>(contact_of_.size());
    parallel_for(count, threads_for(count), [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            const DetectedContact& d = (*found_)[k];
            const int a = contact_of_[k];
            const Contact& contact = problem_.contacts[a];
            const bool rolls = d.material->rolling > 0;
            state_.impulses[k] = {d.shape_a, d.shape_b, d.point.feature, contact.frame * contact.r,
                                  rolls ? Eigen::Vector3d(contact.frame * problem_.contacts[a + 1].r)
                                        : Eigen::Vector3d(0, 0, 0)};
        }
    });
    if (!now_->drive_forces.empty()) drive_forces();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& k = *blocks_[i];
        Partition& p = *k.partition;
        const auto v_u = problem_.v.segment(problem_.offset(static_cast<int>(i)), p.nu());
        auto v = state_.v.segment(k.v0, k.body.nv);
        double* q = state_.q.data() + k.q0;
        if (!v_u.allFinite())
            fail("The step at t = {:.6g} s diverged: velocities of mechanism '{}' are not finite; reduce the "
                 "step --h.",
                 state_.t, k.body.mechanism.name());
        auto velocities = [&] {
            if (p.trivial()) {
                for (int j = 0; j < p.nu(); ++j) v[p.u[j]] = v_u[j];
            } else {
                v.noalias() = p.B * v_u;
                v.noalias() += p.B_c * k.vc_next;
            }
        };
        velocities();
        k.scratch = options_.theta * options_.h * v;
        k.body.advance(k.q_m.data(), k.scratch.data(), q);
        if (p.trivial()) continue;
        set_driven(k, q, t_next_);
        p.close(q, t_next_);
        p.project();
        velocities(); // v_v = B_vu v_u at q_n+1
        if (p.maintain()) state_.partitions[i] = p.sets();
        k.vc_now = k.vc_next;
    }
    const int rigid = problem_.offset(problem_.general());
    if (!problem_.v.tail(problem_.v.size() - rigid).allFinite()) fail_diverged();
    grains_.update(state_.grains, options_.theta, options_.h, v_start_.data(), problem_.v.data() + rigid);
    if (found_) position_correction_.apply(problem_, *found_, contact_of_, options_.h, state_.grains);
    state_.t = t_next_;
    ++state_.step;
    now_->set(state_.t, state_.q.data(), state_.v.data());
    now_->new_contacts();
    remember();
}

// All from the values before: their order does not matter.
void MoreauJean::remember()
{
    for (std::size_t k = 0; k < next_memory_.size(); ++k) {
        const MemoryRecord& memory = model_.memories()[k];
        next_memory_[k] = memory.next(*now_, state_.memory[k]);
        if (!std::isfinite(next_memory_[k]))
            fail("The memory '{}' becomes {} at t = {:.6g} s.", memory.name, next_memory_[k], state_.t);
    }
    std::copy(next_memory_.begin(), next_memory_.end(), state_.memory.begin());
}

void MoreauJean::fail_diverged() const
{
    for (int g = 0; g < grains_.count(); ++g)
        if (!problem_.v.segment<6>(problem_.offset(problem_.general() + g)).allFinite())
            fail(
                "The step at t = {:.6g} s diverged: the velocity of '{}' is not finite; reduce the step --h.",
                state_.t, model_.grain_name(g));
}

// Force of the drives: the impulse that the driven rows of (17) lack, over the step,
// J^T dI_B eliminated by (18).
void MoreauJean::drive_forces()
{
    for (auto& block : blocks_) block->contact_impulse.setZero();
    const int bodies = static_cast<int>(model_.bodies().size());
    for (std::size_t a = 0; a < contact_of_.size(); ++a) {
        const DetectedContact& d = (*found_)[a];
        const Contact& contact = problem_.contacts[contact_of_[a]];
        auto side = [&](int body, const Eigen::Vector3d& point, double sign) {
            if (body < 0 || body >= bodies) return;
            Block& k = *blocks_[body_block_[body]];
            k.H_full.setZero();
            middle_->placement(body_block_[body])
                .add_point_map(model_.bodies()[body].link, point, contact.frame, sign, k.H_full);
            k.contact_impulse.noalias() += k.H_full.transpose() * contact.r;
        };
        const auto [on_a, on_b] = contact_points(d, bodies);
        side(d.body_a, on_a, -1);
        side(d.body_b, on_b, +1);
    }
    for (auto& block : blocks_) {
        Block& k = *block;
        const Partition& p = *k.partition;
        if (p.c.empty()) continue;
        // dv = B dv_u + d_beta
        k.scratch = k.d_beta;
        for (int i = 0; i < p.nu(); ++i)
            k.scratch +=
                p.B.col(i) * (problem_.v[problem_.offset(static_cast<int>(&block - blocks_.data())) + i] -
                              state_.v[k.v0 + p.u[i]]);
        Eigen::VectorXd& missing = k.contact_impulse;
        missing = -missing - options_.h * k.f;
        missing.noalias() += k.body.M * k.scratch;
        for (std::size_t i = 0; i < p.c.size(); ++i) {
            double impulse = missing[p.c[i]];
            for (int j : p.v) impulse += p.B_c(j, i) * missing[j]; // -J_c^T J_v^-T missing_v
            const int mechanism = k.body.mechanism.number();
            for (auto& [on, force] : now_->drive_forces)
                if (on.mechanism == mechanism && on.index == p.c[i]) force = impulse / options_.h;
        }
    }
}

const View& MoreauJean::view() const
{
    return *now_;
}

std::uint64_t MoreauJean::state_hash() const
{
    StateHash hash;
    hash.add(state_.q.data(), state_.q.size());
    hash.add(state_.v.data(), state_.v.size());
    for (const GrainState& g : state_.grains) {
        hash.add(g.x.data(), 3);
        hash.add(g.q.coeffs().data(), 4);
        hash.add(g.v.data(), 3);
        hash.add(g.L.data(), 3);
    }
    hash.add(state_.memory.data(), static_cast<std::ptrdiff_t>(state_.memory.size()));
    return hash.value;
}

std::vector<std::string> MoreauJean::messages() const
{
    std::vector<std::string> out;
    for (const auto& k : blocks_)
        if (!k->partition->redundant().empty()) out.push_back(k->partition->redundant());
    return out;
}

void MoreauJean::restore(const State& state)
{
    bool fits = state.q.size() == state_.q.size() && state.v.size() == state_.v.size() &&
                state.grains.size() == state_.grains.size() && state.memory.size() == state_.memory.size() &&
                state.partitions.size() == state_.partitions.size();
    for (std::size_t i = 0; fits && i < state.partitions.size(); ++i)
        fits = state.partitions[i].u.size() == state_.partitions[i].u.size() &&
               state.partitions[i].v.size() == state_.partitions[i].v.size() &&
               state.partitions[i].loop_rows.size() == state_.partitions[i].loop_rows.size();
    if (!fits)
        fail("The state to go on from has other coordinates or grains than the model '{}': it belongs to "
             "another model.",
             model_.name());
    state_ = state;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& k = *blocks_[i];
        k.partition->adopt(state_.partitions[i]);
        for (std::size_t j = 0; j < k.motions.size(); ++j)
            k.vc_now[j] = k.motions[j] ? k.motions[j]->velocity(state_.t) : state_.v[k.v0 + k.driven[j]];
    }
    contact_of_.clear();
    now_->set(state_.t, state_.q.data(), state_.v.data());
    for (RelativeView* view : {now_.get(), middle_.get(), ahead_.get()}) {
        view->set_grains(state_.grains);
        view->set_memory(state_.memory);
    }
    now_->new_contacts();
}

int MoreauJean::partition_changes() const
{
    int changes = 0;
    for (const auto& k : blocks_) changes += k->partition->changes();
    return changes;
}

const std::vector<int>& MoreauJean::independent(int mechanism) const
{
    return blocks_[mechanism]->partition->u;
}

bool MoreauJean::compiled() const
{
    for (const auto& k : blocks_)
        if (!k->body.compiled()) return false;
    return true;
}

} // namespace tamis
