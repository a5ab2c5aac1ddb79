// A model cut in two: the part attached to a marker, with all grains and contacts, for the nonsmooth side;
// the rest for the smooth side.
#pragma once

#include "tamis/model/model.hpp"

#include <memory>

namespace tamis {

enum class CutKind {
    joint,    // the body and all it carries are nonsmooth; the reaction of its joint is returned
    contacts, // the body is smooth; the nonsmooth side moves a copy and returns the contact forces on it
};

// Where a model may be cut.
struct Cut {
    Body body;
    CutKind kind = CutKind::joint;
};

struct Split {
    // The nonsmooth side: one mechanism, or grains only. Its first body is connected to a marker by six
    // coordinates (three slides, then a spherical joint), followed by those of its own joint. Shapes and
    // grains keep their numbers; shapes of the smooth side are only drawn there.
    std::unique_ptr<Model> nonsmooth;
    Body interface;          // of `nonsmooth`
    std::vector<Body> away;  // bodies of the whole model that are not on the smooth side
    std::vector<int> number; // by body of the whole model: its number in `nonsmooth`, or -1
    // Drives beyond the cut: their coordinates in the whole model and in `nonsmooth`.
    std::vector<std::pair<Coordinate, Coordinate>> drives;
    Pose marker; // on the smooth body that carries it
    int carrier; // that body, in the whole model; -1: the ground
};

// `whole` must be finished and outlive the split; its laws are given `view`, that of the whole model. Rejects
// loops and springs between the two sides, and contact shapes on the smooth side.
Split split(const Model& whole, const Cut& cut, const View& view);

} // namespace tamis
