// Pictures of a run for ParaView: the surfaces of the bodies and the contacts between them, frame by frame.
#pragma once

#include "collision/shapes.hpp"

#include <Eigen/Core>
#include <filesystem>
#include <span>
#include <string>

namespace tamis {

struct Drawing { // one rigid surface where it is in this frame
    std::string name;
    Surface surface;
    Pose pose;
    int body;
};

struct Arrow { // one contact with its impulse
    Eigen::Vector3d at, vector;
    double gap;
};

// Writes <folder>/<name>.pvd, which lists for each frame, with its time,
//   frames/<name>_bodies_000012.vtp     polygons; cell data `body`; field data `name` and `body`, one per
//   drawing frames/<name>_contacts_000012.vtp   points; point data `impulse` and `gap`
// The list is replaced after each frame, so that it is valid at any moment and names complete files only.
class SceneWriter {
  public:
    SceneWriter(std::filesystem::path folder, std::string name);
    void frame(double t, std::span<const Drawing> bodies, std::span<const Arrow> contacts);
    int frames() const { return frames_; }

  private:
    std::filesystem::path folder_;
    std::string name_;
    std::string datasets_; // the <DataSet> lines of all frames
    int frames_ = 0;
};

} // namespace tamis
