// Packings to and from models; see packing.hpp.
#include "tamis/packing/packing.hpp"

#include "tamis/model/view.hpp"

namespace tamis {

int add_grains(Model& model, const Packing& packing, MaterialId material, double density)
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
    for (int i = first; i < static_cast<int>(model.grains().size()); ++i)
        packing.add(model.shapes()[model.grains()[i].first_shape].shape, view.pose(GrainId{i}));
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
