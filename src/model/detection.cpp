// Broad phase, then narrow phase; see detection.hpp. A handful of shapes is tested all against all, which is
// cheaper than looking at boxes first.
#include "tamis/model/detection.hpp"

#include "tamis/base/parallel_for.hpp"
#include "tamis/base/prefetch.hpp"
#include "tamis/collision/polyhedra_manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <omp.h>

namespace tamis {

namespace {
constexpr int few_shapes = 16;
constexpr int enough_for_threads = 2000; // pairs, or shapes
constexpr double tie = 1e-9;             // of the size of a pair: gaps that differ by less count as equal
} // namespace

Detection::Detection(const Model& model, int threads)
    : model_(model), poses_(model.shapes().size()), moving_(model.shapes().size(), -1),
      size_(model.shapes().size()), ball_(model.shapes().size()), hull_(model.shapes().size()),
      travelled_(model.shapes().size()), broadphase_(model.filter()),
      threads_(threads > 0 ? threads : omp_get_max_threads())
{
    const int shapes = static_cast<int>(poses_.size());
    for (int s = 0; s < shapes; ++s) {
        const AttachedShape& shape = model.shapes()[s];
        poses_[s] = shape.at;
        size_[s] = bounding_radius(shape.shape);
        hull_[s] = polyhedron_hull(shape.shape);
        if (shape.material >= 0) moving_[s] = shape.body;
        const int grain = model.grain_of(shape.body);
        ball_[s] = grain >= 0 && model.grains()[grain].ball;
    }
    for (int a = 0; a < model.materials(); ++a)
        for (int b = 0; b < model.materials(); ++b) {
            materials_.push_back(model.pair(a, b));
            anticipates_ = anticipates_ || materials_.back().anticipation;
            rolls_ = rolls_ || materials_.back().rolling > 0;
            complies_ = complies_ || materials_.back().stiffness > 0;
        }
    if (shapes > few_shapes) return;
    for (int a = 0; a < shapes; ++a)
        for (int b = a + 1; b < shapes; ++b)
            if (model.filter()(a, b)) all_pairs_.emplace_back(a, b);
}

Detection::Pairs Detection::candidates(double alert, std::span<const double> reach)
{
    const std::size_t shapes = poses_.size();
    if (shapes <= few_shapes) return {all_pairs_, {}};
    bounds_.resize(shapes);
    const int count = static_cast<int>(shapes);
    parallel_for(count, count < enough_for_threads ? 1 : threads_, [&](int begin, int end) {
        for (int s = begin; s < end; ++s) {
            if (s + 4 < end && hull_[s + 4]) prefetch(hull_[s + 4]->vertices);
            set_bounds(s, alert, reach);
        }
    });
    return overlapping_boxes();
}

Detection::Pairs Detection::overlapping_boxes()
{
    const Pairs pairs{broadphase_.pairs(bounds_), broadphase_.candidate_numbers()};
    if (searches_ != broadphase_.searches()) {
        searches_ = broadphase_.searches();
        apart_.swap(apart_before_);
        apart_.clear();
        for (const int earlier : broadphase_.earlier_numbers())
            apart_.push_back(earlier < 0 ? -std::numeric_limits<double>::infinity() : apart_before_[earlier]);
    }
    return pairs;
}

void Detection::set_bounds(std::size_t s, double alert, std::span<const double> reach)
{
    Bounds& box = bounds_[s];
    box = bounds(model_.shapes()[s].shape, poses_[s]);
    const double wider =
        alert / 2 + (reach.empty() ? 0 : reach[s]) + (std::isfinite(size_[s]) ? tie * size_[s] : 0);
    box.low.array() -= wider;
    box.high.array() += wider;
}

const std::vector<DetectedContact>& Detection::look_again(std::span<const char> widened,
                                                          std::span<const double> reach)
{
    Pairs pairs{all_pairs_, {}};
    if (poses_.size() > few_shapes) {
        for (std::size_t s = 0; s < poses_.size(); ++s)
            if (widened[s]) set_bounds(s, 0, reach);
        pairs = overlapping_boxes();
    }
    pairs_again_.clear();
    numbers_again_.clear();
    for (std::size_t i = 0; i < pairs.shapes.size(); ++i) {
        const auto [a, b] = pairs.shapes[i];
        if (!widened[a] && !widened[b]) continue;
        pairs_again_.emplace_back(a, b);
        if (!pairs.number.empty()) numbers_again_.push_back(pairs.number[i]);
    }
    found_again_.clear();
    look_at({pairs_again_, numbers_again_}, 0, reach, scratch_, found_again_);
    return found_again_;
}

const std::vector<DetectedContact>& Detection::collect(double alert, std::span<const double> reach)
{
    const Pairs pairs = candidates(alert, reach);
    const int count = static_cast<int>(pairs.shapes.size());
    if (threads_ == 1 || count < enough_for_threads) {
        found_.clear();
        look_at(pairs, alert, reach, scratch_, found_);
        return found_;
    }
    // In parts, put together in the order of the pairs.
    const int parts = 16 * threads_, size = (count + parts - 1) / parts;
    parts_.resize(parts);
    scratches_.resize(threads_);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (int k = 0; k < parts; ++k) {
        const int first = std::min(k * size, count);
        parts_[k].found.clear();
        look_at(pairs.part(first, std::min(size, count - first)), alert, reach,
                scratches_[omp_get_thread_num()], parts_[k].found);
    }
    std::size_t all = 0;
    for (Part& part : parts_) {
        part.first = all;
        all += part.found.size();
    }
    found_.resize(all);
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (int k = 0; k < parts; ++k)
        std::ranges::copy(parts_[k].found, found_.begin() + static_cast<std::ptrdiff_t>(parts_[k].first));
    return found_;
}

void Detection::look_at(const Pairs& all, double least, std::span<const double> reach, Scratch& scratch,
                        std::vector<DetectedContact>& found)
{
    const std::span<const std::pair<int, int>> pairs = all.shapes;
    const bool followed = !all.number.empty();
    const auto reach_of = [&](int a, int b) { return reach.empty() ? 0.0 : reach[a] + reach[b]; };
    const auto both_hulls = [&](int a, int b) { return followed && hull_[a] && hull_[b]; };
    std::vector<int>& due = scratch.due;
    due.clear();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [a, b] = pairs[i];
        // Two that were farther apart than they have come nearer since need no look.
        if (both_hulls(a, b)) {
            const double apart = apart_[all.number[i]] - (travelled_[a] + travelled_[b]);
            if (apart > least + reach_of(a, b) + tie * (std::min(size_[a], size_[b]) + size_[a] + size_[b]))
                continue;
        }
        due.push_back(static_cast<int>(i));
    }
    for (std::size_t k = 0; k < due.size(); ++k) {
        const int i = due[k];
        const auto [a, b] = pairs[i];
        // The second shape of the pairs to come: itself, then its hull, then what the hull refers to.
        if (k + 8 < due.size() && !ball_[pairs[due[k + 8]].second]) {
            const int next = pairs[due[k + 8]].second;
            prefetch(&model_.shapes()[next]);
            prefetch(&poses_[next]);
            if (const Hull* hull = hull_[pairs[due[k + 4]].second]) prefetch(hull);
            if (const Hull* hull = hull_[pairs[due[k + 2]].second]) prefetch(hull->quads);
        }
        const AttachedShape &shape_a = model_.shapes()[a], &shape_b = model_.shapes()[b];
        const Material& material = materials_[shape_a.material * model_.materials() + shape_b.material];
        const double alert = least + (material.anticipation ? reach_of(a, b) : 0);
        const double wider = alert + tie * std::min(size_[a], size_[b]);
        if (ball_[a] && ball_[b]) { // most pairs of a bed of spheres end here
            const double reaches = size_[a] + size_[b] + wider;
            if ((poses_[b].p - poses_[a].p).squaredNorm() > reaches * reaches) continue;
        }
        std::vector<ContactPoint>& points = scratch.points;
        points.clear();
        if (both_hulls(a, b))
            apart_[all.number[i]] =
                travelled_[a] + travelled_[b] +
                polyhedra_manifold(*hull_[a], poses_[a], *hull_[b], poses_[b], wider, points);
        else
            collide(shape_a.shape, poses_[a], shape_b.shape, poses_[b], wider, points);
        const auto active = [&](const ContactPoint& p) { return p.gap <= alert; };
        if (std::none_of(points.begin(), points.end(), active)) continue;
        for (const ContactPoint& p : points)
            found.push_back({a, b, shape_a.body, shape_b.body, &material, p});
    }
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
