// Work of a step: of drives, F (q_n+1 - q_n) with the mean force F over the step; of laws, by the trapezoidal rule,
// (F_n + F_n+1) . (x_n+1 - x_n) / 2 + h (M_n + M_n+1) . (omega_n + omega_n+1) / 4.
#include "tamis/app/watch.hpp"

#include "tamis/model/laws.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tamis {

namespace {

const Mechanism::Link& link_of(const Model& model, Coordinate c)
{
    const auto& links = model.mechanisms()[c.mechanism].links();
    return *std::ranges::find_if(
        links, [&](const Mechanism::Link& l) { return l.v <= c.index && c.index < l.v + l.nv(); });
}

} // namespace

Watch::Watch(const Model& model, double h, bool springs)
    : model_(model), h_(h), first_(model.grains().empty() ? 1000 : 0), stride_(springs                  ? 128
                                                                               : model.grains().empty() ? 64
                                                                                                        : 8)
{
    laws_ = !model.joint_forces().empty() || !model.wrenches().empty() || !model.grain_forces().empty();
    works_ = laws_ || !model.drives().empty();
    const std::vector<double> sizes = model.sizes();
    smallest_size_ = std::numeric_limits<double>::infinity();
    for (int s = 0; s < static_cast<int>(sizes.size()); ++s) {
        const AttachedShape& shape = model.shapes()[s];
        if (shape.material < 0 || shape.group == 0) continue;
        if (shape.body >= 0 && model.grain_of(shape.body) < 0) touching_.push_back(s);
        if (!(sizes[s] < smallest_size_)) continue;
        smallest_ = s;
        smallest_size_ = sizes[s];
    }
    if (!model.may_touch()) smallest_ = -1;
    if (smallest_ < 0) return;
    double mass = 0;
    for (const BodyRecord& b : model.bodies()) mass += b.mass;
    for (const GrainRecord& g : model.grains()) mass += g.mass;
    lifting_ = 0.1 * smallest_size_ * mass * model.gravity_value().norm();
}

void Watch::start(const View& view)
{
    resume(view);
    const double K = view.kinetic_energy(), V = view.potential_energy();
    low_ = K + V;
    least_ = most_ = V;
    look(view);
}

void Watch::resume(const View& view)
{
    drive_q_.clear();
    for (const Drive& d : model_.drives()) drive_q_.push_back(view.q(d.on));
    try {
        loads(view, forces_, wrenches_);
    } catch (const std::exception&) { // if it matters, the step will tell
        known_ = 0;
    }
}

void Watch::loads(const View& view, std::vector<Load>& forces, std::vector<WrenchLoad>& wrenches) const
{
    forces.clear();
    wrenches.clear();
    for (const JointForce& f : model_.joint_forces()) {
        const bool scalar = link_of(model_, f.on).nv() == 1;
        forces.push_back({f.on, scalar, law_force(model_, f, view), scalar ? view.q(f.on) : 0, view.v(f.on)});
    }
    for (const AppliedWrench& w : model_.wrenches()) {
        const int body = model_.frame_record(w.at).body;
        wrenches.push_back({law_wrench(model_, w, view), view.position(w.at),
                            body < 0 ? Eigen::Vector3d(0, 0, 0) : view.motion(body).angular_velocity});
    }
    if (model_.grain_forces().empty()) return;
    for (int g = 0; g < static_cast<int>(view.grains().size()); ++g) {
        WrenchLoad load{{}, view.grains()[g].x, view.motion(GrainId{g}).angular_velocity};
        for (const GrainForce& f : model_.grain_forces()) {
            const Wrench wrench = law_wrench(model_, f.law, view, GrainId{g});
            load.wrench.force += wrench.force;
            load.wrench.moment += wrench.moment;
        }
        wrenches.push_back(load);
    }
}

void Watch::add_work(const View& view)
{
    for (std::size_t k = 0; k < drive_q_.size(); ++k) {
        const Coordinate on = model_.drives()[k].on;
        const double q = view.q(on);
        work_ += view.drive_force(on) * (q - drive_q_[k]);
        drive_q_[k] = q;
    }
    if (laws_ && known_ != 0) try {
            loads(view, next_forces_, next_wrenches_);
            for (std::size_t k = 0; k < forces_.size(); ++k) {
                const Load &a = forces_[k], &b = next_forces_[k];
                work_ += (a.force + b.force) / 2 * (a.scalar ? b.q - a.q : h_ * (a.v + b.v) / 2);
            }
            for (std::size_t k = 0; k < wrenches_.size(); ++k) {
                const WrenchLoad &a = wrenches_[k], &b = next_wrenches_[k];
                work_ += (a.wrench.force + b.wrench.force).dot(b.x - a.x) / 2 +
                         h_ * (a.wrench.moment + b.wrench.moment).dot(a.omega + b.omega) / 4;
            }
            std::swap(forces_, next_forces_);
            std::swap(wrenches_, next_wrenches_);
        } catch (const std::exception&) {
            known_ = 0;
        }
}

