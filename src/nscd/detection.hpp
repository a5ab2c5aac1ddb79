// Contacts of a model in a given configuration: every pair of shapes that may touch is looked at.
//
// Points of one pair are reported together: if one has gap <= alert, so are those that miss it by no more
// than round-off (1e-9 of the size of the pair). Two corners that land at once would else be told apart by
// their last digits, and one of them alone would take the impact.
#pragma once

#include "collision/narrowphase.hpp"
#include "nscd/model.hpp"

#include <limits>

namespace tamis {

struct DetectedContact {
    int shape_a, shape_b; // numbers in Model::shapes()
    int body_a, body_b;   // numbers in Model::bodies(), -1: the ground
    Material material;    // of the pair
    ContactPoint point;
};

class Detection {
  public:
    explicit Detection(const Model& model);
    // Contacts with gap <= alert, ordered by pair and feature. `pose(b)` is the pose of body b.
    template <class PoseOf>
    const std::vector<DetectedContact>& detect(PoseOf&& pose, double alert)
    {
        for (std::size_t s = 0; s < poses_.size(); ++s)
            if (moving_[s] >= 0) poses_[s] = pose(moving_[s]) * model_.shapes()[s].at;
        return collect(alert);
    }

    // The same contact with its bodies elsewhere; null if they have no such feature there.
    template <class PoseOf>
    const ContactPoint* again(const DetectedContact& contact, PoseOf&& pose)
    {
        auto shape_pose = [&](int s, int body) {
            return body < 0 ? model_.shapes()[s].at : pose(body) * model_.shapes()[s].at;
        };
        points_.clear();
        collide(model_.shapes()[contact.shape_a].shape, shape_pose(contact.shape_a, contact.body_a),
                model_.shapes()[contact.shape_b].shape, shape_pose(contact.shape_b, contact.body_b),
                std::numeric_limits<double>::infinity(), points_);
        for (const ContactPoint& p : points_)
            if (p.feature == contact.point.feature) return &p;
        return nullptr;
    }

  private:
    const std::vector<DetectedContact>& collect(double alert);
    const Model& model_;
    std::vector<Pose> poses_;         // of shapes
    std::vector<int> moving_;         // body of a shape that takes part, -1 for the ground's
    std::vector<Material> materials_; // by pair
    std::vector<double> tie_;         // by pair: gaps that differ by less count as equal
    std::vector<ContactPoint> points_;
    std::vector<DetectedContact> found_;
};

// Orthonormal frame (n, t1, t2) of a contact; t1 and t2 depend on n alone.
Eigen::Matrix3d contact_frame(const Eigen::Vector3d& normal);

} // namespace tamis
