// Packings to and from models; see packing.hpp.
#include "tamis/packing/packing.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/view.hpp"

namespace tamis {

int add_grains(ModelDescription& model, const Packing& packing, MaterialId material, double density)
{
    const int first = static_cast<int>(model.grains().size());
    for (int i = 0; i < packing.size(); ++i)
        model.grain(
            {.shape = packing.shapes[i], .material = material, .density = density, .at = packing.poses[i]});
    return first;
}

Packing packing_of(const View& view, int first)
{
    Packing packing;
    const Model& model = view.model();
    for (int i = first; i < static_cast<int>(model.grains().size()); ++i) {
        const GrainRecord& grain = model.grains()[i];
        if (grain.shapes != 1)
            fail("'{}' is a cluster of {} shapes, and a packing holds grains of one shape each: take "
                 "polyhedra, or add the clusters to the model one by one.",
                 model.grain_name(i), grain.shapes);
        const AttachedShape& shape = model.shapes()[grain.first_shape];
        // The shape stands in the frame that was placed, unless it is the only part of a cluster.
        const Pose part = grain.frame * shape.at;
        const bool placed = part.p.norm() > 1e-9 * grain.radius || !part.R.isIdentity(1e-9);
        packing.add(shape.shape, placed ? view.pose(GrainId{i}) * part : view.pose(GrainId{i}));
    }
    return packing;
}

Bounds bounds(const Packing& packing)
{
    Bounds all{Eigen::Vector3d::Constant(1e300), Eigen::Vector3d::Constant(-1e300)};
    for (int i = 0; i < packing.size(); ++i) {
        const Bounds one = bounds(packing.shapes[i], packing.poses[i]);
        all.low = all.low.cwiseMin(one.low);
        all.high = all.high.cwiseMax(one.high);
    }
    return all;
}

} // namespace tamis
