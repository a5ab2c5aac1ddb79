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
    Eigen::Vector3d velocity{0, 0, 0}, turning_rate{0, 0, 0}; // of the pose's origin, world axes
};

struct Arrow { // one contact with its impulse
    Eigen::Vector3d at, vector;
    double gap;
};

// Writes <folder>/<name>.pvd, which lists for each frame, with its time,
//   frames/<name>_bodies_000012.vtp     polygons; point data `velocity`, cell data `body`; field data
//                                       `name` and `body`, one for each drawing
//   frames/<name>_contacts_000012.vtp   points; point data `impulse` and `gap`
// The list is replaced after each frame, so that it is valid at any moment and names complete files only.
class SceneWriter {
  public:
    // Removes the pictures of an earlier run in this folder, those of the first `keep` frames excepted.
    static void clear(const std::filesystem::path& folder, const std::string& name, int keep = 0);

    // Goes on behind the first `keep` frames of an earlier run, if they are there; removes the others.
    SceneWriter(std::filesystem::path folder, std::string name, int keep = 0);
    void frame(double t, std::span<const Drawing> bodies, std::span<const Arrow> contacts);
    int frames() const { return frames_; }

  private:
    void write_list(const std::string& datasets) const;

    std::filesystem::path folder_;
    std::string name_;
    std::string datasets_; // the <DataSet> lines of all frames
    int frames_ = 0;
};

} // namespace tamis
