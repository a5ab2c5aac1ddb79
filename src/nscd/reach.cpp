// reach = margin + h s, where s bounds the speed of all points of a shape: |v| of its centre and |omega| times its
// radius or, for planes, times the distance of the farthest shape that they may meet.
#include "tamis/nscd/reach.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

Reach::Reach(const Model& model, const BlockMap& blocks, const Grains& grains, double alert, double h)
    : model_(model), blocks_(blocks), grains_(grains), alert_(alert), h_(h),
      reach_(model.shapes().size(), 0.0), widened_(model.shapes().size(), 0)
{
}

// What a plane that turns may meet is no farther than this.
double Reach::farthest(const Vector3d& from, const RelativeView& view) const
{
    double distance = 0;
    for (const AttachedShape& other : model_.shapes()) {
        const double size = bounding_radius(other.shape);
        if (!std::isfinite(size) || other.body < 0) continue;
        const Pose at = blocks_.is_grain(other.body) ? grains_.pose(blocks_.grain(other.body))
                                                     : view.motion(other.body).pose;
        distance = std::max(distance, (at * other.at.p - from).norm() + size);
    }
    return distance;
}

double Reach::speed(const AttachedShape& shape, const RelativeView& view) const
{
    const BodyMotion& m = view.motion(shape.body);
    const double size = bounding_radius(shape.shape), angular = m.angular_velocity.norm();
    double speed = (m.velocity + m.angular_velocity.cross(m.pose.R * shape.at.p)).norm();
    if (angular > 0) speed += angular * (std::isfinite(size) ? size : farthest(m.pose * shape.at.p, view));
    return speed;
}

double Reach::margin(const AttachedShape& shape) const
{
    if (blocks_.is_grain(shape.body)) return alert_ * model_.grains()[blocks_.grain(shape.body)].radius;
    const double size = bounding_radius(shape.shape);
    return std::isfinite(size) ? alert_ * size : 0; // a plane: the other one's part of the alert counts
}

void Reach::set(const RelativeView& middle, std::span<const GrainState> start)
{
    for (std::size_t s = 0; s < reach_.size(); ++s) {
        const AttachedShape& shape = model_.shapes()[s];
        if (shape.body < 0) continue;
        const int g = blocks_.grain(shape.body);
        reach_[s] = margin(shape) + h_ * (g >= 0 ? grains_.speed(g, start[g]) : speed(shape, middle));
    }
}

bool Reach::widen(const RelativeView& end, const double* v_grains)
{
    bool any = false;
    for (std::size_t s = 0; s < reach_.size(); ++s) {
        const AttachedShape& shape = model_.shapes()[s];
        widened_[s] = 0;
        if (shape.body < 0) continue;
        const int g = blocks_.grain(shape.body);
        double v;
        if (g >= 0) {
            const Eigen::Map<const Vector3d> velocity(v_grains + 6 * g), omega(v_grains + 6 * g + 3);
            v = velocity.norm() + model_.grains()[g].radius * omega.norm();
        } else {
            v = speed(shape, end);
        }
        if (!(h_ * v > reach_[s])) continue;
        reach_[s] = margin(shape) + h_ * v;
        widened_[s] = 1;
        any = true;
    }
    return any;
}

} // namespace tamis
