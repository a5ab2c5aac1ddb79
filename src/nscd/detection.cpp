// All pairs against all; see detection.hpp.
#include "nscd/detection.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace tamis {

Detection::Detection(const Model& model)
    : model_(model), poses_(model.shapes().size()), moving_(model.shapes().size(), -1)
{
    for (std::size_t s = 0; s < poses_.size(); ++s) poses_[s] = model.shapes()[s].at;
    for (const auto& [a, b] : model.shape_pairs()) {
        moving_[a] = model.shapes()[a].body;
        moving_[b] = model.shapes()[b].body;
        materials_.push_back(model.pair(model.shapes()[a].material, model.shapes()[b].material));
        const double size_a = bounding_radius(model.shapes()[a].shape),
                     size_b = bounding_radius(model.shapes()[b].shape);
        tie_.push_back(1e-9 * std::min(size_a, size_b));
    }
}

const std::vector<DetectedContact>& Detection::collect(double alert)
{
    found_.clear();
    for (std::size_t k = 0; k < model_.shape_pairs().size(); ++k) {
        const auto& [a, b] = model_.shape_pairs()[k];
        points_.clear();
        collide(model_.shapes()[a].shape, poses_[a], model_.shapes()[b].shape, poses_[b], alert + tie_[k],
                points_);
        const auto active = [&](const ContactPoint& p) { return p.gap <= alert; };
        if (std::none_of(points_.begin(), points_.end(), active)) continue;
        for (const ContactPoint& p : points_)
            found_.push_back({a, b, model_.shapes()[a].body, model_.shapes()[b].body, materials_[k], p});
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
