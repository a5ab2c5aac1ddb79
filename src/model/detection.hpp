// Contacts of a model in a given configuration.
//
// Points of one pair are reported together: if one has gap <= alert, so are those that miss it by no more
// than round-off (1e-9 of the size of the pair). Two corners that land at once would else be told apart by
// their last digits, and one of them alone would take the impact.
#pragma once

#include "tamis/collision/narrowphase.hpp"
#include "tamis/model/model.hpp"

#include <limits>

namespace tamis {

struct DetectedContact {
    int shape_a, shape_b;     // numbers in Model::shapes()
    int body_a, body_b;       // numbers of bodies or grains, -1: the ground
    const Material* material; // of the pair
    ContactPoint point;
};

class Detection {
  public:
    explicit Detection(const Model& model, int threads = 1); // 0: all; what is found does not depend on them
    // Contacts with gap <= alert, ordered by pair. `pose(b)` is the pose of body or grain b. Pairs that
    // anticipate have a larger alert distance, by the sum of their `reach`, which is given for each shape.
    template <class PoseOf>
    const std::vector<DetectedContact>& detect(PoseOf&& pose, double alert = 0,
                                               std::span<const double> reach = {})
    {
        for (std::size_t s = 0; s < poses_.size(); ++s) {
            if (moving_[s] < 0) continue;
            if (ball_[s]) {
                poses_[s].p = pose(moving_[s]).p;
                continue;
            }
            const Pose now = pose(moving_[s]) * model_.shapes()[s].at;
            if (hull_[s]) // no point of it has moved farther
                travelled_[s] += (now.p - poses_[s].p).norm() +
                                 hull_[s]->radius * M_SQRT1_2 * (now.R - poses_[s].R).norm();
            poses_[s] = now;
        }
        return collect(alert, reach);
    }

    // Where they were detected last, contacts of the `widened` shapes, whose reach has become larger.
    const std::vector<DetectedContact>& look_again(std::span<const char> widened,
                                                   std::span<const double> reach);

    // The same contact with its bodies elsewhere; null if they have no such feature there.
    template <class PoseOf>
    const ContactPoint* again(const DetectedContact& contact, PoseOf&& pose)
    {
        auto shape_pose = [&](int s, int body) {
            return body < 0 ? model_.shapes()[s].at : pose(body) * model_.shapes()[s].at;
        };
        std::vector<ContactPoint>& points = scratch_.points;
        points.clear();
        collide(model_.shapes()[contact.shape_a].shape, shape_pose(contact.shape_a, contact.body_a),
                model_.shapes()[contact.shape_b].shape, shape_pose(contact.shape_b, contact.body_b),
                std::numeric_limits<double>::infinity(), points);
        for (const ContactPoint& p : points)
            if (p.feature == contact.point.feature) return &p;
        return nullptr;
    }

    bool anticipates() const { return anticipates_; } // some pair of materials does
    bool rolls() const { return rolls_; }             // some pair has rolling resistance
    bool complies() const { return complies_; }       // some pair is compliant

  private:
    struct Pairs {
        std::span<const std::pair<int, int>> shapes;
        std::span<const int> number; // among the candidates of the broad phase; none of a small model
        Pairs part(std::size_t first, std::size_t count) const
        {
            return {shapes.subspan(first, count), number.empty() ? number : number.subspan(first, count)};
        }
    };
    const std::vector<DetectedContact>& collect(double alert, std::span<const double> reach);
    struct Scratch {
        std::vector<int> due; // pairs that need a look
        std::vector<ContactPoint> points;
    };
    void look_at(const Pairs& pairs, double alert, std::span<const double> reach, Scratch& scratch,
                 std::vector<DetectedContact>& found);
    Pairs candidates(double alert, std::span<const double> reach);
    Pairs overlapping_boxes(); // of bounds_
    void set_bounds(std::size_t shape, double alert, std::span<const double> reach);

    const Model& model_;
    std::vector<Pose> poses_;       // of shapes
    std::vector<int> moving_;       // body of a shape that takes part, -1 for the ground's
    std::vector<double> size_;      // bounding radius of shapes
    std::vector<char> ball_;        // a ball grain's: turns do not matter
    std::vector<const Hull*> hull_; // of a polyhedron, else null
    std::vector<double> travelled_; // by a polyhedron: bound of the way of its points since the start
    // Of a candidate, two polyhedra that were apart when looked at: their distance then plus what both had travelled.
    std::vector<double> apart_, apart_before_; // now, and before the last search of the broad phase
    long searches_ = 0;                        // of the broad phase, that apart_ belongs to
    std::vector<Material> materials_;          // by pair of materials
    bool anticipates_ = false, rolls_ = false, complies_ = false;
    std::vector<std::pair<int, int>> all_pairs_; // of a small model
    Broadphase broadphase_;
    std::vector<Bounds> bounds_;
    int threads_;
    Scratch scratch_;
    std::vector<DetectedContact> found_, found_again_;
    std::vector<std::pair<int, int>> pairs_again_;
    std::vector<int> numbers_again_;
    std::vector<Scratch> scratches_; // of the threads
    struct Part {                    // of the pairs
        std::vector<DetectedContact> found;
        std::size_t first = 0; // among all found
    };
    std::vector<Part> parts_;
};

// Orthonormal frame (n, t1, t2) of a contact; t1 and t2 depend on n alone.
Eigen::Matrix3d contact_frame(const Eigen::Vector3d& normal);

} // namespace tamis
