// Moreau-Jean theta-scheme on free rigid bodies, as in the absolute-coordinate computation that Docquier et
// al. (2020), Sect. 5, compare with:
//
//     q_m = q_n (+) (1 - theta) h v_n                                                        (29)
//     M (v_n+1 - v_n) = h f(q_m, v_n) + G^T lambda + H^T r,   G(q_m) v_n+1 = 0,   laws (32)  (28, 31)
//     q_n+1 = q_m (+) theta h v_n+1                                                          (30)
//
// Joints and contacts are solved together by nonlinear Gauss-Seidel. Nothing corrects the positions of
// joints: the error g(q) that they accumulate is reported, and is what limits the step of this formulation.
#include "tamis/absolute/absolute.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/earlier_contacts.hpp"

#include <cmath>

namespace tamis {

Absolute::Absolute(const Model& model, const AbsoluteOptions& options)
    : model_(model), options_(options), system_(model), view_(system_), state_(system_.start()),
      detection_(model), nlgs_(options.contacts), q_m_(state_.q), scratch_(state_.v),
      joint_impulses_(system_.groups().size(), Eigen::Vector3d::Zero())
{
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: it must be positive.", options.h);
    if (!(options.theta >= 0.5 && options.theta <= 1))
        fail("theta is {}: it must lie between 0.5 and 1.", options.theta);
    for (int b = 0; b < system_.bodies(); ++b) problem_.general_offset.push_back(6 * (b + 1));
    problem_.v_free = problem_.v = state_.v;
    view_.set_step(options.h);
    sizes_ = model.sizes();
}

StepReport Absolute::step()
{
    StepReport report;
    clock_.start();
    predict();
    clock_.end(Phase::predict);
    detect(); // active contacts: g(q_m) <= 0
    clock_.end(Phase::detect);
    free_velocity();
    problem_.clear_contacts();
    assemble_joints();
    assemble_contacts();
    clock_.end(Phase::linearise);
    const SolverReport solved = nlgs_.solve(problem_);
    clock_.end(Phase::contacts);
    update();
    system_.constraints(state_.q);
    clock_.end(Phase::update);

    report.contacts = static_cast<int>(contacts_.size());
    report.sweeps = solved.sweeps;
    report.converged = solved.status == SolverStatus::converged;
    report.residual = solved.residual.natural_max;
    report.residual_rms = solved.residual.natural_rms;
    report.wrench_change = solved.residual.wrench_change;
    const int worst = solved.residual.worst - static_cast<int>(problem_.contacts.size() - contacts_.size());
    if (!report.converged && worst >= 0) // else it is a joint
        report.worst = {contacts_[worst].shape_a, contacts_[worst].shape_b};
    for (const ContactRecord& c : contacts_) report.add_gap(c.gap, c.shape_a, c.shape_b, sizes_);
    report.loops = true;
    report.loop_error = system_.error();
    return report;
}

void Absolute::predict()
{
    t_next_ = (state_.step + 1) * options_.h;
    t_m_ = state_.t + (1 - options_.theta) * options_.h;
    scratch_ = (1 - options_.theta) * options_.h * state_.v;
    system_.advance(state_.q, scratch_, q_m_);
}

void Absolute::detect()
{
    if (!model_.may_touch()) return;
    found_ = &detection_.detect([&](int body) { return system_.body_pose(q_m_, body); });
}

void Absolute::free_velocity()
{
    view_.set(t_m_, q_m_, state_.v);
    system_.forces(q_m_, view_);
    for (int b = 0; b < system_.bodies(); ++b)
        system_.divide_by_mass(b, system_.f.segment<6>(6 * b), problem_.v_free.segment<6>(6 * b));
    problem_.v_free = state_.v + options_.h * problem_.v_free;
}

template <class Map>
void Absolute::add_side(Contact& contact, int side, int body, const Map& H)
{
    if (body < 0) return;
    contact.side[side] = {body, problem_.reserve_map(body)};
    for (int row = 0; row < H.rows(); ++row) {
        const int start = contact.side[side].map + 6 * row;
        const Eigen::Matrix<double, 6, 1> h = H.row(row).transpose();
        Eigen::Map<Eigen::Matrix<double, 6, 1>>(&problem_.H[start]) = h;
        system_.divide_by_mass(body, h, Eigen::Map<Eigen::Matrix<double, 6, 1>>(&problem_.Y[start]));
    }
}

void Absolute::assemble_joints()
{
    system_.constraints(q_m_);
    for (std::size_t i = 0; i < joint_impulses_.size(); ++i) {
        const JointGroup& group = system_.groups()[i];
        Contact contact;
        contact.law = Law::bilateral;
        contact.rows = group.count;
        contact.r = joint_impulses_[i];
        const auto G = system_.G.middleRows(group.first, group.count);
        add_side(contact, 0, group.a, G.leftCols<6>());
        add_side(contact, 1, group.b, G.rightCols<6>());
        problem_.contacts.push_back(contact);
    }
}

void Absolute::assemble_contacts()
{
    std::swap(contacts_, last_contacts_);
    contacts_.clear();
    if (!found_) return;
    EarlierContacts earlier(std::span<const ContactRecord>{last_contacts_});
    for (const DetectedContact& d : *found_) {
        ContactRecord record = AbsoluteSystem::record(d);
        Contact contact;
        contact.friction = d.material->friction;
        auto side = [&](int s, int body, const Eigen::Vector3d& point, double sign) {
            if (body < 0) return;
            const auto H = AbsoluteSystem::point_map(q_m_[body], point, record.frame, sign);
            add_side(contact, s, body, H);
            record.u_minus += H * state_.v.segment<6>(6 * body);
        };
        side(0, d.body_a, d.point.on_a, -1);
        side(1, d.body_b, d.point.on_b, +1);
        contact.bias[0] = d.material->restitution * record.u_minus[0]; // e u_n^-
        if (const ContactRecord* last = earlier.find(d)) contact.r = last->impulse;
        problem_.contacts.push_back(contact);
        contacts_.push_back(record);
    }
}

void Absolute::update()
{
    if (!problem_.v.allFinite())
        fail("The step at t = {:.6g} s diverged: velocities are not finite; reduce the step.", state_.t);
    const std::size_t joints = joint_impulses_.size();
    for (std::size_t i = 0; i < joints; ++i) joint_impulses_[i] = problem_.contacts[i].r;
    for (std::size_t a = 0; a < contacts_.size(); ++a) {
        contacts_[a].impulse = problem_.contacts[joints + a].r;
        contacts_[a].u_plus = problem_.relative_velocity(problem_.contacts[joints + a]);
    }
    state_.v = problem_.v;
    scratch_ = options_.theta * options_.h * state_.v;
    system_.advance(q_m_, scratch_, state_.q);
    state_.t = t_next_;
    ++state_.step;
    view_.set(state_.t, state_.q, state_.v);
    view_.settle();
    view_.add_contacts(contacts_);
}

SavedState Absolute::save() const
{
    SavedState out = tamis::save(state_, view_, contacts_);
    std::vector<double> joints;
    for (const Eigen::Vector3d& r : joint_impulses_) joints.insert(joints.end(), r.data(), r.data() + 3);
    out.put("joint_impulses", joints);
    return out;
}

void Absolute::restore(const SavedState& saved)
{
    contacts_ = tamis::restore(saved, state_, view_);
    const std::vector<double>& joints = saved.get("joint_impulses", 3 * joint_impulses_.size());
    for (std::size_t i = 0; i < joint_impulses_.size(); ++i)
        joint_impulses_[i] = Eigen::Map<const Eigen::Vector3d>(&joints[3 * i]);
    view_.set_contacts(contacts_);
}

} // namespace tamis
