// Quantities that follow from the motion of bodies alone, whatever the coordinates that describe it.
#include "tamis/model/view.hpp"

#include "tamis/base/error.hpp"
#include "tamis/collision/narrowphase.hpp"
#include "tamis/model/spring.hpp"

#include <Eigen/Geometry>
#include <limits>

namespace tamis {

double View::memory(Memory m) const
{
    fail("The memory '{}' needs the Moreau-Jean scheme in relative coordinates: choose that method.",
         model_.memories()[m.index].name);
}

BodyMotion View::motion(Body body) const
{
    const int number = model_.body_number(body);
    return number < 0 ? BodyMotion{} : motion(number);
}

BodyMotion View::motion(GrainId grain) const
{
    const GrainRecord& record = model_.grains().at(grain.index);
    const GrainState& s = grains()[grain.index];
    const Eigen::Matrix3d R = s.q.toRotationMatrix();
    return {{R, s.x}, s.v, R * (R.transpose() * s.L).cwiseQuotient(record.inertia)};
}

BodyMotion View::body_motion(int body) const
{
    if (body < 0) return {};
    const int grain = model_.grain_of(body);
    return grain < 0 ? motion(body) : motion(GrainId{grain});
}

Pose View::pose(GrainId grain) const
{
    const Pose& frame = model_.grains().at(grain.index).frame;
    const Pose own = motion(grain).pose;
    const Eigen::Matrix3d R = own.R * frame.R.transpose();
    return {R, own.p - R * frame.p};
}

Eigen::Vector3d View::position(Body body, const Eigen::Vector3d& point) const
{
    return motion(body).pose * point;
}

Eigen::Vector3d View::velocity(Body body, const Eigen::Vector3d& point) const
{
    const BodyMotion m = motion(body);
    return m.velocity + m.angular_velocity.cross(m.pose.R * point);
}

Eigen::Matrix3d View::rotation(Body body) const
{
    return motion(body).pose.R;
}
Eigen::Vector3d View::angular_velocity(Body body) const
{
    return motion(body).angular_velocity;
}

BodyMotion View::frame_motion(Frame frame) const
{
    const Model::FrameRecord& f = model_.frame_record(frame);
    if (f.body < 0) return {f.local, {0, 0, 0}, {0, 0, 0}};
    const BodyMotion& b = motion(f.body);
    return {b.pose * f.local, b.velocity + b.angular_velocity.cross(b.pose.R * f.local.p),
            b.angular_velocity};
}

Eigen::Vector3d View::position(Frame frame) const
{
    return frame_motion(frame).pose.p;
}
Eigen::Vector3d View::velocity(Frame frame) const
{
    return frame_motion(frame).velocity;
}
Eigen::Matrix3d View::rotation(Frame frame) const
{
    return frame_motion(frame).pose.R;
}

double View::kinetic_energy() const
{
    double twice = 0;
    for (std::size_t b = 0; b < model_.bodies().size(); ++b) {
        const BodyRecord& body = model_.bodies()[b];
        const BodyMotion& m = motion(static_cast<int>(b));
        const Eigen::Vector3d v = m.velocity + m.angular_velocity.cross(m.pose.R * body.com);
        const Eigen::Vector3d omega = m.pose.R.transpose() * m.angular_velocity;
        twice += body.mass * v.squaredNorm() + omega.dot(body.inertia * omega);
    }
    for (int g = 0; g < static_cast<int>(grains().size()); ++g) {
        const GrainState& s = grains()[g];
        twice += model_.grains()[g].mass * s.v.squaredNorm() + s.L.dot(motion(GrainId{g}).angular_velocity);
    }
    return twice / 2 + beam_energy().kinetic;
}

Eigen::Vector3d View::momentum() const
{
    Eigen::Vector3d p(0, 0, 0);
    for (std::size_t b = 0; b < model_.bodies().size(); ++b) {
        const BodyRecord& body = model_.bodies()[b];
        const BodyMotion& m = motion(static_cast<int>(b));
        p += body.mass * (m.velocity + m.angular_velocity.cross(m.pose.R * body.com));
    }
    for (std::size_t g = 0; g < grains().size(); ++g) p += model_.grains()[g].mass * grains()[g].v;
    return p;
}

template <class Acts>
Wrench View::sum_forces(const Eigen::Vector3d& about, Acts&& acts) const
{
    Wrench sum;
    for (const ContactRecord& c : contacts()) {
        const int sign = acts(c.shape_b) - acts(c.shape_a);
        if (sign == 0) continue;
        const Eigen::Vector3d force = sign / step_size() * (c.frame * c.impulse);
        sum.force += force;
        sum.moment += (c.point - about).cross(force);
    }
    return sum;
}

Wrench View::contact_force(Body body, const Eigen::Vector3d& about) const
{
    const int number = model_.body_number(body);
    return sum_forces(about, [&](int shape) { return model_.shapes()[shape].body == number ? 1 : 0; });
}

Wrench View::contact_force(ShapeId id, const Eigen::Vector3d& about) const
{
    return sum_forces(about, [&](int shape) { return shape == id.index ? 1 : 0; });
}

double View::potential_energy() const
{
    double V = beam_energy().potential + contact_energy();
    const Eigen::Vector3d g = model_.gravity_value();
    for (std::size_t b = 0; b < model_.bodies().size(); ++b) {
        const BodyRecord& body = model_.bodies()[b];
        V -= body.mass * g.dot(motion(static_cast<int>(b)).pose * body.com);
    }
    for (std::size_t i = 0; i < grains().size(); ++i) V -= model_.grains()[i].mass * g.dot(grains()[i].x);
    for (const JointSpring& s : model_.joint_springs()) V += spring_energy(s.law, q(s.on));
    for (const PointSpring& s : model_.point_springs())
        V += spring_energy(s.law, (position(s.b) - position(s.a)).norm());
    return V;
}

double View::gap(ShapeId a, ShapeId b, int feature) const
{
    const AttachedShape &A = model_.shapes()[a.index], &B = model_.shapes()[b.index];
    auto pose = [&](const AttachedShape& s) { return s.body < 0 ? s.at : body_motion(s.body).pose * s.at; };
    std::vector<ContactPoint> points;
    collide(A.shape, pose(A), B.shape, pose(B), std::numeric_limits<double>::infinity(), points);
    for (const ContactPoint& p : points)
        if (p.feature == feature) return p.gap;
    fail("Shapes '{}' and '{}' have no contact feature {}.", model_.shape_name(a.index),
         model_.shape_name(b.index), feature);
}

double View::normal_impulse(ShapeId a, ShapeId b, int feature) const
{
    for (const ContactRecord& c : contacts())
        if (c.feature == feature && ((c.shape_a == a.index && c.shape_b == b.index) ||
                                     (c.shape_a == b.index && c.shape_b == a.index)))
            return c.impulse[0];
    return 0;
}

} // namespace tamis
