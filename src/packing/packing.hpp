// A set of grains at rest, their shapes and poses: made once, stored, and added to models.
#pragma once

#include "tamis/model/description.hpp"

namespace tamis {

struct Packing {
    std::vector<Shape> shapes;
    std::vector<Pose> poses; // of the frames of the shapes

    int size() const { return static_cast<int>(shapes.size()); }
    void add(const Shape& shape, const Pose& pose)
    {
        shapes.push_back(shape);
        poses.push_back(pose);
    }
};

// Adds all grains to the model and returns the number of the first one.
int add_grains(ModelDescription& model, const Packing& packing, MaterialId material, double density);

// Where the grains of the view from number `first` on are now. A cluster of several shapes throws.
Packing packing_of(const View& view, int first = 0);

// Bounding box of all grains.
Bounds bounds(const Packing& packing);

} // namespace tamis
