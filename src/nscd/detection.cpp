// Broad phase, then narrow phase; see detection.hpp. A handful of shapes is tested all against all, which is
// cheaper than looking at boxes first.
#include "nscd/detection.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace tamis {

namespace {
constexpr int few_shapes = 16;
constexpr double tie = 1e-9; // of the size of a pair: gaps that differ by less count as equal
} // namespace

Detection::Detection(const Model& model)
    : model_(model), poses_(model.shapes().size()), moving_(model.shapes().size(), -1),
      size_(model.shapes().size()), broadphase_(model.filter())
{
    const int shapes = static_cast<int>(poses_.size());
    for (int s = 0; s < shapes; ++s) {
        const AttachedShape& shape = model.shapes()[s];
        poses_[s] = shape.at;
        size_[s] = bounding_radius(shape.shape);
        if (shape.material >= 0) moving_[s] = shape.body;
    }
    for (int a = 0; a < model.materials(); ++a)
        for (int b = 0; b < model.materials(); ++b) {
            materials_.push_back(model.pair(a, b));
            anticipates_ = anticipates_ || materials_.back().anticipation;
        }
    if (shapes > few_shapes) return;
    for (int a = 0; a < shapes; ++a)
        for (int b = a + 1; b < shapes; ++b)
            if (model.filter()(a, b)) all_pairs_.emplace_back(a, b);
}

const std::vector<std::pair<int, int>>& Detection::candidates(double alert, std::span<const double> reach)
{
    const std::size_t shapes = poses_.size();
    if (shapes <= few_shapes) return all_pairs_;
    bounds_.resize(shapes);
    for (std::size_t s = 0; s < shapes; ++s) {
        Bounds& box = bounds_[s];
        box = bounds(model_.shapes()[s].shape, poses_[s]);
        const double wider =
            alert / 2 + (reach.empty() ? 0 : reach[s]) + (std::isfinite(size_[s]) ? tie * size_[s] : 0);
        box.low.array() -= wider;
        box.high.array() += wider;
    }
    return broadphase_.pairs(bounds_);
}

const std::vector<DetectedContact>& Detection::collect(double least, std::span<const double> reach)
{
    found_.clear();
    for (const auto& [a, b] : candidates(least, reach)) {
        const AttachedShape &shape_a = model_.shapes()[a], &shape_b = model_.shapes()[b];
        const Material& material = materials_[shape_a.material * model_.materials() + shape_b.material];
        const double alert = least + (material.anticipation && !reach.empty() ? reach[a] + reach[b] : 0);
        points_.clear();
        collide(shape_a.shape, poses_[a], shape_b.shape, poses_[b],
                alert + tie * std::min(size_[a], size_[b]), points_);
        const auto active = [&](const ContactPoint& p) { return p.gap <= alert; };
        if (std::none_of(points_.begin(), points_.end(), active)) continue;
        for (const ContactPoint& p : points_)
            found_.push_back({a, b, shape_a.body, shape_b.body, &material, p});
    }
    return found_;
}

Eigen::Matrix3d contact_frame(const Eigen::Vector3d& n)
{
    int smallest;
    n.cwiseAbs().minCoeff(&smallest);
    Eigen::Matrix3d frame;
    frame.col(0) = n;
    frame.col(1) = n.cross(Eigen::Vector3d::Unit(smallest)).normalized();
    frame.col(2) = n.cross(frame.col(1));
    return frame;
}

} // namespace tamis
