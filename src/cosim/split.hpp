// A model cut in two: what hangs on a marker, with all grains and contacts, for the nonsmooth side; the rest
// is left to the smooth one.
#pragma once

#include "tamis/model/model.hpp"

#include <memory>

namespace tamis {

enum class CutKind {
    joint,    // the body and what hangs on it leave the smooth side; the reaction of its joint comes back
    contacts, // the body stays on the smooth side and is moved on the other; what contacts do to it comes
              // back
};

// Where a model may be cut.
struct Cut {
    Body body;
    CutKind kind = CutKind::joint;
};

struct Split {
    // The nonsmooth side: one mechanism, or none but grains, whose first body hangs on a marker by six
    // coordinates (three slides, then a spherical joint) before those of its own joint. Shapes and grains
    // keep their numbers; shapes of the smooth side are only drawn there.
    std::unique_ptr<Model> nonsmooth;
    Body interface;          // of `nonsmooth`
    std::vector<Body> away;  // bodies of the whole model that are not on the smooth side
    std::vector<int> number; // by body of the whole model: its number in `nonsmooth`, or -1
    std::vector<std::pair<Coordinate, Coordinate>>
        drives;  // beyond the cut: in the whole model, in `nonsmooth`
    Pose marker; // on the smooth body that carries it
    int carrier; // that body, in the whole model; -1: the ground
};

// `whole` must be finished and outlive the split; its laws are shown `view`, that of the whole model. Refuses
// loops and springs that tie both sides together, and contact shapes on the smooth side.
Split split(const Model& whole, const Cut& cut, const View& view);

} // namespace tamis