void Watch::look(const View& view)
{
    const double K = view.kinetic_energy(), V = view.potential_energy(), balance = K + V - work_;
    if (!std::isfinite(balance)) finite_ = 0;
    kinetic_ = std::max(kinetic_, K);
    least_ = std::min(least_, V);
    most_ = std::max(most_, V);
    largest_ = std::max(largest_, K + std::abs(V));
    if (balance - low_ > gain_) {
        gain_ = balance - low_;
        gain_t_ = view.time();
    }
    low_ = std::min(low_, balance);

    const auto turn = [&](double speed, int body) {
        if (!(h_ * speed > turning_)) return;
        turning_ = h_ * speed;
        turning_body_ = body;
    };
    const auto move = [&](double speed, int body) {
        if (!(h_ * speed > travel_ * smallest_size_)) return;
        travel_ = h_ * speed / smallest_size_;
        travel_body_ = body;
    };
    for (int b = 0; b < static_cast<int>(model_.bodies().size()); ++b)
        turn(view.motion(b).angular_velocity.norm(), b);
    for (const int s : touching_) {
        const AttachedShape& shape = model_.shapes()[s];
        const BodyMotion& m = view.motion(shape.body);
        const bool plane = std::holds_alternative<Plane>(shape.shape);
        const Eigen::Vector3d at = plane ? Eigen::Vector3d(0, 0, 0) : shape.at.p;
        move((m.velocity + m.angular_velocity.cross(m.pose.R * at)).norm(), shape.body);
    }
    const std::span<const GrainState> grains = view.grains();
    for (int g = 0; g < static_cast<int>(grains.size()); ++g) {
        const GrainRecord& record = model_.grains()[g];
        move(grains[g].v.norm(), model_.body_number(GrainId{g}));
        if (!record.ball)
            turn(view.motion(GrainId{g}).angular_velocity.norm(), model_.body_number(GrainId{g}));
    }
}

double Watch::energy_scale() const
{
    return std::max({kinetic_, most_ - least_, lifting_, 1e-6 * largest_});
}

std::string Watch::name(int body) const
{
    const int grain = model_.grain_of(body);
    if (body < 0 || grain >= static_cast<int>(model_.grains().size())) return "";
    return grain < 0 ? model_.bodies()[body].name : model_.grain_name(grain);
}

StiffestSpring stiffest_spring(const Model& model, double h)
{
    StiffestSpring out;
    const auto add = [&](const SpringLaw& law, double inverse_mass, const std::string& name) {
        if (law.treatment == ForceTreatment::implicit || !std::isfinite(inverse_mass)) return;
        const double rate = h * std::max(std::sqrt(law.stiffness * inverse_mass), law.damping * inverse_mass);
        if (rate > out.rate) out = {rate, name};
    };
    const auto driven = [&](Coordinate c) {
        return std::ranges::any_of(model.drives(), [&](const Drive& d) {
            return d.on.mechanism == c.mechanism && d.on.index == c.index;
        });
    };
    for (const JointSpring& s : model.joint_springs()) {
        if (driven(s.on)) continue;
        const Mechanism& m = model.mechanisms()[s.on.mechanism];
        const Mechanism::Link& l = link_of(model, s.on);
        double mass = m.value(l.mass);
        if (l.joint.kind == ElementaryJoint::revolute) {
            Eigen::Matrix3d I;
            Eigen::Vector3d com;
            for (int i = 0; i < 3; ++i) {
                com[i] = m.value(l.com[i]);
                for (int j = 0; j < 3; ++j) I(i, j) = m.value(l.inertia(i, j));
            }
            const Eigen::Vector3d& axis = l.joint.axis;
            mass = axis.dot(I * axis) + mass * axis.cross(com).squaredNorm();
        }
        add(s.law, 1 / mass, fmt::format("in the joint '{}'", m.coordinate_name(s.on.index)));
    }
    for (const PointSpring& s : model.point_springs()) {
        double inverse = 0;
        std::string names[2];
        const Frame ends[] = {s.a, s.b};
        for (int k : {0, 1}) {
            if (const int body = model.frame_record(ends[k]).body; body >= 0)
                inverse += 1 / model.bodies()[body].mass;
            names[k] = model.mechanisms()[ends[k].mechanism].frames()[ends[k].index].name;
        }
        add(s.law, inverse, fmt::format("between '{}' and '{}'", names[0], names[1]));
    }
    return out;
}

} // namespace tamis
