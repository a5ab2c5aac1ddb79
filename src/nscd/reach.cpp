// reach = margin + h s, where s bounds the speed of all points of a shape: |v| of its centre and |omega| times its
// radius or, for planes, times the distance of the farthest shape that they may meet.
#include "tamis/nscd/reach.hpp"

#include "tamis/base/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

namespace {
constexpr std::size_t fewest_for_threads = 2000; // shapes
} // namespace

Reach::Reach(const Model& model, const BlockMap& blocks, const Grains& grains, double alert, double h,
             int threads)
    : model_(model), blocks_(blocks), grains_(grains), alert_(alert), h_(h),
      threads_(model.shapes().size() < fewest_for_threads ? 1 : threads), grain_(model.shapes().size(), -1),
      margin_(model.shapes().size(), 0.0), reach_(model.shapes().size(), 0.0),
      widened_(model.shapes().size(), 0)
{
    for (std::size_t s = 0; s < reach_.size(); ++s) {
        const AttachedShape& shape = model.shapes()[s];
        if (shape.body < 0) continue;
        grain_[s] = blocks.grain(shape.body);
        if (grain_[s] < 0) others_.push_back(static_cast<int>(s));
        margin_[s] = margin(shape);
    }
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

template <class Work>
void Reach::each_grain(const Work& work)
{
    parallel_for(static_cast<int>(grain_.size()), threads_, [&](int begin, int end) {
        for (int s = begin; s < end; ++s)
            if (grain_[s] >= 0) work(s, grain_[s]);
    });
}

void Reach::set(const RelativeView& middle, std::span<const GrainState> start)
{
    each_grain([&](int s, int g) { reach_[s] = margin_[s] + h_ * grains_.speed(g, start[g]); });
    for (const int s : others_) reach_[s] = margin_[s] + h_ * speed(model_.shapes()[s], middle);
}

bool Reach::widen(const RelativeView& end, const double* v_grains)
{
    const auto as_far_as_at = [&](int s, double v) {
        widened_[s] = h_ * v > reach_[s];
        if (widened_[s]) reach_[s] = margin_[s] + h_ * v;
    };
    each_grain([&](int s, int g) {
        const Eigen::Map<const Vector3d> velocity(v_grains + 6 * g), omega(v_grains + 6 * g + 3);
        as_far_as_at(s, velocity.norm() + model_.grains()[g].radius * omega.norm());
    });
    for (const int s : others_) as_far_as_at(s, speed(model_.shapes()[s], end));
    return std::find(widened_.begin(), widened_.end(), 1) != widened_.end();
}

} // namespace tamis
