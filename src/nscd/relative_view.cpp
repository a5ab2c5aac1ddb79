// Lazy placement of bodies; see relative_view.hpp.
#include "tamis/nscd/relative_view.hpp"

#include "tamis/base/error.hpp"

namespace tamis {

RelativeView::RelativeView(const Model& model, std::vector<Multibody*> bodies)
    : View(model), bodies_(std::move(bodies)), link_velocity_(bodies_.size()), motion_(model.bodies().size())
{
    int nq = 0, nv = 0;
    for (Multibody* b : bodies_) {
        placement_.emplace_back(*b);
        q_offset_.push_back(nq);
        v_offset_.push_back(nv);
        nq += b->nq;
        nv += b->nv;
    }
}

void RelativeView::set(double t, const double* q, const double* v)
{
    t_ = t;
    q_ = q;
    v_ = v;
    placed_ = moved_ = false;
}

double RelativeView::q(Coordinate c) const
{
    return q_[q_offset_[c.mechanism] + model().mechanisms()[c.mechanism].position_index(c.index)];
}

double RelativeView::drive_force(Coordinate c) const
{
    for (const auto& [on, force] : drive_forces)
        if (on.mechanism == c.mechanism && on.index == c.index) return force;
    fail("Coordinate '{}' is not driven: drive_force needs model.drive on it.",
         model().mechanisms()[c.mechanism].coordinate_name(c.index));
}

std::span<const ContactRecord> RelativeView::contacts() const
{
    if (!contacts_made_) {
        contacts_made_ = true;
        make_contacts(contacts_); // in place of those of before
    }
    return contacts_;
}

void RelativeView::place() const
{
    if (placed_) return;
    placed_ = true;
    for (std::size_t m = 0; m < bodies_.size(); ++m) placement_[m].update(q_ + q_offset_[m]);
}

const Placement& RelativeView::placement(int mechanism) const
{
    place();
    return placement_[mechanism];
}

const BodyMotion& RelativeView::motion(int body) const
{
    if (!moved_) {
        moved_ = true;
        place();
        for (std::size_t m = 0; m < bodies_.size(); ++m)
            placement_[m].velocities(v_ + v_offset_[m], link_velocity_[m]);
        for (std::size_t b = 0; b < motion_.size(); ++b) {
            const BodyRecord& record = model().bodies()[b];
            const auto& v = link_velocity_[record.mechanism][record.link];
            motion_[b] = {placement_[record.mechanism].link(record.link), v.head<3>(), v.tail<3>()};
        }
    }
    return motion_[body];
}

Configuration::Configuration(const Model& model, const std::vector<Multibody*>& bodies) : view(model, bodies)
{
    int nq = 0, nv = 0;
    for (const Multibody* b : bodies) {
        nq += b->nq;
        nv += b->nv;
    }
    q.resize(nq);
    v.resize(nv);
}

} // namespace tamis
