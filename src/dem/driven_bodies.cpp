// See driven_bodies.hpp. The force of a drive is that at the start of the step, with the mean acceleration over it.
#include "tamis/dem/driven_bodies.hpp"

#include "tamis/base/error.hpp"

#include <numeric>

namespace tamis {

DrivenBodies::DrivenBodies(const Model& model) : model_(model), motion_(model.bodies().size())
{
    const char* remedy = "choose --method moreau-jean.";
    const auto refuse = [&](const char* what) {
        fail("The model has {}: the method dem moves bodies as their drives prescribe and grains by contacts "
             "and gravity "
             "only; leave it out, or {}",
             what, remedy);
    };
    if (!model.beams().empty()) refuse("a beam");
    if (!model.joint_springs().empty() || !model.point_springs().empty()) refuse("a spring");
    if (!model.joint_forces().empty() || !model.wrenches().empty()) refuse("a force on a body");
    if (!model.grain_forces().empty()) refuse("a force on grains");
    if (!model.memories().empty()) refuse("a memory");
    for (const Mechanism& m : model.mechanisms()) {
        if (!m.loops().empty())
            fail("The loop '{}' closes a mechanism: the method dem takes driven bodies without loops; {}",
                 m.loops().front().name, remedy);
        Part& part = parts_.emplace_back();
        part.body = std::make_unique<Multibody>(m);
        part.driven = std::make_unique<DrivenCoordinates>(model, m.number());
        for (int c = 0; c < part.body->nv; ++c)
            if (!std::ranges::binary_search(part.driven->index(), c))
                fail("Coordinate '{}' is not driven: the method dem moves bodies as prescribed; drive it, or "
                     "{}",
                     m.coordinate_name(c), remedy);
        part.placement = std::make_unique<Placement>(*part.body);
        part.q = model.start_of(m.number()).q;
        part.q.conservativeResize(part.body->nq);
        part.inertia = part.force = Eigen::VectorXd::Zero(part.body->nv);
        part.H.resize(3, part.body->nv);
    }
    place(0);
}

void DrivenBodies::place(Part& part, double t)
{
    part.driven->place(part.q.data(), t);
    part.driven->velocities(t, {}, part.v);
    part.placement->update(part.q.data());
    part.placement->velocities(part.v.data(), part.link_velocity);
}

void DrivenBodies::place(double t)
{
    for (Part& part : parts_) place(part, t);
    for (std::size_t b = 0; b < motion_.size(); ++b) {
        const BodyRecord& record = model_.bodies()[b];
        const Part& part = parts_[record.mechanism];
        const auto& v = part.link_velocity[record.link];
        motion_[b] = {part.placement->link(record.link), v.head<3>(), v.tail<3>()};
    }
}

double DrivenBodies::q(Coordinate c) const
{
    return parts_[c.mechanism].q[model_.mechanisms()[c.mechanism].position_index(c.index)];
}

void DrivenBodies::move(double t, double h)
{
    for (Part& part : parts_) {
        part.body->dynamics(part.q.data(), part.v.data());
        part.driven->velocities(t, {}, part.inertia);
        part.inertia = part.body->M * (part.inertia - part.v) / h + part.body->c;
    }
    place(t);
}

void DrivenBodies::drive_forces(std::span<const Wrench> on_bodies)
{
    for (Part& part : parts_) part.force = part.inertia;
    for (std::size_t b = 0; b < motion_.size(); ++b) {
        const BodyRecord& record = model_.bodies()[b];
        Part& part = parts_[record.mechanism];
        const auto subtract = [&](const Eigen::Vector3d& f) {
            part.force.noalias() -= part.H.transpose() * f;
        };
        part.H.setZero();
        part.placement->add_point_map(record.link, motion_[b].pose.p, Eigen::Matrix3d::Identity(), 1, part.H);
        subtract(on_bodies[b].force);
        part.H.setZero();
        part.placement->add_turn_map(record.link, Eigen::Matrix3d::Identity(), 1, part.H);
        subtract(on_bodies[b].moment);
    }
}

double DrivenBodies::drive_force(Coordinate c) const
{
    return parts_[c.mechanism].force[c.index];
}

int DrivenBodies::coordinates() const
{
    return std::accumulate(parts_.begin(), parts_.end(), 0,
                           [](int n, const Part& p) { return n + p.body->nv; });
}

std::vector<double> DrivenBodies::forces() const
{
    std::vector<double> out;
    for (const Part& p : parts_) out.insert(out.end(), p.force.data(), p.force.data() + p.force.size());
    return out;
}

void DrivenBodies::set_forces(std::span<const double> forces)
{
    for (Part& p : parts_) {
        std::copy_n(forces.begin(), p.force.size(), p.force.data());
        forces = forces.subspan(p.force.size());
    }
}

} // namespace tamis
