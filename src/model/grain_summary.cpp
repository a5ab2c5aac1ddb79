// I = sum R diag(I_i) R^T + m_i (|r|^2 1 - r r^T), r from the centre of mass.
#include "tamis/model/grain_summary.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

GrainSummary grain_summary(const View& view)
{
    GrainSummary all;
    const auto& records = view.model().grains();
    const std::span<const GrainState> grains = view.grains();
    if (grains.empty()) return all;
    Vector3d mean(0, 0, 0); // not weighted by mass
    for (std::size_t g = 0; g < grains.size(); ++g) {
        const double m = records[g].mass;
        all.mass += m;
        all.centre_of_mass += m * grains[g].x;
        all.velocity += m * grains[g].v;
        mean += grains[g].v;
    }
    all.centre_of_mass /= all.mass;
    all.velocity /= all.mass;
    const double count = static_cast<double>(grains.size());
    mean /= count;
    for (std::size_t g = 0; g < grains.size(); ++g) {
        const Vector3d r = grains[g].x - all.centre_of_mass;
        const Matrix3d R = grains[g].q.toRotationMatrix(), rr = r * r.transpose();
        all.inertia += R * records[g].inertia.asDiagonal() * R.transpose() +
                       records[g].mass * (r.squaredNorm() * Matrix3d::Identity() - rr);
        all.temperature += (grains[g].v - mean).squaredNorm() / (3 * count);
    }
    const auto& shapes = view.model().shapes();
    for (const ContactRecord& c : view.contacts())
        if (shapes[c.shape_a].grain >= 0 || shapes[c.shape_b].grain >= 0)
            all.overlap = std::max(all.overlap, -c.gap);
    return all;
}

} // namespace tamis
